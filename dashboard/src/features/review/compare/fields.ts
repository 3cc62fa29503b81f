/** An article's fields as plain text, for comparison field by field. */
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

export const FIELD_LABELS: Record<Field, string> = {
  title: "Title",
  slug: "Slug",
  author_excerpt: "Excerpt",
  meta_description: "Meta description",
  target_keyword: "Target keyword",
  seo_keywords: "SEO keywords",
  categories: "Categories",
  tags: "Tags",
  featured_image_url: "Featured image",
  featured_image_alt: "Alternative text of the image",
};

export function formatValue(value: string | readonly string[] | null): string {
  if (value === null) return "";
  return typeof value === "string" ? value : value.join(", ");
}
