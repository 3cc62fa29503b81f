/**
 * Pages that are being rendered from answers that they have read, by the tags of the answers. Global, since Next.js may load this module
 * more than once.
 */
declare global {
  var rostrumRenders: Map<string, Set<Render>> | undefined;
}

interface Render {
  /** The tags of one of its answers, with their numbers of changes. */
  tags: readonly string[];
  over: Promise<void>;
}

/** Less than the ten seconds in which a webhook must be answered. */
const MAX_WAIT_MS = 5000;

/** @returns what ends the render; after five seconds it counts as over. */
export function registerRender(tags: readonly string[]): () => void {
  const renders = (globalThis.rostrumRenders ??= new Map<string, Set<Render>>());
  let resolveOver: (() => void) | undefined;
  const render = { tags, over: new Promise<void>((resolve) => (resolveOver = resolve)) };
  const end = () => {
    clearTimeout(timer);
    for (const tag of tags) {
      const others = renders.get(tag);
      others?.delete(render);
      if (others?.size === 0) renders.delete(tag);
    }
    resolveOver?.();
  };
  const timer = setTimeout(end, MAX_WAIT_MS);
  for (const tag of tags) renders.set(tag, (renders.get(tag) ?? new Set()).add(render));
  return end;
}

/**
 * The renders under way that have read an answer with one of these tags, however many changes ago: an earlier webhook, of another article
 * in the same list, may still wait for them. `tags`: these, with the numbers of changes that were read.
 */
export function findRenders(tags: readonly string[]): { tags: string[]; over: Promise<unknown> } {
  const renders = tags.flatMap((tag) => [...(globalThis.rostrumRenders?.get(tag) ?? [])]);
  const read = renders.flatMap((render) => render.tags);
  return {
    tags: [...new Set(read)].filter((one) => tags.some((tag) => one.startsWith(`${tag}@`))),
    over: Promise.all(renders.map(({ over }) => over)),
  };
}
