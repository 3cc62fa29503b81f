import type { Static, TSchema } from "typebox";
import type { FullArticle } from "../../../domain/articles/article.ts";
import { type Verb, VERBS } from "../../../domain/articles/verbs.ts";
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
import { declineRemoval } from "../../../operations/articles/review/removal-requests.ts";
import { tickRequestItem } from "../../../operations/articles/review/request-items.ts";
import { overrideFindings } from "../../../operations/articles/write/override-findings.ts";
import { declinePublication } from "../../../operations/articles/write/publication-requests.ts";
import { createSitePreview, endSitePreviews } from "../../../operations/articles/review/site-preview.ts";
import type { Actor, Deps } from "../../../operations/system/deps.ts";
import {
  approvalAtInput,
  articleTranslations,
  askedInput,
  assignInput,
  authorInput,
  overrideInput,
  publishInput,
  reasonInput,
  scheduleInput,
  endedPreviews,
  sitePreview,
  submitInput,
  tickInput,
  versionInput,
} from "../contract/review.ts";
import { idParams } from "../contract/session.ts";
import { parseTimeParam } from "../parameters.ts";
import { getActor, type Admin, type AdminServer } from "../routes.ts";

interface Action<Body extends TSchema> {
  body: Body;
  run: (deps: Deps, id: string, actor: Actor, body: Static<Body>) => Promise<FullArticle>;
}

const decision = (run: Action<typeof versionInput>["run"]) => action(versionInput, run);

/** What a request with the verb does. The verbs that are missing are those of edits.ts, and of bulk.ts alone. */
const ACTIONS = {
  submit: action(submitInput, (deps, id, actor, { undo = false, version }) =>
    (undo ? takeBackRequest : submitArticle)(deps, id, actor, { version }),
  ),
  withdraw: decision(withdrawArticle),
  "request-changes": action(reasonInput, (deps, id, actor, { reason, comments: threadIds = [], version }) =>
    requestChangesWithComments(deps, id, { reason, threadIds }, actor, { version }),
  ),
  approve: decision(approveArticle),
  unapprove: decision(unapproveArticle),
  "approve-and-publish": action(publishInput, (deps, id, actor, { delayed = false, version }) =>
    (delayed ? approveAndPublishSoon : approveAndPublishArticle)(deps, id, actor, { version }),
  ),
  "approve-and-schedule": action(approvalAtInput, (deps, id, actor, { publish_at: at, version }) =>
    approveAndScheduleArticle(deps, id, parseTimeParam("publish_at", at), actor, { version }),
  ),
  publish: action(publishInput, (deps, id, actor, { delayed = false, version }) =>
    (delayed ? publishSoon : publishArticle)(deps, id, actor, { version }),
  ),
  schedule: action(scheduleInput, (deps, id, actor, { publish_at: at, version }) =>
    scheduleArticle(deps, id, at === null ? null : parseTimeParam("publish_at", at), actor, { version }),
  ),
  unpublish: decision(unpublishArticle),
  delete: decision(deleteArticle),
  restore: decision(restoreArticle),
  assign: action(assignInput, (deps, id, actor, { assignee_id: assigneeId, version }) =>
    assignArticle(deps, id, assigneeId, actor, { version }),
  ),
  "set-author": action(authorInput, (deps, id, actor, { author_id: authorId, version }) =>
    setAuthor(deps, id, authorId, actor, { version }),
  ),
} satisfies Record<Exclude<Verb, "edit" | "label" | "unschedule">, unknown>;

export function reviewRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const response = { 200: admin.form.schema };

  app.get(
    "/articles/:id",
    { config: { access: { may: "articles.read", on: "article" } }, schema: { params: idParams, response } },
    async (request) => {
      const { id } = request.params;
      return admin.form.show(admin, request, id);
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

  for (const [verb, { body, run }] of Object.entries(ACTIONS) as [keyof typeof ACTIONS, Action<TSchema>][]) {
    app.post(
      `/articles/:id/${verb}`,
      {
        config: { access: { may: VERBS[verb].may, on: "article" } },
        schema: { params: idParams, body, response },
      },
      async (request) => {
        const { id } = request.params;
        return admin.form.show(admin, request, id, await run(deps, id, getActor(admin, request), request.body));
      },
    );
  }

  app.post(
    "/articles/:id/override",
    {
      config: { access: { may: "articles.approve", on: "article" } },
      schema: { params: idParams, body: overrideInput, response },
    },
    async (request) => {
      const { id } = request.params;
      const { kinds, version } = request.body;
      const saved = await overrideFindings(deps, id, kinds, getActor(admin, request), { version });
      return admin.form.show(admin, request, id, saved);
    },
  );

  app.post(
    "/articles/:id/request/tick",
    {
      config: { access: { may: "articles.edit", on: "article" } },
      schema: { params: idParams, body: tickInput, response },
    },
    async (request) => {
      const { id } = request.params;
      const { at, item, is_done: isDone } = request.body;
      await tickRequestItem(deps, id, { item, isDone, askedAt: parseTimeParam("at", at) }, getActor(admin, request));
      return admin.form.show(admin, request, id);
    },
  );

  app.post(
    "/articles/:id/removal-request/decline",
    {
      config: { access: { may: "articles.delete", on: "article" } },
      schema: { params: idParams, body: askedInput, response },
    },
    async (request) => {
      const { id } = request.params;
      await declineRemoval(deps, id, parseTimeParam("at", request.body.at), getActor(admin, request));
      return admin.form.show(admin, request, id);
    },
  );

  app.post(
    "/articles/:id/publication-request/decline",
    {
      config: { access: { may: "articles.publish", on: "article" } },
      schema: { params: idParams, body: askedInput, response },
    },
    async (request) => {
      const { id } = request.params;
      await declinePublication(deps, id, parseTimeParam("at", request.body.at), getActor(admin, request));
      return admin.form.show(admin, request, id);
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
}

/** Types the body by its schema. */
function action<Body extends TSchema>(body: Body, run: Action<Body>["run"]): Action<Body> {
  return { body, run };
}
