import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { labelledRows, wordRowsOfAny } from "../../../store/articles/article-lists.ts";
import { type ArticleFilter, defaultSort, type Sort } from "../../../store/articles/article-queries.ts";
import { isLabelUsed, LABEL_KINDS } from "../../../store/articles/labels.ts";
import { languageRows } from "../../../store/articles/translations.ts";
import type { Snapshot } from "../../../store/store.ts";
import { intersectRows } from "./intersect-rows.ts";

/** Labels in one filter; further ones are ignored. */
const MAX_LABELS = 50;
export interface ListQuery {
  status: ArticleStatus;
  limit: number;
  offset: number;
  sort: Sort;
  filter: ArticleFilter;
}

/** The cache key of a filtered or differently sorted list; null for the whole list in its default order. */
export function filterKey({ status, sort, filter }: ListQuery): string | null {
  if (Object.keys(filter).length === 0 && isDefaultSort({ status, sort })) return null;
  return JSON.stringify([status, sort.field, sort.descending, filter]);
}

/** Splits labels at commas, unless an article of the status has one with that comma. Keywords are phrases. */
export async function splitLabels(
  db: Snapshot,
  websiteId: string,
  { status, filter }: ListQuery,
): Promise<ArticleFilter> {
  const split = { ...filter };
  for (const kind of ["category", "tag", "author"] as const) {
    const label = filter[kind];
    if (typeof label !== "string" || !label.includes(",")) continue;
    const parts = label.split(",").filter((part) => part.trim() !== "");
    if (parts.length === 0 || (await isLabelUsed(db, websiteId, status, kind, label))) continue;
    split[kind] = parts.slice(0, MAX_LABELS);
  }
  return split;
}

export function isDefaultSort({ status, sort }: Pick<ListQuery, "status" | "sort">): boolean {
  const { field, descending } = defaultSort(status);
  return sort.field === field && sort.descending === descending;
}

export function usesOnlyLabelsAndWords(filter: ArticleFilter): boolean {
  const { category, tag, keyword, author, language, isOwnLanguage: _own, words, ...others } = filter;
  const indexed = [category, tag, keyword, author, language, words];
  return Object.keys(others).length === 0 && indexed.some((one) => one !== undefined);
}

interface MatchingRows {
  /** Undefined: all. */
  included: Uint32Array | undefined;
  excluded: Uint32Array;
}

/** The rows that match labels, language and words of the filter, in no order. `total`: the whole list's length. */
export async function findMatching(
  db: Snapshot,
  websiteId: string,
  { words, language, isOwnLanguage = false, ...labels }: ArticleFilter,
  total: number,
): Promise<MatchingRows> {
  const found: Uint32Array[] = [];
  for (const kind of LABEL_KINDS) {
    const label = labels[kind];
    if (label === undefined) continue;
    const rows = [label].flat().map((one) => labelledRows(db, websiteId, kind, one));
    found.push(concatenate(await Promise.all(rows)));
  }
  // Most articles of a website name no language, so those of its own are found by the others.
  const excluded =
    language !== undefined && isOwnLanguage ? await languageRows(db, websiteId, language, true) : new Uint32Array();
  if (language !== undefined && !isOwnLanguage) found.push(await languageRows(db, websiteId, language));
  if (words !== undefined) {
    found.push(await wordRowsOfAny(db, websiteId, words, total));
  }
  const [first, ...others] = found.toSorted((a, b) => a.length - b.length);
  return { excluded, included: first && others.reduce((rows, more) => intersectRows(rows, more), first) };
}

function concatenate(all: readonly Uint32Array[]): Uint32Array {
  if (all.length === 1 && all[0] !== undefined) return all[0];
  const joined = new Uint32Array(all.reduce((sum, rows) => sum + rows.length, 0));
  let at = 0;
  for (const rows of all) {
    joined.set(rows, at);
    at += rows.length;
  }
  return joined;
}
