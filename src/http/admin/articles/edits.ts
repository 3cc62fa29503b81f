/** Manual editing: new articles, edits, draft copies and previews. */
import { parseArticleJson } from "../../../domain/articles/article-json.ts";
import { applyDraftCopy, discardDraftCopy } from "../../../operations/articles/write/draft-copies.ts";
import { editArticle, writeArticle } from "../../../operations/articles/write/article-changes.ts";
import {
  applyHeldChanges,
  dropHeldChanges,
  listHeldChanges,
} from "../../../operations/articles/review/held-changes.ts";
import { getOrigin, listFields } from "../../../domain/articles/origin.ts";
import { isoTime } from "../../../domain/system/time.ts";
import { previewArticle } from "../../../operations/articles/review/preview.ts";
import {
  draftInput,
  draftParameters,
  editInput,
  heldApplyInput,
  heldChanges,
  heldDropInput,
  newArticleInput,
  preview,
  previewInput,
} from "../contract/review.ts";
import { idParams } from "../contract/session.ts";
import { parseTimeParam } from "../parameters.ts";
import { draftSeen } from "./article-presenters.ts";
import { getActor, type Admin, type AdminServer } from "../routes.ts";
import { refuseTooLarge } from "../payload-too-large.ts";

/** Room for a text of 10 MB (domain/articles/article-json.ts) as JSON, and the other fields. */
export const ROOM_FOR_EDITS = {
  bodyLimit: 16 * 1024 * 1024,
  errorHandler: refuseTooLarge("This is too long: an article has at most 10 MB of text"),
};
/** Previews are requested repeatedly while the author types; one of this size takes a third of a second. */
const PREVIEW_LIMITS = {
  bodyLimit: 512 * 1024,
  errorHandler: refuseTooLarge("This is too long for a live preview, which has at most 500 kB: save it to see it"),
};

export function editRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const edits = { may: "articles.edit", on: "article" } as const;

  app.post(
    "/articles",
    {
      ...ROOM_FOR_EDITS,
      config: { access: { may: "articles.edit", on: "named" } },
      schema: { body: newArticleInput, response: { 201: admin.form.schema } },
    },
    async (request, reply) => {
      const {
        website_id: websiteId,
        accept_loss: acceptLoss,
        review_state: reviewState = "draft",
        ...article
      } = request.body;
      const actor = getActor(admin, request);
      const made = await writeArticle(deps, websiteId, parseArticleJson(article), actor, {
        acceptLoss,
        reviewState,
        authorId: actor.id,
      });
      return reply.code(201).send(await admin.form.show(admin, request, made.article.id, made));
    },
  );

  app.patch(
    "/articles/:id",
    {
      ...ROOM_FOR_EDITS,
      config: { access: edits },
      schema: { params: idParams, body: editInput, response: { 200: admin.form.schema } },
    },
    async (request) => {
      const { id } = request.params;
      const {
        version,
        draft_saved_at: draft,
        as_draft: asDraft = true,
        accept_loss: acceptLoss,
        changes,
      } = request.body;
      const actor = getActor(admin, request);
      const seen = { version, draftSavedAt: draftSeen(draft) };
      const edit = { changes: parseArticleJson(changes), seen, asDraft, acceptLoss };
      return admin.form.show(admin, request, id, await editArticle(deps, id, edit, actor));
    },
  );

  app.post(
    "/articles/:id/draft/publish",
    {
      config: { access: { may: "articles.publish", on: "article" } },
      schema: { params: idParams, body: draftInput, response: { 200: admin.form.schema } },
    },
    async (request) => {
      const { id } = request.params;
      const { version, draft_saved_at: draft } = request.body;
      const actor = getActor(admin, request);
      const live = await applyDraftCopy(deps, id, actor, { version, draftSavedAt: draftSeen(draft) });
      return admin.form.show(admin, request, id, live);
    },
  );

  app.get(
    "/articles/:id/held",
    {
      config: { access: { may: "articles.read", on: "article" } },
      schema: { params: idParams, response: { 200: heldChanges } },
    },
    async (request) => {
      const held = await listHeldChanges(deps, request.params.id);
      return {
        held: held.map(({ source, heldAt, changes, side }) => ({
          source,
          held_at: isoTime(heldAt),
          side,
          fields: listFields(changes),
        })),
      };
    },
  );

  app.post(
    "/articles/:id/held/apply",
    {
      config: { access: edits },
      schema: { params: idParams, body: heldApplyInput, response: { 200: admin.form.schema } },
    },
    async (request) => {
      const { id } = request.params;
      const { source, held_at: heldAt, version, draft_saved_at: draft } = request.body;
      const seen = { source, heldAt: parseTimeParam("held_at", heldAt), version, draftSavedAt: draftSeen(draft) };
      await applyHeldChanges(deps, id, seen, getActor(admin, request));
      return admin.form.show(admin, request, id);
    },
  );

  app.post(
    "/articles/:id/held/drop",
    {
      config: { access: edits },
      schema: { params: idParams, body: heldDropInput, response: { 200: admin.form.schema } },
    },
    async (request) => {
      const { id } = request.params;
      const { source, held_at: heldAt } = request.body;
      const seen = { source, heldAt: parseTimeParam("held_at", heldAt) };
      await dropHeldChanges(deps, id, seen, getActor(admin, request));
      return admin.form.show(admin, request, id);
    },
  );

  app.delete(
    "/articles/:id/draft",
    {
      config: { access: edits },
      schema: { params: idParams, querystring: draftParameters, response: { 200: admin.form.schema } },
    },
    async (request) => {
      const { id } = request.params;
      const actor = getActor(admin, request);
      const draftSavedAt = parseTimeParam("draft_saved_at", request.query.draft_saved_at);
      await discardDraftCopy(deps, id, actor, { draftSavedAt });
      return admin.form.show(admin, request, id);
    },
  );

  app.post(
    "/articles/preview",
    {
      ...PREVIEW_LIMITS,
      config: { access: { may: "articles.edit", on: "named" } },
      schema: { body: previewInput, response: { 200: preview } },
    },
    async (request) => {
      const { website_id: websiteId, id, changes } = request.body;
      const origin = getOrigin(getActor(admin, request), undefined);
      const found = await previewArticle(deps, { websiteId, id }, parseArticleJson(changes), origin);
      return {
        content: found.html,
        markdown: found.markdown,
        excerpt: found.excerpt,
        slug: found.slug,
        word_count: found.wordCount,
        reading_time: found.readingTime,
        quality_metrics: { ...found.metrics, reported: found.reportedMetrics },
        removed: found.removed,
        loss: found.loss,
      };
    },
  );
}
