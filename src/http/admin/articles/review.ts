/** One article, and the review actions on it. */
import type { FullArticle } from "../../../domain/articles/article.ts";
import { ALL_VERBS, type Verb, VERBS } from "../../../domain/articles/verbs.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { isoTime } from "../../../domain/system/time.ts";
import {
  approveAndPublishArticle,
  approveAndPublishSoon,
  approveAndScheduleArticle,
  approveArticle,
  assignArticle,
  deleteArticle,
  publishArticle,
  publishSoon,
  requestChangesWithComments,
  restoreArticle,
  scheduleArticle,
  setAuthor,
  submitArticle,
  takeBackRequest,
  unapproveArticle,
  unpublishArticle,
  withdrawArticle,
} from "../../../operations/articles/write/articles.ts";
import { listTranslations } from "../../../operations/articles/review/article-review.ts";
import { createSitePreview, endSitePreviews } from "../../../operations/articles/review/site-preview.ts";
import type { Actor, Deps } from "../../../operations/system/deps.ts";
import type { ExpectedVersion } from "../../../operations/articles/write/optimistic-lock.ts";
import {
  approvalAtInput,
  articleTranslations,
  assignInput,
  authorInput,
  pictureParameters,
  publishInput,
  reasonInput,
  reviewedArticle,
  scheduleInput,
  endedPreviews,
  sitePreview,
  submitInput,
  versionInput,
} from "../contract/review.ts";
import { idParams } from "../contract/session.ts";
import { parseTimeParam } from "../parameters.ts";
import { showArticle } from "./article-presenters.ts";
import { getActor, getWebsiteId, type Admin, type AdminServer } from "../routes.ts";

type Decision = (deps: Deps, id: string, actor: Actor, expect: ExpectedVersion) => Promise<FullArticle>;

/** An SVG that is opened as a page must not run scripts. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Decisions that need nothing but the version that the reviewer saw. */
const DECISIONS = {
  withdraw: withdrawArticle,
  approve: approveArticle,
  unapprove: unapproveArticle,
  unpublish: unpublishArticle,
  delete: deleteArticle,
  restore: restoreArticle,
} as const satisfies Partial<Record<Verb, Decision>>;

