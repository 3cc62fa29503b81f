import type { ParseArgsOptionsConfig } from "node:util";
import { isAbsolute, join, relative } from "node:path";
import { isSea } from "node:sea";
import { AppError, type ErrorCode, getErrorCode } from "../domain/system/errors.ts";
import type { Pools } from "../app/app.ts";
import type { StopReason } from "./stop-signals.ts";
import { didYouMean } from "../domain/system/suggest.ts";

const LAUNCHER = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const { parseArgs } = process.getBuiltinModule("node:util");

/** Standard streams of a command. Control characters in texts are escaped, not sent to the terminal. */
export interface Io {
  stdin: NodeJS.ReadableStream;
  /** Writes data to standard output, which is used for nothing else. */
  out(text: string): void;
  /** Streams data: `done` is called when there is room for more. */
  write(data: string | Uint8Array, done: (error?: Error | null) => void): void;
  /** Writes progress and messages to standard error. */
  err(text: string): void;
  redraw(text: string): void;
  /** Takes the whole terminal. Only where `columns` is not null. */
  openScreen(): Promise<Screen>;
  isTerminal: boolean;
  /** Width of the terminal to which standard output is written; null if it is no terminal. */
  columns: number | null;
  /** Whether standard error is kept in the system's journal, which other users may read. */
  isJournal: boolean;
  environment: Record<string, string | undefined>;
  directory: string;
  /** Where several commands run in one process. */
  pools?: Pools;
  /** Ends the process immediately. */
  exit(code: number): void;
  /** Resolves with the reason when the process is told to stop. A second signal after that ends it immediately. */
  whenStopped(): Promise<StopReason>;
}

/** A line of a screen. */
export interface Line {
  text: string;
  style?: "bold" | "red" | "yellow" | undefined;
}

/** A whole terminal, redrawn in place. */
export interface Screen extends Disposable {
  /** Shows these lines instead of the previous ones, as far as there is room. */
  draw(lines: readonly Line[]): void;
  columns(): number;
  /** Resolves when somebody presses q, Ctrl-C or Escape. */
  quit: Promise<void>;
  /** Called when the terminal's size changes. */
  onResize(listener: () => void): void;
}

export interface Command {
  summary: string;
  help: string;
  /** Subcommands, by the first argument; each has its own `--help`. */
  commands?: Readonly<Record<string, Command>>;
  /** Whether it is a command without a subcommand, too. */
  runsAlone?: true;
  /** @returns the exit code; undefined is 0. */
  run(args: string[], io: Io): Promise<number | void>;
}

/** Wrong usage of a command: exits with code 2 and refers to its help. */
export class UsageError extends Error {
  override name = "UsageError";
  /** The command to whose help the message refers, such as `article create`; null for the list of commands. */
  command: string | null = null;
}

/** 1 rejected or failed, 69 database unavailable, 78 invalid configuration. */
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

export const EXIT_USAGE = 2;

/** Actor of all CLI actions: the user who can run the CLI owns the data, and may approve. */
export const CLI_ACTOR = { id: "cli", mayApprove: true, isOperator: true } as const;

type Options = ParseArgsOptionsConfig;

/** Parses arguments strictly; `more` may follow the positionals. @throws UsageError with the first sentence of the parser. */
export function parseOptions<T extends Options>(
  args: string[],
  options: T,
  positionals: readonly string[] = [],
  more = 0,
) {
  const parsed = tryParse(args, options);
  if (parsed.positionals.length < positionals.length) {
    throw new UsageError(`${positionals[parsed.positionals.length]} is missing.`);
  }
  const extra = parsed.positionals[positionals.length + more];
  if (extra !== undefined) {
    throw new UsageError(`Unexpected argument "${extra}".`);
  }
  return parsed;
}

function tryParse<T extends Options>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // The parser's further sentences are about arguments that begin with a dash.
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    const unknown = /^Unknown option '--(.*)'/.exec(sentence)?.[1];
    const suggestion = unknown === undefined ? "" : didYouMean(unknown, Object.keys(options), "--");
    throw new UsageError((sentence.endsWith(".") ? sentence : `${sentence}.`) + suggestion);
  }
}

/** @throws UsageError when the option is missing. */
export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === "") throw new UsageError(`--${option} is missing.`);
  return value;
}

/** @throws UsageError unless the value is in the set. */
export function parseChoice<T extends string>(
  value: string | undefined,
  values: readonly T[],
  option: string,
): T | undefined {
  if (value === undefined) return undefined;
  const found = values.find((one) => one === value);
  if (found === undefined) throw new UsageError(`--${option} is "${value}"; it must be one of ${values.join(", ")}.`);
  return found;
}

