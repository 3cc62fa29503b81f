import type { Config } from "../../process/settings/config.ts";
import { EVENT_KINDS, type EventKind } from "../../domain/webhooks/event.ts";
import { findService } from "../../process/data-lock.ts";
import { type Io, parseChoice, parseDuration, UsageError } from "../command.ts";

export const WEBHOOK_ID = "The webhook's id";

export function requireId(positionals: readonly string[]): string {
  return (positionals[0] ?? "").toLowerCase();
}

/** Parses event kinds separated by commas. @returns undefined when the option is missing. @throws UsageError. */
export function parseEvents(text: string | undefined): EventKind[] | undefined {
  return text?.split(",").flatMap((name) => parseChoice(name.trim(), EVENT_KINDS, "events") ?? []);
}

/** @throws UsageError unless the text is a whole number from `least` to `most`. */
export function parseWhole(text: string, least: number, most: number, option: string): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most)) {
    throw new UsageError(`--${option} is "${text}"; it must be a whole number from ${least} to ${most}.`);
  }
  return number;
}

/** Warns if no service is running, because only the service sends queued deliveries. */
export function warnUnlessServing(io: Pick<Io, "err">, { database }: Pick<Config, "database">): void {
  if (database.kind === "sqlite" && findService(database.path) === null) {
    io.err(`The service is not running: waiting deliveries are sent when "rostrum serve" runs again.\n`);
  }
}

/** Parses `Name: value`; the operation validates the headers themselves. @throws UsageError. */
export function parseHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    // The rest may be a secret, so it is not repeated.
    if (name === "") throw new UsageError('A --header has no name; write it like --header "Name: value".');
    if (headers.has(name)) throw new UsageError(`The header ${name} is given twice.`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(headers);
}

/** Parses 0, or days, hours or minutes. @returns milliseconds. @throws UsageError. */
export function parseOverlap(text: string): number {
  const overlap = text === "0" ? 0 : parseDuration(text);
  if (overlap === undefined) throw new UsageError(`--overlap is "${text}"; write it like 24h, 2d, 30m or 0.`);
  return overlap;
}
