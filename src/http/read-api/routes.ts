import type { Route } from "../operators/metrics.ts";

export const API_PREFIX = "/api/public/";
export const ARTICLES = "/api/public/articles";
const BY_SLUG = `${ARTICLES}/by-slug/`;
const RELATED = "/related";
const FIXED: ReadonlyMap<string, Route> = new Map([
  ["/api/public/events", "events"],
  ["/api/public/redirects", "redirects"],
  ["/api/public/tags", "tags"],
  ["/api/public/categories", "categories"],
  ["/api/public/state", "state"],
  ["/api/public/openapi.json", "openapi"],
]);

/** As the API's documentation writes them. */
export const READ_PATHS: Readonly<Record<Route, string | undefined>> = {
  list: ARTICLES,
  detail: `${ARTICLES}/:id`,
  slug: `${BY_SLUG}:slug`,
  related: `${ARTICLES}/:id${RELATED}`,
  events: "/api/public/events",
  redirects: "/api/public/redirects",
  tags: "/api/public/tags",
  categories: "/api/public/categories",
  state: "/api/public/state",
  openapi: "/api/public/openapi.json",
  other: undefined,
};

export function matchRoute(url: string): Route {
  if (url.startsWith(ARTICLES)) {
    const next = url.charCodeAt(ARTICLES.length);
    // The end of the URL, or "?".
    if (Number.isNaN(next) || next === 63) return "list";
    const path = getPath(url);
    if (next === 47 && path.length > ARTICLES.length + 1 && !path.includes("/", ARTICLES.length + 1)) return "detail";
    if (path.startsWith(BY_SLUG) && path.length > BY_SLUG.length && !path.includes("/", BY_SLUG.length)) return "slug";
    if (path.endsWith(RELATED) && path.indexOf("/", ARTICLES.length + 1) === path.length - RELATED.length)
      return "related";
    return "other";
  }
  return FIXED.get(getPath(url)) ?? "other";
}

export function getLastPart(url: string): string {
  const path = getPath(url);
  return path.slice(path.lastIndexOf("/") + 1);
}

export function getParentPart(url: string): string {
  return getPath(url).split("/").at(-2) ?? "";
}

function getPath(url: string): string {
  const question = url.indexOf("?");
  return question < 0 ? url : url.slice(0, question);
}

export function getSearch(url: string): string {
  const question = url.indexOf("?");
  return question < 0 ? "" : url.slice(question + 1);
}
