/** Lists of articles by their state, for machines. */
import type { ArticleState } from "../../../domain/articles/verbs.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { type ArticleSnippet, changedRows, snippets } from "../../../store/articles/state-lists.ts";
import { findOrigin } from "../../../store/articles/origins.ts";
import { intersectRows } from "../read-model/intersect-rows.ts";
import type { ReadModel } from "../read-model/read-model.ts";
import { type ArticleList, getRows } from "./article-lists.ts";

export interface StateList extends Pick<ArticleList, "sort" | "filter"> {
  /** Null: all but the trash. */
  state: ArticleState | null;
  updatedSince: Millis | null;
  /** Null: from any source. */
  source: string | null;
}

/** One page, and the exact number of matching articles. @throws AppError `not_found` for the website. */
export function listByState(
  readModel: ReadModel,
  websiteId: string,
  { state, updatedSince, source, ...list }: StateList,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ articles: ArticleSnippet[]; total: number }> {
  return readModel.read(websiteId, async (snapshot) => {
    const { db } = snapshot;
    let rows = await getRows(snapshot, { ...list, view: state ?? "all", person: null });
    if (updatedSince !== null) rows = intersectRows(rows, await changedRows(db, websiteId, updatedSince));
    if (source !== null) {
      const rowNo = (await findOrigin(db, websiteId, source))?.rowNo ?? null;
      rows = intersectRows(rows, Uint32Array.from(rowNo === null ? [] : [rowNo]));
    }
    return { articles: await snippets(db, [...rows.subarray(offset, offset + limit)]), total: rows.length };
  });
}
