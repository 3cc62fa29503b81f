/** Merges two users' changes to one article, and finds the conflicts. */
import { mergeTexts } from "./merge-texts.ts";
import type { EditorValues, FieldName } from "./values.ts";
import { isSameValue } from "./values.ts";

/** The content and its format are one part. */
export type MergePart = Exclude<FieldName, "source">;

export interface Merge {
  /** Fields changed only by the other user are theirs, all others mine. */
  values: EditorValues;
  onlyTheirs: readonly MergePart[];
  onlyMine: readonly MergePart[];
  /** Parts changed by both in separate paragraphs; the values have both changes. */
  merged: readonly MergePart[];
  /** Changed by both, to different values. */
  both: readonly MergePart[];
}

export function mergeValues(base: EditorValues, mine: EditorValues, theirs: EditorValues): Merge {
  const onlyTheirs: MergePart[] = [];
  const onlyMine: MergePart[] = [];
  const both: MergePart[] = [];
  const merged: MergePart[] = [];
  let values = mine;
  for (const part of PARTS) {
    const byMe = !isSamePart(part, base, mine);
    const byThem = !isSamePart(part, base, theirs);
    if (byThem && !byMe) {
      onlyTheirs.push(part);
      values = withPart(values, part, theirs);
    } else if (byMe && !byThem) {
      onlyMine.push(part);
    } else if (byMe && !isSamePart(part, mine, theirs)) {
      const text = part === "text" ? mergeContents(base, mine, theirs) : null;
      if (text === null) {
        both.push(part);
      } else {
        merged.push(part);
        values = { ...values, text };
      }
    }
  }
  return { values, onlyTheirs, onlyMine, merged, both };
}

export function withPart(values: EditorValues, part: MergePart, from: EditorValues): EditorValues {
  return part === "text" ? { ...values, source: from.source, text: from.text } : { ...values, [part]: from[part] };
}

function mergeContents(base: EditorValues, mine: EditorValues, theirs: EditorValues): string | null {
  if (base.source !== mine.source || base.source !== theirs.source) return null;
  return mergeTexts(base.text, mine.text, theirs.text);
}

function isSamePart(part: MergePart, one: EditorValues, other: EditorValues): boolean {
  return isSameValue(one[part], other[part]) && (part !== "text" || one.source === other.source);
}

/** In the order of the form. */
export const PART_LABELS: Record<MergePart, string> = {
  title: "Title",
  text: "Content",
  slug: "Slug",
  meta_title: "Meta title",
  meta_description: "Meta description",
  target_keyword: "Target keyword",
  seo_keywords: "SEO keywords",
  authors: "Byline",
  excerpt: "Excerpt",
  categories: "Categories",
  tags: "Tags",
  featured_image_url: "Featured image",
  featured_image_alt: "Alternative text of the image",
  platform_url: "Article URL",
  platform_post_id: "External ID",
  canonical_url: "Canonical URL",
  aliases: "Former addresses",
  language: "Language",
  translation_group: "Translation key",
};
const PARTS = Object.keys(PART_LABELS) as MergePart[];
