/** An article that is a file of its own, in a format that was converted to HTML. */
import { fileRef, type ImportItem } from "../../operations/articles/import/import-items.ts";
import type { Warnings } from "../../domain/articles/warnings.ts";
import { toCmsDraft } from "../cms/cms-article.ts";
import { titleOfSlug } from "../html/html-tree.ts";
import type { ImportContext } from "../import-item.ts";
import { languageFields, parsePath, withSlugInLanguage } from "../markdown/path-metadata.ts";

interface Document {
  /** The format's name, as people know it. */
  label: string;
  fields: Record<string, unknown>;
  /** HTML. */
  content: string;
  warnings: Warnings;
  created?: unknown;
  updated?: unknown;
}

/** The file's name says what the document does not: its slug, its date, its language, and at last its title. */
export function toDocumentDraft(name: string, document: Document, context: ImportContext): ImportItem {
  const place = parsePath(name);
  const { language, translation_group: group } = languageFields(place, context);
  const { fields, content } = document;
  const item = toCmsDraft(
    {
      ...document,
      source: name,
      ref: fileRef("html", name),
      fields: { ...fields, title: fields["title"] ?? titleOfSlug(place.slug), slug: fields["slug"] ?? place.slug },
      body: { content },
      published: place.date,
      language: fields["lang"] ?? language,
      translationGroup: group,
    },
    context,
  );
  return fields["slug"] === undefined ? withSlugInLanguage(item, place) : item;
}
