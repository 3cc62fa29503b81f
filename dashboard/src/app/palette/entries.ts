/** The entries of the command palette. */
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";

export interface Entry {
  id: string;
  group: string;
  label: string;
  /** Shown beside the label: the article's website, if it is not the current one. */
  note?: string | undefined;
  /** The keyboard shortcut, if there is one. */
  keys?: string | undefined;
  /** The article whose state is shown. */
  line?: ArticleListItem;
  run: () => void;
}

/** Whether each word of the text begins a word of the label, in any order. */
export function matchesWords(label: string, text: string): boolean {
  const words = fold(label).split(/[^\p{L}\p{N}]+/u);
  return fold(text)
    .split(/\s+/)
    .every((wanted) => words.some((word) => word.startsWith(wanted)));
}

/** How well a title fits what is typed: 0 the same, 1 begins so, 2 has words that begin so, 3 has them elsewhere. */
export function rankTitle(title: string, text: string): 0 | 1 | 2 | 3 {
  const [of, wanted] = [simplify(title), simplify(text)];
  if (of === wanted) return 0;
  if (of.startsWith(wanted)) return 1;
  return matchesWords(title, text) ? 2 : 3;
}

function simplify(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
