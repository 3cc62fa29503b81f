/**
 * The dashboard's article lists. Each is computed in memory from row numbers: it starts with the sorted index that the
 * read model keeps in sync with the store, and is reduced to the rows of the view and of each filter. Totals are
 * therefore exact, a page costs the same at every offset, and a search is one query of the word index, whatever the
 * sort order.
 *
 * Everything except draft copies is cached for as long as the website's content version stays the same. Saving a draft
 * copy does not affect readers and leaves the version unchanged; draft copies are few and are queried each time.
 */
import { type ArticleOrigin, type ArticleStatus, REVIEW_STATES } from "../../../domain/articles/article.ts";
import {
  allows,
  ARTICLE_STATES,
  type ArticleState,
  BULK_VERBS,
  type BulkVerb,
  VERBS,
} from "../../../domain/articles/verbs.ts";
import type { FindingFilter } from "../../../domain/articles/findings.ts";
import { can, type Role } from "../../../domain/people/permissions.ts";
import {
  type ArticleSummary,
  countReviewStates,
  draftRows,
  heldRows,
  listIds,
  livingRows,
  ownRows,
  reviewRows,
  labelledRows,
  originRows,
  findRowNo,
  scheduledRows,
  stateRows,
  summaries,
  trashRows,
  wordRowsOfAny,
} from "../../../store/articles/article-lists.ts";
import { findingRows } from "../../../store/articles/quality/findings.ts";
import { LABEL_KINDS, type LabelKind } from "../../../store/articles/labels.ts";
import { defaultSort, type Sort } from "../../../store/articles/article-queries.ts";
import type { ReadModel, SnapshotReader } from "../read-model/read-model.ts";
import { intersectRows, subtractRows } from "../read-model/intersect-rows.ts";
import { type ListConditions, meetConditions } from "./filters.ts";
import { byRelevance } from "./relevance.ts";

/**
 * `with_author`: drafts, and those with changes requested. `mine`: unpublished, and the person wrote it or takes care
 * of it. `approved` has no scheduled publication; `drafts`: published, with a draft copy; `held`: with changes of a
 * source to apply or drop.
 */
export const LIST_VIEWS = [
  "in_review",
  "resubmitted",
  "with_author",
  "mine",
  "approved",
  "scheduled",
  "published",
  "drafts",
  "held",
  "all",
  "trash",
  "pending",
] as const;
export type ListView = (typeof LIST_VIEWS)[number];

const WITH_AUTHOR = ["draft", "changes_requested"] as const;

const STATES: Record<ListView, readonly ArticleState[]> = {
  in_review: ["in_review"],
  resubmitted: ["resubmitted"],
  with_author: WITH_AUTHOR,
  mine: [...REVIEW_STATES, "approved", "scheduled"],
  approved: ["approved"],
  scheduled: ["scheduled"],
  published: ["published"],
  drafts: ["published"],
  held: ARTICLE_STATES.filter((state) => state !== "trash"),
  all: ARTICLE_STATES.filter((state) => state !== "trash"),
  trash: ["trash"],
  pending: REVIEW_STATES,
};

/** The bulk actions that are possible with some article of the view, and that the role is allowed. */
export function listBulkVerbs(view: ListView, role: Role | null): BulkVerb[] {
  return BULK_VERBS.filter(
    (verb) => can(role, VERBS[verb].may) && STATES[view].some((state) => allows(verb, state, false)),
  );
}

/** States by which `all` is filtered. */
export const LIST_STATES = [
  "draft",
  "in_review",
  "changes_requested",
  "resubmitted",
  "approved",
  "scheduled",
  "published",
] as const;
type ListState = (typeof LIST_STATES)[number];

/** `state_since`: since when the article has its status and review state here. */
export type ListSort = Sort | { field: "state_since"; descending: boolean };

export interface ArticleList {
  /** A view, or one of the states of `with_author`. */
  view: ListView | (typeof WITH_AUTHOR)[number];
  /** The id of the account whose articles `mine` lists; null: `mine` is empty. */
  person: string | null;
  /**
   * Null: by relevance to `query`, else newest first, but `scheduled` by publication, `drafts` and `held` by last change,
   * `trash` by deletion.
   */
  sort: ListSort | null;
  /** All conditions must match. */
  filter: Partial<Record<LabelKind, string>> & {
    words?: readonly string[];
    origin?: ArticleOrigin;
    finding?: FindingFilter;
    conditions?: ListConditions;
    /** Within `all`. */
    state?: ListState;
  };
  /** The search of the filter's words as it was typed, for the order; absent: no order by relevance. */
  query?: string;
}

export interface ListPage {
  articles: ArticleSummary[];
  total: number;
}

