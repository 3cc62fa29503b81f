/** The items of an import: what a source says of each, and what has become of it. */
import { createHash } from "node:crypto";
import type { ArticleInput, ArticleStatus } from "../../domain/articles/article.ts";

/**
 * What a source says, one thing after another. `source` is what a person is told; `ref` is the stable identity of the
 * item within its source: importing the same thing again yields the same `ref`, wherever the files lie by then.
 */
export type ImportItem =
  | {
      kind: "draft";
      source: string;
      ref: string;
      input: ArticleInput;
      /** `hashOf(input)`, where somebody has worked it out already. */
      hash?: string;
    }
  /** An article that is broken. It never stops the rest. */
  | { kind: "failed"; source: string; reason: string }
  /** Deliberately not an article: a page, an attachment, a comment, a licence, an image … */
  | { kind: "skipped"; source: string; reason: string };

export type Draft = Extract<ImportItem, { kind: "draft" }>;

/** Tells whether a source says of an article what it said before. */
export function hashOf(input: ArticleInput): string {
  return createHash("sha256").update(JSON.stringify(input)).digest("hex");
}

/** With a status that counts instead of what the source says. */
export function withStatus(item: Draft, status: ArticleStatus | undefined): Draft {
  if (status === undefined || item.input.status === status) return item;
  const { hash: _hash, ...others } = item;
  return { ...others, input: { ...item.input, status } };
}

/** What has become of an item. */
export interface ImportedItem {
  source: string;
  outcome: "created" | "updated" | "unchanged" | "failed" | "skipped";
  /** Null: there is none. */
  articleId: string | null;
  /** As far as it is known. */
  title: string | null;
  /** Why it failed or was skipped. */
  reason: string | null;
}

export function outcomeOf(
  item: ImportItem,
  outcome: ImportedItem["outcome"],
  more: Partial<Pick<ImportedItem, "articleId" | "reason">>,
): ImportedItem {
  const title = item.kind === "draft" ? (item.input.title ?? null) : null;
  return { source: item.source, outcome, articleId: null, title, reason: null, ...more };
}
