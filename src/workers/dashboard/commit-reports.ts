import type { Changes, Store } from "../../store/store.ts";

/** Readers query after each commit that they learn of: hundreds a second are reported together (but see decision 7). */
export const REPORT_INTERVAL_MS = 100;

/** Reports the commits of the thread: the first at once, those that follow within the interval together. */
export class CommitReports {
  readonly #report: (changes: Changes) => void;
  readonly #intervalMs: number;
  #pending: Map<string, string> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ engine }: Pick<Store, "engine">, report: (changes: Changes) => void, intervalMs = REPORT_INTERVAL_MS) {
    this.#report = report;
    this.#intervalMs = engine === "postgres" ? intervalMs : 0;
  }

  add(changes: Changes): void {
    if (this.#intervalMs === 0) {
      this.#report(changes);
      return;
    }
    this.#pending = new Map([...(this.#pending ?? []), ...changes]);
    if (this.#timer === undefined) this.flush();
  }

  /** Called before each answer, so that what it tells of is visible to the caller. */
  flush(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    this.#report(pending);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, this.#intervalMs).unref();
  }
}
