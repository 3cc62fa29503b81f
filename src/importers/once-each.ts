import { hashInput, type ImportItem } from "../operations/articles/import/import-items.ts";
import type { ReadItem } from "./import-item.ts";

/**
 * Keeps different articles that share an identity (e.g. several snapshots of one post): each further one gets an identity of
 * its own, so that the next import does not overwrite one with the other. An identical article is skipped.
 */
export async function* onceEach(items: AsyncIterable<ReadItem>): AsyncGenerator<ImportItem> {
  /** Fingerprints of the articles of each reference. Most references have one article, and a file may have millions. */
  const firsts = new Map<string, string>();
  const others = new Map<string, Set<string>>();
  for await (const item of items) {
    if (item.kind === "passed") continue;
    if (item.kind !== "draft" || item.input.id !== undefined) {
      yield item;
      continue;
    }
    const fingerprint = shortFingerprint(item.hash ?? hashInput(item.input));
    const first = firsts.get(item.ref);
    if (first === undefined) {
      firsts.set(item.ref, fingerprint);
      yield item;
      continue;
    }
    const further = others.get(item.ref) ?? new Set<string>();
    if (fingerprint === first || further.has(fingerprint)) {
      yield { kind: "skipped", source: item.source, reason: "The same article was read before." };
      continue;
    }
    others.set(item.ref, further.add(fingerprint));
    yield { ...item, ref: `${item.ref}#${further.size + 1}` };
  }
}

/** The first 96 bits of the hash, copied: a slice of the string would keep all of it in memory. */
function shortFingerprint(hash: string): string {
  return Buffer.from(hash.slice(0, 24), "hex").toString("latin1");
}
