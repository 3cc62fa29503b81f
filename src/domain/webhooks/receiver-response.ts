/** What a receiver says besides its status. None of it can fail an attempt: what is not understood is ignored. */
import type { ReceiverResponse, PostResult, Receipt } from "./attempt.ts";
import type { Millis } from "../system/time.ts";
import { parseHttpDate } from "../system/http-date.ts";

const MAX_URL = 2_048;
const MAX_POST_ID = 200;

/**
 * Reads `Retry-After` (RFC 9110 §10.2.3, seconds or a date; only on 429 and 503), the header `webhook-delivery`
 * (`disable` or `abort-message`, on any status) and, from the JSON of a 2xx, the receipt: `platform_url` or `url`, and
 * `platform_post_id` or `id`.
 *
 * @param now the time from which a date in `Retry-After` is measured; a date in the past gives 0 ms.
 */
export function readReceiverResponse(
  { status, responseHeaders, responseBody }: Pick<PostResult, "status" | "responseHeaders" | "responseBody">,
  now: Millis,
): ReceiverResponse {
  const first = (name: string) => responseHeaders.find(([header]) => header === name)?.[1].trim();
  return {
    retryAfterMs: status === 429 || status === 503 ? readRetryAfter(first("retry-after") ?? "", now) : null,
    directive: DIRECTIVES.get(first("webhook-delivery")?.toLowerCase() ?? "") ?? null,
    receipt: status !== null && status >= 200 && status < 300 ? readReceipt(responseBody) : null,
  };
}

const DIRECTIVES: ReadonlyMap<string, ReceiverResponse["directive"]> = new Map([
  ["disable", "disable"],
  ["abort-message", "abort"],
]);

function readRetryAfter(value: string, now: Millis): number | null {
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER);
  const date = parseHttpDate(value, now);
  return date === null ? null : Math.max(0, date - now);
}

/** Ignores the content type: many receivers send JSON as text. */
function readReceipt(body: Buffer): Receipt | null {
  const json = parseObject(body);
  if (json === null) return null;
  const platformUrl = readUrl(json["platform_url"]) ?? readUrl(json["url"]);
  const platformPostId = readPostId(json["platform_post_id"]) ?? readPostId(json["id"]);
  return platformUrl === null && platformPostId === null ? null : { platformUrl, platformPostId };
}

function parseObject(body: Buffer): Record<string, unknown> | null {
  // Most receivers respond with "ok", and an exception costs 8 µs.
  if (!/^(\u00ef\u00bb\u00bf)?\s*\{/.test(body.toString("latin1", 0, 64))) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** An absolute http or https URL as written; one that a browser would silently repair is rejected. */
function readUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > MAX_URL || !isPlain(value) || /\s/.test(value)) return null;
  return /^https?:\/\//i.test(value) && URL.canParse(value) ? value : null;
}

/** Accepts a number only if it is exact: larger ones lose digits when JSON is parsed. */
function readPostId(value: unknown): string | null {
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === "string" && id !== "" && id.length <= MAX_POST_ID && isPlain(id) ? id : null;
}

/** PostgreSQL rejects NUL in a text, and no encoding has half a surrogate pair. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
