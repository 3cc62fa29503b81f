/** What the commands of `webhook` have in common: their arguments, and what follows when nobody is there to send. */
import type { Config } from "../../config.ts";
import { EVENT_KINDS, type EventKind } from "../../domain/webhooks/event.ts";
import { findService } from "../../process/data-lock.ts";
import { parseDuration } from "../duration.ts";
import { type Io, oneOf, UsageError } from "../command.ts";

export const WEBHOOK_ID = "The webhook's id";

export function idOf(positionals: readonly string[]): string {
  return (positionals[0] ?? "").toLowerCase();
}

/** Kinds separated by commas. @returns undefined when the option was not given. @throws UsageError. */
export function parseEvents(text: string | undefined): EventKind[] | undefined {
  return text?.split(",").flatMap((name) => oneOf(name.trim(), EVENT_KINDS, "events") ?? []);
}

/** @throws UsageError unless it is a whole number from `least` to `most`. */
export function parseWhole(text: string, least: number, most: number, option: string): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most)) {
    throw new UsageError(`--${option} is "${text}"; it must be a whole number from ${least} to ${most}.`);
  }
  return number;
}

/** What was put in line is sent by the service: says so where none runs. */
export function warnUnlessServing(io: Pick<Io, "err">, { database }: Pick<Config, "database">): void {
  if (database.kind === "sqlite" && findService(database.path) === null) {
    io.err(`The service is not running: what waits is sent when "rostrum serve" runs again.\n`);
  }
}

/** `Name: value`; what a header may be is the operation's to say. @throws UsageError. */
export function parseHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    // The rest may be a secret: it is not repeated.
    if (name === "") throw new UsageError('A --header has no name; write it like --header "Name: value".');
    if (headers.has(name)) throw new UsageError(`The header ${name} is given twice.`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(headers);
}

/** 0, or days, hours or minutes. @returns milliseconds. @throws UsageError. */
export function parseOverlap(text: string): number {
  const overlap = text === "0" ? 0 : parseDuration(text);
  if (overlap === undefined) throw new UsageError(`--overlap is "${text}"; write it like 24h, 2d, 30m or 0.`);
  return overlap;
}
