/** The search parameters of a URL that select a list of articles to show or review. */
import type { ArticleSort, ArticleView } from "../../../src/http/admin/contract/articles.ts";
import type { FindingFilter } from "../../../src/domain/articles/findings.ts";
import { FINDING_FILTERS } from "./finding-kinds.ts";
import { type ArticleOrigin, ORIGIN_LABELS } from "./origins.ts";

/** The queues of the list. `pending` is the sum of the first three, and none itself. */
export type Queue = Exclude<ArticleView, "pending">;

export interface QueueSearch {
  view?: Queue | undefined;
  q?: string | undefined;
  category?: string | undefined;
  tag?: string | undefined;
  keyword?: string | undefined;
  /** A name in the byline. */
  author?: string | undefined;
  origin?: ArticleOrigin | undefined;
  finding?: FindingFilter | undefined;
  sort?: ArticleSort | undefined;
}

/** Omits invalid views, sort orders and texts. */
export function queueSearch(search: Record<string, unknown>): QueueSearch {
  const { view, sort, origin, finding } = search;
  const found: QueueSearch = {};
  if (isOneOf(VIEWS, view)) found.view = view;
  if (isOneOf(SORTS, sort)) found.sort = sort;
  if (isOneOf(ORIGIN_LABELS, origin)) found.origin = origin;
  if (isOneOf(FINDING_FILTERS, finding)) found.finding = finding;
  for (const name of QUEUE_FILTERS) {
    const value = search[name];
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  return found;
}

const QUEUE_FILTERS = ["q", "category", "tag", "keyword", "author"] as const;

export const DEFAULT_QUEUE = "in_review" satisfies Queue;

const VIEWS: Record<Queue, true> = {
  in_review: true,
  resubmitted: true,
  with_author: true,
  mine: true,
  approved: true,
  scheduled: true,
  published: true,
  drafts: true,
  held: true,
  all: true,
  trash: true,
};

const SORTS: Record<ArticleSort, true> = {
  created_at: true,
  "-created_at": true,
  updated_at: true,
  "-updated_at": true,
  published_at: true,
  "-published_at": true,
  title: true,
  "-title": true,
};

function isOneOf<T extends string>(known: Readonly<Record<T, unknown>>, value: unknown): value is T {
  return typeof value === "string" && Object.hasOwn(known, value);
}
