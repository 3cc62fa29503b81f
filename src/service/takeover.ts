/**
 * Replaces a service on SQLite by another process, of another version, too, without a gap:
 *
 * 1. "rostrum serve --takeover" asks the service, through a socket beside the database, to start the successor. Only the service can
 *    pass its listening sockets on: to a child.
 * 2. The successor opens the database beside it, listens on the same sockets, and says so. Until then it changes nothing that the
 *    service needs, and if it ends, the service goes on.
 * 3. The service stops accepting, ends its background work, releases the data's lock and says so. Only then does the successor's
 *    background work begin. The service sends the rest of its responses and ends.
 *
 * A successor that has been told to end cannot take over any more: the service ignores it, and it ends itself unless it was released.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, getErrorCode } from "../domain/system/errors.ts";
import type { Log } from "../process/log.ts";
import { type PassedSockets, toPassedSockets } from "./passed-sockets.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How the successor is started. */
interface Request {
  program: readonly string[];
  directory: string;
  environment: Environment;
}

export interface Serving {
  pid: number;
  url: string;
  /** Sentences about settings that count only after a stop. */
  kept: string[];
}

interface Progress {
  /** The process that was started. */
  starting?: number;
  serving?: Serving;
  failed?: string;
}

/** The supervisor's names for the service that it has started, and the standard output that the successor inherits. */
const SUPERVISED = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "JOURNAL_STREAM"] as const;
/** What belongs to the command alone, whose parents end. */
const OF_COMMAND = /^(?:npm_|LISTEN_|WATCHDOG_|NOTIFY_SOCKET$|JOURNAL_STREAM$)/;
/** Beyond that it counts as hung. */
const START_TIMEOUT_MS = 600_000;
const KILL_AFTER_MS = 10_000;
const UMASK = 0o077;
const CONNECT_TIMEOUT_MS = 5_000;
/** A service that has not even begun by then hangs. */
const ANSWER_TIMEOUT_MS = 15_000;
const CONNECT_INTERVAL_MS = 100;

export function controlPath(databasePath: string): string {
  return `${databasePath}.control`;
}

export interface Successor {
  pid: number;
  /** Lets its background work begin. @throws AppError `conflict` if it has ended meanwhile. */
  release(): void;
}

export interface TakeoverOptions {
  path: string;
  sockets: PassedSockets;
  environment: Environment;
  log: Pick<Log, "info" | "warn">;
  /** Called when a successor has not taken over. */
  onFailed: () => void;
  startTimeoutMs?: number;
}

/** What the service does. Dispose of it when the service is told to stop: that ends a successor that does not serve yet. */
export class TakeoverOffer implements Disposable {
  /** Resolves when a successor serves. */
  readonly taken: Promise<Successor>;
  readonly #options: TakeoverOptions;
  readonly #resolve: (successor: Successor) => void;
  readonly #server: Server;
  #child: ChildProcess | undefined;
  #isTaken = false;
  #isOver = false;

