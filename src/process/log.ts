import { pino } from "pino";
import type { Config } from "./config.ts";
import { redact } from "../domain/system/redact.ts";
import type { RequestLog } from "../http/request.ts";

export interface Log extends RequestLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  /** One POST of a webhook; logged at `info` when it failed. */
  attempt(facts: { outcome: string; ms: number }): void;
  error(error: unknown, message: string): void;
  /** Writes the buffered lines. */
  flush(): void;
}

/** Several processes and threads may write to one pipe; up to this size, a write is atomic (PIPE_BUF). */
const MAX_WRITE_BYTES = 4_096;
const MAX_URL_LENGTH = 500;
/** Longer than any secret, because a truncated secret could not be recognized. */
const SECRET_LENGTH = 100;

/**
 * Writes JSON lines to standard output, without secrets: a line may contain arbitrary text, such as a URL in which a client
 * sent a key. Successful reads are logged only at `debug`: at ten thousand a second, a line for each would cost more than the
 * responses.
 */
export function openLog(level: Config["logLevel"]): Log {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 0, maxWrite: MAX_WRITE_BYTES });
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
    destination,
  );
  return {
    isVerbose: log.isLevelEnabled("debug"),
    finished: (facts) => {
      const line = { ...facts, url: shorten(facts.url), ms: Math.round(facts.ms * 1000) / 1000 };
      if (facts.status >= 400) log.info(line, "request");
      else log.debug(line, "request");
    },
    failed: (facts, error) => log.error({ ...facts, url: shorten(facts.url), err: error }, "request failed"),
    attempt: (facts) => {
      const line = { ...facts, ms: Math.round(facts.ms * 1000) / 1000 };
      if (facts.outcome === "success") log.debug(line, "webhook attempt");
      else log.info(line, "webhook attempt");
    },
    warn: (facts, message) => log.warn(facts, message),
    info: (facts, message) => log.info(facts, message),
    error: (error, message) => log.error({ err: error }, message),
    flush: () => destination.flushSync(),
  };
}

function shorten(url: string): string {
  return redact(url.slice(0, MAX_URL_LENGTH + SECRET_LENGTH)).slice(0, MAX_URL_LENGTH);
}
