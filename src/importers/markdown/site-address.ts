/** The address of an article on its site, as the site's generator makes it of the file's path and front matter. */
import { slugify } from "../../domain/articles/content/slug.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { withoutTrailing } from "../../domain/system/trailing.ts";
import { parseLabels } from "../article-fields.ts";
import type { ZonedParts } from "../dates.ts";
import { toText } from "../import-item.ts";
import type { Site } from "../site.ts";
import { getHost } from "../urls.ts";
import type { DocusaurusRoute } from "./docusaurus-routes.ts";
import type { FrontMatterFields } from "./front-matter.ts";
import { hugoLanguage } from "./hugo-language.ts";
import type { PathMetadata } from "./path-metadata.ts";

export interface AddressSource {
  fields: FrontMatterFields;
  place: PathMetadata;
  /** Path relative to the site's root. */
  path: string;
  /** The publication date on the site's clock. */
  day: ZonedParts | null;
  title: string;
}

/** `path`: begins with `/`, or is a whole address of another host. `isGuessed`: the configuration may say otherwise in a form that is not read. */
export interface SiteAddress {
  path: string;
  isGuessed: boolean;
}

/** Null: the generator gives it none, or by a rule that is not known. */
export function siteAddress(source: AddressSource, site: Site): SiteAddress | null {
  const own = source.fields.get("permalink");
  const pattern = typeof own === "string" && isPattern(own) ? own : null;
  if (pattern?.includes("{") === true) {
    // Eleventy's usual one; others need its templates.
    const filled = pattern.replaceAll(/\{\{-?\s?page\.fileSlug\s?(?:\|\s?slug(?:ify)?\s?)?-?\}\}/g, source.place.slug);
    return isPattern(filled) ? null : toAddress(filled, false);
  }
  switch (site.generator) {
    case "Jekyll":
      return ofJekyll(source, site, pattern);
    case "Hexo":
      return ofHexo(source, site, pattern);
    case "Hugo":
      return ofHugo(source, site);
    case "Docusaurus":
      return ofDocusaurus(source, site);
    case "MkDocs":
      return ofMkdocs(source, site);
    case "Pelican":
      return ofPelican(source, site);
    case "VitePress":
    case "VuePress":
      return ofPath(source, [site.generator === "VuePress" ? "docs" : ""], (path) =>
        site.values["cleanUrls"] === true ? path : `${path}.html`,
      );
    case "Eleventy":
      return ofPath(source, ["src", "content"], (path) => `${withoutDate(path)}/`);
    default:
      return null;
  }
}

/** The site's own address, with the website's where that is another. */
export function siteBase(site: Site, websiteUrl: string | null): string | null {
  return websiteUrl === null || getHost(site.url) === getHost(websiteUrl) ? (site.url ?? websiteUrl) : websiteUrl;
}

