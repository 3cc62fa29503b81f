/** Child processes that never outlive the measurement. */
import { type ChildProcess, execFileSync, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";

/** The server and its load never share a core. */
export const CORE = { server: 0, load: 1 } as const;

export const canPin = availableParallelism() >= 2 && hasTaskset();

const STOP_WITHIN_MS = 15_000;

export interface Child {
  process: ChildProcess;
  pid: number;
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** Absent: chosen by the operating system. */
  core?: number;
  /** The whole environment; nothing is inherited, so that every machine measures the same settings. */
  environment?: Record<string, string>;
  directory?: string;
  stdio: StdioOptions;
}

const living = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const child of living) child.kill("SIGKILL");
    process.kill(process.pid, signal);
  });
}

export function startChild(command: readonly string[], options: ChildOptions): Child {
  const pinned = options.core !== undefined && canPin ? ["taskset", "-c", String(options.core), ...command] : command;
  const [file = "", ...args] = pinned;
  const child = spawn(file, args, {
    cwd: options.directory,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...options.environment },
    stdio: options.stdio,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command.join(" ")} could not be started`);
  living.add(child);
  const gone = once(child, "exit").then(() => living.delete(child));
  return {
    process: child,
    pid,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** @returns the output and the duration. @throws unless the command succeeds. */
export async function runToEnd(
  command: readonly string[],
  options: Omit<ChildOptions, "stdio">,
): Promise<{ output: string; seconds: number }> {
  const startedAt = performance.now();
  const child = startChild(command, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.process.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child.process, "close");
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}`);
  return { output, seconds: (performance.now() - startedAt) / 1_000 };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function hasTaskset(): boolean {
  try {
    execFileSync("taskset", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
