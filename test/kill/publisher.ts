/** Orders changes from the running process, one after the other, and records what it acknowledges. */
import { randomUUID } from "node:crypto";
import type { Change, Journal } from "./journal.ts";
import type { FromChild } from "./messages.ts";
import type { Child } from "./start-child.ts";

const ARTICLES = 8;
/** Concurrent changes of different articles in one process. */
const MAX_AT_ONCE = 4;
const PAUSE_MS = 12;

export class Publisher {
  readonly #journal: Journal;
  readonly #random: () => number;
  readonly #articles: readonly string[];
  /** Unanswered changes by event, at most one of each article. */
  readonly #open = new Map<string, { change: Change; child: Child }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal, random: () => number, articles = ARTICLES) {
    this.#journal = journal;
    this.#random = random;
    this.#articles = Array.from({ length: articles }, () => randomUUID());
  }

  /** All changes were ordered and answered. */
  get isSettled(): boolean {
    return this.#timer === undefined && this.#open.size === 0;
  }

  /** Orders at most `most` changes until `pause`, each from one of the running processes. */
  publish(living: () => readonly Child[], most = Number.POSITIVE_INFINITY): void {
    let left = most;
    this.#timer = setInterval(() => {
      const open = [...this.#open.values()];
      const busy = new Set(open.map(({ change }) => change.articleId));
      const articleId = this.#one(this.#articles.filter((id) => !busy.has(id)));
      const child = this.#one(
        living().filter((one) => open.filter((order) => order.child === one).length < MAX_AT_ONCE),
      );
      if (articleId === undefined || child === undefined) return;
      if (left-- <= 0) return this.pause();
      const eventId = randomUUID();
      this.#open.set(eventId, { change: this.#journal.ordered(eventId, articleId), child });
      child.send({ type: "change", eventId, articleId, roll: this.#random() });
    }, PAUSE_MS);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  heard(message: FromChild): void {
    if (message.type !== "acknowledged" && message.type !== "refused" && message.type !== "failed") return;
    const change = this.#open.get(message.eventId)?.change;
    if (change === undefined) return;
    if (message.type !== "failed") change.outcome = message.type;
    if (message.type === "acknowledged") {
      change.kind = message.kind;
      change.acknowledgedAt = this.#journal.now();
    }
    this.#open.delete(message.eventId);
  }

  /** Forgets the dead process's unanswered changes, whose outcome stays unknown. */
  killed(child: Child): void {
    for (const [eventId, order] of this.#open) if (order.child === child) this.#open.delete(eventId);
  }

  #one<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }
}
