import { pino } from "pino";
import type { Config } from "./settings/config.ts";
import { redact } from "../domain/system/redact.ts";
import type { RequestLog } from "../http/request.ts";
import { LineWriter } from "./line-writer.ts";

export interface Log extends RequestLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  /** One POST of a webhook; logged at `info` when it failed. */
  attempt(facts: { outcome: string; ms: number }): void;
  error(error: unknown, message: string): void;
  flush(): void;
}

const MAX_URL_LENGTH = 500;
/** Longer than any secret, because a truncated secret could not be recognized. */
const SECRET_LENGTH = 100;

/**
 * Writes JSON lines without secrets, even in clients' texts. Successful reads only at `debug`: lines would cost more.
 * `onLine`: called with each line, too.
 */
export function openLog(level: Config["logLevel"], onLine?: (line: string) => void): Log {
  const destination = new LineWriter((lines) => {
    log.warn({ lines }, "lines were dropped: the reader of the log is too slow");
  });
  const streamWrite = (text: string) => {
    const line = redact(text);
    onLine?.(line);
    return line;
  };
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite } },
    destination,
  );
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

function shorten(url: string): string {
  return redact(url.slice(0, MAX_URL_LENGTH + SECRET_LENGTH)).slice(0, MAX_URL_LENGTH);
}

/** Lines of one kind and address that are logged each minute; further ones are counted. */
const MAX_LINES = 10;
/** Kinds and addresses that are told apart; all others are counted together. */
const MAX_GROUPS = 200;
const MINUTE_MS = 60_000;

interface Group {
  kind: string;
  address: string;
  count: number;
}

/** Sums up requests that are refused again and again, so that nobody can fill the disk with log lines. */
class RefusalLog {
  readonly #groups = new Map<string, Group>();
  readonly #summarize: (group: Group) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `summarize` logs how many lines of a group were left out. */
  constructor(summarize: (group: Group) => void) {
    this.#summarize = summarize;
  }

  /** Counts a refusal. @returns whether it gets a line of its own. */
  record(kind: string, address: string): boolean {
    this.#timer ??= setTimeout(() => this.flush(), MINUTE_MS).unref();
    const group = this.#group(kind, address);
    return ++group.count <= MAX_LINES;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    for (const { count, ...group } of groups) {
      if (count > MAX_LINES) this.#summarize({ ...group, count: count - MAX_LINES });
    }
  }

  #group(kind: string, address: string): Group {
    const key = `${kind} ${address}`;
    const found = this.#groups.get(key);
    if (found !== undefined) return found;
    if (this.#groups.size > MAX_GROUPS && kind !== "others") return this.#group("others", "");
    const group = { kind, address, count: 0 };
    this.#groups.set(key, group);
    return group;
  }
}
