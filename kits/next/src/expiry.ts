/** Expires tags. */
import { revalidateTag } from "next/cache";
import { workAsyncStorage } from "next/dist/server/app-render/work-async-storage.external.js";

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
