/** The language of a file of Hugo, by the `languages` of the site's configuration. */
import { isRecord } from "../../domain/articles/json-values.ts";
import { withoutTrailing } from "../../domain/system/trailing.ts";
import { readLanguage } from "../article-fields.ts";
import { toText } from "../import-item.ts";
import { NO_SITE, type Site } from "../site.ts";
import { parsePath, type PathMetadata } from "./path-metadata.ts";

export interface HugoLanguage {
  /** Its name in the configuration, which names files and folders, such as `de`. */
  key: string;
  /** As articles have it; null: it is none that is known. */
  language: string | null;
  /** The folder with its articles, with `/` at the end. */
  content: string;
  /** The file's path in it, without the language and the ending: that of its translations, too. */
  group: string;
  /** Whether languages have folders of their own: then only \`group\` says what belongs together. */
  hasFolders: boolean;
  /** What its addresses begin with: a path, or a whole address if it has a host of its own. */
  prefix: string;
  /** Its own settings, which go before the site's. */
  values: Readonly<Record<string, unknown>>;
  isDisabled: boolean;
}

/** Null: the site has one language, or the file is none of its articles. `path`: relative to the site's root. */
export function hugoLanguage(path: string, site: Site = NO_SITE): HugoLanguage | null {
  const all = site.values["languages"];
  if (site.generator !== "Hugo" || !isRecord(all)) return null;
  const languages = Object.entries(all).flatMap(([key, values]) =>
    isRecord(values) ? [{ key, values, content: contentFolder(values, site) }] : [],
  );
  const stem = path.replace(/\.\w+$/, "");
  const inFolder = languages.filter(({ content }) => path.startsWith(content));
  const longest = Math.max(...inFolder.map(({ content }) => content.length));
  const candidates = inFolder.filter(({ content }) => content.length === longest);
  const first = defaultKey(languages, site);
  const isNamed = ({ key }: { key: string }) => stem.toLowerCase().endsWith(`.${key.toLowerCase()}`);
  const found = candidates.find(isNamed) ?? candidates.find(({ key }) => key.toLowerCase() === first) ?? candidates[0];
  if (found === undefined) return null;
  const { key, values, content } = found;
  const inContent = stem.slice(content.length);
  const disabled = [site.values["disableLanguages"]].flat();
  return {
    key,
    language: readLanguage(key) ?? readLanguage(values["languageCode"] ?? values["locale"]) ?? null,
    content,
    group: isNamed(found) ? inContent.slice(0, -key.length - 1) : inContent,
    hasFolders: languages.some((one) => one.values["contentDir"] !== undefined),
    prefix: prefixOf(found, first, site),
    values,
    isDisabled: values["disabled"] === true || disabled.includes(key),
  };
}

/** What the file's path says, with the language that its folder or the site has. */
export function placeOf(name: string, language: HugoLanguage | null): PathMetadata {
  const place = parsePath(name);
  if (language === null) return place;
  return {
    ...place,
    language: language.language ?? place.language,
    ...(language.hasFolders ? { translationGroup: language.group.replace(/\/index$/, "") } : {}),
  };
}

function contentFolder(values: Readonly<Record<string, unknown>>, site: Site): string {
  const folder = toText(values["contentDir"]) ?? toText(site.values["contentDir"]) ?? "content";
  return `${withoutTrailing(folder.replace(/^\.\//, ""), "/")}/`;
}

function defaultKey(languages: readonly { key: string }[], site: Site): string {
  const given = toText(site.values["defaultContentLanguage"])?.toLowerCase();
  return given ?? (languages.some(({ key }) => key === "en") ? "en" : (languages[0]?.key.toLowerCase() ?? "en"));
}

function prefixOf({ key, values }: { key: string; values: Record<string, unknown> }, first: string, site: Site) {
  const own = toText(values["baseURL"] ?? values["baseurl"]);
  if (own !== undefined) return withoutTrailing(own, "/");
  const isPlain = key.toLowerCase() === first && site.values["defaultContentLanguageInSubdir"] !== true;
  return isPlain ? "" : `/${key.toLowerCase()}`;
}
