/** Figures about the whole database, for operators. */
import type { ShownState } from "../../domain/webhooks/endpoint.ts";
import { findNextDue } from "../../store/articles/articles.ts";
import type { DeadLetterKind } from "../../domain/system/dead-letter.ts";
import { countDeadLetters } from "../../store/system/dead-letters.ts";
import { countParked } from "../../store/webhooks/deliveries.ts";
import { longestQueues, measureQueue } from "../../store/webhooks/delivery-queue.ts";
import { measureWaiting } from "../../store/articles/senders/arrivals.ts";
import { countEndpoints } from "../../store/webhooks/endpoints.ts";
import { countMails } from "../../store/system/email-outbox.ts";
import { measureSize } from "../../store/system/database-size.ts";
import { countNodes } from "../../store/system/heartbeats.ts";
import type { Deps } from "./deps.ts";

const MAX_PARKED = 100_000;

export interface DatabaseStats {
  nodes: number;
  /** Size of the database, without SQLite's WAL. */
  bytes: number;
  depth: number;
  /** Age of the oldest of them; 0 if there is none. */
  oldestSeconds: number;
  /** Counted up to MAX_PARKED. */
  parked: number;
  endpoints: Record<ShownState["state"], number>;
  /** The number of deliveries waiting or in progress, by endpoint. */
  longestQueues: [endpointId: string, depth: number][];
  deadLetters: Record<DeadLetterKind, number>;
  mails: number;
  arrivals: { waiting: number; oldestSeconds: number };
  /** How long the first scheduled article is overdue; 0 if none is due. */
  scheduleLagSeconds: number;
}

/** `maxEndpoints`: how many of them are measured individually. */
export function measureDatabase(
  { store, clock }: Pick<Deps, "store" | "clock">,
  maxEndpoints: number,
): Promise<DatabaseStats> {
  const secondsSince = (at: number | null) => (at === null ? 0 : Math.max(0, (clock() - at) / 1_000));
  return store.read(async (db) => {
    const { depth, oldestAt } = await measureQueue(db);
    const arrivals = await measureWaiting(db);
    const dueAt = await findNextDue(db);
    return {
      nodes: store.engine === "sqlite" ? 1 : await countNodes(db),
      bytes: await measureSize(db),
      depth,
      oldestSeconds: secondsSince(oldestAt),
      parked: await countParked(db, MAX_PARKED),
      endpoints: await countEndpoints(db),
      longestQueues: maxEndpoints === 0 ? [] : await longestQueues(db, maxEndpoints),
      deadLetters: await countDeadLetters(db),
      mails: await countMails(db),
      arrivals: { waiting: arrivals.waiting, oldestSeconds: secondsSince(arrivals.oldestAt) },
      scheduleLagSeconds: secondsSince(dueAt),
    };
  });
}