  constructor(options: TakeoverOptions) {
    const { promise, resolve } = Promise.withResolvers<Successor>();
    this.#options = options;
    this.taken = promise;
    this.#resolve = resolve;
    this.#server = createServer((socket) => this.#onRequest(socket));
    const { path, log } = options;
    this.#server.on("error", (error) => log.warn({ path, reason: error.message }, "no other process can take over"));
    const obstacle = findObstacle(path);
    if (obstacle !== null) {
      if (process.platform !== "win32") log.warn({ reason: obstacle }, "no other process can take over");
      return;
    }
    // A killed service leaves it.
    rmSync(path, { force: true });
    const umask = process.umask(UMASK);
    this.#server.listen(path);
    process.umask(umask);
    this.#server.unref();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    if (!this.#isTaken) end(this.#child);
    if (this.#server.listening) this.#server.close();
  }

  #onRequest(socket: Socket): void {
    socket.on("error", () => undefined);
    const answer = (progress: Progress): void => {
      socket.end(`${JSON.stringify(progress)}\n`);
    };
    createInterface({ input: socket }).once("line", (line) => {
      const obstacle = this.#findObstacle();
      if (obstacle !== null) return answer({ failed: goesOn(obstacle) });
      let child: ChildProcess;
      try {
        // Only `askForTakeover` writes it, perhaps that of another version.
        child = this.#start(JSON.parse(line) as Request, answer);
        socket.write(`${JSON.stringify({ starting: child.pid })}\n`);
      } catch (error) {
        return answer({ failed: goesOn(error instanceof Error ? error.message : String(error)) });
      }
      // Whoever asked has given up.
      socket.once("close", () => {
        if (this.#child === child && !this.#isTaken) end(child);
      });
    });
  }

  #findObstacle(): string | null {
    if (this.#child !== undefined) {
      return `Another takeover is under way (process ${this.#child.pid}): wait until it is done.`;
    }
    const { environment } = this.#options;
    // Behind the launcher, which passes signals on, that is the main process (bin/other-node.js).
    const main = process.connected ? process.ppid : process.pid;
    const isWatched = environment["SYSTEMD_EXEC_PID"] === String(main) && environment["NOTIFY_SOCKET"] === undefined;
    if (main !== 1 && !isWatched) return null;
    const remedy = main === 1 ? "restart the container" : "restart it, or use Type=notify (deploy/rostrum.service)";
    return `Its process ${main} must not change, as everything would end with it: ${remedy}.`;
  }

