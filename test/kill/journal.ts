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

/** A change that was ordered. Its event has the id given in the order. */
export interface Change {
  eventId: string;
  articleId: string;
  /** `unknown`: the process was killed before it answered, or reported a failure, so the change may have happened. */
  outcome: "unknown" | "acknowledged" | "refused";
  /** As the process reported it. */
  kind: EventKind | null;
  /** Milliseconds on the journal's clock; null if it was not acknowledged. */
  orderedAt: number;
  acknowledgedAt: number | null;
}

/** A complete request and its outcome. */
export interface Arrival {
  endpointId: string;
  articleId: string;
  eventId: string;
  attempt: number;
  sequence: number;
  epoch: number;
  /** The process that sent it; null if there is only one, or it is unknown. */
  node: string | null;
  /** Milliseconds on the journal's clock. */
  at: number;
  /** A character for each byte: Latin-1. */
  body: string;
  /** What is wrong with its signature or time, as a sentence. */
  problem: string | null;
  /** A status; `reset` by the receiver; `gone`: the sender left first; null: under way. */
  answer: number | "reset" | "gone" | null;
  endedAt: number | null;
}

/** The end of an epoch; with several nodes, a kill of one of them or a fault of their database. */
export interface Mark {
  kind: "kill" | "lapse" | "fault";
  /** The planned point of the kill, `random`, or the fault. */
  point: string;
  /** The process that was killed; null if all were affected. */
  node: string | null;
  /** It interrupted what was in progress between `from` and `at`. */
  from: number;
  at: number;
}

/** The process reported that an attempt was recorded. */
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
  /** When the process of each epoch was ready; absent if it was killed before. */
  readyAt: ReadonlyMap<number, number>;
}

/** The kills and faults that can have interrupted the earlier attempt, so that the later one was needed. */
export function cutsBetween(marks: readonly Mark[], earlier: Arrival, later: Arrival): Mark[] {
  return marks.filter(
    ({ node, from, at }) =>
      from <= later.at && at >= earlier.at && (node === null || earlier.node === null || node === earlier.node),
  );
}

/** The time after which nothing was interrupted. */
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

  /** @param clock a monotonic clock, in milliseconds. */
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
