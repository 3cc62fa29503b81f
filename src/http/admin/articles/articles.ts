import type { FastifyRequest } from "fastify";
import { roleOn } from "../../../domain/people/permissions.ts";
import { queryWords } from "../../../domain/articles/content/measure/search.ts";
import { AppError } from "../../../domain/system/errors.ts";
import {
  type ArticleList,
  countLists,
  listBulkVerbs,
  listPage,
  type ListSort,
  placeInList,
} from "../../../operations/articles/lists/article-lists.ts";
import type { ListConditions } from "../../../operations/articles/lists/filters.ts";
import { startOfDay } from "../../../domain/system/time-zone.ts";
import { listAssignees } from "../../../operations/articles/review/article-review.ts";
import type { ReadModel } from "../../../operations/articles/read-model/read-model.ts";
import { LabelLists } from "../../../operations/articles/lists/label-lists.ts";
import { listEndpoints } from "../../../operations/webhooks/endpoints.ts";
import { isEnabled } from "../../../domain/webhooks/endpoint.ts";
import { SORT_FIELDS } from "../../../store/articles/article-queries.ts";
import { presentListItem } from "./article-presenters.ts";
import {
  articleCounts,
  articleCountsParameters,
  articleLabels,
  articlePage,
  articlePlace,
  type ArticleParameters,
  articleParameters,
  assignees,
  labelsParameters,
  placeParameters,
  receivers,
  receiversParameters,
} from "../contract/articles.ts";
import { type Admin, type AdminServer, getSignedIn } from "../routes.ts";

const LIMIT_DEFAULT = 50;
const MAX_WORDS = 20;

export function articleRoutes(app: AdminServer, { deps }: Admin, readModel: ReadModel): void {
  const access = { may: "articles.read", on: "named" } as const;
  const labels = new LabelLists(readModel, deps.clock);

  app.get(
    "/articles",
    { config: { access }, schema: { querystring: articleParameters, response: { 200: articlePage } } },
    async (request) => {
      const { query } = request;
      const limit = query.limit === undefined ? LIMIT_DEFAULT : Number(query.limit);
      const offset = query.offset === undefined ? 0 : Number(query.offset);
      const { articles, total } = await listPage(readModel, query.website_id, toArticleList(request, query), {
        offset,
        limit,
      });
      const bulk = listBulkVerbs(query.view, roleOn(getSignedIn(request).memberships, query.website_id));
      return { articles: articles.map(presentListItem), total, limit, offset, bulk };
    },
  );

  app.get(
    "/articles/counts",
    { config: { access }, schema: { querystring: articleCountsParameters, response: { 200: articleCounts } } },
    async (request) => {
      const { query } = request;
      return countLists(readModel, query.website_id, getSignedIn(request).id, parseFilter(query));
    },
  );

  app.get(
    "/articles/place",
    { config: { access }, schema: { querystring: placeParameters, response: { 200: articlePlace } } },
    async (request) => {
      const { query } = request;
      const place = await placeInList(readModel, query.website_id, toArticleList(request, query), query.id);
      return {
        index: place.index,
        total: place.total,
        previous_id: place.previousId,
        next_id: place.nextIds[0] ?? null,
        next_ids: place.nextIds,
      };
    },
  );

  app.get(
    "/articles/assignees",
    { config: { access }, schema: { querystring: labelsParameters, response: { 200: assignees } } },
    async ({ query }) => ({ people: await listAssignees(deps, query.website_id) }),
  );

  app.get(
    "/articles/receivers",
    {
      config: { access: { may: "articles.publish", on: "named" } },
      schema: { querystring: receiversParameters, response: { 200: receivers } },
    },
    async ({ query }) => {
      const endpoints = await listEndpoints(deps, query.website_id);
      const hearing = endpoints.filter(({ events }) => events.includes(query.event));
      return {
        receivers: hearing.map(({ url, state }) => ({ host: new URL(url).host, is_waiting: !isEnabled(state) })),
      };
    },
  );

  app.get(
    "/articles/labels",
    { config: { access }, schema: { querystring: labelsParameters, response: { 200: articleLabels } } },
    async ({ query }) => labels.of(query.website_id),
  );
}

type Conditions = Omit<ArticleParameters, "website_id" | "view" | "sort" | "limit" | "offset">;

/** @throws AppError `invalid` with the parameter's name. */
export function toArticleList(
  request: Pick<FastifyRequest, "signedIn">,
  { view, sort, ...conditions }: Pick<ArticleParameters, "view" | "sort"> & Conditions,
): ArticleList {
  return {
    view,
    person: getSignedIn(request).id,
    sort: sort === undefined ? defaultSort(view, conditions.q) : parseSort(sort),
    filter: parseFilter(conditions),
    ...(conditions.q === undefined ? {} : { query: conditions.q }),
  };
}

/** An empty parameter filters nothing. */
export function parseFilter({
  q = "",
  category = "",
  tag = "",
  keyword = "",
  author = "",
  origin,
  finding,
  state,
  ...others
}: Conditions): ArticleList["filter"] {
  const conditions = parseConditions(others);
  return {
    ...(conditions === null ? {} : { conditions }),
    ...(state === undefined ? {} : { state }),
    ...(category.trim() === "" ? {} : { category }),
    ...(tag.trim() === "" ? {} : { tag }),
    ...(keyword.trim() === "" ? {} : { keyword }),
    ...(author.trim() === "" ? {} : { author }),
    ...(origin === undefined ? {} : { origin }),
    ...(finding === undefined ? {} : { finding }),
    ...(q.trim() === "" ? {} : { words: parseWords(q) }),
  };
}

/** Null: there are none. @throws AppError `invalid` with the parameter's name. */
function parseConditions({
  published_from: publishedFrom,
  published_until: publishedUntil,
  updated_from: updatedFrom,
  updated_until: updatedUntil,
  writer,
  assignee,
  language,
  score,
}: Pick<Conditions, ConditionName>): ListConditions | null {
  const days = { publishedFrom, publishedUntil, updatedFrom, updatedUntil };
  for (const [name, day] of Object.entries(days)) {
    if (day !== undefined && startOfDay(day, "UTC") === undefined) throw notADay(name, day);
  }
  const given = Object.entries({ ...days, writer, assignee, language, score }).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}

type ConditionName =
  | "published_from"
  | "published_until"
  | "updated_from"
  | "updated_until"
  | "writer"
  | "assignee"
  | "language"
  | "score";

function notADay(name: string, day: string): AppError {
  const field = name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
  return new AppError("invalid", `${field} must be a day, such as 2026-11-29: there is no ${day}.`, { field });
}

/** Null: by relevance, or that of the view. */
function defaultSort(view: ArticleParameters["view"], q = ""): ArticleList["sort"] {
  const isQueue = view === "in_review" || view === "resubmitted";
  return isQueue && q.trim() === "" ? { field: "state_since", descending: true } : null;
}

export function parseSort(sort: NonNullable<ArticleParameters["sort"]>): ListSort {
  const name = sort.replace(/^-/, "");
  const field = [...SORT_FIELDS, "state_since" as const].find((one) => one === name);
  if (field === undefined) throw new Error(`no order ${sort}`);
  return { field, descending: sort.startsWith("-") };
}

function parseWords(q: string): string[] {
  const words = queryWords(q).toSorted();
  if (words.length === 0) throw refusal("There is no word to search for: type letters or digits.");
  if (words.length > MAX_WORDS) throw refusal(`The search has more than ${MAX_WORDS} words; use fewer.`);
  return words;
}

function refusal(message: string): AppError {
  return new AppError("invalid", message, { field: "q" });
}
