/** The search parameters of a URL that select a list of articles to show or review. */
import type { ArticleParameters, ArticleSort, ArticleView } from "../../../src/http/admin/contract/articles.ts";
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
  /** Days, such as 2026-11-29, in the website's time zone. */
  published_from?: string | undefined;
  published_until?: string | undefined;
  updated_from?: string | undefined;
  updated_until?: string | undefined;
  /** Accounts. */
  writer?: string | undefined;
  assignee?: string | undefined;
  language?: string | undefined;
  score?: ScoreFilter | undefined;
  /** Within all articles. */
  state?: StateFilter | undefined;
  sort?: ArticleSort | undefined;
}

/** Omits invalid views, sort orders and texts. */
export function queueSearch(search: Record<string, unknown>): QueueSearch {
  const { view, sort, origin, finding, score, state } = search;
  const found: QueueSearch = {};
  if (isOneOf(VIEWS, view)) found.view = view;
  if (isOneOf(SORTS, sort)) found.sort = sort;
  if (isOneOf(ORIGIN_LABELS, origin)) found.origin = origin;
  if (isOneOf(FINDING_FILTERS, finding)) found.finding = finding;
  if (isOneOf(SCORE_LABELS, score)) found.score = score;
  if (isOneOf(STATE_LABELS, state)) found.state = state;
  for (const name of DAY_FILTERS) {
    const value = search[name];
    if (typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value)) found[name] = value;
  }
  for (const name of QUEUE_FILTERS) {
    const value = search[name];
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  return found;
}

const QUEUE_FILTERS = ["q", "category", "tag", "keyword", "author", "writer", "assignee", "language"] as const;
const DAY_FILTERS = ["published_from", "published_until", "updated_from", "updated_until"] as const;

type ScoreFilter = NonNullable<ArticleParameters["score"]>;
type StateFilter = NonNullable<ArticleParameters["state"]>;

export const SCORE_LABELS: Record<ScoreFilter, string> = {
  good: "Good (80 to 100)",
  fair: "Fair (40 to 79)",
  poor: "Poor (below 40)",
};

export const STATE_LABELS: Record<StateFilter, string> = {
  draft: "Draft",
  in_review: "In review",
  changes_requested: "Changes requested",
  resubmitted: "Resubmitted",
  approved: "Approved",
  scheduled: "Scheduled",
  published: "Published",
};

/** The conditions of a list beside its search, tab and order. */
export const FILTERS = [
  "state",
  "category",
  "tag",
  "keyword",
  "author",
  "writer",
  "assignee",
  "language",
  "score",
  "origin",
  "finding",
  ...DAY_FILTERS,
] as const satisfies readonly (keyof QueueSearch)[];
export type FilterName = (typeof FILTERS)[number];

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
  state_since: true,
  "-state_since": true,
  published_at: true,
  "-published_at": true,
  title: true,
  "-title": true,
};

function isOneOf<T extends string>(known: Readonly<Record<T, unknown>>, value: unknown): value is T {
  return typeof value === "string" && Object.hasOwn(known, value);
}
