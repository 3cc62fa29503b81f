/** What the parent and the process under test say to each other. */
import type { EventKind } from "../../src/domain/webhooks/event.ts";
import type { Plant } from "./planted-bugs.ts";
import type { Point } from "./kill-points.ts";

export type ToChild =
  /** Change the article in a way that fits its state; `roll` in [0, 1) chooses among several. */
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
  /** Secrets by endpoint, for plants that sign anew. */
  secrets: Record<string, string>;
  /** Where it kills itself; null: it is left to others. */
  point: Point | null;
  /** At which time that the point is passed; 1 is the first. */
  occurrence: number;
  plant: Plant | null;
  /** Whether the bytes of the WAL that a commit has synced are noted (power.ts). */
  notesSynced: boolean;
}
