/**
 * Saves how API keys are used: the time of last use, a second after it happened, and request counts by UTC hour, at most once
 * a minute. Until then they are counted in memory, so that a request costs only an addition.
 */
import type { Millis } from "../../domain/system/time.ts";
import { HOUR_MS, startOfHour } from "../../domain/system/time.ts";
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
  /** `message`: set if there is more to report than that usage was not saved. */
  onError: (error: unknown, message?: string) => void;
}

export class KeyUse {
  readonly #options: KeyUseOptions;
  readonly #used = new Map<string, Millis>();
  /** Counters with unsaved requests. */
  readonly #counting = new Set<RequestCounter>();
  /** Counts that could not be saved yet. */
  #unwritten: KeyRequests[] = [];
  #useTimer: NodeJS.Timeout | undefined;
  #requestsTimer: NodeJS.Timeout | undefined;

  constructor(options: KeyUseOptions) {
    this.#options = options;
  }

  used(keyId: string, now: Millis): void {
    this.#used.set(keyId, now);
    this.#useTimer ??= setTimeout(() => {
      // Not retried: the next time of use is saved five minutes later.
      this.#writeUses().catch(this.#options.onError);
    }, NOTE_USE_AFTER_MS).unref();
  }

  /** Called for every response, so it must be cheap. */
  count(counter: RequestCounter): void {
    if (counter.requests++ === 0) this.#begin(counter);
  }

  /** Saves everything that is waiting. */
  async flush(): Promise<void> {
    await this.#writeUses();
    await this.#writeRequests();
  }

  #begin(counter: RequestCounter): void {
    const now = this.#options.deps.clock();
    counter.hour = startOfHour(now);
    this.#counting.add(counter);
    // At the end of the hour at the latest: requests after it belong to the next hour.
    this.#requestsTimer ??= setTimeout(
      () => void this.#writeRequests().catch(this.#options.onError),
      Math.min(NOTE_REQUESTS_AFTER_MS, startOfHour(now) + HOUR_MS - now),
    ).unref();
  }

  async #writeUses(): Promise<void> {
    clearTimeout(this.#useTimer);
    this.#useTimer = undefined;
    const uses = Array.from(this.#used, ([id, usedAt]) => ({ id, usedAt }));
    this.#used.clear();
    if (uses.length === 0) return;
    const { recordKeyUse } = await import("../../operations/people/api-keys.ts");
    await recordKeyUse(this.#options.deps, uses, this.#options.onError);
  }

  async #writeRequests(): Promise<void> {
    clearTimeout(this.#requestsTimer);
    this.#requestsTimer = undefined;
    const counts = summed([...this.#unwritten, ...this.#counting]);
    this.#unwritten = [];
    for (const counter of this.#counting) counter.requests = 0;
    this.#counting.clear();
    if (counts.length === 0) return;
    try {
      const { recordKeyRequests } = await import("../../operations/people/api-keys.ts");
      await recordKeyRequests(this.#options.deps, counts, this.#options.onError);
    } catch (error) {
      this.#unwritten.push(...counts);
      throw error;
    }
  }
}

/** One entry per key and hour: a key that was looked up again may have two counters. */
function summed(counts: readonly KeyRequests[]): KeyRequests[] {
  const all = new Map<string, KeyRequests>();
  for (const { keyId, websiteId, hour, requests } of counts) {
    const name = `${keyId} ${hour}`;
    all.set(name, { keyId, websiteId, hour, requests: requests + (all.get(name)?.requests ?? 0) });
  }
  return [...all.values()];
}
