/** Answers that are kept in memory with their ETags. */

/** The JSON text of an answer, so that nobody can change what another caller gets. */
interface KeptAnswer {
  etag: string;
  text: string;
  /** `performance.now()` when it was last confirmed; -Infinity once something has changed. */
  confirmedAt: number;
}

export class Answers {
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  /** The least recently used first. */
  readonly #kept = new Map<string, KeptAnswer>();
  #generation = 0;

  constructor({ maxEntries, maxAgeMs }: { maxEntries: number; maxAgeMs: number }) {
    this.#maxEntries = maxEntries;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Counts the changes that the client was told of. Note it before a request, and pass it to `keep` after it. */
  get generation(): number {
    return this.#generation;
  }

  /** An answer may only be used without asking while it is fresh. */
  find(path: string): { etag: string; text: string; isFresh: boolean } | undefined {
    const kept = this.#kept.get(path);
    if (kept === undefined) return undefined;
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    return { etag: kept.etag, text: kept.text, isFresh: performance.now() - kept.confirmedAt < this.#maxAgeMs };
  }

  /** Keeps an answer, unless something changed while it was under way: it may be older than that change. */
  keep(path: string, etag: string, text: string, generation: number): void {
    if (generation !== this.#generation) return;
    this.#kept.delete(path);
    this.#kept.set(path, { etag, text, confirmedAt: performance.now() });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxEntries) break;
      this.#kept.delete(oldest);
    }
  }

  /** From now on each answer is confirmed by the service before it is used again. */
  expire(): void {
    this.#generation += 1;
    for (const kept of this.#kept.values()) kept.confirmedAt = -Infinity;
  }
}
