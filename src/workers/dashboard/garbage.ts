import { getHeapStatistics } from "node:v8";
import { getCollector } from "../../process/collect-garbage.ts";

/** Smaller growth is not worth a collection, which takes some 30 ms. */
const GROWTH_BYTES = 16 * 1024 * 1024;

/** Collects the garbage of long texts: V8 alone would let it grow to the limit of the heap. */
export class GarbageCollection {
  #keptBytes = usedBytes();
  readonly #collectAll = getCollector();

  /** Collects if memory has grown. Call it where a text, or a part of its processing, is done. */
  collect(): void {
    if (usedBytes() < this.#keptBytes + GROWTH_BYTES) return;
    this.#collectAll();
    this.#keptBytes = usedBytes();
  }
}

function usedBytes(): number {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
