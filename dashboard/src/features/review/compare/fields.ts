/** An article's fields as plain text, for comparison field by field. */
import { writeAuthor } from "../editor/values.ts";
import type { RevisionContent } from "../../../../../src/http/admin/contract/review.ts";

type Field = Exclude<keyof RevisionContent, "content" | "markdown" | "source">;

export interface FieldDifference {
  label: string;
  before: string;
  after: string;
}

/** The fields that differ, in the order of the form. */
export function diffFields(before: RevisionContent, after: RevisionContent): FieldDifference[] {
  return (Object.keys(FIELD_LABELS) as Field[]).flatMap((field) => {
    const [old, young] = [formatValue(before[field]), formatValue(after[field])];
    return old === young ? [] : [{ label: FIELD_LABELS[field], before: old, after: young }];
  });
}

type Author = RevisionContent["authors"][number];

export const FIELD_LABELS: Record<Field, string> = {
  title: "Title",
  slug: "Slug",
  authors: "Byline",
  author_excerpt: "Excerpt",
  meta_title: "Meta title",
  meta_description: "Meta description",
  target_keyword: "Target keyword",
  seo_keywords: "SEO keywords",
  categories: "Categories",
  tags: "Tags",
  featured_image_url: "Featured image",
  featured_image_alt: "Alternative text of the image",
  canonical_url: "Canonical URL",
  aliases: "Former addresses",
  language: "Language",
  translation_group: "Translation key",
};

export function formatValue(value: string | readonly (string | Author)[] | null): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  return value.map((one) => (typeof one === "string" ? one : writeAuthor(one))).join(", ");
}
