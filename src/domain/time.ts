import type { Millis } from "./article.ts";

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the only form of a time on the wire. */
export function isoTime(at: Millis): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: Millis | null): string | null {
  return at === null ? null : isoTime(at);
}
