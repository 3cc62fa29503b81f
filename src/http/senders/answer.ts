/** The dashboard's thread's part of `/senders/…`: it checks credentials, and stores, saves and answers. */
import type { FastifyRequest } from "fastify";
import { joinQuery } from "../../domain/articles/senders/credentials.ts";
import type { ArrivalRequest } from "../../domain/articles/senders/sender.ts";
import {
  type ArrivalDeps,
  arrivalTurns,
  authenticate,
  dialectOf,
  findAddresses,
  openSecret,
  receive,
  REPLY_WITHIN_MS,
} from "../../operations/articles/senders/receive.ts";
import type { Admin, AdminServer } from "../admin/routes.ts";
import { getBaseUrl, getClientAddress } from "../connection/proxies.ts";
import { ghost } from "./ghost.ts";
import type { Protocol, SenderCall, SenderReply } from "./protocol.ts";
import { addRoutes, getPlace, getTimeMs, RECEIVED_AT, SENT_HEADERS } from "./senders.ts";
import { wordpress } from "./wordpress.ts";
import { writeReply } from "../../domain/articles/senders/reply.ts";

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

/** The same for an unknown sender and a wrong credential. */
const REFUSAL: SenderReply = {
  status: 401,
  headers: { "WWW-Authenticate": "Bearer" },
  body: JSON.stringify({
    error: "Unauthorized",
    message: "This address or its secret is wrong: compare both with what Settings › Senders showed.",
  }),
};

/** Some products ask by GET whether the address answers. */
const CHECKED = { kind: "test", event: null, problem: null, articles: [] } as const;

/** Answers what is of no protocol, in the form that its product expects: each such request is an arrival. */
async function answerGeneric(call: SenderCall): Promise<SenderReply> {
  const { deps, senderId, request, body } = call;
  const sender = await authenticate(deps, senderId, request, body);
  if (sender === undefined) return REFUSAL;
  const dialect = dialectOf(sender.kind);
  const secret = openSecret(deps, sender);
  if (request.method === "GET" || request.method === "HEAD") {
    return writeReply(dialect, { ...CHECKED, articles: [] }, new Map(), secret);
  }
  const { arrival } = await receive(deps, sender, request, body, call);
  return writeReply(dialect, arrival.outcome, await findAddresses(deps, arrival), secret);
}
