/** Writes the read API's responses, each with its request id and rate limit, and counts and logs them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../store/store.ts";
import { type ErrorReply, errorReply } from "../errors.ts";
import type { ReadMetrics, Route } from "../operators/metrics.ts";
import {
  chooseEncoding,
  type Encoding,
  type RequestFacts,
  type RequestIds,
  type RequestLog,
  traceFacts,
} from "../request.ts";
import { clientNetwork } from "../connection/proxies.ts";
import { HeadWriter, ResponseHead } from "./head-writer.ts";
import type { ApiKeyCache, AuthenticatedKey } from "./key-auth.ts";
import { type Body, getVariant, type PreparedResponse, type ResponseCache } from "./response-cache.ts";
import { ParameterError } from "./query-string.ts";
import { JSON_TYPE, READ_HEADERS } from "./response-headers.ts";

export interface ResponderOptions {
  store: Clock;
  keys: ApiKeyCache;
  cache: ResponseCache;
  metrics: ReadMetrics;
  log: RequestLog;
  requestIds: RequestIds;
}

export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  url: string;
  route: Route;
  requestId: string;
  /** `performance.now()`. */
  startedAt: number;
  caller: AuthenticatedKey | null;
  isReady: boolean;
  /** Whether the key's bucket was empty, and whether a token was taken from it. */
  isOverLimit: boolean;
  hasTaken: boolean;
}

export class Responder {
  readonly #options: ResponderOptions;
  readonly #keys: ApiKeyCache;
  readonly #cache: ResponseCache;
  readonly #heads = new HeadWriter();

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#keys = options.keys;
    this.#cache = options.cache;
  }

  newExchange(req: IncomingMessage, res: ServerResponse): Exchange {
    return {
      req,
      res,
      url: req.url ?? "",
      route: "other",
      requestId: this.#options.requestIds.take(req),
      startedAt: performance.now(),
      caller: null,
      isReady: false,
      isOverLimit: false,
      hasTaken: false,
    };
  }

  /** Sends the answer in the encoding that the client prefers, which is compressed first if it was never asked for. */
  sendPrepared(exchange: Exchange, answer: PreparedResponse): void {
    const { length } = answer.variants.identity.body;
    if (length > BYTES_PER_TOKEN) chargeLarge(exchange, length);
    const encoding = chooseEncoding(exchange.req.headers["accept-encoding"], length);
    const variant = answer.variants[encoding];
    if (variant !== undefined) this.write(exchange, variant.head, variant.body);
    else this.#sendCompressed(exchange, answer, encoding).catch((error: unknown) => this.fail(exchange, error));
  }

  async #sendCompressed(exchange: Exchange, answer: PreparedResponse, encoding: Encoding): Promise<void> {
    const { head, body } = await getVariant(answer, encoding);
    // The cached answer has grown by a variant; it may have been evicted meanwhile.
    const partition = exchange.caller?.partition;
    if (partition?.answers.get(exchange.url) === answer) this.#cache.set(partition, exchange.url, answer);
    this.write(exchange, head, body);
  }

  refuse(exchange: Exchange, reply: ErrorReply): void {
    const body = Buffer.from(JSON.stringify(reply.body));
    const code = ["X-Error-Code", reply.code ?? "error"];
    const headers = [...READ_HEADERS, ...JSON_TYPE, ...code, ...Object.entries(reply.headers).flat()];
    this.write(exchange, new ResponseHead(reply.status, [...headers, "Content-Length", String(body.length)]), body);
  }

  fail(exchange: Exchange, error: unknown): void {
    const reply = errorReply(error, exchange.requestId);
    if (error instanceof ParameterError) reply.code = error.reason;
    if (reply.status >= 500) {
      this.#options.log.failed(getRequestFacts(exchange), error);
    }
    if (!exchange.res.headersSent) this.refuse(exchange, reply);
  }

  write(exchange: Exchange, head: ResponseHead, body: Body | null): void {
    const { res, req, caller, requestId, startedAt } = exchange;
    const { status } = head;
    if (caller !== null) this.#keys.count(caller);
    this.#heads.write(req, res, head, {
      requestId,
      bucket: caller === null ? null : caller.bucket,
      now: this.#options.store.now(),
    });
    if (body === null || req.method === "HEAD") res.end();
    else res.end(body, "latin1");
    const ms = performance.now() - startedAt;
    const { log, metrics } = this.#options;
    metrics.observe(exchange.route, status, ms, caller === null ? null : caller.key.websiteId, exchange.isReady);
    if (log.isVerbose || status >= 400) {
      log.finished({ ...getRequestFacts(exchange), status, ms });
    }
  }
}

/** Bytes of an answer, before compression, for each token of the rate limit. */
const BYTES_PER_TOKEN = 256 * 1024;

/** Charges for a large answer, whose size was not known when its first token was taken. */
export function chargeLarge({ caller }: Pick<Exchange, "caller">, bytes: number): void {
  if (caller !== null) caller.bucket?.charge(Math.max(0, Math.ceil(bytes / BYTES_PER_TOKEN) - 1));
}

function getRequestFacts({ requestId, req, url }: Exchange): RequestFacts {
  return { requestId, ...traceFacts(req), address: clientNetwork(req), method: req.method ?? "", url };
}
