import { fork } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { isSea } from "node:sea";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { FromChild, ToChild } from "./child-loop.ts";

const MAX_STDERR = 4_000;
/** The executable that runs, even if its file was replaced, moved or removed. */
const OWN_PROGRAM = "/proc/self/exe";

interface Failure {
  isMemory: boolean;
  error: Error;
}

interface ProgramEvents {
  onMessage: (message: FromChild) => void;
  /** The program takes no more calls. */
  onExit: () => void;
  /** Nothing more comes from it. With an error if it has failed. */
  onClose: (failure?: Failure) => void;
}

export interface RunningProgram {
  pid: number | undefined;
  post(message: ToChild, memory: ArrayBuffer[]): void;
  kill(): void;
  /** Whether this process lives on for the child's sake. */
  keepAlive(isNeeded: boolean): void;
}

export type Program = (events: ProgramEvents) => RunningProgram;

export function thread(script: URL, options: WorkerOptions): Program {
  return ({ onMessage, onExit, onClose }) => {
    // oxlint-disable-next-line no-restricted-properties -- a thread has a copy of it in any case
    const worker = new Worker(script, { ...options, env: { ...process.env, ...compileCache() } });
    let failure: Failure | undefined;
    worker.on("message", onMessage);
    worker.on("error", (error) => {
      failure = { isMemory: false, error: toError(error) };
    });
    worker.once("exit", () => {
      onExit();
      onClose(failure);
    });
    return {
      pid: undefined,
      post: (message, memory) => worker.postMessage(message, memory),
      kill: () => void worker.terminate(),
      keepAlive: () => undefined,
    };
  };
}

/** A process, for unlimited work: a thread cannot be killed in every state, nor limited in all its memory. */
export function childProcess(
  script: URL,
  { flags, environment }: { flags: string[]; environment: NodeJS.ProcessEnv },
): Program {
  return ({ onMessage, onExit, onClose }) => {
    const child = fork(script, [], {
      serialization: "advanced",
      ...(isSea() && process.platform === "linux" ? { execPath: OWN_PROGRAM } : {}),
      execArgv: [],
      // As arguments, an executable would take them for its own.
      env: { ...environment, NODE_OPTIONS: flags.join(" ") },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let stderr = "";
    const watch = async () => {
      let failure: Failure;
      try {
        const [code, signal] = (await once(child, "close")) as unknown[];
        // V8 aborts when its heap is full; the system kills a process when memory runs out.
        const isMemory = signal === "SIGABRT" || signal === "SIGKILL" || code === 134;
        const error = new Error(`a child process ended by itself (${String(signal ?? code)}): ${stderr}`);
        failure = { isMemory, error };
      } catch (error) {
        failure = { isMemory: false, error: toError(error) };
      }
      onExit();
      onClose(failure);
    };
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    child.on("message", onMessage);
    child.once("exit", onExit);
    // A failed start emits it; `watch` reports that.
    child.once("error", () => undefined);
    void watch();
    return {
      pid: child.pid,
      post: (message) => {
        if (!child.connected) {
          child.kill("SIGKILL");
          return;
        }
        child.send(message, (error) => {
          // The exit of the process rejects its calls.
          if (error !== null) child.kill("SIGKILL");
        });
      },
      kill: () => void child.kill("SIGKILL"),
      // The pipes count, too: of children that end together, one may be reaped before its pipes are read.
      keepAlive: (isNeeded) => {
        for (const handle of [child, child.channel, child.stderr as Socket | null]) {
          if (isNeeded) handle?.ref();
          else handle?.unref();
        }
      },
    };
  };
}

/** The environment by which a thread or a process uses this one's compiled code: otherwise it compiles all of its own, half a second's work. */
export function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Within it, each version of Node has a folder.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
