/**
 * What receivers that fail for an hour cost: the attempts that a service makes more than without failures, and what waits at the
 * end. Each receiver follows the product's own rules (`domain/webhooks/delivery.ts`) under the clock of ../model.ts.
 */
import { DEFAULT_POLICY } from "../../../src/domain/webhooks/delivery.ts";
import { randomNumbers } from "../../../bench/statistics.ts";
import { simulate } from "../model.ts";
import { HANGS_MS, receive, REFUSES_MS, stream } from "../receivers.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TROUBLE_AT = 10 * MINUTE;
const END = TROUBLE_AT + HOUR + 20 * MINUTE;

export interface Outage {
  events: number;
  attempts: number;
  /** Events that wait or are parked as the outage ends. */
  waiting: number;
  /** Attempts that began in the ten minutes before, and during the outage, a second. */
  before: number;
  during: number;
}

/** The sums over this many receivers of the same rate; every second one hangs, the others refuse. */
export function hourOfOutage(perSecond: number, receivers: number): Outage {
  const sum: Outage = { events: 0, attempts: 0, waiting: 0, before: 0, during: 0 };
  for (let seed = 1; seed <= receivers; seed += 1) {
    const random = randomNumbers(seed);
    const { deliveries, attempts } = simulate({
      events: stream({ perSecond, untilMs: END, articles: 1_000, bursts: [] }, random),
      receive: receive({
        outages: [{ from: TROUBLE_AT, to: TROUBLE_AT + HOUR }],
        answersAfterMs: 50,
        failsAfterMs: seed % 2 === 0 ? HANGS_MS : REFUSES_MS,
      }),
      policy: DEFAULT_POLICY,
      random,
      claims: "by turns",
    });
    const outageEndsAt = TROUBLE_AT + HOUR;
    sum.events += deliveries.length;
    sum.attempts += attempts.length;
    sum.waiting += deliveries.filter(
      ({ madeAt, state, endedAt }) => madeAt < outageEndsAt && (state === "parked" || endedAt > outageEndsAt),
    ).length;
    sum.before += attempts.filter(({ from }) => from < TROUBLE_AT).length / (TROUBLE_AT / 1_000);
    sum.during += attempts.filter(({ from }) => from >= TROUBLE_AT && from < outageEndsAt).length / (HOUR / 1_000);
  }
  return sum;
}
