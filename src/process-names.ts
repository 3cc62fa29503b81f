/**
 * Names of those who hold leases, or serve a database. A name stays in the database when its process is dead, and the number of a process
 * comes again, soonest after a restart of the machine or of a container; Linux even answers for the numbers of
 * threads. So a name also says when its process began, where the system tells.
 */
import { readFileSync } from "node:fs";

/** Of this process: `<pid>-<began>`. */
export function processName(): string {
  return `${process.pid}-${readStat(process.pid)?.began ?? ""}`;
}

/** For a thread of this process: `<pid>-<began>-<random>`. */
export function newHolder(randomBytes: (size: number) => Buffer): string {
  return `${processName()}-${randomBytes(6).toString("hex")}`;
}

/** Whether the process of that name runs; where it cannot be told from another of its number, it is taken to run. */
export function isRunning(name: string): boolean {
  const [pid, began = ""] = name.split("-");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const stat = readStat(Number(pid));
  if (stat === undefined) return true;
  return stat.state !== ZOMBIE && (began === "" || began === stat.began);
}

/** Dead, and not yet noticed by its parent. */
const ZOMBIE = "Z";

/** Of proc_pid_stat(5): `began` in ticks since the machine began; undefined where there is no such file. */
function readStat(pid: number): { state: string; began: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", began: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
