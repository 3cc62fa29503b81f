/**
 * What was promised and what was seen, in one line of time. The parent process keeps it: it outlives every kill.
 *
 * Time is cut into epochs. An epoch ends with a kill, when the process is gone and so are all its connections, or with a
 * lapse, when the leases that were held are taken back. So every arrival belongs to one epoch, without a look at clocks.
 */
import type { EventKind } from "../../src/domain/event.ts";

/** A change that was asked for. Its event has the id that was given with the order. */
export interface Change {
  eventId: string;
  articleId: string;
  /** `unknown`: no word came before the process was killed; it happened, or it did not. */
  outcome: "unknown" | "acknowledged" | "refused";
  /** As the process said. */
  kind: EventKind | null;
}

/** One whole request, with what became of it. */
export interface Arrival {
  endpointId: string;
  articleId: string;
  eventId: string;
  attempt: number;
  sequence: number;
  epoch: number;
  /** Milliseconds on the journal's clock. */
  at: number;
  /** A character for each byte: Latin-1. */
  body: string;
  /** What is wrong with its signature or its time, in a sentence. */
  problem: string | null;
  /** A status; `reset` by the receiver; `gone`: the sender left first; null: under way. */
  answer: number | "reset" | "gone" | null;
  endedAt: number | null;
}

/** The end of an epoch. */
export interface Mark {
  kind: "kill" | "lapse";
  /** Where in the work it was planned for, or `random`. */
  point: string;
  at: number;
}

/** The process said that an attempt was written down. */
export interface RecordNote {
  deliveryId: string;
  attempt: number;
  epoch: number;
  at: number;
}

export interface JournalView {
  changes: readonly Change[];
  arrivals: readonly Arrival[];
  marks: readonly Mark[];
  records: readonly RecordNote[];
  /** When the process of each epoch was ready; absent: it was killed before. */
  readyAt: ReadonlyMap<number, number>;
}

export class Journal implements JournalView {
  readonly changes: Change[] = [];
  readonly arrivals: Arrival[] = [];
  readonly marks: Mark[] = [];
  readonly records: RecordNote[] = [];
  readonly readyAt = new Map<number, number>();
  readonly #clock: () => number;

  /** @param clock milliseconds that only grow. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get epoch(): number {
    return this.marks.length;
  }

  now(): number {
    return this.#clock();
  }

  ordered(eventId: string, articleId: string): Change {
    const change: Change = { eventId, articleId, outcome: "unknown", kind: null };
    this.changes.push(change);
    return change;
  }

  arrived(arrival: Omit<Arrival, "epoch" | "at" | "answer" | "endedAt">): Arrival {
    const noted: Arrival = { ...arrival, epoch: this.epoch, at: this.now(), answer: null, endedAt: null };
    this.arrivals.push(noted);
    return noted;
  }

  /** Only the first end of an arrival counts. */
  ended(arrival: Arrival, answer: NonNullable<Arrival["answer"]>): void {
    if (arrival.answer !== null) return;
    arrival.answer = answer;
    arrival.endedAt = this.now();
  }

  recorded(deliveryId: string, attempt: number): void {
    this.records.push({ deliveryId, attempt, epoch: this.epoch, at: this.now() });
  }

  ready(): void {
    this.readyAt.set(this.epoch, this.now());
  }

  mark(kind: Mark["kind"], point: string): void {
    this.marks.push({ kind, point, at: this.now() });
  }
}
