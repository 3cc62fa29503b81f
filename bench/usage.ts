/** Resources that a process uses, from Linux's /proc. */
import { readdirSync, readFileSync } from "node:fs";

/** CPU time of all threads so far, seconds. */
export function cpuSeconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  }
  return nanoseconds / 1e9;
}

/** How long the main thread, which serves requests, was runnable without a core, seconds. */
export function waitedSeconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e9;
}

/** CPU time of a process and all its children, including those that ended and were reaped. */
export function familyCpuSeconds(pid: number): number {
  const ticks = [pid, ...childrenOf(pid)].map((one) => {
    try {
      // After the name in brackets: state is field 3; utime, stime, cutime and cstime are 14 to 17.
      const fields = readFileSync(`/proc/${one}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    } catch {
      // It has just ended; its time is now included in its parent's.
      return 0;
    }
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

/** Linux has used this value for user space since 2.6. */
const TICKS_PER_SECOND = 100;

/** Resident memory now, MB. */
export function residentMb(pid: number): number {
  return statusMb(pid, "VmRSS");
}

/** Peak resident memory, MB. */
export function peakMb(pid: number): number {
  return statusMb(pid, "VmHWM");
}

/** Memory of the process and its children; shared pages count proportionally. */
export function familyMb(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  const shares = [String(pid), ...children].map((one) => {
    try {
      return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1_024;
    } catch {
      // The process has just ended.
      return 0;
    }
  });
  return shares.reduce((sum, each) => sum + each, 0);
}

function statusMb(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`/proc has no ${field}`);
  return Number(kilobytes) / 1024;
}
