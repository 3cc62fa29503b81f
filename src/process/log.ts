import { constants, fstatSync, openSync } from "node:fs";
import { pino } from "pino";
import type { Config } from "./config.ts";
import { redact } from "../domain/system/redact.ts";
import type { RequestLog } from "../http/request.ts";
import { RefusalLog } from "./refusal-log.ts";

export interface Log extends RequestLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  /** One POST of a webhook; logged at `info` when it failed. */
  attempt(facts: { outcome: string; ms: number }): void;
  error(error: unknown, message: string): void;
  flush(): void;
}

/** Lines that wait for a slow reader; further ones are dropped and counted, as they would fill the memory. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** How long the end of the process waits for the reader. */
const FLUSH_TIMEOUT_MS = 2_000;
/** Several processes and threads may write to one pipe; up to this size, a write is atomic (PIPE_BUF). */
const MAX_WRITE_BYTES = 4_096;
const MAX_URL_LENGTH = 500;
/** Longer than any secret, because a truncated secret could not be recognized. */
const SECRET_LENGTH = 100;

/**
 * Writes JSON lines without secrets, even in clients' texts. Successful reads only at `debug`: lines would cost more.
 */
export function openLog(level: Config["logLevel"]): Log {
  let giveUpAt = Number.POSITIVE_INFINITY;
  const destination = pino.destination({
    dest: openOutput(),
    retryEAGAIN: () => performance.now() < giveUpAt,
    sync: false,
    minLength: 0,
    maxWrite: MAX_WRITE_BYTES,
    maxLength: MAX_WAITING_BYTES,
  });
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
    destination,
  );
  const flushSync = destination.flushSync.bind(destination);
  // pino calls it, too, at the end of the process.
  destination.flushSync = () => {
    giveUpAt = Math.min(giveUpAt, performance.now() + FLUSH_TIMEOUT_MS);
    try {
      flushSync();
      giveUpAt = Number.POSITIVE_INFINITY;
    } catch {
      // Nobody reads: waiting would keep the process from ending.
    }
  };
  // What cannot be written now, as on a full disk, is written with the next line.
  destination.on("error", () => undefined);
  let dropped = 0;
  destination.on("drop", () => dropped++);
  destination.on("drain", () => {
    giveUpAt = Number.POSITIVE_INFINITY;
    const lines = dropped;
    dropped = 0;
    if (lines > 0) log.warn({ lines }, "lines were dropped: the reader of the log is too slow");
  });
  const refusals = new RefusalLog((group) => log.info(group, "further requests refused"));
  return {
    isVerbose: log.isLevelEnabled("debug"),
    finished: (facts) => {
      const line = { ...facts, url: shorten(facts.url), ms: Math.round(facts.ms * 1000) / 1000 };
      if (facts.status < 400) log.debug(line, "request");
      else if (refusals.record(String(facts.status), facts.address)) log.info(line, "request");
    },
    failed: (facts, error) => {
      const kind = error instanceof Error ? `${error.name}: ${error.message}`.slice(0, MAX_URL_LENGTH) : "failed";
      if (!refusals.record(kind, "")) return;
      log.error({ ...facts, url: shorten(facts.url), err: error }, "request failed");
    },
    attempt: (facts) => {
      const line = { ...facts, ms: Math.round(facts.ms * 1000) / 1000 };
      if (facts.outcome === "success") log.debug(line, "webhook attempt");
      else log.info(line, "webhook attempt");
    },
    warn: (facts, message) => log.warn(facts, message),
    info: (facts, message) => log.info(facts, message),
    error: (error, message) => log.error({ err: error }, message),
    flush: () => {
      refusals.flush();
      destination.flushSync();
    },
  };
}

/** Standard output, opened anew: a pipe that nobody reads would block this process, at its end for ever. */
function openOutput(): number {
  try {
    if (fstatSync(1).isFIFO()) return openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not on Linux, or the pipe belongs to another user.
  }
  return 1;
}

function shorten(url: string): string {
  return redact(url.slice(0, MAX_URL_LENGTH + SECRET_LENGTH)).slice(0, MAX_URL_LENGTH);
}
