/** The dashboard's thread's part of `/senders/…`: it checks credentials, and stores, saves and answers. */
import type { FastifyRequest } from "fastify";
import { joinQuery } from "../../domain/articles/senders/credentials.ts";
import type { ArrivalRequest } from "../../domain/articles/senders/sender.ts";
import { type ArrivalDeps, arrivalTurns, REPLY_WITHIN_MS } from "../../operations/articles/senders/receive.ts";
import type { Admin, AdminServer } from "../admin/routes.ts";
import { getBaseUrl, getClientAddress } from "../connection/proxies.ts";
import { answerGeneric } from "./generic.ts";
import { ghost } from "./ghost.ts";
import type { Protocol } from "./protocol.ts";
import { addRoutes, getPlace, getTimeMs, RECEIVED_AT, SENT_HEADERS } from "./senders.ts";
import { wordpress } from "./wordpress.ts";

/** Those that are read before the generic route. */
const PROTOCOLS: readonly Protocol[] = [ghost, wordpress];

const JSON_TYPE = "application/json; charset=utf-8";

export function answerSenders(
  app: AdminServer,
  { deps, publicUrl, onError }: Admin,
  onArrival: NonNullable<ArrivalDeps["onArrival"]>,
): void {
  const arrivalDeps: ArrivalDeps = { ...deps, publicUrl, onArrival, onError, turns: arrivalTurns() };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  addRoutes(app, async (request, reply) => {
    const asked = toArrivalRequest(request);
    const answer = PROTOCOLS.find(({ isAsked }) => isAsked(asked))?.answer ?? answerGeneric;
    const { status, headers, body } = await answer({
      deps: arrivalDeps,
      senderId: getPlace(request).senderId,
      request: asked,
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      base: getBaseUrl(request.raw, publicUrl),
      address: getClientAddress(request.raw, publicUrl),
      later: deps.later,
      replyWithinMs: Math.max(0, REPLY_WITHIN_MS - (getTimeMs() - Number(request.headers[RECEIVED_AT]))),
    });
    return reply
      .code(status)
      .headers({ "Content-Type": JSON_TYPE, ...headers })
      .send(Buffer.from(body));
  });
}

/** Headers of the connection. */
const NOT_KEPT = new Set(["connection", "content-length", "transfer-encoding", "keep-alive"]);

function toArrivalRequest(request: FastifyRequest): ArrivalRequest {
  const { path, query } = getPlace(request);
  const sent = Buffer.from(String(request.headers[SENT_HEADERS]), "base64").toString();
  // The main thread wrote it.
  const headers = Object.entries(JSON.parse(sent) as Record<string, string>).filter(([name]) => !NOT_KEPT.has(name));
  return { method: request.method, path, query: joinQuery(query), headers: Object.fromEntries(headers) };
}
