import type { InternalLink } from "../../article.ts";
import type { Anchor } from "./text.ts";

export interface Links {
  /** Site-relative, each pair of text and URL once, in the order of the article. */
  internal: InternalLink[];
  /** Addresses of other websites, each once. */
  external: string[];
}

/** Sorts the links of an article into internal and external ones. Links to a place within the article are neither. */
export function sortLinks(anchors: readonly Anchor[], websiteUrl: string | null): Links {
  const ownHost = websiteUrl === null ? null : getHost(parseUrl(websiteUrl));
  const internal = new Map<string, InternalLink>();
  const external = new Set<string>();
  for (const { text, href } of anchors) {
    const url = siteRelative(href, ownHost);
    if (url === undefined) external.add(href);
    else if (url !== null) internal.set(`${url}\n${text}`, { text, url });
  }
  return { internal: [...internal.values()], external: [...external] };
}

/** The URL without the website's own host; `undefined` for another website, `null` if it is not a page at all. */
function siteRelative(href: string, ownHost: string | null): string | undefined | null {
  if (href === "" || href.startsWith("#")) return null;
  const absolute = /^(?:https?:)?[/\\]{2}/i.test(href);
  if (!absolute) return /^[a-z][a-z0-9+.-]*:/i.test(href) ? null : href;
  const plainHost = PLAIN_HOST.exec(href)?.[1];
  if (plainHost !== undefined && isPlain(plainHost) && withoutWww(plainHost) !== ownHost) return undefined;
  const url = parseUrl(href);
  if (url === null) return null;
  if (ownHost === null || getHost(url) !== ownHost) return undefined;
  return url.pathname + url.search + url.hash;
}

function parseUrl(url: string): URL | null {
  return URL.parse(url, "https://relative.invalid/");
}

/** The host with its port, without `www.`. */
function getHost(url: URL | null): string | null {
  return url === null ? null : withoutWww(url.host);
}

const withoutWww = (host: string): string => (host.startsWith("www.") ? host.slice("www.".length) : host);

const PLAIN_HOST = /^https?:\/\/((?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,})(?:[/?#]|$)/;
/** Whether the host is certainly valid and in its final form, which spares a URL parser (2 µs). */
const isPlain = (host: string): boolean => !host.includes("--") && host.length < 64;