/** @throws AppError `not_found` when the website does not exist. */
export function listPage(
  readModel: ReadModel,
  websiteId: string,
  list: ArticleList,
  { offset, limit }: { offset: number; limit: number },
): Promise<ListPage> {
  return readModel.read(websiteId, async (snapshot) => {
    const rows = await getRows(snapshot, list);
    return { articles: await summaries(snapshot.db, [...rows.subarray(offset, offset + limit)]), total: rows.length };
  });
}

/** The numbers of all matching rows, in the list's order. @throws AppError `not_found` for the website. */
export function listRowNos(readModel: ReadModel, websiteId: string, list: ArticleList): Promise<Uint32Array> {
  return readModel.read(websiteId, (snapshot) => getRows(snapshot, list));
}

export interface ListPosition {
  /** Null: the article is not in the list, and `nextIds` is empty. */
  index: number | null;
  total: number;
  previousId: string | null;
  nextIds: string[];
}

const NEXT = 50;

/** The position of an article in a list. @throws AppError `not_found` when the website does not exist. */
export function placeInList(
  readModel: ReadModel,
  websiteId: string,
  list: ArticleList,
  articleId: string,
): Promise<ListPosition> {
  return readModel.read(websiteId, async (snapshot) => {
    const rows = await getRows(snapshot, list);
    const rowNo = await findRowNo(snapshot.db, websiteId, articleId);
    const index = rowNo === undefined ? -1 : rows.indexOf(rowNo);
    if (index < 0) return { index: null, total: rows.length, previousId: null, nextIds: [] };
    const before = rows.subarray(Math.max(0, index - 1), index);
    const after = rows.subarray(index + 1, index + 1 + NEXT);
    const ids = await listIds(snapshot.db, [...before, ...after]);
    const toIds = (of: Uint32Array) => [...of].flatMap((one) => ids.get(one) ?? []);
    return { index, total: rows.length, previousId: toIds(before)[0] ?? null, nextIds: toIds(after) };
  });
}

/** Counts the articles of each view that match the filter. @throws AppError `not_found` for the website. */
export function countLists(
  readModel: ReadModel,
  websiteId: string,
  person: string | null,
  filter: ArticleList["filter"] = {},
): Promise<Record<ListView, number>> {
  return readModel.read(websiteId, async (snapshot) => {
    if (Object.keys(filter).length > 0) return countMatching(snapshot, person, filter);
    const getRowsWithStatus = async (status: ArticleStatus) =>
      (await snapshot.page({ status, sort: defaultSort(status), filter: {}, offset: 0, limit: 0 })).total;
    const scheduled = (await getScheduled(snapshot)).length;
    const [pending, approved, published] = [
      await getRowsWithStatus("pending"),
      await getRowsWithStatus("approved"),
      await getRowsWithStatus("published"),
    ];
    const {
      draft = 0,
      changes_requested: requested = 0,
      resubmitted = 0,
    } = await countReviewStates(snapshot.db, websiteId);
    return {
      in_review: pending - draft - requested - resubmitted,
      resubmitted,
      with_author: draft + requested,
      mine: (await getOwn(snapshot, person)).length,
      all: pending + approved + published,
      pending,
      approved: approved - scheduled,
      scheduled,
      published,
      drafts: (await draftRows(snapshot.db, websiteId)).length,
      held: (await heldRows(snapshot.db, websiteId)).length,
      trash: (await getTrash(snapshot, null)).length,
    };
  });
}

async function countMatching(
  snapshot: SnapshotReader,
  person: string | null,
  filter: ArticleList["filter"],
): Promise<Record<ListView, number>> {
  const living = await getLiving(snapshot, null);
  const [first = living, ...others] = await matches(snapshot, filter, living.length);
  const labelled = others.reduce((rows, other) => intersectRows(rows, other), first);
  // The first is that of labels and words, which has the trash, too; without one, the trash has to be added.
  const hasAll = first !== living;
  const all = hasAll ? labelled : concat(labelled, await getTrash(snapshot, null));
  const matching = await meetOthers(snapshot, all, filter);
  const counts: Partial<Record<ListView, number>> = {};
  for (const view of LIST_VIEWS) {
    const rows = await viewRows(snapshot, { view, sort: null, person, filter });
    counts[view] = intersectRows(rows, matching).length;
  }
  // Every view has been counted.
  return counts as Record<ListView, number>;
}

/** The numbers of all matching rows, in the list's order. */
export async function getRows(snapshot: SnapshotReader, list: ArticleList): Promise<Uint32Array> {
  let rows = await viewRows(snapshot, list);
  for (const matching of await matches(snapshot, list.filter, rows.length)) rows = intersectRows(rows, matching);
  const { sort, query, filter } = list;
  rows = await meetOthers(snapshot, rows, filter);
  const isByRelevance = sort === null && query !== undefined && filter.words !== undefined && rows.length > 1;
  return isByRelevance ? byRelevance(snapshot, rows, { words: filter.words ?? [], text: query }) : rows;
}

