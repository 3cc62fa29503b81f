/** Names of processes with leases include the start time: ids are reused, and on Linux a thread's passes for one. */
import { readFileSync } from "node:fs";
import { getErrorCode } from "../domain/system/errors.ts";

/** The name of this process: `<pid>-<began>`. */
function processName(): string {
  return `${process.pid}-${readStat(process.pid)?.began ?? ""}`;
}

/** A name for a thread of this process: `<pid>-<began>-<random>`. */
export function newLeaseOwner(randomBytes: (size: number) => Buffer): string {
  return `${processName()}-${randomBytes(6).toString("hex")}`;
}

/** Whether the named process runs; also true if it cannot be distinguished from another with the same id. */
export function isRunning(name: string): boolean {
  const [pid, began = ""] = name.split("-");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (getErrorCode(error) !== "EPERM") return false;
  }
  const stat = readStat(Number(pid));
  if (stat === undefined) return true;
  return stat.state !== ZOMBIE && (began === "" || began === stat.began);
}

/** CPU time of the process with all its threads, ms; undefined where the system does not report it. */
export function readCpuMs(pid: number): number | undefined {
  const stat = readStat(pid);
  return stat && stat.cpuTicks * MS_PER_TICK;
}

/** The memory that a process has in use, bytes; undefined where the system does not report it. */
export function readResidentBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return kilobytes === undefined ? undefined : 1024 * Number(kilobytes);
  } catch {
    return undefined;
  }
}

/** Linux reports CPU time to programs in hundredths of a second, whatever unit the kernel uses. */
const MS_PER_TICK = 10;

/** Dead, but not yet reaped by its parent. */
const ZOMBIE = "Z";

/** Reads proc_pid_stat(5). `began` is in ticks since the machine started. Undefined if the file does not exist. */
function readStat(pid: number): { state: string; began: string; cpuTicks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", began: fields[19] ?? "", cpuTicks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}
