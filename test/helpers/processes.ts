import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** Resolves when the process has exited, or could not be started. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
}

/** Signals the children of a process, except those that have exited meanwhile. */
export async function signalChildren(parent: number | undefined, name: NodeJS.Signals): Promise<void> {
  for (const pid of await childrenOf(parent)) {
    try {
      process.kill(pid, name);
    } catch {
      // It has exited meanwhile.
    }
  }
}

async function childrenOf(parent: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid && ppid === parent ? [pid] : []));
}

/** Processes of this program that `parent` has started, from Linux's /proc. */
export function childrenRunning(program: string, parent: number | undefined = process.pid): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const found = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
      const isOurs = Number(found) === parent;
      return isOurs && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(program) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Resident memory of a process in MB, from Linux's /proc. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) / 1024;
}

/** A line means that the child has exited; the end of the input means that this process has, so the child is killed. */
const LEASH = 'read -r line || kill -KILL "$1"';

/** Ends the child with this process, even if this process is killed. @returns the child. */
export function leash<Child extends ChildProcess>(child: Child): Child {
  if (child.pid === undefined) return child;
  // In a separate session: Ctrl-C ends the tests, and the leash then ends the child.
  const guard = spawn("/bin/sh", ["-c", LEASH, "leash", String(child.pid)], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  child.once("exit", () => guard.stdin.end("ended\n"));
  return child;
}