async function viewRows(snapshot: SnapshotReader, { view, sort, person }: ArticleList): Promise<Uint32Array> {
  const { websiteId } = snapshot.view;
  const living = (status: ArticleStatus) =>
    sort?.field === "state_since"
      ? stateRows(snapshot.db, websiteId, { status, descending: sort.descending })
      : snapshot.order({ status, sort: sort ?? defaultSort(status), filter: {} });
  if (view === "trash") return getTrash(snapshot, sort);
  if (view === "scheduled") {
    const scheduled = await getScheduled(snapshot);
    return sort === null ? scheduled : intersectRows(await living("approved"), scheduled);
  }
  if (view === "drafts") {
    const drafts = await draftRows(snapshot.db, websiteId);
    return sort === null ? drafts : intersectRows(await living("published"), drafts);
  }
  if (view === "held") {
    const held = await heldRows(snapshot.db, websiteId);
    return sort === null ? held : intersectRows(await getLiving(snapshot, sort), held);
  }
  if (view === "all") return getLiving(snapshot, sort);
  if (view === "mine") return intersectRows(await getLiving(snapshot, sort), await getOwn(snapshot, person));
  // Review states do not change the content version: these rows are queried each time, like draft copies.
  if (view === "resubmitted" || view === "with_author" || view === "draft" || view === "changes_requested") {
    const rows = await reviewRows(snapshot.db, websiteId, view === "with_author" ? WITH_AUTHOR : [view]);
    return intersectRows(await living("pending"), rows);
  }
  if (view === "in_review") {
    const others = await reviewRows(snapshot.db, websiteId, [...WITH_AUTHOR, "resubmitted"]);
    return subtractRows(await living("pending"), others);
  }
  const all = await living(view);
  return view === "approved" ? subtractRows(all, await getScheduled(snapshot)) : all;
}

async function meetOthers(
  snapshot: SnapshotReader,
  rows: Uint32Array,
  { conditions, state }: ArticleList["filter"],
): Promise<Uint32Array> {
  const found = conditions === undefined ? rows : await meetConditions(snapshot, rows, conditions);
  if (state === undefined) return found;
  return intersectRows(found, await viewRows(snapshot, { view: state, sort: null, person: null, filter: {} }));
}

function concat(one: Uint32Array, other: Uint32Array): Uint32Array {
  const both = new Uint32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** The rows that match each condition, of any status and in any order, possibly with other websites' rows. */
async function matches(
  snapshot: SnapshotReader,
  { words, origin, finding, conditions: _conditions, state: _state, ...labels }: ArticleList["filter"],
  total: number,
): Promise<Uint32Array[]> {
  const { websiteId } = snapshot.view;
  const found: Uint32Array[] = [];
  for (const kind of LABEL_KINDS) {
    const label = labels[kind];
    if (label === undefined) continue;
    const name = JSON.stringify([kind, label]);
    found.push(await snapshot.cachedRows(name, () => labelledRows(snapshot.db, websiteId, kind, label)));
  }
  if (origin !== undefined) {
    const name = JSON.stringify(["origin", origin]);
    found.push(await snapshot.cachedRows(name, () => originRows(snapshot.db, websiteId, origin)));
  }
  // A recheck leaves the content version unchanged.
  if (finding !== undefined) found.push(await findingRows(snapshot.db, websiteId, finding));
  if (words !== undefined) {
    const name = JSON.stringify(["words", ...words]);
    found.push(await snapshot.cachedRows(name, () => wordRowsOfAny(snapshot.db, websiteId, words, total)));
  }
  return found;
}

function getScheduled(snapshot: SnapshotReader): Promise<Uint32Array> {
  return snapshot.cachedRows("scheduled", () => scheduledRows(snapshot.db, snapshot.view.websiteId));
}

async function getOwn(snapshot: SnapshotReader, person: string | null): Promise<Uint32Array> {
  return person === null ? new Uint32Array() : ownRows(snapshot.db, snapshot.view.websiteId, person);
}

function getLiving(snapshot: SnapshotReader, sort: ListSort | null): Promise<Uint32Array> {
  const order = sort ?? { field: "created_at", descending: true };
  // A review state changes while the content version stays the same.
  if (order.field === "state_since") return livingRows(snapshot.db, snapshot.view.websiteId, order);
  return snapshot.cachedRows(`all ${order.field} ${order.descending}`, () =>
    livingRows(snapshot.db, snapshot.view.websiteId, order),
  );
}

function getTrash(snapshot: SnapshotReader, sort: ListSort | null): Promise<Uint32Array> {
  const order = sort ?? { field: "deleted_at", descending: true };
  return snapshot.cachedRows(`trash ${order.field} ${order.descending}`, () =>
    trashRows(snapshot.db, snapshot.view.websiteId, order),
  );
}