/** Whether the generator would expand it to a URL, as in `/:categories/:title/` and `/blog/{{ page.slug }}/`. */
export function isPattern(address: string): boolean {
  return /\/:\w|^:\w|\{/.test(address);
}

function toAddress(path: string, isGuessed: boolean): SiteAddress {
  return { path: `/${path.replaceAll(/\/{2,}/g, "/").replace(/^\//, "")}`, isGuessed };
}

const JEKYLL_STYLES: Readonly<Record<string, string>> = {
  date: "/:categories/:year/:month/:day/:title:output_ext",
  pretty: "/:categories/:year/:month/:day/:title/",
  ordinal: "/:categories/:year/:y_day/:title:output_ext",
  none: "/:categories/:title:output_ext",
};

function ofJekyll(source: AddressSource, site: Site, own: string | null): SiteAddress | null {
  const { fields, place, path } = source;
  if (!place.isPost) return null;
  const folders = path.split("/").slice(0, -1);
  const above = folders.slice(0, Math.max(0, folders.indexOf("_posts")));
  const named = [...parseLabels(fields.get("category")), ...parseLabels(fields.get("categories"), true)];
  const categories = [...above, ...named].filter((name) => name !== "");
  const wanted = own ?? site.permalink ?? "date";
  const slug = toText(fields.get("slug")) ?? place.slugInLanguage;
  return fill(JEKYLL_STYLES[wanted] ?? wanted, source, {
    title: slug,
    slug: slugify(slug),
    categories: [...new Set(categories.map((name) => name.toLowerCase().replaceAll(" ", "%20")))].join("/"),
    slugified_categories: [...new Set(categories.map(slugify))].join("/"),
    output_ext: ".html",
  });
}

function ofHexo(source: AddressSource, site: Site, own: string | null): SiteAddress | null {
  const { fields, place, path } = source;
  const inPosts = path.split("/_posts/")[1];
  if (inPosts === undefined) return null;
  const title = withoutDate(inPosts.replace(/\.\w+$/, ""));
  const category = [fields.get("categories", "category")].flat(2).flatMap((name) => toText(name) ?? []);
  return fill(own ?? site.permalink ?? ":year/:month/:day/:title/", source, {
    title: toText(fields.get("slug")) ?? title,
    name: place.slugInLanguage,
    post_title: slugify(source.title),
    category: category.length === 0 ? undefined : category.map(slugify).join("/"),
    lang: toText(fields.get("lang", "language")),
  });
}

function ofHugo(source: AddressSource, site: Site): SiteAddress | null {
  const { fields, place, path } = source;
  const language = hugoLanguage(path, site);
  const content = language?.content ?? `${toText(site.values["contentDir"]) ?? "content"}/`;
  // A language that the configuration does not name.
  if (!path.startsWith(content) || (language === null && place.language !== null)) return null;
  const parts = (language?.group ?? path.slice(content.length).replace(/\.\w+$/, "")).split("/");
  const isBundle = parts.at(-1) === "index";
  const name = (isBundle ? parts.at(-2) : parts.at(-1)) ?? "";
  const sections = parts.slice(0, isBundle ? -2 : -1);
  const [section = ""] = sections;
  const groups = [language?.values["permalinks"], site.values["permalinks"]].flatMap((all) =>
    isRecord(all) ? [isRecord(all["page"]) ? all["page"] : {}, all] : [],
  );
  const pattern = groups.map((group) => group[section]).find((one) => typeof one === "string");
  const slug = toText(fields.get("slug"));
  const ending = site.values["uglyURLs"] === true || site.values["uglyurls"] === true ? ".html" : "/";
  const made =
    pattern === undefined
      ? toAddress([...sections, slug ?? name].join("/") + ending, false)
      : fill(pattern, source, {
          section,
          sections: sections.join("/"),
          title: urlized(source.title),
          slug: slug ?? urlized(source.title),
          slugorfilename: slug ?? name,
          slugorcontentbasename: slug ?? name,
          filename: name,
          contentbasename: name,
        });
  return made && { ...made, path: (language?.prefix ?? "") + urlized(made.path) };
}

/** As Hugo writes paths: in small letters, with hyphens for spaces, without punctuation. */
function urlized(path: string): string {
  return path
    .toLowerCase()
    .replaceAll(/\s+/g, "-")
    .replaceAll(/[^\p{L}\p{M}\p{N}/._~+-]/gu, "");
}

const USUAL_ROUTES: readonly DocusaurusRoute[] = [
  { kind: "blog", folder: "blog/", base: "blog" },
  { kind: "docs", folder: "docs/", base: "docs" },
];

function ofDocusaurus({ fields, path }: AddressSource, site: Site): SiteAddress | null {
  const named = (site.values["routes"] ?? []) as readonly DocusaurusRoute[];
  const route = [...named, ...USUAL_ROUTES].find(({ folder }) => path.startsWith(folder));
  if (route === undefined) return null;
  const at = (rest: string) => toAddress(`${route.base}/${rest}`, !named.includes(route));
  const slug = toText(fields.get("slug"));
  if (slug?.startsWith("/") === true) return at(slug);
  const file = path.slice(route.folder.length).replace(/(?:\/index)?\.\w+$/, "");
  if (route.kind === "docs") {
    const plain = file.split("/").map((part) => part.replace(/^\d+\s?[-_.]\s?/, ""));
    const last = slug ?? toText(fields.get("id")) ?? plain.at(-1) ?? "";
    return at([...plain.slice(0, -1), last].join("/"));
  }
  return at(slug ?? file.replace(/(\d{4})-(\d{1,2})-(\d{1,2})[-_/]?/, "$1/$2/$3/"));
}

function ofMkdocs({ path, fields, title, day }: AddressSource, site: Site): SiteAddress | null {
  const docs = `${toText(site.values["docs_dir"]) ?? "docs"}/`;
  if (!path.startsWith(docs)) return null;
  const ending = site.values["use_directory_urls"] === false ? ".html" : "/";
  const file = path.slice(docs.length).replace(/(?:(?:^|\/)index)?\.\w+$/, "");
  const post = /^((?:[^/]+\/)?)posts\//.exec(file);
  if (post === null || day === null) return toAddress(file + ending, false);
  // The blog of its usual theme.
  return toAddress(
    `${post[1] ?? ""}${day.year}/${day.month}/${day.day}/${toText(fields.get("slug")) ?? slugify(title)}${ending}`,
    true,
  );
}

function ofPelican(source: AddressSource, site: Site): SiteAddress | null {
  const { fields, place } = source;
  const pattern = toText(fields.get("url")) ?? site.permalink ?? "{slug}.html";
  const slug = toText(fields.get("slug")) ?? slugify(source.title || place.slugInLanguage);
  const category = slugify(toText(fields.get("category")) ?? source.path.split("/").at(-2) ?? "misc");
  const { year: Y, month: m, day: d } = source.day ?? {};
  const letters: Readonly<Record<string, string | undefined>> = { Y, m, d };
  const filled = pattern
    .replaceAll("{slug}", slug)
    .replaceAll("{category}", category)
    .replaceAll(/\{date:([^{}]{1,40})\}/g, (whole, format: string) =>
      format.replaceAll(/%(.)/g, (_code, letter: string) => letters[letter] ?? whole),
    );
  return /[{}%]/.test(filled) ? null : toAddress(filled, false);
}

/** By the path of the file, without the folder that the generator reads. */
function ofPath({ path }: AddressSource, tops: readonly string[], finish: (path: string) => string): SiteAddress {
  const top = tops.find((name) => name !== "" && path.startsWith(`${name}/`));
  const file = (top === undefined ? path : path.slice(top.length + 1)).replace(/\.\w+$/, "");
  return toAddress(/(?:^|\/)index$/.test(file) ? file.slice(0, -"index".length) : finish(file), true);
}

function withoutDate(path: string): string {
  return path.replace(/(^|\/)\d{4}-\d{1,2}-\d{1,2}[-_](?=[^/]+$)/, "$1");
}

/** Fills `:year` and the like; null if one of them is not known, or the article has no date. */
function fill(
  pattern: string,
  { day }: AddressSource,
  values: Readonly<Record<string, string | undefined>>,
): SiteAddress | null {
  const dated = day === null ? {} : dateValues(day);
  const all: Readonly<Record<string, string | undefined>> = { ...dated, ...values };
  let isKnown = true;
  const filled = pattern.replaceAll(/:([a-z_]{1,30})/g, (_whole, name: string) => {
    const value = all[name];
    if (value === undefined) isKnown = false;
    return value ?? "";
  });
  return isKnown ? toAddress(withoutTrailing(filled, " "), false) : null;
}

function dateValues({ year, month, day, hour, minute, second, yearDay }: ZonedParts): Record<string, string> {
  return {
    year,
    month,
    day,
    hour,
    minute,
    second,
    short_year: year.slice(2),
    i_month: String(Number(month)),
    i_day: String(Number(day)),
    y_day: yearDay,
    yearday: String(Number(yearDay)),
  };
}
