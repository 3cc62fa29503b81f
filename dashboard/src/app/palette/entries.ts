/** What the palette offers. */
import type { ArticleLine } from "../../../../src/http/admin/contract/articles.ts";

export interface Entry {
  id: string;
  group: string;
  label: string;
  /** Beside the label: the website of an article of another one. */
  note?: string | undefined;
  /** The shortcut, where there is one. */
  keys?: string | undefined;
  /** The article, whose state is shown. */
  line?: ArticleLine;
  run: () => void;
}

/** Whether the label has each word of the text, in any order and as the beginning of a word. */
export function fits(label: string, text: string): boolean {
  const words = fold(label).split(/[^\p{L}\p{N}]+/u);
  return fold(text)
    .split(/\s+/)
    .every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
