import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { labelledRows, wordRowsOfAny } from "../../../store/articles/article-lists.ts";
import { type ArticleFilter, defaultSort, type Sort } from "../../../store/articles/article-queries.ts";
import { isLabelUsed, LABEL_KINDS } from "../../../store/articles/labels.ts";
import { languageRows } from "../../../store/articles/translations.ts";
import type { Snapshot } from "../../../store/store.ts";
import { intersectRows } from "./intersect-rows.ts";

/** Labels in one filter; further ones are ignored. */
export const MAX_LABELS = 50;
/** Parts that a label with commas has in a list of labels. */
const MAX_PARTS = 4;
/** Filters of several labels, with their kinds. */
const LISTS = { category: "category", tag: "tag", tags: "tag", author: "author" } as const;

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

/** Splits labels at commas, except those that an article of the status has with their commas. Keywords are phrases. */
export async function splitLabels(
  db: Snapshot,
  websiteId: string,
  { status, filter }: ListQuery,
): Promise<ArticleFilter> {
  const split = { ...filter };
  for (const name of ["category", "tag", "tags", "author"] as const) {
    const written = filter[name];
    if (typeof written !== "string" || !written.includes(",")) continue;
    const isUsed = (label: string) => isLabelUsed(db, websiteId, status, LISTS[name], label);
    const labels = (await isUsed(written)) ? [] : await splitWritten(written, isUsed);
    if (labels.length > 0) split[name] = labels;
  }
  return split;
}

async function splitWritten(written: string, isUsed: (label: string) => Promise<boolean>): Promise<string[]> {
  const parts = written.split(",");
  const labels: string[] = [];
  for (let at = 0; at < parts.length && labels.length < MAX_LABELS;) {
    let length = Math.min(MAX_PARTS, parts.length - at);
    while (length > 1 && !(await isUsed(parts.slice(at, at + length).join(",")))) length--;
    labels.push(parts.slice(at, at + length).join(","));
    at += length;
  }
  return labels.filter((label) => label.trim() !== "");
}

export function isDefaultSort({ status, sort }: Pick<ListQuery, "status" | "sort">): boolean {
  const { field, descending } = defaultSort(status);
  return sort.field === field && sort.descending === descending;
}

export function usesOnlyLabelsAndWords(filter: ArticleFilter): boolean {
  const { category, tag, tags, keyword, author, language, isOwnLanguage: _own, words, ...others } = filter;
  const indexed = [category, tag, tags, keyword, author, language, words];
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
  { words, language, isOwnLanguage = false, tags = [], ...labels }: ArticleFilter,
  total: number,
): Promise<MatchingRows> {
  const found: Uint32Array[] = [];
  for (const kind of LABEL_KINDS) {
    const label = labels[kind];
    if (label === undefined) continue;
    const rows = [label].flat().map((one) => labelledRows(db, websiteId, kind, one));
    found.push(concatenate(await Promise.all(rows)));
  }
  found.push(...(await Promise.all([tags].flat().map((tag) => labelledRows(db, websiteId, "tag", tag)))));
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
