/** Orders one change after another from whichever process lives, and notes what it acknowledges. */
import { randomUUID } from "node:crypto";
import type { Change, Journal } from "./journal.ts";
import type { FromChild } from "./messages.ts";
import type { Child } from "./start-child.ts";

const ARTICLES = 8;
/** Changes of different articles at once. */
const MOST_AT_ONCE = 4;
const PAUSE_MS = 12;

export class Publisher {
  readonly #journal: Journal;
  readonly #random: () => number;
  readonly #articles = Array.from({ length: ARTICLES }, () => randomUUID());
  /** Without a word yet, by event; of an article there is one at most. */
  readonly #open = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal, random: () => number) {
    this.#journal = journal;
    this.#random = random;
  }

  /** Everything was ordered, and all of it has an answer. */
  get isSettled(): boolean {
    return this.#timer === undefined && this.#open.size === 0;
  }

  /** Orders changes of the process until `pause`, at most `most`. */
  publish(child: Child, most = Number.POSITIVE_INFINITY): void {
    let left = most;
    this.#timer = setInterval(() => {
      const busy = new Set([...this.#open.values()].map(({ articleId }) => articleId));
      const idle = this.#articles.filter((id) => !busy.has(id));
      const articleId = idle[Math.floor(this.#random() * idle.length)];
      if (articleId === undefined || busy.size >= MOST_AT_ONCE) return;
      if (left-- <= 0) return this.pause();
      const eventId = randomUUID();
      this.#open.set(eventId, this.#journal.ordered(eventId, articleId));
      child.send({ type: "change", eventId, articleId, roll: this.#random() });
    }, PAUSE_MS);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  heard(message: FromChild): void {
    if (message.type !== "acknowledged" && message.type !== "refused") return;
    const change = this.#open.get(message.eventId);
    if (change === undefined) return;
    change.outcome = message.type;
    if (message.type === "acknowledged") change.kind = message.kind;
    this.#open.delete(message.eventId);
  }

  /** The process is dead: of what is open, nothing will ever be known. */
  killed(): void {
    this.pause();
    this.#open.clear();
  }
}
