/** What is read from every request: its id, its URL and its trace, for the log, and the encoding of its response. */
import type { IncomingMessage } from "node:http";
import { clientNetwork, type Proxies } from "./connection/proxies.ts";

/** The facts of a request that its log line contains. */
export interface RequestFacts {
  requestId: string;
  /** As returned by `traceFacts`. */
  traceparent?: string;
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

/** Version, trace, parent and flags. A later version may add more after a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Sampled, and random trace id. Others must be zero in what is sent on. */
const KNOWN_FLAGS = 0b11;

/** The `traceparent` header, version 00; undefined if absent or malformed. Any client may send one, for its own use. */
function readTraceparent({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== "string") return undefined;
  const [, version, trace, parent, flags = "", rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (trace === undefined || (version === "00" && rest !== undefined)) return undefined;
  const known = Number.parseInt(flags, 16) & KNOWN_FLAGS;
  return `00-${trace}-${parent}-0${known}`;
}

/** W3C Trace Context (https://www.w3.org/TR/trace-context/), for a log line and for what the request changes. */
export function traceFacts(request: Pick<IncomingMessage, "headers">): { traceparent?: string } {
  const traceparent = readTraceparent(request);
  return traceparent === undefined ? {} : { traceparent };
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
