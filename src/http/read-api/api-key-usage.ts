/**
 * What is written down of how API keys are used: when last, a second after it happened; and how often, by UTC hour, at
 * most once a minute. Until then it is counted in memory: a request costs an addition.
 */
import type { Millis } from "../../domain/articles/article.ts";
import { HOUR_MS, hourOf } from "../../domain/system/time.ts";
import { noteKeyRequests, noteKeyUse } from "../../operations/people/api-keys.ts";
import type { Deps } from "../../operations/system/deps.ts";
import type { KeyRequests } from "../../store/people/key-requests.ts";

const NOTE_USE_AFTER_MS = 1_000;
const NOTE_REQUESTS_AFTER_MS = 60_000;

/** Requests of one key since the counter was last read. */
export interface RequestCounter {
  readonly keyId: string;
  readonly websiteId: string;
  requests: number;
  /** The hour in which counting began. */
  hour: Millis;
}

export interface KeyUseOptions {
  deps: Pick<Deps, "store" | "clock">;
  /** `message`: what else there is to say than that uses were not saved. */
  onError: (error: unknown, message?: string) => void;
}

export class KeyUse {
  readonly #options: KeyUseOptions;
  readonly #used = new Map<string, Millis>();
  /** Those that have something. */
  readonly #counting = new Set<RequestCounter>();
  /** What could not be written. */
  #unwritten: KeyRequests[] = [];
  #useTimer: NodeJS.Timeout | undefined;
  #requestsTimer: NodeJS.Timeout | undefined;

  constructor(options: KeyUseOptions) {
    this.#options = options;
  }

  used(keyId: string, now: Millis): void {
    this.#used.set(keyId, now);
    this.#useTimer ??= setTimeout(() => {
      // A use that could not be written is not worth a request; the next one is five minutes away.
      this.#writeUses().catch(this.#options.onError);
    }, NOTE_USE_AFTER_MS).unref();
  }

  /** On the path of every answer. */
  count(counter: RequestCounter): void {
    if (counter.requests++ === 0) this.#begin(counter);
  }

  /** Writes down what waits for it. */
  async flush(): Promise<void> {
    await this.#writeUses();
    await this.#writeRequests();
  }

  #begin(counter: RequestCounter): void {
    const now = this.#options.deps.clock();
    counter.hour = hourOf(now);
    this.#counting.add(counter);
    // Not later than the hour's end: what is counted afterwards belongs to the next one.
    this.#requestsTimer ??= setTimeout(
      () => void this.#writeRequests().catch(this.#options.onError),
      Math.min(NOTE_REQUESTS_AFTER_MS, hourOf(now) + HOUR_MS - now),
    ).unref();
  }

  async #writeUses(): Promise<void> {
    clearTimeout(this.#useTimer);
    this.#useTimer = undefined;
    const uses = Array.from(this.#used, ([id, usedAt]) => ({ id, usedAt }));
    this.#used.clear();
    await noteKeyUse(this.#options.deps, uses, this.#options.onError);
  }

  async #writeRequests(): Promise<void> {
    clearTimeout(this.#requestsTimer);
    this.#requestsTimer = undefined;
    const counts = summed([...this.#unwritten, ...this.#counting]);
    this.#unwritten = [];
    for (const counter of this.#counting) counter.requests = 0;
    this.#counting.clear();
    try {
      await noteKeyRequests(this.#options.deps, counts, this.#options.onError);
    } catch (error) {
      this.#unwritten.push(...counts);
      throw error;
    }
  }
}

/** One for each key and hour: a key that was looked up anew may have two counters. */
function summed(counts: readonly KeyRequests[]): KeyRequests[] {
  const all = new Map<string, KeyRequests>();
  for (const { keyId, websiteId, hour, requests } of counts) {
    const name = `${keyId} ${hour}`;
    all.set(name, { keyId, websiteId, hour, requests: requests + (all.get(name)?.requests ?? 0) });
  }
  return [...all.values()];
}
