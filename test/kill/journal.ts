/**
 * What was promised and what was seen, in one line of time. The parent process keeps it: it outlives every kill.
 *
 * Time is cut into epochs. An epoch ends with a kill, when the process is gone and so are all its connections, or with a
 * lapse, when the leases that were held are taken back. So every arrival belongs to one epoch, without a look at clocks.
 *
 * Where several nodes work at once (cluster.ts), a kill concerns one of them and takes a moment, and a fault of the database
 * concerns all of them for a while: there a mark says whom and how long, and `cutsBetween` tells what it interrupts.
 */
import type { EventKind } from "../../src/domain/webhooks/event.ts";

/** A change that was asked for. Its event has the id that was given with the order. */
export interface Change {
  eventId: string;
  articleId: string;
  /** `unknown`: no word came before the process was killed, or its word was that it failed; it happened, or it did not. */
  outcome: "unknown" | "acknowledged" | "refused";
  /** As the process said. */
  kind: EventKind | null;
  /** Milliseconds on the journal's clock; null: it was not acknowledged. */
  orderedAt: number;
  acknowledgedAt: number | null;
}

/** One whole request, with what became of it. */
export interface Arrival {
  endpointId: string;
  articleId: string;
  eventId: string;
  attempt: number;
  sequence: number;
  epoch: number;
  /** The life of the node that sent it; null if there is only one, or it is unknown. */
  node: string | null;
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

/** The end of an epoch; of several nodes, the end of one's life, or what befell their database. */
export interface Mark {
  kind: "kill" | "lapse" | "fault";
  /** Where in the work it was planned for, or `random`; or which fault. */
  point: string;
  /** The life of the node that was killed; null: it concerns all. */
  node: string | null;
  /** What it interrupted was under way at some time between `from` and `at`. */
  from: number;
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

/** What can have interrupted the one, so that the other, of the same delivery, was needed. */
export function cutsBetween(marks: readonly Mark[], earlier: Arrival, later: Arrival): Mark[] {
  return marks.filter(
    ({ node, from, at }) =>
      from <= later.at && at >= earlier.at && (node === null || earlier.node === null || node === earlier.node),
  );
}

/** From when on nothing was interrupted any more. */
export function lastMarkAt(marks: readonly Mark[]): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...marks.map(({ at }) => at));
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
    const change: Change = {
      eventId,
      articleId,
      outcome: "unknown",
      kind: null,
      orderedAt: this.now(),
      acknowledgedAt: null,
    };
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
    this.during({ kind, point, node: null, from: this.now(), at: this.now() });
  }

  /** @returns the mark itself: its end may become known later. */
  during(mark: Mark): Mark {
    this.marks.push(mark);
    return mark;
  }
}
