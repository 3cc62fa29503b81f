/** Client of a running service's event feed over HTTP (docs/api.md, "Events"). */
import type { Dispatcher } from "undici";
import { EVENT_KINDS, type EventKind } from "../../domain/webhooks/event.ts";

export interface FeedEvent {
  id: string;
  sequence: number;
  kind: EventKind;
  websiteId: string;
  /** The event's envelope, byte for byte what a webhook sends. */
  payload: string;
  /** Whether the content was removed, so that webhooks no longer send it. */
  isContentRemoved: boolean;
}

export type FeedAnswer =
  | { type: "page"; events: FeedEvent[]; latest: number; hasMore: boolean }
  /** No events since the last page. */
  | { type: "unchanged" }
  /** A temporary failure. `waitMs`: delay before the next request; null: unspecified. */
  | { type: "unavailable"; reason: string; waitMs: number | null }
  /** The key is rejected, permanently. */
  | { type: "refused"; reason: string };

export interface EventFeedOptions {
  agent: Dispatcher;
  base: string;
  key: string;
  signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const MAX_WAIT_S = 60;

export class EventFeed {
  readonly #options: EventFeedOptions;
  #etag: string | undefined;

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  /** Events after the sequence, oldest first. `ifNew`: only if any are new since the last page; for the feed's end. */
  async read(after: number, { limit, ifNew }: { limit: number; ifNew: boolean }): Promise<FeedAnswer> {
    const { agent, base, key, signal } = this.#options;
    const url = new URL(`${base}/api/public/events?after=${after}&limit=${limit}`);
    const condition = ifNew && this.#etag !== undefined ? { "If-None-Match": this.#etag } : {};
    try {
      // Redirects are not followed because the key is meant for this address alone.
      const { statusCode, headers, body } = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { "X-API-Key": key, Accept: "application/json", ...condition },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const text = await body.text();
      if (statusCode === 304) return { type: "unchanged" };
      if (statusCode !== 200) return toRefusal(statusCode, headers["retry-after"], text);
      const page = readPage(text);
      if (page === null) return unavailable("the response is not from a service of Rostrum");
      this.#etag = typeof headers.etag === "string" ? headers.etag : undefined;
      return page;
    } catch (error) {
      return unavailable(describeFailure(error, TIMEOUT_MS));
    }
  }
}

/** A short reason why the request failed. */
export function describeFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "ECONNREFUSED") return "nobody listens there";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the name has no address (${code})`;
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE") {
    return "the connection broke before the answer";
  }
  if (error.name === "TimeoutError" || code === "UND_ERR_CONNECT_TIMEOUT") {
    return `no answer within ${timeoutMs / 1_000} s`;
  }
  return error.message;
}

function unavailable(reason: string, waitMs: number | null = null): FeedAnswer {
  return { type: "unavailable", reason, waitMs };
}

function toRefusal(status: number, retryAfter: string | string[] | undefined, text: string): FeedAnswer {
  const message = asRecord(parseJson(text))?.["message"];
  const reason = typeof message === "string" ? message : `the answer is ${status}`;
  if (status === 401 || status === 403) return { type: "refused", reason };
  const seconds = Number(retryAfter);
  return unavailable(reason, seconds > 0 ? Math.min(seconds, MAX_WAIT_S) * 1_000 : null);
}

/** @returns null unless the text is a valid page of the feed. */
function readPage(text: string): FeedAnswer | null {
  const data = asRecord(asRecord(parseJson(text))?.["data"]);
  const pagination = asRecord(data?.["pagination"]);
  const latest = pagination?.["latest_sequence"];
  const hasMore = pagination?.["has_more"];
  const items = data?.["events"];
  if (typeof latest !== "number" || typeof hasMore !== "boolean" || !Array.isArray(items)) return null;
  const events = items.map(readEvent);
  return events.every((event) => event !== null) ? { type: "page", events, latest, hasMore } : null;
}

function readEvent(item: unknown): FeedEvent | null {
  const found = asRecord(item);
  if (found === undefined) return null;
  const { id, sequence, event, timestamp, website_id: websiteId, data } = found;
  const kind = EVENT_KINDS.find((known) => known === event);
  if (typeof id !== "string" || typeof sequence !== "number" || typeof websiteId !== "string" || kind === undefined) {
    return null;
  }
  // Matches domain/event.ts: a parsed and re-serialized value of JSON.stringify is byte for byte the same.
  const payload = JSON.stringify({ event, timestamp, website_id: websiteId, data });
  const isContentRemoved = asRecord(data)?.["content_removed"] === true;
  return { id: id.replace(/^msg_/, ""), sequence, kind, websiteId, payload, isContentRemoved };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
