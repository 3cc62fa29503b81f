import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { record } from "./http.ts";
import { leash } from "./processes.ts";

const ROOT = join(import.meta.dirname, "..", "..");

export interface CliOptions {
  cwd?: string;
  /** The data folder. */
  data?: string;
  /** The program's folder; by default this checkout. */
  program?: string;
  /** The Node that runs it; by default this process's. */
  runtime?: string;
  /** Run instead of a Node with a program. */
  executable?: string;
  env?: Record<string, string>;
  stdin?: string;
  /** After this time the command counts as hung. */
  withinMs?: number;
}

export interface CliResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Parses standard output, which is a single JSON value. */
  json(): unknown;
}

/** Runs one command in a separate process, without this process's environment. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = start(args, options);
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.stdin ?? "");
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { code, signal, stdout, stderr, json: () => JSON.parse(stdout) as unknown };
}

/** Runs a command that must succeed. @returns its JSON output. */
export async function cliJson(args: readonly string[], options: CliOptions = {}): Promise<Record<string, unknown>> {
  const result = await runCli([...args, "--json"], options);
  assert.equal(result.code, 0, `${args.join(" ")}: ${result.stderr}`);
  return record(result.json());
}

/** Starts a long-running command; it ends with this process at the latest. */
export function spawnCli(args: readonly string[], options: CliOptions = {}): ChildProcessWithoutNullStreams {
  return leash(start(args, options));
}

function start(args: readonly string[], options: CliOptions): ChildProcessWithoutNullStreams {
  const launcher = join(options.program ?? ROOT, "bin", "rostrum.js");
  const [command, ...before] =
    options.executable === undefined ? [options.runtime ?? process.execPath, launcher] : [options.executable];
  return spawn(command, [...before, ...args], {
    cwd: options.cwd ?? options.data ?? ROOT,
    env: {
      PATH: "/usr/bin:/bin",
      // Only tests of draining wait for it.
      ROSTRUM_DRAIN_SECONDS: "0",
      ...(options.data === undefined ? {} : { ROSTRUM_DATA_DIR: options.data }),
      ...options.env,
    },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: options.withinMs ?? 60_000,
    killSignal: "SIGKILL",
  });
}

/** All log lines have the same form. */
function assertLogLine(line: unknown): void {
  const { time, level, msg } = record(line);
  assert.ok(new Date(String(time)).toISOString() === time && typeof level === "number" && typeof msg === "string");
}

export interface ServerProcess extends AsyncDisposable {
  child: ChildProcessWithoutNullStreams;
  url: string;
  /** Log lines so far. */
  lines: readonly string[];
  /** Output on standard error since the start. */
  errors(): string;
  /** Resolves when the process has exited. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Longer than any test may take (tools/test.ts): a leftover process ends then. */
export const SERVES_MS = 300_000;

/** Starts `rostrum serve` on a free port, and resolves once it serves. Killed on disposal if it still runs. */
export async function serveCli(options: CliOptions = {}): Promise<ServerProcess> {
  const child = spawnCli(["serve"], {
    ...options,
    env: { PORT: "0", ROSTRUM_RATE_LIMIT: "0", ...options.env },
    withinMs: options.withinMs ?? SERVES_MS,
  });
  const ended = (once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>).then(([code, signal]) => ({
    code,
    signal,
  }));
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    errors += part;
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    const found: unknown = JSON.parse(line);
    assertLogLine(found);
    if (typeof found === "object" && found !== null && "msg" in found && found.msg === "serving" && "url" in found) {
      resolve(String(found.url));
    }
  });
  void ended.then(({ code }) => reject(new Error(`serve ended with ${code}: ${errors}`)));
  const url = await promise;
  return {
    child,
    url,
    lines,
    errors: () => errors,
    ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}
