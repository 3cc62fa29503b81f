/** Who has an article open: pages report it while they are visible, and live.ts tells the others. */
import type { FastifyRequest } from "fastify";
import { type Activity, PRESENCE_SWEEP_INTERVAL_MS } from "../../../domain/people/presence.ts";
import { assertAllowed } from "../../../domain/people/permissions.ts";
import {
  endPresence,
  readPresent,
  reportPresence,
  sweepPresence,
} from "../../../operations/articles/review/presence.ts";
import { presenceInput, presentPeople } from "../contract/presence.ts";
import { idParams } from "../contract/session.ts";
import { type Admin, type AdminServer, getSignedIn, getWebsiteId } from "../routes.ts";

export function presenceRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const config = { access: { may: "articles.read", on: "article" } } as const;
  const sweepLater = sweepWhilePresent(app, admin);

  const show = async (request: FastifyRequest, articleId: string) => {
    const people = await readPresent(deps, keyOf(request, articleId));
    return { people };
  };
  app.get(
    "/articles/:id/presence",
    { config, schema: { params: idParams, response: { 200: presentPeople } } },
    (request) => show(request, request.params.id),
  );

  app.put(
    "/articles/:id/presence",
    { config, schema: { params: idParams, body: presenceInput, response: { 200: presentPeople } } },
    async (request) => {
      const { id } = request.params;
      await reportPresence(deps, withActivity(request, id, request.body.activity));
      sweepLater();
      return show(request, id);
    },
  );

  app.delete(
    "/articles/:id/presence",
    { config, schema: { params: idParams, querystring: presenceInput } },
    async (request, reply) => {
      await endPresence(deps, withActivity(request, request.params.id, request.query.activity));
      return reply.code(204).send();
    },
  );
}

/** @throws AppError `forbidden` for a reader who says to edit. */
function withActivity(request: FastifyRequest, articleId: string, activity: Activity) {
  if (activity === "editing") assertAllowed(getSignedIn(request).memberships, "articles.edit", getWebsiteId(request));
  return { ...keyOf(request, articleId), activity };
}

function keyOf(request: FastifyRequest, articleId: string) {
  return { websiteId: getWebsiteId(request), articleId, accountId: getSignedIn(request).id };
}

/** Without anybody present no statement is run. @returns a function that starts it. */
function sweepWhilePresent(app: AdminServer, { deps, onError }: Admin): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  app.addHook("onClose", () => {
    isClosed = true;
    clearTimeout(timer);
  });

  async function sweep(): Promise<void> {
    let isAnybodyThere = true;
    try {
      isAnybodyThere = await sweepPresence(deps);
    } catch (error) {
      onError(error, "people who have left their articles could not be deleted; trying again");
    }
    timer = undefined;
    if (isAnybodyThere && !isClosed) sweepLater();
  }

  function sweepLater(): void {
    timer ??= setTimeout(() => void sweep(), PRESENCE_SWEEP_INTERVAL_MS).unref();
  }
  return sweepLater;
}
