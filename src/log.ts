import type { Config } from "./config.ts";
import { redact } from "./domain/system/redact.ts";
import type { RequestLog } from "./http/request-log.ts";
import { LineWriter } from "./process/line-writer.ts";

export interface Log extends RequestLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  /** One POST of a webhook; logged at `info` when it failed. */
  attempt(facts: { outcome: string; ms: number }): void;
  error(error: unknown, message: string): void;
  /** Writes the buffered lines. */
  flush(): void;
}

const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 } as const;
const MAX_URL_LENGTH = 500;
/** Longer than any secret, because a truncated secret could not be recognized. */
const SECRET_LENGTH = 100;

/**
 * Writes JSON lines to standard output, without secrets: a line may contain arbitrary text, such as a URL in which a client
 * sent a key. Successful reads are logged only at `debug`: at ten thousand a second, a line for each would cost more than the
 * responses.
 */
export function openLog(level: Config["logLevel"]): Log {
  const write = (at: "debug" | "info" | "warn" | "error", facts: object, message: string) => {
    if (LEVELS[at] >= LEVELS[level]) output().write(redact(toLine(LEVELS[at], facts, message)));
  };
  return {
    isVerbose: LEVELS.debug >= LEVELS[level],
    finished: (facts) => {
      const line = { ...facts, url: shorten(facts.url), ms: Math.round(facts.ms * 1000) / 1000 };
      write(facts.status >= 400 ? "info" : "debug", line, "request");
    },
    failed: (facts, error) => write("error", { ...facts, url: shorten(facts.url), err: error }, "request failed"),
    attempt: (facts) => {
      const line = { ...facts, ms: Math.round(facts.ms * 1000) / 1000 };
      write(facts.outcome === "success" ? "debug" : "info", line, "webhook attempt");
    },
    warn: (facts, message) => write("warn", facts, message),
    info: (facts, message) => write("info", facts, message),
    error: (error, message) => write("error", { err: error }, message),
    flush: () => standardOutput?.flush(),
  };
}

/** One for all logs of this thread. */
let standardOutput: LineWriter | undefined;

function output(): LineWriter {
  if (standardOutput === undefined) {
    const writer = new LineWriter(1);
    process.on("exit", () => writer.flush());
    standardOutput = writer;
  }
  return standardOutput;
}

function toLine(level: number, facts: object, msg: string): string {
  const start = { level, time: new Date().toISOString() };
  try {
    const entries = Object.entries(facts).map(([name, value]) => [
      name,
      value instanceof Error ? toPlain(value) : value,
    ]);
    return `${JSON.stringify({ ...start, ...Object.fromEntries(entries), msg })}\n`;
  } catch (error) {
    // A property of an error from outside may be circular.
    return `${JSON.stringify({ ...start, unwritable: String(error), msg })}\n`;
  }
}

/** An error with its causes, as JSON. */
function toPlain(error: Error, above: readonly Error[] = []): object {
  const own = Object.entries(error).filter(([name]) => name !== "cause" && name !== "errors");
  const all = [...above, error];
  const plain = own.map(([name, value]) => [
    name,
    value instanceof Error ? (all.includes(value) ? undefined : toPlain(value, all)) : value,
  ]);
  const chain = causes(error);
  return {
    type: error.constructor.name,
    message: chain.map(({ message }) => message).join(": "),
    stack: chain.map(({ stack = "" }) => stack).join("\ncaused by: "),
    ...("errors" in error && Array.isArray(error.errors)
      ? {
          aggregateErrors: error.errors.map((one) =>
            one instanceof Error && !all.includes(one) ? toPlain(one, all) : String(one),
          ),
        }
      : {}),
    ...Object.fromEntries(plain.filter(([name]) => name !== "type" && name !== "message" && name !== "stack")),
  };
}

/** The error, its cause, the cause of that, … */
function causes(error: Error): Error[] {
  const chain: Error[] = [];
  for (let one: unknown = error; one instanceof Error && !chain.includes(one); one = one.cause) chain.push(one);
  return chain;
}

function shorten(url: string): string {
  return redact(url.slice(0, MAX_URL_LENGTH + SECRET_LENGTH)).slice(0, MAX_URL_LENGTH);
}
