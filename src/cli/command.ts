import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { AppError, type ErrorCode } from "../domain/system/errors.ts";
import type { StopReason } from "./stop-signals.ts";

/** Where a command reads and writes. What a terminal would obey in a text is shown instead. */
export interface Io {
  stdin: NodeJS.ReadableStream;
  /** Data, and nothing else. */
  out(text: string): void;
  /** Data in a stream: `done` is called when there is room for more. */
  write(text: string, done: (error?: Error | null) => void): void;
  /** Progress and messages. */
  err(text: string): void;
  /** Puts this in place of the last line of standard error, for a person who watches. */
  redraw(text: string): void;
  /** Whether a person watches standard error. */
  isTerminal: boolean;
  /** Whether the system's journal keeps standard error, for others to read. */
  isJournal: boolean;
  environment: Record<string, string | undefined>;
  directory: string;
  /** Ends the process at once, whatever it is doing. */
  exit(code: number): void;
  /** Resolves when the process is asked to stop, and says how. From then on a second signal ends it at once. */
  whenStopped(): Promise<StopReason>;
}

export interface Command {
  /** One line for the overview. */
  summary: string;
  /** What `--help` says. */
  help: string;
  /** Whether the first argument is a command of its own, which has its own `--help`. */
  isGroup?: true;
  /** @returns the exit code. */
  run(args: string[], io: Io): Promise<number>;
}

/** The command was written wrongly: exit code 2, and where to read how. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** 1 refused or failed, 69 database unavailable, 78 bad configuration. */
const EXIT_CODES = {
  invalid: 1,
  unauthenticated: 1,
  forbidden: 1,
  not_found: 1,
  too_many: 1,
  conflict: 1,
  too_expensive: 1,
  busy: 1,
  unavailable: 69,
  service_unavailable: 69,
  misconfigured: 78,
} as const satisfies Record<ErrorCode, number>;

const EXIT_USAGE = 2;

/** Actor of what is done on the command line: whoever can run it owns the data, and may approve. */
export const CLI_ACTOR = { id: "cli", mayApprove: true };

type Options = ParseArgsOptionsConfig;

/** Parses arguments strictly. @throws UsageError with the parser's own sentence. */
export function parse<T extends Options>(args: string[], options: T, positionals: readonly string[] = []) {
  const parsed = tryParse(args, options);
  if (parsed.positionals.length < positionals.length) {
    throw new UsageError(`${positionals[parsed.positionals.length]} is missing.`);
  }
  if (parsed.positionals.length > positionals.length) {
    throw new UsageError(`"${parsed.positionals[positionals.length]}" is one argument too many.`);
  }
  return parsed;
}

function tryParse<T extends Options>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError when the option was not given. */
export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === "") throw new UsageError(`--${option} is missing.`);
  return value;
}

/** @throws UsageError unless the value is one of the set. */
export function oneOf<T extends string>(
  value: string | undefined,
  values: readonly T[],
  option: string,
): T | undefined {
  if (value === undefined) return undefined;
  const found = values.find((one) => one === value);
  if (found === undefined) throw new UsageError(`--${option} is "${value}"; it must be one of ${values.join(", ")}.`);
  return found;
}

/** Chooses among subcommands, as in `key create`. */
export function subcommands(
  name: string,
  commands: Record<string, Command>,
): Pick<Command, "help" | "isGroup" | "run"> {
  const lines = Object.entries(commands).map(([sub, command]) => `  ${`${name} ${sub}`.padEnd(26)}${command.summary}`);
  const help = `Usage: rostrum ${name} <command>\n\n${lines.join("\n")}\n\nEach has --help.`;
  return {
    help,
    isGroup: true,
    async run(args, io) {
      const [sub, ...rest] = args;
      if (sub === undefined || sub === "--help" || sub === "-h") {
        if (sub === undefined) io.err(`${help}\n`);
        else io.out(`${help}\n`);
        return sub === undefined ? EXIT_USAGE : 0;
      }
      const command = Object.hasOwn(commands, sub) ? commands[sub] : undefined;
      if (command === undefined) throw new UsageError(`There is no "${name} ${sub}".`);
      return runCommand(command, rest, io);
    },
  };
}

export async function runCommand(command: Command, args: string[], io: Io): Promise<number> {
  if (command.isGroup !== true && (args.includes("--help") || args.includes("-h"))) {
    io.out(`${command.help}\n`);
    return 0;
  }
  return command.run(args, io);
}

/** The sentence and the exit code of a failure; null for what is a bug. */
export function explainFailure(error: unknown): { message: string; code: number } | null {
  if (error instanceof UsageError) {
    return { message: `${error.message} "rostrum --help" shows how commands are written.`, code: EXIT_USAGE };
  }
  if (error instanceof AppError) {
    const { cause, code, message } = error;
    // The person at the machine sees why the system refused; a client over the network does not.
    const reason = code === "service_unavailable" && cause instanceof Error ? ` (${cause.message})` : "";
    return { message: message + reason, code: EXIT_CODES[code] };
  }
  return null;
}
