/** Records when this process has expired tags. */
import { revalidateTag } from "next/cache";

/** Longer than any request takes. */
const KEPT_MS = 60_000;

/** Global, since Next.js may load this module more than once. */
declare global {
  var rostrumExpiredTags: Map<string, number> | undefined;
}

export function expire(tags: readonly string[]): void {
  const now = performance.now();
  const expired = (globalThis.rostrumExpiredTags ??= new Map());
  for (const tag of tags) {
    expired.delete(tag);
    expired.set(tag, now);
    // Not "max", so that the next visitor already gets the new page.
    revalidateTag(tag, { expire: 0 });
  }
  for (const [tag, time] of expired) {
    if (now - time < KEPT_MS) break;
    expired.delete(tag);
  }
}

/** @param start as returned by `performance.now()`. */
export function wasExpiredSince(tags: readonly string[], start: number): boolean {
  return tags.some((tag) => (globalThis.rostrumExpiredTags?.get(tag) ?? -Infinity) >= start);
}
