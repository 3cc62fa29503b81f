/** Starts and controls a process under test. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ChildOptions, FromChild, ToChild } from "./messages.ts";

export type Script = "service" | "dispatcher";

export interface Child extends AsyncDisposable {
  pid: number | undefined;
  send(message: ToChild): void;
  kill(): void;
  /** Resolves, once all messages were read, with how it ended and its standard error. */
  ended: Promise<{ signal: NodeJS.Signals | null; code: number | null; errors: string }>;
}

const SCRIPTS: Record<Script, string> = {
  service: import.meta.resolve("./service-child.ts"),
  dispatcher: import.meta.resolve("./dispatcher-child.ts"),
};
/** Keeps compiled code between processes, as the launcher does (bin/rostrum.js). */
const CACHE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "rostrum");

export function startChild(
  script: Script,
  options: ChildOptions,
  settings: Record<string, string>,
  onMessage: (message: FromChild) => void,
): Child {
  const child: ChildProcess = fork(fileURLToPath(SCRIPTS[script]), [JSON.stringify(options)], {
    // None of the test runner's.
    execArgv: [],
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: CACHE, ...settings },
    cwd: settings["ROSTRUM_DATA_DIR"] ?? ".",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  child.on("message", onMessage);
  child.on("error", () => undefined);
  const errors = child.stderr === null ? Promise.resolve("") : text(child.stderr);
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = Promise.all([closed, errors]).then(([[code, signal], errors]) => ({ code, signal, errors }));
  return {
    pid: child.pid,
    send: (message) => {
      // If it is already dead, the order's outcome stays unknown.
      if (child.connected) child.send(message, () => undefined);
    },
    kill: () => void child.kill("SIGKILL"),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