/** Parses whole days, hours or minutes: `90d`, `12h`, `30m`. @returns milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (amount === undefined || (unit !== "m" && unit !== "h" && unit !== "d")) return undefined;
  return Number(amount) * UNIT_MS[unit];
}

/** Dispatches to subcommands, as in `key create`. */
export function subcommands(
  name: string,
  commands: Record<string, Command>,
): Pick<Command, "help" | "commands" | "run"> {
  const lines = Object.entries(commands).map(([sub, command]) => `  ${`${name} ${sub}`.padEnd(30)}${command.summary}`);
  const help = `Usage: rostrum ${name} <command>\n\n${lines.join("\n")}\n\n"rostrum help ${name} COMMAND" explains one.`;
  return {
    help,
    commands,
    async run([sub, ...rest], io) {
      if (sub === undefined) {
        io.err(`${help}\n`);
        return EXIT_USAGE;
      }
      const command = Object.hasOwn(commands, sub) ? commands[sub] : undefined;
      if (command === undefined) {
        throw new UsageError(`There is no "${name} ${sub}".${didYouMean(sub, Object.keys(commands), `${name} `)}`);
      }
      return runCommand(`${name} ${sub}`, command, rest, io);
    },
  };
}

export async function runCommand(name: string, command: Command, args: string[], io: Io): Promise<number> {
  const isGroup =
    command.runsAlone === true ? Object.hasOwn(command.commands ?? {}, args[0] ?? "") : command.commands !== undefined;
  const asked = isGroup ? args.slice(0, 1) : args;
  if (asked.includes("--help") || asked.includes("-h")) {
    // Loaded on demand: it has the examples of all commands.
    const { explain } = await import("./help.ts");
    io.out(`${explain(name, command, io.columns)}\n`);
    return 0;
  }
  try {
    return (await command.run(args, io)) ?? 0;
  } catch (error) {
    // A group's subcommand has set its own name already.
    if (error instanceof UsageError) error.command ??= name;
    throw error;
  }
}

/** The message and exit code of a failure; null for a bug. */
export function explainFailure(error: unknown): { message: string; code: number } | null {
  if (error instanceof UsageError) {
    const help = error.command === null ? "rostrum --help" : `rostrum ${error.command} --help`;
    return { message: `${error.message} See "${help}".`, code: EXIT_USAGE };
  }
  if (error instanceof AppError) {
    const { cause, code, message } = error;
    // A local user sees the system's error; a client over the network does not.
    const reason = code === "service_unavailable" && cause instanceof Error ? ` (${cause.message})` : "";
    return { message: message + reason, code: EXIT_CODES[code] };
  }
  return explainDisk(error);
}

/** A sentence for a command that could not open or write a file; null: the error is another one. */
function explainDisk(error: unknown): { message: string; code: number } | null {
  const code = getErrorCode(error) ?? "";
  if (!(error instanceof Error) || !Object.hasOwn(DISK_FAILURES, code)) return null;
  const path = "path" in error && typeof error.path === "string" ? error.path : "A file";
  return { message: `${path} cannot be ${DISK_FAILURES[code]}`, code: EXIT_CODES.unavailable };
}

const DISK_FAILURES: Record<string, string> = {
  EACCES: "opened: this user has no right to.",
  EDQUOT: "written: this user may not use more of the disk.",
  ENOSPC: "written: the disk is full.",
  EPERM: "opened: this user has no right to.",
  EROFS: "written: it is on a read-only disk.",
};

/** What starts this program again as it was started, with other arguments. */
export function ownProgram(environment: Io["environment"]): { program: string[]; environment: Io["environment"] } {
  const { execPath, execArgv } = process;
  if (!isSea()) return { program: [execPath, ...execArgv, LAUNCHER], environment };
  // An executable takes Node's options only from there.
  const options = [environment["NODE_OPTIONS"] ?? "", ...execArgv].join(" ").trim();
  return { program: [execPath], environment: options === "" ? environment : { ...environment, NODE_OPTIONS: options } };
}

/** How to start this program. Not always `npx rostrum`: npm would fetch whatever others published under that name. */
export function ownCommand(directory: string): string {
  const program = isSea() ? process.execPath : LAUNCHER;
  const near = relative(directory, program);
  const path = near.startsWith("..") || isAbsolute(near) ? program : near;
  const quoted = quoteWord(path);
  // A shell takes a name without a slash for a command's.
  return isSea() ? (path.includes("/") ? quoted : `./${path}`) : `node ${quoted}`;
}

/** For a command that people copy, or a shell runs. */
export function quoteWord(word: string): string {
  if (process.platform === "win32") return word.includes(" ") ? `"${word}"` : word;
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
