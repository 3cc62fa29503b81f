import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** Resolves when it has ended, or could not be started. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
}

/** Those that have ended since are left out. */
export async function signalChildren(parent: number | undefined, name: NodeJS.Signals): Promise<void> {
  for (const pid of await childrenOf(parent)) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended since.
    }
  }
}

async function childrenOf(parent: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid && ppid === parent ? [pid] : []));
}

/** Processes of this program that `parent` has started. Linux tells. */
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

/** Memory of a process that is resident, MB. Linux tells. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) / 1024;
}

/** A line says that there is nobody to end any more; the end of the input, that whoever would have said so is gone. */
const LEASH = 'read -r line || kill -KILL "$1"';

/** The child does not outlive this process, even when that is killed. @returns the child. */
export function leash<Child extends ChildProcess>(child: Child): Child {
  if (child.pid === undefined) return child;
  // In a session of its own: Ctrl-C ends the tests, and the leash then ends the child.
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
