/** Fastify servers: built for their first request, and what all their responses have in common. */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ErrorReply, errorReply, NOTHING_HERE, refusal } from "../errors.ts";
import type { RequestTracer } from "../connection/trace-requests.ts";
import { getRequestFacts, type RequestIds, type RequestLog } from "../request.ts";
import { getErrorCode } from "../../domain/system/errors.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { TooManyTries } from "./too-many-requests.ts";

export interface LazyServerOptions {
  build: () => Promise<FastifyInstance>;
  requestIds: RequestIds;
  /** Called when it could not be built; the next request tries again. */
  onFailure: (error: unknown) => void;
}

/** A Fastify server without a port of its own: Fastify takes 25 MB and a tenth of a second. */
export class LazyServer {
  readonly #options: LazyServerOptions;
  readonly #load: () => Promise<FastifyInstance>;
  #isLoading = false;

  constructor(options: LazyServerOptions) {
    this.#options = options;
    this.#load = lazily(options.build);
  }

  /** Builds it ahead of its first request, which would wait for some tenths of a second. */
  async load(): Promise<void> {
    this.#isLoading = true;
    await this.#load().catch(this.#options.onFailure);
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    this.#isLoading = true;
    this.#load().then(
      (server) => server.routing(req, res),
      (error: unknown) => {
        this.#options.onFailure(error);
        const id = this.#options.requestIds.take(req);
        const { status, body } = errorReply(error, id);
        res
          .writeHead(status, { "Content-Type": "application/json; charset=utf-8", "X-Request-Id": id })
          .end(JSON.stringify(body));
      },
    );
  }

  /** Resolves when all work that continues after a response is done. */
  async close(): Promise<void> {
    if (!this.#isLoading) return;
    // If loading failed, there is nothing to close.
    const server = await this.#load().catch(() => null);
    await server?.close();
  }
}

/** A turn of the event loop accepts one connection, and the next reads its request; one without work takes a microsecond. */
const TURNS = 100;

/** For work that blocks the event loop, between its parts: what has arrived meanwhile is answered. */
export async function answerOthers(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
}

/** @returns a function that calls `load` on first use and shares its result; after a failure it calls it again. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return async () => {
    const mine = (loading ??= load());
    try {
      return await mine;
    } catch (error) {
      if (loading === mine) loading = undefined;
      throw error;
    }
  };
}

const REQUEST_ID = "X-Request-Id";

/** For servers without schemas, or with compilers of their own: loading Fastify's takes 35 ms and 10 MB. */
export const WITHOUT_COMPILERS = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
} satisfies FastifyServerOptions["schemaController"];

function refuseSchema(): never {
  throw new Error("this server compiles no schemas");
}

/** Headers, errors, and a line in the log. `trace`: null if no traces are exported. */
export function setFastifyDefaults(app: FastifyInstance, log: RequestLog, trace: RequestTracer | null): void {
  if (trace !== null) traceRoutes(app, trace);
  app.addHook("onRequest", async (request, reply) => {
    // Directly, so that they are also part of the answers that a route writes by itself.
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) reply.raw.setHeader(name, value);
    void reply.header(REQUEST_ID, request.id);
  });
  // The stream of a request without a body has ended (`optimizeEmptyRequests`); the parser would wait for its end.
  app.addHook("preParsing", async (request, _reply, payload) =>
    request.raw.readableEnded && request.headers["content-type"] !== undefined ? Readable.from([]) : payload,
  );
  app.setErrorHandler(async (error, request, reply) => {
    const isTheirs = error instanceof Error && "statusCode" in error && Number(error.statusCode) < 500;
    const { status, headers, body, facts }: ErrorReply = isTheirs
      ? refusal(Number(error.statusCode), `${error.message}.`, getErrorExtras(error))
      : errorReply(error, request.id);
    if (status >= 500 && !isClientGone(error, request)) log.failed(getRequestFacts(request.id, request.raw), error);
    return reply
      .code(status)
      .headers(headers)
      .send({ ...body, ...facts });
  });
  app.setNotFoundHandler(async (_request, reply) => {
    return reply.code(NOTHING_HERE.status).send(NOTHING_HERE.body);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { statusCode: status, elapsedTime: ms } = reply;
    if (log.isVerbose || status >= 400) {
      log.finished({ ...getRequestFacts(request.id, request.raw), status, ms });
    }
  });
}

function traceRoutes(app: FastifyInstance, trace: RequestTracer): void {
  app.addHook("onRequest", async ({ raw, routeOptions }) => {
    trace.setRoute(raw, routeOptions.config.isStream === true ? null : routeOptions.url);
  });
  // After the body was read, whose events are of no request.
  app.addHook("preValidation", (request, _reply, next) => trace.run(request, next));
}

/** When a client disconnects, its response's stream ends early; this is no failure of the service. */
function isClientGone(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.socket.destroyed && getErrorCode(error) === "ERR_STREAM_PREMATURE_CLOSE";
}

/** For Fastify's `frameworkErrors`: a URL that could not be routed. */
export function replyToBadAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, body } =
    error.statusCode === 414
      ? refusal(414, "A part of the address is too long.")
      : refusal(400, "The address is not well-formed: write a percent sign as %25.");
  void reply.header(REQUEST_ID, request.id).code(status).send(body);
}

/** Names the invalid parameter of a request, or when to retry. */
function getErrorExtras(error: Error): { param?: string; headers?: Record<string, string> } {
  if (error instanceof TooManyTries) return { headers: error.headers };
  if (!("validation" in error) || !Array.isArray(error.validation)) return {};
  const [first] = error.validation as { instancePath?: string; params?: Record<string, unknown> }[];
  const missing = first?.params?.["missingProperty"] ?? first?.params?.["additionalProperty"];
  const param = typeof missing === "string" ? missing : first?.instancePath?.slice(1);
  return param === undefined || param === "" ? {} : { param };
}