export function reviewRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const response = { 200: reviewedArticle };

  app.get(
    "/articles/:id",
    { config: { access: { may: "articles.read", on: "article" } }, schema: { params: idParams, response } },
    async (request) => {
      const { id } = request.params;
      return showArticle(admin, request, id);
    },
  );

  app.get(
    "/articles/:id/translations",
    {
      config: { access: { may: "articles.read", on: "article" } },
      schema: { params: idParams, response: { 200: articleTranslations } },
    },
    async (request) => ({ translations: await listTranslations(deps, request.params.id) }),
  );

  app.get(
    "/articles/:id/picture",
    {
      config: { access: { may: "articles.read", on: "article" } },
      schema: { params: idParams, querystring: pictureParameters },
    },
    async (request, reply) => {
      const picture = await deps.fetchPicture(getWebsiteId(request), request.query.url);
      if (typeof picture === "string")
        throw new AppError("not_found", "This picture cannot be fetched from its address.");
      return reply
        .header("Cache-Control", "private, max-age=3600")
        .header("Content-Security-Policy", PICTURE_POLICY)
        .type(picture.type)
        .send(picture.bytes);
    },
  );

  for (const verb of ALL_VERBS) {
    if (!isDecision(verb)) continue;
    app.post(
      `/articles/:id/${verb}`,
      { config: access(verb), schema: { params: idParams, body: versionInput, response } },
      async (request) => {
        const { id } = request.params;
        const saved = await DECISIONS[verb](deps, id, getActor(admin, request), request.body);
        return showArticle(admin, request, id, saved);
      },
    );
  }

  app.post(
    "/articles/:id/submit",
    { config: access("submit"), schema: { params: idParams, body: submitInput, response } },
    async (request) => {
      const { id } = request.params;
      const submit = request.body.undo === true ? takeBackRequest : submitArticle;
      return showArticle(admin, request, id, await submit(deps, id, getActor(admin, request), request.body));
    },
  );

  for (const [verb, atOnce, soon] of [
    ["publish", publishArticle, publishSoon],
    ["approve-and-publish", approveAndPublishArticle, approveAndPublishSoon],
  ] as const) {
    app.post(
      `/articles/:id/${verb}`,
      { config: access(verb), schema: { params: idParams, body: publishInput, response } },
      async (request) => {
        const { id } = request.params;
        const { version, delayed = false } = request.body;
        await (delayed ? soon : atOnce)(deps, id, getActor(admin, request), { version });
        return showArticle(admin, request, id);
      },
    );
  }

  app.post(
    "/articles/:id/assign",
    { config: access("assign"), schema: { params: idParams, body: assignInput, response } },
    async (request) => {
      const { id } = request.params;
      const { assignee_id: assigneeId, version } = request.body;
      const saved = await assignArticle(deps, id, assigneeId, getActor(admin, request), { version });
      return showArticle(admin, request, id, saved);
    },
  );

  app.post(
    "/articles/:id/set-author",
    { config: access("set-author"), schema: { params: idParams, body: authorInput, response } },
    async (request) => {
      const { id } = request.params;
      const { author_id: authorId, version } = request.body;
      const saved = await setAuthor(deps, id, authorId, getActor(admin, request), { version });
      return showArticle(admin, request, id, saved);
    },
  );

  app.post(
    "/articles/:id/approve-and-schedule",
    { config: access("approve-and-schedule"), schema: { params: idParams, body: approvalAtInput, response } },
    async (request) => {
      const { id } = request.params;
      const { publish_at: text, version } = request.body;
      const at = parseTimeParam("publish_at", text);
      const saved = await approveAndScheduleArticle(deps, id, at, getActor(admin, request), { version });
      return showArticle(admin, request, id, saved);
    },
  );

  app.post(
    "/articles/:id/request-changes",
    { config: access("request-changes"), schema: { params: idParams, body: reasonInput, response } },
    async (request) => {
      const { id } = request.params;
      const { reason, comments: threadIds = [], version } = request.body;
      const actor = getActor(admin, request);
      const saved = await requestChangesWithComments(deps, id, { reason, threadIds }, actor, { version });
      return showArticle(admin, request, id, saved);
    },
  );

  app.post(
    "/articles/:id/site-previews",
    {
      config: { access: { may: "articles.read", on: "article" } },
      schema: { params: idParams, response: { 201: sitePreview } },
    },
    async (request, reply) => {
      const { url, expiresAt } = await createSitePreview(deps, request.params.id, getActor(admin, request));
      return reply.code(201).send({ url, expires_at: isoTime(expiresAt) });
    },
  );

  app.delete(
    "/articles/:id/site-previews",
    {
      config: { access: { may: "articles.edit", on: "article" } },
      schema: { params: idParams, response: { 200: endedPreviews } },
    },
    async (request) => ({ ended: await endSitePreviews(deps, request.params.id) }),
  );

  app.post(
    "/articles/:id/schedule",
    { config: access("schedule"), schema: { params: idParams, body: scheduleInput, response } },
    async (request) => {
      const { id } = request.params;
      const { publish_at: text, version } = request.body;
      const actor = getActor(admin, request);
      const at = text === null ? null : parseTimeParam("publish_at", text);
      const saved = await scheduleArticle(deps, id, at, actor, { version });
      return showArticle(admin, request, id, saved);
    },
  );
}

function access(verb: Verb) {
  return { access: { may: VERBS[verb].may, on: "article" } } as const;
}

function isDecision(verb: Verb): verb is keyof typeof DECISIONS {
  return Object.hasOwn(DECISIONS, verb);
}
