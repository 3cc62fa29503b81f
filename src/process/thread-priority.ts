import { readdirSync, readlinkSync } from "node:fs";
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

/** Lowers the priority of the process, with the threads that V8 collects garbage and compiles in: on Linux each has its own. */
export function lowerProcessPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    for (const id of readdirSync("/proc/self/task")) setPriority(Number(id), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Another operating system, or not permitted: the priority is unchanged.
  }
}
