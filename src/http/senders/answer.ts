/** The dashboard's thread's part of `/senders/…`: it checks credentials, and stores, saves and answers. */
import { readFile } from "node:fs/promises";
import { joinHeaders, joinQuery } from "../../domain/articles/senders/credentials.ts";
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
import type { LongReply, SenderRequest } from "../admin/dashboard-thread.ts";
import { ghost } from "./ghost.ts";
import type { Protocol, SenderCall, SenderReply } from "./protocol.ts";
import { getTimeMs } from "./senders.ts";
import { wordpress } from "./wordpress.ts";
import { writeReply } from "../../domain/articles/senders/reply.ts";

/** Those that are read before the generic route. */
const PROTOCOLS: readonly Protocol[] = [ghost, wordpress];

const JSON_TYPE = "application/json; charset=utf-8";

/** @param later takes the work that goes on after an answer. */
export function answerSenders(
  deps: ArrivalDeps,
  later: SenderCall["later"],
): (request: SenderRequest) => Promise<LongReply> {
  const withTurns: ArrivalDeps = { ...deps, turns: arrivalTurns() };
  return async ({ senderId, body, file, base, address, receivedAt, ...asked }) => {
    const request = toArrivalRequest(asked);
    const answer = PROTOCOLS.find(({ isAsked }) => isAsked(request))?.answer ?? answerGeneric;
    const reply = await answer({
      deps: withTurns,
      senderId,
      request,
      body: file === undefined ? body : await readFile(file.path),
      base,
      address,
      later,
      replyWithinMs: Math.max(0, REPLY_WITHIN_MS - (getTimeMs() - receivedAt)),
    });
    const headers = { "Content-Type": JSON_TYPE, ...reply.headers };
    return { status: reply.status, headers, body: Buffer.from(reply.body) };
  };
}

/** Headers of the connection. */
const NOT_KEPT = new Set(["connection", "content-length", "transfer-encoding", "keep-alive"]);

function toArrivalRequest({
  method,
  path,
  query,
  rawHeaders,
}: Pick<SenderRequest, "method" | "path" | "query" | "rawHeaders">): ArrivalRequest {
  const headers = Object.entries(joinHeaders(rawHeaders)).filter(([name]) => !NOT_KEPT.has(name));
  return { method, path, query: joinQuery(query), headers: Object.fromEntries(headers) };
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
  const getSecret = () => openSecret(deps, sender);
  if (request.method === "GET" || request.method === "HEAD") {
    return writeReply(dialect, { ...CHECKED, articles: [] }, new Map(), getSecret);
  }
  const { arrival } = await receive(deps, sender, request, body, call);
  return writeReply(dialect, arrival.outcome, await findAddresses(deps, arrival), getSecret);
}
