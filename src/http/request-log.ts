/** The facts of a request that its log lines contain: its id, its URL and its trace. */
import type { IncomingMessage } from "node:http";
import type { Proxies } from "./connection/proxies.ts";

/** The facts of a request that its log line contains. */
export interface RequestFacts {
  requestId: string;
  /** As returned by `traceFacts`. */
  traceparent?: string;
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
  return { requestId: id, ...traceFacts(request), method, url };
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

/**
 * The `traceparent` header in the form of version 00; undefined if it is absent or malformed. Any client may send one: it
 * identifies the request for its sender, as `requestId` does here.
 */
function readTraceparent({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== "string") return undefined;
  const [, version, trace, parent, flags = "", rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (trace === undefined || (version === "00" && rest !== undefined)) return undefined;
  const known = Number.parseInt(flags, 16) & KNOWN_FLAGS;
  return `00-${trace}-${parent}-0${known}`;
}

/** W3C Trace Context (https://www.w3.org/TR/trace-context/): the field for a log line, and for what the request changes. */
export function traceFacts(request: Pick<IncomingMessage, "headers">): { traceparent?: string } {
  const traceparent = readTraceparent(request);
  return traceparent === undefined ? {} : { traceparent };
}
