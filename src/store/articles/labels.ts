/** The labels of a website's articles, as the read API lists and matches them. */
import { labelKey } from "../../domain/system/collation.ts";
import type { ArticleStatus } from "../../domain/articles/article.ts";
import { declareRow } from "../row.ts";
import type { Snapshot } from "../store.ts";
import { inBatches, OF_WEBSITE, placeholders } from "../system/sql-batch.ts";

export const LABEL_KINDS = ["category", "tag", "keyword", "author"] as const;
export type LabelKind = (typeof LABEL_KINDS)[number];

export type ListedLabelKind = "category" | "tag";

/** A query for the rows with any of these labels, in every state and in the trash. */
export function labelledQuery(
  websiteId: string,
  kind: LabelKind,
  labels: readonly string[],
): { sql: string; params: string[] } {
  const keys = labels.map(labelKey);
  const isOneOfThem = `IN (${placeholders(keys)})`;
  return kind === "author"
    ? {
        sql: `SELECT row_no FROM article_authors WHERE website_id = ? AND name_key ${isOneOfThem}`,
        params: [websiteId, ...keys],
      }
    : {
        sql: `SELECT row_no FROM article_labels WHERE website_id = ? AND kind = ? AND label_key ${isOneOfThem}`,
        params: [websiteId, kind, ...keys],
      };
}

/** Whether an article in this status, not in the trash, has the label. */
export async function isLabelUsed(
  db: Snapshot,
  websiteId: string,
  status: ArticleStatus,
  kind: LabelKind,
  label: string,
): Promise<boolean> {
  const { sql, params } = labelledQuery(websiteId, kind, [label]);
  const row = await db.get(
    declareRow<{ found: number }>(
      `SELECT 1 AS found FROM articles WHERE row_no IN (${sql}) AND status = ? AND deleted_at IS NULL LIMIT 1`,
    ),
    ...params,
    status,
  );
  return row !== undefined;
}

export interface LabelRow {
  label_key: string;
  row_no: number;
}

/** At most `limit` labels of articles in every state, ordered by label and row, after the given one. */
export function listLabels(
  db: Snapshot,
  websiteId: string,
  kind: LabelKind,
  after: LabelRow,
  limit: number,
): Promise<LabelRow[]> {
  return db.all(
    `SELECT label_key, row_no FROM article_labels WHERE website_id = ? AND kind = ? AND (label_key, row_no) > (?, ?)
     ORDER BY label_key, row_no LIMIT CAST(? AS BIGINT)`,
    websiteId,
    kind,
    after.label_key,
    after.row_no,
    limit,
  );
}

/** The labels of these rows, as they were typed. */
export async function writtenLabels(
  db: Snapshot,
  kind: ListedLabelKind,
  rowNos: readonly number[],
): Promise<Map<number, string[]>> {
  const column = ({ category: "categories", tag: "tags" } as const)[kind];
  const found = await inBatches(rowNos, (batch) =>
    db.all(`SELECT row_no, ${column} AS labels FROM articles WHERE row_no IN (${placeholders(batch)})`, ...batch),
  );
  // Written by article-rows.ts.
  return new Map(found.flat().map((row) => [row.row_no, JSON.parse(row.labels) as string[]]));
}

/** At most `limit` tags of articles in every state, by their keys, each as one article has it typed. */
export async function listTagNames(db: Snapshot, websiteId: string, limit: number): Promise<string[]> {
  const rows = await db.all(TAGS, websiteId, websiteId, limit, websiteId);
  const written = await writtenLabels(db, "tag", [...new Set(rows.map((row) => row.row_no))]);
  return rows.map((row) => written.get(row.row_no)?.find((tag) => labelKey(tag) === row.label_key) ?? row.label_key);
}

/** Goes from tag to tag in the index: a tag may have thousands of articles. */
const TAGS = declareRow<LabelRow>(`WITH RECURSIVE tags (label_key, place) AS (
    SELECT min(label_key), 1 FROM article_labels WHERE website_id = ? AND kind = 'tag'
    UNION ALL
    SELECT (SELECT min(later.label_key) FROM article_labels later
            WHERE later.website_id = ? AND later.kind = 'tag' AND later.label_key > tags.label_key), place + 1
    FROM tags WHERE label_key IS NOT NULL AND place < CAST(? AS BIGINT)
  )
  SELECT label_key, (SELECT min(row_no) FROM article_labels one
    WHERE one.website_id = ? AND one.kind = 'tag' AND one.label_key = tags.label_key) AS row_no
  FROM tags WHERE label_key IS NOT NULL ORDER BY place`);

/** Published articles from which a website has something to link to. */
const MIN_PUBLISHED = 10;
const MAX_LABELS = 8;
/** The newest of each label: a common one costs no more. */
const MAX_OF_LABEL = 50;
/** How many of the most alike articles are read. All of them may be drafts. */
const MAX_READ = 32;

const OF_LABEL = `SELECT row_no FROM (SELECT row_no FROM article_labels
  WHERE website_id = ? AND kind = ? AND label_key = ? ORDER BY row_no DESC LIMIT ${MAX_OF_LABEL}) AS newest`;

/**
 * Title of the published article that shares most tags and categories, without the article itself; undefined: there is
 * none among the MAX_READ most alike, or the website has fewer than MIN_PUBLISHED.
 */
export async function findRelatedTitle(
  db: Snapshot,
  websiteId: string,
  { tags, categories }: { tags: readonly string[]; categories: readonly string[] },
  ownId: string | null,
): Promise<string | undefined> {
  const keys = [
    ...tags.map((name) => ({ kind: "tag", name })),
    ...categories.map((name) => ({ kind: "category", name })),
  ];
  if (keys.length === 0) return undefined;
  const enough = await db.get(
    declareRow<{ found: number }>(
      `SELECT 1 AS found FROM articles WHERE website_id = ? AND status = 'published' AND deleted_at IS NULL
       LIMIT 1 OFFSET ${MIN_PUBLISHED - 1}`,
    ),
    websiteId,
  );
  if (enough === undefined) return undefined;
  const some = keys.slice(0, MAX_LABELS);
  // CROSS JOIN: SQLite would begin with the website's articles.
  const row = await db.get(
    declareRow<{ title: string }>(`SELECT articles.title FROM (
        SELECT row_no, COUNT(*) AS shared FROM (${some.map(() => OF_LABEL).join(" UNION ALL ")}) AS found
        GROUP BY row_no ORDER BY shared DESC, row_no DESC LIMIT ${MAX_READ}) AS alike
      CROSS JOIN articles
      WHERE articles.row_no = alike.row_no AND articles.status = 'published' AND articles.id <> ?
        AND articles.${OF_WEBSITE} AND articles.deleted_at IS NULL
      ORDER BY shared DESC, alike.row_no DESC LIMIT 1`),
    ...some.flatMap(({ kind, name }) => [websiteId, kind, labelKey(name)]),
    ownId ?? "",
    websiteId,
  );
  return row?.title;
}
