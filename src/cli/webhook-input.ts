/** What the commands of `webhook` have in common: their arguments, and what follows when nobody is there to send. */
import type { Config } from "../config.ts";
import { EVENT_KINDS, type EventKind } from "../domain/event.ts";
import { servingProcess } from "../running.ts";
import { type Io, oneOf, UsageError } from "./command.ts";

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
export function warnUnlessServing(io: Pick<Io, "err">, { databasePath }: Pick<Config, "databasePath">): void {
  if (servingProcess(databasePath) === null) {
    io.err(`The service is not running: what waits is sent when "rostrum serve" runs again.\n`);
  }
}
