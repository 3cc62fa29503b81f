/** Expires tags, and records when this process has been told of changes. */
import { revalidateTag } from "next/cache";
import { workAsyncStorage } from "next/dist/server/app-render/work-async-storage.external.js";

/** Longer than any request takes. */
const KEPT_MS = 60_000;

/** Global, since Next.js may load this module more than once. */
declare global {
  var rostrumChangedTags: Map<string, number> | undefined;
}

/** Records a change. Call it before `expire`. */
export function recordChange(tags: readonly string[]): void {
  const now = performance.now();
  const changed = (globalThis.rostrumChangedTags ??= new Map());
  for (const tag of tags) {
    changed.delete(tag);
    changed.set(tag, now);
  }
  for (const [tag, time] of changed) {
    if (now - time < KEPT_MS) break;
    changed.delete(tag);
  }
}

export function expire(tags: readonly string[]): void {
  // Not "max", so that the next visitor already gets the new page.
  for (const tag of tags) revalidateTag(tag, { expire: 0 });
}

/** For `after`, where what `revalidateTag` is told takes effect only when everything in it is over. */
export async function expireAtOnce(tags: readonly string[]): Promise<void> {
  const cache = workAsyncStorage.getStore()?.incrementalCache;
  if (cache === undefined) expire(tags);
  else await cache.revalidateTag([...tags], { expire: 0 });
}

/** @param start as returned by `performance.now()`. */
export function hasChangedSince(tags: readonly string[], start: number): boolean {
  return tags.some((tag) => (globalThis.rostrumChangedTags?.get(tag) ?? -Infinity) >= start);
}
