/** Counts of deliveries by hour: written with the attempts themselves, so that nobody has to count those. */
import type { Millis } from "../../domain/articles/article.ts";
import { hourOf } from "../../domain/system/time.ts";
import type { NewDeliveryCount } from "../../store/webhooks/delivery-counts.ts";

/** What became of a delivery after an attempt (record-attempts.ts, `Recorded`). */
interface Ended {
  websiteId: string;
  result: "delivered" | "exhausted" | "retried" | "parked" | "lost";
}

/** What a batch adds to the counts: one row for each website, as all of it ends now. */
export function countsOf(batch: readonly Ended[], now: Millis): NewDeliveryCount[] {
  const counts = new Map<string, NewDeliveryCount>();
  for (const { websiteId, result } of batch) {
    // Somebody else has it, and counts it.
    if (result === "lost") continue;
    let count = counts.get(websiteId);
    if (count === undefined) {
      count = { websiteId, hour: hourOf(now), delivered: 0, exhausted: 0, retried: 0, firstDeliveredAt: null };
      counts.set(websiteId, count);
    }
    // What was parked failed, too, and is tried again once its endpoint is enabled.
    count[result === "parked" ? "retried" : result]++;
    if (result === "delivered") count.firstDeliveredAt = now;
  }
  return [...counts.values()];
}
