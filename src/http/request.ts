/** What is read from every request: its id, its URL and its trace, for the log, and the encoding of its response. */
import type { IncomingMessage } from "node:http";
import { clientNetwork, type Proxies } from "./connection/proxies.ts";
import { parseTraceparent, type TraceContext } from "../domain/system/trace-context.ts";

/** As OpenTelemetry names them in logs: of the request's span if it is recorded, else of the client's. */
export interface TraceFacts {
  trace_id?: string;
  span_id?: string;
}

/** The facts of a request that its log line contains. */
export interface RequestFacts extends TraceFacts {
  requestId: string;
  /** The client's, or its network's for IPv6. */
  address: string;
  method: string;
  url: string;
}

export interface RequestLog {
  /** Whether successful reads are logged as well. */
  readonly isVerbose: boolean;
  finished(facts: RequestFacts & { status: number; ms: number }): void;
  failed(facts: RequestFacts, error: unknown): void;
}

export function getRequestFacts(id: string, request: IncomingMessage): RequestFacts {
  const { method = "", url = "" } = request;
  return { requestId: id, ...traceFacts(request), address: clientNetwork(request), method, url: withoutSecrets(url) };
}

/** A sender's id is no secret, and tells whose request it was; whatever else stands there may be the secret. */
function withoutSecrets(url: string): string {
  const [start] = /^(?:https?:\/\/[^/]*)?\/+senders\//i.exec(url) ?? [];
  if (start === undefined) return url;
  const [id = ""] = /^[\da-f]{32}(?=[/?]|$)/.exec(url.slice(start.length)) ?? [];
  if (start + id === url) return url;
  return `${start}${id === "" ? "" : `${id}/`}…`;
}

/** The URL of a request without scheme and host. RFC 9112, section 3.2.2: a server must also accept an absolute one. */
export function withoutHost(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, "/");
}

/** The ids of requests: in `X-Request-Id` of every response, as `requestId` in the log, and in the body of a 500. */
export class RequestIds {
  readonly #node: string;
  readonly #proxies: Pick<Proxies, "requestId"> | null;
  #count = 0;

  /** `node`: the name of this process, which no other has. `proxies`: null if none are trusted. */
  constructor(node: string, proxies: Pick<Proxies, "requestId"> | null) {
    this.#node = node;
    this.#proxies = proxies;
  }

  /** The id that a trusted proxy has set, else a new one. Call it once per request. */
  take(request: IncomingMessage): string {
    return this.#proxies?.requestId(request) ?? `${this.#node}-${++this.#count}`;
  }
}

/** The `traceparent` header; undefined if absent or malformed. Any client may send one, for its own use. */
export function readTrace({ headers }: Pick<IncomingMessage, "headers">): TraceContext | undefined {
  const { traceparent } = headers;
  return typeof traceparent === "string" ? parseTraceparent(traceparent) : undefined;
}

export function traceFacts(request: Pick<IncomingMessage, "headers">): TraceFacts {
  const trace = readTrace(request);
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
}

export type Encoding = "identity" | "gzip" | "br";

/** Compressing a smaller body saves no packet. */
const WORTH_COMPRESSING_BYTES = 1_000;

/** RFC 9110, section 12.5.3. Prefers Brotli, then gzip, where the client weighs them equally. */
export function chooseEncoding(accepted: string | undefined, bodyBytes: number): Encoding {
  if (accepted === undefined || bodyBytes < WORTH_COMPRESSING_BYTES) return "identity";
  if (accepted === "gzip") return "gzip";
  const { br, gzip } = parseWeights(accepted);
  if (br > 0 && br >= gzip) return "br";
  return gzip > 0 ? "gzip" : "identity";
}

export function acceptsGzip(accepted: string | undefined): boolean {
  return accepted !== undefined && parseWeights(accepted).gzip > 0;
}

function parseWeights(accepted: string): { br: number; gzip: number } {
  const weights = new Map(accepted.toLowerCase().split(",").map(parseEncoding));
  const others = weights.get("*") ?? 0;
  return { br: weights.get("br") ?? others, gzip: weights.get("gzip") ?? others };
}

function parseEncoding(part: string): [name: string, weight: number] {
  const [name = "", ...parameters] = part.split(";");
  const q = /^\s*q=([\d.]+)\s*$/.exec(parameters.at(-1) ?? "")?.[1];
  return [name.trim(), q === undefined ? 1 : Number(q) || 0];
}
