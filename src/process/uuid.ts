/** Ids: UUIDs of version 7 (RFC 9562, section 5.7), which sort in the order in which a process makes them. */
import { randomUUID } from "node:crypto";

/** Bits after the time, and before the random ones, that count the ids of a millisecond. */
const COUNTER_BITS = 26;

let lastMs = 0;
let counter = 0;

/** A new id. If the clock is set back, the time in it stands still. */
export function newId(): string {
  const random = randomUUID();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = randomCounter(random);
  } else if (++counter >= 2 ** COUNTER_BITS) {
    lastMs++;
    counter = 0;
  }
  return format(lastMs, counter, random);
}

export function newIdAt(ms: number): string {
  const random = randomUUID();
  return format(ms, randomCounter(random), random);
}

/** Leaves half of the range to count on. */
function randomCounter(random: string): number {
  return Number.parseInt(random.slice(0, 8), 16) >>> (33 - COUNTER_BITS);
}

/** `random`: a UUID whose last twelve digits are taken. */
function format(ms: number, count: number, random: string): string {
  const time = hex(ms, 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count >>> 14, 3)}-${hex(0x8000 | (count & 0x3fff), 4)}-${random.slice(24)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
