/** Caches answers in memory with their ETags. */

/** An answer as JSON text, so that no caller can change what another one gets. */
interface CachedResponse {
  etag: string;
  text: string;
  /** `performance.now()` when it was last confirmed; -Infinity once something has changed. */
  confirmedAt: number;
}

/** Maximum length of all texts together, in characters. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

export class ResponseCache {
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  /** Least recently used first. */
  readonly #kept = new Map<string, CachedResponse>();
  #characters = 0;
  #generation = 0;

  constructor({ maxEntries, maxAgeMs }: { maxEntries: number; maxAgeMs: number }) {
    this.#maxEntries = maxEntries;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Whether answers are used for some time without being confirmed. */
  get areReused(): boolean {
    return this.#maxAgeMs > 0;
  }

  /** Number of changes so far. Read it before a request, and pass it to `keep` afterwards. */
  get generation(): number {
    return this.#generation;
  }

  /** An answer that is not fresh must be confirmed by the service. */
  find(path: string): { etag: string; text: string; isFresh: boolean } | undefined {
    const kept = this.#kept.get(path);
    if (kept === undefined) return undefined;
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    return { etag: kept.etag, text: kept.text, isFresh: performance.now() - kept.confirmedAt < this.#maxAgeMs };
  }

  /** Stores an answer, unless something changed while it was under way: the answer may be older than that change. */
  keep(path: string, etag: string, text: string, generation: number): void {
    if (generation !== this.#generation) return;
    this.#drop(path);
    this.#kept.set(path, { etag, text, confirmedAt: performance.now() });
    this.#characters += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxEntries && this.#characters <= MAX_CHARACTERS) break;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#characters -= this.#kept.get(path)?.text.length ?? 0;
    this.#kept.delete(path);
  }

  /** Makes the service confirm each answer before its next use. */
  expire(): void {
    this.#generation += 1;
    for (const kept of this.#kept.values()) kept.confirmedAt = -Infinity;
  }
}
