/** Orders one change after another from whichever process lives, and notes what it acknowledges. */
import { randomUUID } from "node:crypto";
import type { Change, Journal } from "./journal.ts";
import type { FromChild } from "./messages.ts";
import type { Child } from "./start-child.ts";

const ARTICLES = 8;
/** Changes of different articles at once, of one process. */
const MAX_AT_ONCE = 4;
const PAUSE_MS = 12;

export class Publisher {
  readonly #journal: Journal;
  readonly #random: () => number;
  readonly #articles: readonly string[];
  /** Without a word yet, by event; of an article there is one at most. */
  readonly #open = new Map<string, { change: Change; child: Child }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal, random: () => number, articles = ARTICLES) {
    this.#journal = journal;
    this.#random = random;
    this.#articles = Array.from({ length: articles }, () => randomUUID());
  }

  /** Everything was ordered, and all of it has an answer. */
  get isSettled(): boolean {
    return this.#timer === undefined && this.#open.size === 0;
  }

  /** Orders changes of the processes until `pause`, each of one of those that live by then; at most `most`. */
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

  /** The process is dead: of what it was asked for last, nothing will ever be known. */
  killed(child: Child): void {
    for (const [eventId, order] of this.#open) if (order.child === child) this.#open.delete(eventId);
  }

  #one<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }
}
