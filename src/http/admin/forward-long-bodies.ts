/** Requests whose body is long are not even parsed on the thread that answers readers: they are handed to another one as they are. */
import type { FastifyRequest } from "fastify";
import type { LongReply, LongRequest, LongWork } from "./long-work.ts";
import { type AdminServer, signedInOf } from "./routes.ts";

/** A shorter body costs less here than to hand it over. */
const MIN_LONG_BYTES = 32_768;
/** Headers of a reply that belong to its connection. */
const OF_CONNECTION = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);

/**
 * For all routes of `app`. Somebody is signed in, and may use the route somewhere (access.ts); the other thread asks all of that
 * again, as if the request had come to it.
 */
export function forwardLongBodies(app: AdminServer, longWork: LongWork): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    // By `parseAs`.
    const bytes = body as Buffer;
    if (bytes.length >= MIN_LONG_BYTES) done(null, bytes);
    else void parse(request, bytes.toString(), done);
  });
  app.addHook("preValidation", async (request, reply) => {
    if (!Buffer.isBuffer(request.body)) return;
    const { status, headers, body } = await longWork.request(asItCame(request, request.body));
    await reply.code(status).headers(withoutConnection(headers)).send(body);
  });
}

function asItCame(request: FastifyRequest, body: Buffer): LongRequest {
  const { id, method, url, headers, raw } = request;
  const { account } = signedInOf(request);
  const peer = raw.socket.remoteAddress ?? "";
  return { id, method, url, headers, peer, accountId: account.id, body };
}

function withoutConnection(headers: LongReply["headers"]): LongReply["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
}
