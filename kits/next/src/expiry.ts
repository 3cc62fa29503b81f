/** Expires tags. */
import { revalidateTag } from "next/cache";

export function expire(tags: readonly string[]): void {
  // Not "max", so that the next visitor already gets the new page.
  for (const tag of tags) revalidateTag(tag, { expire: 0 });
}

/**
 * What `revalidateTag` is told takes effect only when the request, or everything in `after`, is over. @returns whether this had its effect
 * already.
 */
export async function expireAtOnce(tags: readonly string[]): Promise<boolean> {
  const cache = await findCache();
  if (cache?.revalidateTag === undefined) {
    expire(tags);
    return false;
  }
  await cache.revalidateTag([...tags], { expire: 0 });
  return true;
}

/** No public part of Next.js: bundlers leave it out where a version has no such module. */
async function findCache() {
  try {
    const { workAsyncStorage } = await import("next/dist/server/app-render/work-async-storage.external.js");
    return workAsyncStorage.getStore()?.incrementalCache;
  } catch {
    return undefined;
  }
}
