/**
 * Pages that are being rendered from answers that they have read. Next.js gives such a page to everybody who asks for it meanwhile, also
 * after a webhook has expired it.
 */
import { after } from "next/server";

/** Less than the ten seconds in which a webhook must be answered. */
const MAX_WAIT_MS = 5000;

/** By the tags of the answers, with their numbers of changes. Global, since Next.js may load this module more than once. */
declare global {
  var rostrumRenders: Map<string, Set<Promise<void>>> | undefined;
}

/** Records that the page that is being rendered uses an answer with these tags. */
export function recordRead(tags: readonly string[]): void {
  const renders = (globalThis.rostrumRenders ??= new Map<string, Set<Promise<void>>>());
  let resolveOver: (() => void) | undefined;
  const over = new Promise<void>((resolve) => (resolveOver = resolve));
  const end = () => {
    clearTimeout(timer);
    for (const tag of tags) {
      const others = renders.get(tag);
      others?.delete(over);
      if (others?.size === 0) renders.delete(tag);
    }
    resolveOver?.();
  };
  const timer = setTimeout(end, MAX_WAIT_MS);
  for (const tag of tags) renders.set(tag, (renders.get(tag) ?? new Set()).add(over));
  try {
    after(async () => end());
  } catch {
    // No page is being rendered.
    end();
  }
}

/** Waits until the pages are over that use an answer with one of these tags; at most five seconds. */
export async function rendersAreOver(tags: readonly string[]): Promise<void> {
  await Promise.all(tags.flatMap((tag) => [...(globalThis.rostrumRenders?.get(tag) ?? [])]));
}
