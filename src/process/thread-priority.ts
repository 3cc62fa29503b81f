import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Lowers the calling thread's priority: where cores are scarce, the thread that serves readers comes first. */
export function lowerThreadPriority(): void {
  try {
    // `<pid>/task/<tid>`: on Linux each thread has its own priority.
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Another operating system, or not permitted: the priority is unchanged.
  }
}
