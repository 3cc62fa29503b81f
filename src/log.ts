import { pino } from "pino";
import type { Config } from "./config.ts";
import type { RequestLog } from "./http/public/delivery.ts";

export interface Log extends RequestLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  /** One POST of a webhook; told at `info` when it failed. */
  attempt(facts: { outcome: string; ms: number }): void;
  error(error: unknown, message: string): void;
  /** Writes out what is buffered. */
  flush(): void;
}

/**
 * JSON lines on standard output. Reads that went well are told at `debug` only: at ten thousand a second a line for
 * each would cost more than the answers.
 */
export function openLog(level: Config["logLevel"]): Log {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 0 });
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    isVerbose: log.isLevelEnabled("debug"),
    finished: (facts) => {
      const line = { ...facts, url: facts.url.slice(0, 500), ms: Math.round(facts.ms * 1000) / 1000 };
      if (facts.status >= 400) log.info(line, "request");
      else log.debug(line, "request");
    },
    failed: (facts, error) => log.error({ ...facts, url: facts.url.slice(0, 500), err: error }, "request failed"),
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
