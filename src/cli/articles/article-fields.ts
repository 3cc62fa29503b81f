/** Fields of an article that commands take without a file. */
import type { ArticleInput } from "../../domain/articles/article.ts";
import { parseArticleJson } from "../../domain/articles/article-json.ts";

export const FIELD_OPTIONS = {
  language: { type: "string" },
  "translation-key": { type: "string" },
  author: { type: "string", multiple: true },
  "meta-title": { type: "string" },
  "canonical-url": { type: "string" },
} as const;

export const FIELDS_HELP = `FIELDS, which override those of FILE:
  --language TAG         such as de or pt-BR
  --translation-key KEY  the same for an article and its translations
  --author NAME          its byline: "Ada Lovelace", or with an address "Ada Lovelace <https://ada.example>";
                         may be repeated for several authors
  --meta-title TEXT      the title for search results
  --canonical-url URL    the address of the original`;

interface FieldValues {
  language?: string | undefined;
  "translation-key"?: string | undefined;
  author?: string[] | undefined;
  "meta-title"?: string | undefined;
  "canonical-url"?: string | undefined;
}

/** @throws AppError `invalid`. */
export function readFields(values: FieldValues): ArticleInput {
  const given = {
    language: values.language,
    translation_group: values["translation-key"],
    authors: values.author?.filter((name) => name.trim() !== ""),
    meta_title: values["meta-title"],
    canonical_url: values["canonical-url"] === "" ? null : values["canonical-url"],
  };
  return parseArticleJson(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
}
