import { hashInput, type ImportItem } from "../operations/articles/import-items.ts";
import type { ReadItem } from "./import-item.ts";

/**
 * Keeps different articles that share an identity (e.g. several snapshots of one post): each further one gets an identity of
 * its own, so that the next import does not overwrite one with the other. An identical article is skipped.
 */
export async function* onceEach(items: AsyncIterable<ReadItem>): AsyncGenerator<ImportItem> {
  /** For each reference, the hashes of its articles with the reference that each was given. */
  const seen = new Map<string, Map<string, string>>();
  for await (const item of items) {
    if (item.kind === "passed") continue;
    if (item.kind !== "draft" || item.input.id !== undefined) {
      yield item;
      continue;
    }
    const print = (item.hash ?? hashInput(item.input)).slice(0, 24);
    const others = seen.get(item.ref) ?? new Map<string, string>();
    seen.set(item.ref, others);
    if (others.has(print)) {
      yield { kind: "skipped", source: item.source, reason: "The same article was read before." };
      continue;
    }
    const ref = others.size === 0 ? item.ref : `${item.ref}#${others.size + 1}`;
    others.set(print, ref);
    yield { ...item, ref };
  }
}
