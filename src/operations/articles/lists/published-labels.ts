/** Counts the labels of a website's published articles, and finds related articles by the labels they share. */
import { labelKey } from "../../../domain/system/collation.ts";
import { defaultSort } from "../../../store/articles/article-queries.ts";
import { labelledRows } from "../../../store/articles/article-lists.ts";
import {
  type LabelKind,
  type LabelRow,
  type ListedLabelKind,
  listLabels,
  writtenLabels,
} from "../../../store/articles/labels.ts";
import type { SnapshotReader } from "../read-model/read-model.ts";

/** Rows per query; other work gets its turn between queries. */
const ROWS_AT_ONCE = 5_000;
const NAMES_AT_ONCE = 500;

export interface PublishedLabel {
  /** `labelKey` of the name. */
  key: string;
  /** Spelled as in the newest article that has it. */
  name: string;
  count: number;
  /** The row of the first article that has it. */
  since: number;
}

/** Labels with their counts, most frequent first. */
export async function countPublishedLabels(snapshot: SnapshotReader, kind: ListedLabelKind): Promise<PublishedLabel[]> {
  const { db, view } = snapshot;
  const isPublished = await publishedRows(snapshot);
  const counted: { key: string; count: number; since: number; rowNo: number }[] = [];
  let after: LabelRow = { label_key: "", row_no: 0 };
  for (;;) {
    const rows = await listLabels(db, view.websiteId, kind, after, ROWS_AT_ONCE);
    for (const { label_key: key, row_no: rowNo } of rows) {
      if (!isPublished(rowNo)) continue;
      const last = counted.at(-1);
      if (last?.key !== key) counted.push({ key, count: 1, since: rowNo, rowNo });
      else Object.assign(last, { count: last.count + 1, rowNo });
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last;
    await new Promise(setImmediate);
  }
  const names = new Map<string, string>();
  for (let at = 0; at < counted.length; at += NAMES_AT_ONCE) {
    const some = counted.slice(at, at + NAMES_AT_ONCE);
    const written = await writtenLabels(db, kind, [...new Set(some.map(({ rowNo }) => rowNo))]);
    for (const { key, rowNo } of some) {
      names.set(key, written.get(rowNo)?.find((label) => labelKey(label) === key) ?? key);
    }
    await new Promise(setImmediate);
  }
  return counted
    .map(({ key, count, since }) => ({ key, name: names.get(key) ?? key, count, since }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/** Weight of a shared label, divided by the number of articles that have it. */
const WEIGHTS = { tag: 3, keyword: 3, category: 2 } as const satisfies Partial<Record<LabelKind, number>>;
/** Further labels of an article are ignored. */
const MAX_LABELS = 30;
/** A label that more articles have says little, and is ignored because it would take long. */
const MAX_ROWS = 20_000;

export interface LabelledForm {
  categories: readonly string[];
  tags: readonly string[];
  seo_keywords: readonly string[];
  target_keyword: string | null;
}

/** Row numbers of the published articles that are most related to the given one, which is excluded. */
export async function relatedRows(
  snapshot: SnapshotReader,
  article: { rowNo: number; form: LabelledForm },
  limit: number,
): Promise<number[]> {
  const { db, view } = snapshot;
  const isPublished = await publishedRows(snapshot);
  const { tags, categories, seo_keywords: keywords, target_keyword: target } = article.form;
  const labels = [
    ...toLabels("tag", tags),
    ...toLabels("category", categories),
    ...toLabels("keyword", target === null ? keywords : [target, ...keywords]),
  ].slice(0, MAX_LABELS);
  const scores = new Map<number, number>();
  for (const { kind, label } of labels) {
    const rows = await labelledRows(db, view.websiteId, kind, label);
    if (rows.length > MAX_ROWS) continue;
    const score = WEIGHTS[kind] / Math.log2(2 + rows.length);
    for (const rowNo of rows) {
      if (rowNo !== article.rowNo && isPublished(rowNo)) scores.set(rowNo, (scores.get(rowNo) ?? 0) + score);
    }
  }
  return Array.from(scores)
    .sort(([a, scoreOfA], [b, scoreOfB]) => scoreOfB - scoreOfA || b - a)
    .slice(0, limit)
    .map(([rowNo]) => rowNo);
}

function toLabels(kind: keyof typeof WEIGHTS, names: readonly string[]) {
  return Array.from(new Set(names.map(labelKey)), (label) => ({ kind, label }));
}

async function publishedRows(snapshot: SnapshotReader): Promise<(rowNo: number) => boolean> {
  const rows = await snapshot.order({ status: "published", sort: defaultSort("published"), filter: {} });
  const bits = new Uint8Array((rows.reduce((last, rowNo) => Math.max(last, rowNo), 0) >>> 3) + 1);
  for (let at = 0; at < rows.length; at++) {
    const rowNo = rows[at] ?? 0;
    bits[rowNo >>> 3] = (bits[rowNo >>> 3] ?? 0) | (1 << (rowNo & 7));
  }
  return (rowNo) => (((bits[rowNo >>> 3] ?? 0) >>> (rowNo & 7)) & 1) === 1;
}
