/**
 * Counts the changes of each tag. A page that is being rendered while its content changes may be stored after the webhook with the
 * earlier content, so it has to expire again; pages rendered from newer responses must not. Each response therefore also has tags
 * with the number of changes before its request, and only those with an earlier number expire again.
 */

/**
 * How many changes of each tag this process has been notified of. Global, since Next.js may load this module more than once.
 */
declare global {
  var rostrumChanges: Map<string, number> | undefined;
}

/** @returns the tags, and for each tag another one that contains its number of changes. */
export function withChanges(tags: readonly string[]): string[] {
  return [...tags, ...tags.map((tag) => numbered(tag))];
}

/** Counts a change of these tags. @returns the additional tags of everything that was read before. */
export function recordChange(tags: readonly string[]): string[] {
  const before = tags.map((tag) => numbered(tag));
  const changes = (globalThis.rostrumChanges ??= new Map());
  for (const tag of tags) changes.set(tag, (changes.get(tag) ?? 0) + 1);
  return before;
}

function numbered(tag: string): string {
  return `${tag}@${globalThis.rostrumChanges?.get(tag) ?? 0}`;
}
