/** The messages between the parent and the process under test. */
import type { EventKind } from "../../src/domain/webhooks/event.ts";
import type { Plant } from "./planted-bugs.ts";
import type { Point } from "./kill-points.ts";

export type ToChild =
  /** Make a change that the article's state allows; `roll`, from 0 to 1, selects it. */
  | { type: "change"; eventId: string; articleId: string; roll: number }
  /** Stop as the service does. */
  | { type: "stop" };

export type FromChild =
  | { type: "ready" }
  /** Sent only when the operation has resolved. */
  | { type: "acknowledged"; eventId: string; kind: EventKind }
  | { type: "refused"; eventId: string }
  /** It may have happened. `isAway`: the database could not be used. */
  | { type: "failed"; eventId: string; isAway: boolean; message: string }
  | { type: "recorded"; attempts: { deliveryId: string; number: number }[] }
  | { type: "error"; message: string };

/** Given to a process under test as its first argument, in JSON. */
export interface ChildOptions {
  websiteId: string;
  /** Secrets by endpoint, for planted bugs that sign again. */
  secrets: Record<string, string>;
  /** The point at which it kills itself; null if it does not. */
  point: Point | null;
  /** At which passage of the point, counted from 1. */
  occurrence: number;
  plant: Plant | null;
  /** Whether the bytes of the WAL that a commit has synced are noted (power.ts). */
  notesSynced: boolean;
}
