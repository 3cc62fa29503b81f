/**
 * `Idempotency-Key`: a repeated request changes nothing again. It is answered with the status of the first one, and the
 * article as it is now. The key is saved in the transaction of the change.
 */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../domain/system/errors.ts";
import { findDone, type KeyedRequest, recordDone } from "../../operations/people/idempotency.ts";
import { showComments } from "../admin/articles/comments.ts";
import { type Admin, type AdminServer, getSignedIn, getWebsiteId } from "../admin/routes.ts";
import { Refusal } from "./refusal.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** A repeat does no harm, so that the route takes no key. */
    isRepeatable?: true;
  }
  interface FastifyRequest {
    /** Null: the request has no key. */
    keyed: KeyedRequest | null;
  }
}

type Done = Awaited<ReturnType<typeof findDone>> & {};

/** Call it before hooks that change bodies. */
export function takeIdempotencyKeys(routes: AdminServer, admin: Admin): void {
  const { deps } = admin;
  /** Requests under way in this process. */
  const running = new Map<string, string>();
  routes.decorateRequest("keyed", null);
  routes.addHook("preValidation", async (request) => {
    const key = getKey(request);
    if (key === undefined || Buffer.isBuffer(request.body)) return;
    request.keyed = {
      tokenId: getSignedIn(request).id,
      key,
      websiteId: "",
      requestId: deps.newId(),
      hash: hashRequest(request),
      status: getStatus(request),
    };
  });
  routes.addHook("preHandler", async (request, reply) => {
    const { keyed } = request;
    if (keyed === null) return undefined;
    keyed.websiteId = getWebsiteId(request);
    const done = await findDone(deps, keyed);
    if (done !== undefined) return reply.send(await replay(admin, request, reply, done));
    const place = JSON.stringify([keyed.tokenId, keyed.key]);
    const other = running.get(place);
    if (other !== undefined) throw other === keyed.hash ? underWay() : reused();
    running.set(place, keyed.hash);
    reply.raw.once("close", () => running.delete(place));
    let isRecorded = false;
    request.inTransaction = async (db, articleId) => {
      isRecorded = true;
      await recordDone(db, deps, keyed, articleId);
    };
    request.recordIfUnchanged = async (articleId) => {
      if (!isRecorded) await deps.store.write((db) => recordDone(db, deps, keyed, articleId));
    };
    return undefined;
  });
  // A request that had nothing to change is recorded, too.
  routes.addHook("preSerialization", async (request, reply, payload) => {
    const articleId = getArticleId(request, payload);
    if (reply.statusCode < 300 && articleId !== undefined) await request.recordIfUnchanged?.(articleId);
    return payload;
  });
}

declare module "fastify" {
  interface FastifyRequest {
    recordIfUnchanged?: (articleId: string) => Promise<void>;
  }
}

/** @returns what to send. @throws Refusal if the first request was another one. */
export async function replay(admin: Admin, request: FastifyRequest, reply: FastifyReply, done: Done): Promise<unknown> {
  if (done.hash !== request.keyed?.hash) throw reused();
  // The first request is recorded.
  delete request.recordIfUnchanged;
  void reply.code(done.status).header("Idempotency-Replayed", "true");
  const isOnComments = request.routeOptions.url?.includes("/comments") === true;
  return isOnComments ? showComments(admin, done.articleId) : admin.form.show(admin, request, done.articleId);
}

const MAX_KEY = 200;
const RETRY_AFTER_S = "1";

/** @throws AppError `invalid`. */
function getKey({ method, headers, routeOptions }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  const { isRepeatable = false, takes } = routeOptions.config;
  const takesKey = (method === "POST" || method === "PATCH") && !isRepeatable && takes !== "file";
  if (key === undefined || !takesKey) return undefined;
  if (typeof key === "string" && key.length > 0 && key.length <= MAX_KEY) return key;
  throw new AppError("invalid", `Idempotency-Key must have 1 to ${MAX_KEY} characters.`, { field: "Idempotency-Key" });
}

function hashRequest({ method, url, body }: FastifyRequest): string {
  return hash("sha256", JSON.stringify([method, url, body ?? null]), "base64url");
}

/** The status of the route's success. */
function getStatus({ routeOptions: { schema } }: FastifyRequest): number {
  const { response } = schema ?? {};
  return typeof response === "object" && response !== null && "201" in response ? 201 : 200;
}

function underWay(): Refusal {
  const message = "The first request with this Idempotency-Key is still under way; repeat this one in a second.";
  return new Refusal(409, "under_way", message, { param: "Idempotency-Key" }, { "Retry-After": RETRY_AFTER_S });
}

function reused(): Refusal {
  const message = "Another request had this Idempotency-Key; make a new one for each request.";
  return new Refusal(422, "idempotency_key_reused", message, { param: "Idempotency-Key" });
}

function getArticleId({ params }: FastifyRequest, payload: unknown): string | undefined {
  if (typeof params === "object" && params !== null && "id" in params) return String(params.id);
  if (typeof payload !== "object" || payload === null || !("article" in payload)) return undefined;
  const { article } = payload;
  return typeof article === "object" && article !== null && "id" in article ? String(article.id) : undefined;
}
