import { MAX_TRANSLATION_GROUP_CHARACTERS } from "../../domain/articles/article-json.ts";
import { parseIsoTime } from "../../domain/system/time.ts";
import { readLanguage } from "../article-fields.ts";
import type { Millis } from "../../domain/system/time.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import type { ImportContext } from "../import-item.ts";

export interface PathMetadata {
  slug: string;
  /** Without the language: for websites whose slugs are unique within each language. */
  slugInLanguage: string;
  date: Millis | null;
  /** Named or stored like a Jekyll post. */
  isPost: boolean;
  isDraft: boolean;
  /** `some-article/index.md`: the folder is the article, which includes its images. */
  isBundle: boolean;
  /** From names such as `some-article.de.md` and `some-article/index.de.md`, as Hugo names translations. */
  language: string | null;
  /** The path without language and extension, which is the same for all translations. */
  translationGroup: string;
}

/** Languages that websites are translated into; other short endings of names mean something else. */
const LANGUAGE_ENDING =
  /^(.+)\.((?:ar|bg|bn|ca|cs|da|de|el|en|es|et|eu|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|ms|nb|nl|pl|pt|ro|ru|sk|sl|sr|sv|ta|th|tr|uk|ur|vi|zh)(?:-[a-z]{2,4})?)$/i;

/** Parses a file's path within the import, with `/` on every system. */
export function parsePath(path: string): PathMetadata {
  const folders = path.split("/");
  const file = (folders.pop() ?? "").replace(/\.[a-z]{2,8}$/i, "");
  const [, base = file, suffix = ""] = LANGUAGE_ENDING.exec(file) ?? [];
  const language = readLanguage(suffix) ?? null;
  const name = language === null ? file : base;
  const isBundle = name === "index" && folders.length > 0;
  const stem = (isBundle ? folders.at(-1) : name) ?? name;
  // `__` replaces the slash where a folder tree was flattened.
  const named = /^(?:.*__)?(\d{4})-(\d{1,2})-(\d{1,2})[-_](?=.)/.exec(stem);
  const inFolders = /(?:^|\/)(\d{4})\/(\d{1,2})(?:\/(\d{1,2}))?\//.exec(path);
  const slugInLanguage = named === null ? stem : stem.slice(named[0].length);
  return {
    slug: language === null ? slugInLanguage : `${slugInLanguage}.${suffix}`,
    slugInLanguage,
    date: parseDate(named) ?? parseDate(inFolders),
    isPost: named !== null || folders.includes("_posts"),
    isDraft: folders.includes("_drafts"),
    isBundle,
    language,
    translationGroup: [...folders, ...(isBundle ? [] : [name])].join("/"),
  };
}

/** The fields that the names of translations give: `tea.de.md`, and `tea.md` beside it. */
export function languageFields(place: PathMetadata, { translated }: Pick<ImportContext, "translated">) {
  const { language, translationGroup } = place;
  const isTranslated = language !== null || translated?.has(translationGroup) === true;
  const isShort = translationGroup.length <= MAX_TRANSLATION_GROUP_CHARACTERS;
  return { language: language ?? undefined, translation_group: isTranslated && isShort ? translationGroup : undefined };
}

/** For websites whose slugs are unique within each language: `tea` for `tea.de.md`. */
export function withSlugInLanguage(item: ImportItem, place: PathMetadata): ImportItem {
  if (item.kind !== "draft" || place.language === null) return item;
  return { ...item, inLanguages: { slug: place.slugInLanguage } };
}

/** Names a file of the folder. An `index.md` is named by its folder, as when the parent is imported. */
export function nameIn(folder: string, file: string): string {
  return isIndex(file) && folder !== "" ? `${folder}/${file}` : file;
}

export function isIndex(file: string): boolean {
  return /^index(?:\.[a-z]{2}(?:-[a-z]{2,4})?)?\.(?:md|markdown|mdx|mkd|mdown)$/i.test(file);
}

function parseDate(parts: RegExpExecArray | null): Millis | null {
  if (parts?.[1] === undefined || parts[2] === undefined || parts[3] === undefined) return null;
  return parseIsoTime(`${parts[1]}-${parts[2].padStart(2, "0")}-${parts[3].padStart(2, "0")}`);
}
