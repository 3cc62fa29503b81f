/** Forwards requests with long bodies to the dashboard's thread: parsing them on this one would delay readers. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DashboardThread, LongReply } from "./dashboard-thread.ts";
import { type AdminServer, getSignedIn } from "./routes.ts";

/** A shorter body costs less to parse here than to forward. */
const MIN_LONG_BYTES = 32_768;
/** Headers of a reply that belong to its connection. */
const OF_CONNECTION = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);

/** Applies to all routes of `app`. The user is known to be signed in; the other thread repeats all checks. */
export function forwardLongBodies(
  app: AdminServer,
  dashboardThread: DashboardThread,
  types: readonly string[] = ["application/json"],
): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser([...types], { parseAs: "buffer" }, (request, body, done) => {
    // Guaranteed by `parseAs`.
    const bytes = body as Buffer;
    if (bytes.length >= MIN_LONG_BYTES) done(null, bytes);
    else void parse(request, bytes.toString(), done);
  });
  app.addHook("preValidation", async (request, reply) => {
    if (!Buffer.isBuffer(request.body)) return;
    await forward(request, reply, request.body, dashboardThread);
  });
}

/** Answers what the other thread answers. */
export async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
  dashboardThread: DashboardThread,
): Promise<void> {
  const { id, method, url, headers, raw } = request;
  const peer = raw.socket.remoteAddress ?? "";
  const { id: accountId } = getSignedIn(request);
  await sendLong(reply, await dashboardThread.request({ id, method, url, headers, peer, accountId, body }));
}

export function sendLong(reply: FastifyReply, { status, headers, body }: LongReply): FastifyReply {
  return reply.code(status).headers(withoutConnection(headers)).send(body);
}

function withoutConnection(headers: LongReply["headers"]): LongReply["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
}