  #start({ program: [file = "", ...args], directory, environment }: Request, answer: (progress: Progress) => void) {
    const { sockets, log } = this.#options;
    const passed = toPassedSockets(sockets);
    const child = spawn(file, args, {
      cwd: directory,
      env: {
        ...without(environment, OF_COMMAND),
        ...pick(this.#options.environment, SUPERVISED),
        ...passed.environment,
      },
      // It outlives this process.
      detached: true,
      stdio: ["ignore", "inherit", "inherit", ...passed.fds, "pipe"],
    });
    this.#child = child;
    let failure: string | undefined;
    const { startTimeoutMs = START_TIMEOUT_MS } = this.#options;
    const timeout = setTimeout(() => {
      failure = `The new process ${child.pid} did not serve within ${startTimeoutMs / 1_000} seconds, and was ended.`;
      end(child);
    }, startTimeoutMs).unref();
    const channel = child.stdio.at(-1) as Duplex | null | undefined;
    const onEnd = (reason: string) => {
      if (this.#child !== child || this.#isTaken) return;
      this.#child = undefined;
      clearTimeout(timeout);
      if (this.#isOver) return answer({ failed: "The service was told to stop meanwhile." });
      log.warn({ reason: failure ?? reason }, "another process could not take over; this one goes on");
      this.#options.onFailed();
      answer({ failed: goesOn(failure ?? reason) });
    };
    child.once("error", (error) => onEnd(`${file} could not be started: ${error.message}`));
    child.once("exit", (code, signal) => onEnd(`The new process ended with ${signal ?? `exit code ${code}`}.`));
    if (!channel) return child;
    channel.on("error", () => undefined);
    createInterface({ input: channel }).on("line", (line) => {
      const progress = parseProgress(line);
      failure = progress.failed ?? failure;
      if (progress.serving === undefined || this.#isTaken) return;
      // It has been told to end, and may end at any time.
      if (child.killed) {
        channel.destroy();
        return;
      }
      this.#isTaken = true;
      clearTimeout(timeout);
      this.#server.close();
      child.unref();
      const release = () => {
        const { exitCode, signalCode } = child;
        if (exitCode !== null || signalCode !== null) {
          const reason = `The new process ended with ${signalCode ?? `exit code ${exitCode}`} when it had just taken over.`;
          const failed = `${reason} Nobody serves: start the service again, unless systemd does.`;
          answer({ failed });
          throw new AppError("conflict", failed);
        }
        channel.end("released\n");
        answer(progress);
      };
      this.#resolve({ pid: progress.serving.pid, release });
    });
    return child;
  }
}

/** The service that the successor replaces, seen by the successor. */
export class Predecessor implements Disposable {
  readonly #channel: Socket;
  readonly #released: Promise<void>;

  constructor(fd: number) {
    this.#channel = new Socket({ fd, readable: true, writable: true });
    this.#channel.on("error", () => undefined);
    this.#channel.unref();
    // It writes one line. If it has been killed, it needs nothing any more: an error is no failure.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#channel.resume().once("close", () => resolve());
    this.#released = promise;
  }

  /** Says that this process serves. Resolves when the predecessor's background work has ended. */
  async replace(url: string, kept: string[]): Promise<void> {
    this.#channel.ref();
    this.#send({ serving: { pid: process.pid, url, kept } });
    await this.#released;
  }

  fail(reason: string): void {
    this.#send({ failed: reason });
  }

  #send(progress: Progress): void {
    if (!this.#channel.destroyed) this.#channel.write(`${JSON.stringify(progress)}\n`);
  }

  [Symbol.dispose](): void {
    this.#channel.destroySoon();
  }
}

/** Resolves when the successor serves. @throws AppError `conflict`. */
export async function askForTakeover(
  path: string,
  request: Request,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Promise<Serving> {
  const obstacle = findObstacle(path);
  if (obstacle !== null) throw new AppError("conflict", cannotBeTakenOver(obstacle));
  const socket = await connectTo(path);
  socket.write(`${JSON.stringify(request)}\n`);
  let progress: Progress = { failed: "The service has ended meanwhile." };
  const lines = createInterface({ input: socket });
  const timeout = setTimeout(() => {
    progress = { failed: cannotBeTakenOver("it does not answer") };
    // If it does later, it ends what it starts then.
    lines.close();
    socket.destroy();
  }, answerTimeoutMs);
  for await (const line of lines) {
    clearTimeout(timeout);
    const next = parseProgress(line);
    progress = next.starting === undefined ? next : { failed: goesOnAlone(next.starting) };
  }
  clearTimeout(timeout);
  if (progress.serving !== undefined) return progress.serving;
  throw new AppError("conflict", progress.failed ?? "The service gave no reason.");
}

function goesOn(reason: string): string {
  return `The service goes on as it was. ${reason}`;
}

/** When the service was killed during its takeover. */
function goesOnAlone(pid: number): string {
  return `The service has ended meanwhile. The new process ${pid} goes on: "rostrum doctor" says whether it serves.`;
}

function cannotBeTakenOver(reason: string): string {
  return `The service that runs cannot be taken over (${reason}): stop it, then start this one.`;
}

/** Why there can be no socket at this path; null: there can. */
function findObstacle(path: string): string | null {
  if (process.platform === "win32") return "Windows cannot pass on its port";
  const maxBytes = process.platform === "linux" ? 107 : 103;
  return Buffer.byteLength(path) > maxBytes ? `the path ${path} is longer than ${maxBytes} bytes` : null;
}

function end(child: ChildProcess | undefined): void {
  if (child === undefined) return;
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS).unref();
  child.once("exit", () => clearTimeout(timer));
}

/** Only this file writes it, perhaps that of another version. */
function parseProgress(line: string): Progress {
  try {
    return JSON.parse(line) as Progress;
  } catch {
    return { failed: `The new process said "${line.slice(0, 100)}".` };
  }
}

async function connectTo(path: string): Promise<Socket> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    try {
      const socket = connect(path);
      await once(socket, "connect");
      return socket;
    } catch (error) {
      // A service that has just started listens soon.
      if (performance.now() < deadline) await sleep(CONNECT_INTERVAL_MS);
      else {
        throw new AppError("conflict", cannotBeTakenOver(`${path}: ${getErrorCode(error)}`), { cause: error });
      }
    }
  }
}

function pick(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

function without(environment: Environment, pattern: RegExp): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !pattern.test(name)));
}
