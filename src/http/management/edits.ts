/** Articles as machines write them: the routes with long bodies, which the dashboard's thread answers, too. */
import type { FastifyRequest, preValidationAsyncHookHandler } from "fastify";
import type { TObject } from "typebox";
import { parseArticleJson } from "../../domain/articles/article-json.ts";
import { isDeepStrictEqual } from "node:util";
import { externalSource } from "../../domain/articles/origin.ts";
import { assertScope } from "../../domain/people/access-token.ts";
import { createFromSource, upsertArticle } from "../../operations/articles/import/upserts.ts";
import { editArticle, toWritten, writeArticle } from "../../operations/articles/write/article-changes.ts";
import { ROOM_FOR_EDITS } from "../admin/articles/edits.ts";
import { idParams } from "../admin/contract/session.ts";
import { type Admin, type AdminServer, getActor, getSignedIn, getWebsiteId } from "../admin/routes.ts";
import {
  articleAnswer,
  articlePatch,
  broughtArticle,
  externalParams,
  type ManagedArticle,
  managedArticle,
  newArticle,
  saveParameters,
  upsertAnswer,
  upsertParameters,
} from "./contract.ts";
import { type Losses, presentArticle } from "./present.ts";

export function managedEditRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;

  app.post(
    "/articles",
    {
      ...ROOM_FOR_EDITS,
      config: { access: { may: "articles.edit", on: "named" } },
      schema: { querystring: saveParameters, body: newArticle, response: { 201: articleAnswer } },
      preValidation: withoutDerived(newArticle),
    },
    async (request, reply) => {
      const { external_id: externalId, review_state: reviewState = "draft", ...article } = request.body;
      const actor = getActor(admin, request);
      const { losses, ...loss } = lossOptions(request.query);
      const input = parseArticleJson(article);
      const options = { ...loss, reviewState, authorId: actor.id };
      const websiteId = getWebsiteId(request);
      const made =
        externalId === undefined
          ? await writeArticle(deps, websiteId, input, actor, options)
          : await createFromSource(
              deps,
              websiteId,
              { source: externalSource(externalId), input: toWritten(input) },
              { actor, ...options },
            );
      return reply.code(201).send(await presentArticle(admin, request, made.article.id, made, losses));
    },
  );

  app.patch(
    "/articles/:id",
    {
      ...ROOM_FOR_EDITS,
      config: { access: { may: "articles.edit", on: "article" }, takesEtag: true },
      schema: { params: idParams, querystring: saveParameters, body: articlePatch, response: { 200: articleAnswer } },
      preValidation: withoutDerived(articlePatch),
    },
    async (request) => {
      const { id } = request.params;
      const { losses, ...loss } = lossOptions(request.query);
      const { article } = await presentArticle(admin, request, id);
      const changes = parseArticleJson(withoutUnchanged(article, request.body));
      const seen = request.seen ?? { version: 0, draftSavedAt: null };
      const edited = await editArticle(deps, id, { changes, seen, asDraft: true, ...loss }, getActor(admin, request));
      return presentArticle(admin, request, id, edited, losses);
    },
  );

  app.put(
    "/articles/by-external-id/:external_id",
    {
      ...ROOM_FOR_EDITS,
      config: { access: { may: "articles.edit", on: "named" } },
      schema: {
        params: externalParams,
        querystring: upsertParameters,
        body: broughtArticle,
        response: { 200: upsertAnswer, 201: upsertAnswer },
      },
      preValidation: withoutDerived(broughtArticle),
    },
    async (request, reply) => {
      const { external_id: externalId } = request.params;
      const overwrite = request.query.overwrite === "true";
      if (overwrite) assertMayOverwrite(request);
      const { losses, ...loss } = lossOptions(request.query);
      const item = { source: externalSource(externalId), input: parseArticleJson(request.body) };
      const options = { actor: getActor(admin, request), overwrite, ...loss };
      const { outcome, full, heldFields } = await upsertArticle(deps, getWebsiteId(request), item, options);
      const { article } = await presentArticle(admin, request, full.article.id, full, losses);
      return reply.code(outcome === "created" ? 201 : 200).send({ outcome, held_fields: heldFields, article });
    },
  );
}

/** @throws AppError `forbidden`, naming the scope. */
export function assertMayOverwrite(request: FastifyRequest): void {
  const signedIn = getSignedIn(request);
  if ("token" in signedIn) assertScope(signedIn.token, "articles.approve");
}

function lossOptions({ accept_loss: acceptLoss }: { accept_loss?: string }) {
  const losses: Losses = { removed: [], loss: null };
  const onPrepared = ({ removed, loss }: Losses) => Object.assign(losses, { removed, loss });
  return { losses, acceptLoss: acceptLoss === "true", onPrepared };
}

const TEXTS: ReadonlySet<string> = new Set(["content", "markdown"]);
const ANSWERED = Object.keys(managedArticle.properties);

/** Removes fields that only answers have, so that an answer can be sent back. */
function withoutDerived({ properties }: TObject): preValidationAsyncHookHandler {
  const derived = ANSWERED.filter((name) => !(name in properties));
  return async ({ body }) => {
    if (typeof body !== "object" || body === null || Buffer.isBuffer(body)) return;
    for (const name of derived) delete (body as Record<string, unknown>)[name];
  };
}

/**
 * The fields of the request that change something: they differ from the article as answered, or the draft copy has
 * them. Values that come back are no change, even if the answer derived them, as an excerpt.
 */
function withoutUnchanged(article: ManagedArticle, body: Record<string, unknown>): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...article };
  const isDrafted = (name: string) => article.draft !== null && name in article.draft.changes;
  const isTextDrafted = isDrafted("content") || isDrafted("markdown");
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => (TEXTS.has(name) ? isTextDrafted : isDrafted(name)) || !isDeepStrictEqual(value, shown[name]),
    ),
  );
}
