/** Delivery counts by hour, written with the attempts, so that nobody has to count the attempts. */
import type { Millis } from "../../domain/articles/article.ts";
import { startOfHour } from "../../domain/system/time.ts";
import type { NewDeliveryCount } from "../../store/webhooks/delivery-counts.ts";

/** The outcome of a delivery's attempt (record-attempts.ts, `Recorded`). */
interface Ended {
  websiteId: string;
  result: "delivered" | "exhausted" | "retried" | "coalesced" | "parked" | "lost";
}

/** What a batch adds to the counts: one row for each website, all in the current hour. */
export function toCounts(batch: readonly Ended[], now: Millis): NewDeliveryCount[] {
  const counts = new Map<string, NewDeliveryCount>();
  for (const { websiteId, result } of batch) {
    // Another worker has it, and counts it.
    if (result === "lost") continue;
    let count = counts.get(websiteId);
    if (count === undefined) {
      count = { websiteId, hour: startOfHour(now), delivered: 0, exhausted: 0, retried: 0, firstDeliveredAt: null };
      counts.set(websiteId, count);
    }
    // These attempts failed as well, and their content is sent later: when the endpoint is enabled, or with a newer event.
    count[result === "parked" || result === "coalesced" ? "retried" : result]++;
    if (result === "delivered") count.firstDeliveredAt = now;
  }
  return [...counts.values()];
}
