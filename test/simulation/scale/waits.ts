/**
 * How long a delivery waits for the thread that sends: deliveries arrive at random, and each takes the same processor time. A thread
 * works on one at a time; while a receiver answers, the thread does others, so that the receiver's time does not count here.
 */
import { percentile, randomNumbers } from "../../../bench/statistics.ts";

export interface Waits {
  p50: number;
  p99: number;
  mean: number;
}

/**
 * Simulates arrivals one by one (Lindley's recursion).
 *
 * @param serviceMs processor time of one. @param utilisation share of the thread's time that is used, below 1.
 * @returns milliseconds until its work begins.
 */
export function simulateWaits(serviceMs: number, utilisation: number, arrivals = 300_000, seed = 1): Waits {
  const random = randomNumbers(seed);
  const meanInterval = serviceMs / utilisation;
  const waits = new Float64Array(arrivals);
  let wait = 0;
  let sum = 0;
  for (let index = 0; index < arrivals; index += 1) {
    waits[index] = wait;
    sum += wait;
    wait = Math.max(0, wait + serviceMs + Math.log(1 - random()) * meanInterval);
  }
  waits.sort();
  return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99), mean: sum / arrivals };
}

/**
 * Time until a backlog is gone: it shrinks by what is sent beyond the arrivals.
 *
 * @returns in the unit of `outage`.
 */
export function catchUp(outage: number, utilisation: number): number {
  return (outage * utilisation) / (1 - utilisation);
}
