/**
 * `/senders/ID`, and any path below it: requests of services that push articles in formats of their own. This thread only
 * limits them and collects their bytes, which no thread of the service parses.
 */
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { FairQueue } from "../../domain/system/fair-queue.ts";
import type { Authentication } from "../admin/access.ts";
import { explainIncomplete, receiveFile } from "../admin/articles/upload.ts";
import type { DashboardThread, SenderRequest } from "../admin/dashboard-thread.ts";
import { sendLong } from "../admin/forward-long-bodies.ts";
import { toNetwork } from "../admin/people/throttle.ts";
import type { Admin, AdminServer } from "../admin/routes.ts";
import { getBaseUrl, getClientAddress } from "../connection/proxies.ts";
import { refusal } from "../errors.ts";
import type { DashboardMetrics } from "../operators/metrics.ts";

const MAX_BODY_BYTES = 10_000_000;
/** Larger bodies are received a few at a time: nobody has shown a credential yet. */
const LONG_BYTES = 1_000_000;
/** So that what one network sends slowly delays no other. */
const LONG = { capacity: 32, perKey: 4 };

/** Each sender has a credential of its own, which the other thread checks over the body. */
export const bySender: Authentication = {
  isAutomatic: false,
  authenticate: () => {
    throw new Error("a sender is never signed in");
  },
};

/**
 * Refusals are answered at multiples of this, since kinds take unequally long: so no time tells whether a sender exists, or how
 * near a guess came.
 */
const REFUSAL_STEP_MS = 50;

const UNAUTHORIZED = 401;
const TOO_MANY = 429;

/** Passes requests to the dashboard's thread. */
export function senderRoutes(
  app: AdminServer,
  { throttle, publicUrl }: Admin,
  { dashboardThread, metrics }: { dashboardThread: DashboardThread; metrics: DashboardMetrics },
): void {
  const getAddress = ({ raw }: FastifyRequest) => getClientAddress(raw, publicUrl);
  const long = new FairQueue(LONG);
  app.removeAllContentTypeParsers();
  app.addHook("onRequest", async (request, reply) => {
    throttle.spend([["sender", `${getPlace(request).senderId} ${toNetwork(getAddress(request))}`]]);
    if ((request.headers["content-encoding"] ?? "identity") !== "identity") {
      const { status, body } = refusal(415, "Send the body as it is, without Content-Encoding.");
      return reply.code(status).send(body);
    }
    if (!isLong(request.raw)) return undefined;
    // The body stays with its client until then.
    const turn = await long.enter(toNetwork(getAddress(request)));
    if (reply.raw.closed) turn[Symbol.dispose]();
    else reply.raw.once("close", () => turn[Symbol.dispose]());
    return undefined;
  });
  app.addHook("onResponse", async (_request, { statusCode, elapsedTime }) => {
    if (statusCode !== UNAUTHORIZED && statusCode !== TOO_MANY) metrics.arrivalReplies.observe(elapsedTime);
  });
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, raw } = request;
    await using received = await receiveBody(request);
    const { body, file } = received;
    using steps = new Steps(REFUSAL_STEP_MS);
    const answer = await dashboardThread.answerSender({
      ...getPlace(request),
      method,
      rawHeaders: raw.rawHeaders,
      body,
      ...(file !== undefined && { file }),
      base: getBaseUrl(raw, publicUrl),
      address: getAddress(request),
      receivedAt: getTimeMs(),
      traceparent: raw.headers["traceparent"]?.toString(),
    });
    if (answer.status === UNAUTHORIZED) {
      await steps.next();
      // After the check, so that a tool whose secret was corrected is let in at once.
      throttle.spend([["stranger", getAddress(request)]]);
    }
    return sendLong(reply, answer);
  };
  for (const url of ["/:sender", "/:sender/*"]) {
    app.route({
      method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      url,
      config: { access: "anyone", takes: "anything" },
      bodyLimit: MAX_BODY_BYTES,
      handler,
    });
  }
}

/** By a clock that both threads have, and nobody sets. */
export function getTimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** Begins at once, so that its steps tell nothing of what happens between them. */
class Steps implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #onStep: (() => void) | undefined;

  constructor(ms: number) {
    this.#timer = setInterval(() => this.#onStep?.(), ms);
  }

  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onStep = resolve;
    return promise;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

type ReceivedBody = Pick<SenderRequest, "body" | "file"> & AsyncDisposable;

/** @throws TooLarge. */
async function receiveBody({ body, raw }: FastifyRequest): Promise<ReceivedBody> {
  if (isLong(raw)) {
    const received = await receiveFile(raw, MAX_BODY_BYTES, "a request has at most 10 MB");
    const { path } = received;
    const { size: bytes } = await stat(path);
    const remove = () => received.remove();
    return { body: Buffer.alloc(0), file: { path, bytes }, [Symbol.asyncDispose]: remove };
  }
  // The parser passes it on as it is; without a body there is none.
  const chunks = body instanceof Readable ? ((await readAll(body, raw)) as Buffer[]) : [];
  return { body: Buffer.concat(chunks), [Symbol.asyncDispose]: () => Promise.resolve() };
}

function readAll(body: Readable, raw: IncomingMessage): Promise<unknown[]> {
  return body.toArray().catch((error: unknown) => {
    throw explainIncomplete(raw, error, "The request did not arrive completely. Send it again.");
  });
}

function isLong({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return length === undefined ? headers["transfer-encoding"] !== undefined : Number(length) > LONG_BYTES;
}

function getPlace({ url }: FastifyRequest): Pick<SenderRequest, "senderId" | "path" | "query"> {
  const [, senderId = "", path = "", query = ""] = /^\/senders\/([^/?]{0,64})([^?]*)\??(.*)$/s.exec(url) ?? [];
  return { senderId, path, query };
}
