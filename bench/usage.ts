/** What a process uses, as Linux tells it. */
import { readdirSync, readFileSync } from "node:fs";

/** CPU time of all threads so far, seconds. */
export function cpuSeconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  }
  return nanoseconds / 1e9;
}

/** Resident memory now, MB. */
export function residentMb(pid: number): number {
  return statusMb(pid, "VmRSS");
}

/** The most that was ever resident, MB. */
export function peakMb(pid: number): number {
  return statusMb(pid, "VmHWM");
}

function statusMb(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`/proc has no ${field}`);
  return Number(kilobytes) / 1024;
}
