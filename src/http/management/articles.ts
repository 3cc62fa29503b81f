/** Lists of articles, one article by the client's own id, its removal, and what people did. */
import { AppError } from "../../domain/system/errors.ts";
import { isoTime } from "../../domain/system/time.ts";
import { externalSource, toExternalId } from "../../domain/articles/origin.ts";
import { listByState } from "../../operations/articles/lists/state-lists.ts";
import type { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import { type Feedback, listFeedback } from "../../operations/articles/review/feedback.ts";
import { requestRemoval } from "../../operations/articles/review/removal-requests.ts";
import { findKnown } from "../../operations/articles/write/source-edit.ts";
import { deleteArticle } from "../../operations/articles/write/articles.ts";
import type { AuditCursor } from "../../store/system/audit.ts";
import { presentPerson } from "../admin/articles/article-presenters.ts";
import { parseFilter, parseSort } from "../admin/articles/articles.ts";
import { idParams } from "../admin/contract/session.ts";
import { parseTimeParam } from "../admin/parameters.ts";
import { type Admin, type AdminServer, getActor, getSignedIn, getWebsiteId } from "../admin/routes.ts";
import {
  articleAnswer,
  articleListAnswer,
  externalParams,
  feedbackAnswer,
  type FeedbackAnswer,
  feedbackParameters,
  listParameters,
  meParameters,
  removalInput,
} from "./contract.ts";
import { presentArticle, presentSnippet } from "./present.ts";

const LIMIT_DEFAULT = 50;
/** Seconds that a client should wait after the last feedback. */
const FEEDBACK_EVERY_S = "30";

export function managedArticleRoutes(app: AdminServer, admin: Admin, readModel: ReadModel): void {
  const { deps } = admin;
  const reads = { access: { may: "articles.read", on: "named" } } as const;

  app.get(
    "/articles",
    { config: reads, schema: { querystring: listParameters, response: { 200: articleListAnswer } } },
    async (request) => {
      const { state = null, external_id: externalId, updated_since: since, sort, ...query } = request.query;
      const limit = query.limit === undefined ? LIMIT_DEFAULT : Number(query.limit);
      const offset = query.offset === undefined ? 0 : Number(query.offset);
      const list = {
        state,
        sort: sort === undefined ? null : parseSort(sort),
        filter: parseFilter(query),
        updatedSince: since === undefined ? null : parseTimeParam("updated_since", since),
        source: externalId === undefined ? null : externalSource(externalId),
      };
      const { articles, total } = await listByState(readModel, getWebsiteId(request), list, { offset, limit });
      return { articles: articles.map(presentSnippet), total, limit, offset };
    },
  );

  app.get(
    "/articles/by-external-id/:external_id",
    {
      config: reads,
      schema: { params: externalParams, querystring: meParameters, response: { 200: articleAnswer } },
    },
    async (request) => {
      const source = externalSource(request.params.external_id);
      const { article } = await deps.store.read((db) =>
        findKnown(db, getWebsiteId(request), { source, id: undefined }),
      );
      if (article === undefined) {
        throw new AppError("not_found", "There is no article with this external_id; PUT one to this address.");
      }
      return presentArticle(admin, request, article.id);
    },
  );

  app.delete(
    "/articles/:id",
    {
      config: { access: { may: "articles.delete", on: "article" }, takesEtag: true },
      schema: { params: idParams, response: { 200: articleAnswer } },
    },
    async (request) => {
      const { id } = request.params;
      const deleted = await deleteArticle(deps, id, getActor(admin, request), request.seen ?? { version: 0 });
      return presentArticle(admin, request, id, deleted);
    },
  );

  app.post(
    "/articles/:id/removal-request",
    {
      config: { access: { may: "articles.edit", on: "article" } },
      schema: { params: idParams, body: removalInput, response: { 200: articleAnswer } },
    },
    async (request) => {
      const { id } = request.params;
      await requestRemoval(deps, id, request.body.reason, getActor(admin, request));
      return presentArticle(admin, request, id);
    },
  );

  app.get(
    "/feedback",
    { config: reads, schema: { querystring: feedbackParameters, response: { 200: feedbackAnswer } } },
    async (request, reply) => {
      const { after, limit } = request.query;
      const { feedback, next } = await listFeedback(deps, getWebsiteId(request), {
        after: parseCursor(after),
        except: getSignedIn(request).id,
        limit: limit === undefined ? LIMIT_DEFAULT : Number(limit),
      });
      if (feedback.length === 0) void reply.header("Retry-After", FEEDBACK_EVERY_S);
      return {
        feedback: feedback.map(presentFeedback),
        next: `${next.at}.${next.id}`,
      };
    },
  );
}

function presentFeedback(one: Feedback): FeedbackAnswer["feedback"][number] {
  const { kind, reason, text, fields, integrity, comments } = one;
  return {
    kind,
    at: isoTime(one.at),
    by: presentPerson(one.person),
    article: { id: one.articleId, external_id: toExternalId(one.source), title: one.title },
    reason,
    text,
    fields,
    integrity,
    comments,
  };
}

/** @throws AppError `invalid`. */
function parseCursor(text = "0."): AuditCursor {
  const [, at, id] = /^(\d{1,15})\.((?:[0-9a-f-]{36})?)$/.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw new AppError("invalid", "after must be the `next` of an earlier answer.", { field: "after" });
}
