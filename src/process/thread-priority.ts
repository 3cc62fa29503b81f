import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Readers go first: where cores are scarce, the scheduler prefers the thread that answers them to the one that calls this. */
export function lowerThreadPriority(): void {
  try {
    // `<pid>/task/<tid>`: to Linux a thread is a process of its own, and has a priority of its own.
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Another system, or not allowed: then all are equal.
  }
}
