import { hashInput, type ImportItem } from "../operations/articles/import-items.ts";
import type { ReadItem } from "./import-item.ts";

/**
 * Keeps different articles that share an identity (e.g. several snapshots of one post): each further one gets an identity of
 * its own, so that the next import does not overwrite one with the other. An identical article is skipped.
 */
export async function* onceEach(items: AsyncIterable<ReadItem>): AsyncGenerator<ImportItem> {
  /** The first article of each reference, which mostly remains the only one, and the further ones; a file may have millions. */
  const firsts = new Map<string, string>();
  const furthers = new Map<string, Set<string>>();
  for await (const item of items) {
    if (item.kind === "passed") continue;
    if (item.kind !== "draft" || item.input.id !== undefined) {
      yield item;
      continue;
    }
    const print = shortPrint(item.hash ?? hashInput(item.input));
    const first = firsts.get(item.ref);
    if (first === undefined) {
      firsts.set(item.ref, print);
      yield item;
      continue;
    }
    const further = furthers.get(item.ref) ?? new Set<string>();
    if (print === first || further.has(print)) {
      yield { kind: "skipped", source: item.source, reason: "The same article was read before." };
      continue;
    }
    furthers.set(item.ref, further.add(print));
    yield { ...item, ref: `${item.ref}#${further.size + 1}` };
  }
}

/** The first 96 bits of the hash: a part of the string would keep the whole. */
function shortPrint(hash: string): string {
  return Buffer.from(hash.slice(0, 24), "hex").toString("latin1");
}
