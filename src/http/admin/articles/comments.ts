import type { FastifyRequest } from "fastify";
import { isoTime, isoTimeOrNull, parseIsoTime } from "../../../domain/system/time.ts";
import {
  addComment,
  changeComment,
  deleteComment,
  getComments,
  listMentionable,
  replyToComment,
  resolveThread,
  type ShownThread,
} from "../../../operations/articles/review/comments.ts";
import {
  type ArticleComments,
  articleComments,
  commentEdit,
  commentInput,
  commentParams,
  type CommentThread,
  mentionable,
  replyInput,
} from "../contract/comments.ts";
import { revisionInput, reviewedArticle } from "../contract/review.ts";
import { idParams } from "../contract/session.ts";
import { draftSeen, presentPerson, showArticle } from "./article-presenters.ts";
import { type Admin, type AdminServer, getActor, getWebsiteId } from "../routes.ts";
import { applySuggestion } from "../../../operations/articles/review/suggestions.ts";

export function commentRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const reads = { access: { may: "articles.read", on: "article" } } as const;
  const writes = { access: { may: "articles.comment", on: "article" } } as const;
  const response = { 200: articleComments };
  const show = (id: string) => showComments(admin, id);
  const actor = (request: FastifyRequest) => getActor(admin, request);

  app.get("/articles/:id/comments", { config: reads, schema: { params: idParams, response } }, ({ params }) =>
    show(params.id),
  );

  app.get(
    "/articles/:id/mentionable",
    { config: writes, schema: { params: idParams, response: { 200: mentionable } } },
    async (request) => ({ people: await listMentionable(deps, getWebsiteId(request)) }),
  );

  app.post(
    "/articles/:id/comments",
    { config: writes, schema: { params: idParams, body: commentInput, response: { 201: articleComments } } },
    async (request, reply) => {
      const { id } = request.params;
      const { replacement = null, ...input } = request.body;
      await addComment(deps, id, { ...input, replacement }, actor(request));
      return reply.code(201).send(await show(id));
    },
  );

  app.post(
    "/articles/:id/comments/:comment/replies",
    { config: writes, schema: { params: commentParams, body: replyInput, response: { 201: articleComments } } },
    async (request, reply) => {
      const { id, comment } = request.params;
      await replyToComment(deps, id, comment, request.body.text, actor(request));
      return reply.code(201).send(await show(id));
    },
  );

  app.patch(
    "/articles/:id/comments/:comment",
    { config: writes, schema: { params: commentParams, body: commentEdit, response } },
    async (request) => {
      const { id, comment } = request.params;
      const { text, edited_at: edited } = request.body;
      const seen = edited === null ? null : parseIsoTime(edited);
      await changeComment(deps, id, comment, { text, seen }, actor(request));
      return show(id);
    },
  );

  app.delete(
    "/articles/:id/comments/:comment",
    { config: writes, schema: { params: commentParams, response } },
    async (request) => {
      const { id, comment } = request.params;
      await deleteComment(deps, id, comment, actor(request));
      return show(id);
    },
  );

  for (const [verb, isResolved] of [
    ["resolve", true],
    ["reopen", false],
  ] as const) {
    app.post(
      `/articles/:id/comments/:comment/${verb}`,
      { config: writes, schema: { params: commentParams, response } },
      async (request) => {
        const { id, comment } = request.params;
        await resolveThread(deps, id, comment, isResolved, actor(request));
        return show(id);
      },
    );
  }

  app.post(
    "/articles/:id/comments/:comment/apply",
    {
      config: { access: { may: "articles.edit", on: "article" } },
      schema: { params: commentParams, body: revisionInput, response: { 200: reviewedArticle } },
    },
    async (request) => {
      const { id, comment } = request.params;
      const { version, draft_saved_at: draft } = request.body;
      await applySuggestion(deps, id, comment, { version, draftSavedAt: draftSeen(draft) }, actor(request));
      return showArticle(admin, request, id);
    },
  );
}

export async function showComments({ deps }: Pick<Admin, "deps">, id: string): Promise<ArticleComments> {
  const { threads, version, draftSavedAt } = await getComments(deps, id);
  return { threads: threads.map(presentThread), version, draft_saved_at: isoTimeOrNull(draftSavedAt) };
}

function presentThread({ createdAt, resolved, appliedAt, comments, ...thread }: ShownThread): CommentThread {
  return {
    ...thread,
    created_at: isoTime(createdAt),
    resolved: resolved && { by: presentPerson(resolved.by), at: isoTime(resolved.at) },
    applied_at: isoTimeOrNull(appliedAt),
    comments: comments.map((one) => ({
      id: one.id,
      by: presentPerson(one.person),
      is_guest: one.isGuest,
      text: one.body,
      mentions: one.mentions.map(presentPerson),
      created_at: isoTime(one.createdAt),
      edited_at: isoTimeOrNull(one.editedAt),
      is_deleted: one.isDeleted,
    })),
  };
}
