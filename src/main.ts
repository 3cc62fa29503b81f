import { fstatSync } from "node:fs";
import { EXIT_USAGE, explainFailure, type Io, runCommand, UsageError } from "./cli/command.ts";
import { COMMANDS } from "./cli/commands.ts";
import { systemSentence } from "./cli/files.ts";
import { printable, printableLine } from "./cli/output.ts";
import { whenStopped } from "./cli/stop-signals.ts";
import { didYouMean } from "./domain/system/suggest.ts";
import { getErrorCode } from "./domain/system/errors.ts";

/** The code of a program that SIGPIPE has ended; Node ignores the signal. */
const CLOSED_PIPE = 141;

/** Runs one command. @returns the exit code. */
export async function main(args: string[], io = processIo()): Promise<number> {
  try {
    return await run(args, io);
  } catch (error) {
    if (getErrorCode(error) === "EPIPE") return CLOSED_PIPE;
    const failure = explainFailure(error);
    if (failure === null) throw error;
    io.err(`${failure.message}\n`);
    return failure.code;
  }
}

async function run([name, ...args]: string[], io: Io): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && args.length === 0)) {
    const { overview } = await import("./cli/help.ts");
    io.out(`${overview()}\n`);
    return name === undefined ? EXIT_USAGE : 0;
  }
  if (name === "help") return run([...args, "--help"], io);
  const known = name === "--version" || name === "-v" ? "version" : name;
  const entry = Object.hasOwn(COMMANDS, known) ? COMMANDS[known] : undefined;
  if (entry === undefined) {
    throw new UsageError(`There is no command "${name}".${didYouMean(name, Object.keys(COMMANDS))}`);
  }
  return runCommand(known, await entry.load(), args, io);
}

function exit(code: number): void {
  process.exit(code);
}

/** Whether standard error is connected to systemd's journal. `stream`: device and inode of the journal. */
function isJournal(stream: string | undefined): boolean {
  const { dev, ino } = fstatSync(2);
  return stream === `${dev}:${ino}`;
}

function processIo(): Io {
  // The reader of a pipe may close it early, as `head` does. A service goes on without the reader of its messages.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(`The output could not be written: ${systemSentence(error) ?? error.message}\n`);
    exit(1);
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    stdin: process.stdin,
    out: (text) => void process.stdout.write(printable(text)),
    // Output that is not for a terminal, such as an export to a file, stays unchanged.
    write: (data, done) =>
      void process.stdout.write(process.stdout.isTTY ? printable(Buffer.from(data).toString()) : data, done),
    err: (text) => void process.stderr.write(printable(text)),
    // Loaded on demand: only one command needs it.
    openScreen: async () => (await import("./cli/screen.ts")).openScreen(process),
    redraw: (text) => void process.stderr.write(`\r\u001b[K${printableLine(text)}`),
    isTerminal: process.stderr.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : null,
    isJournal: isJournal(process.env["JOURNAL_STREAM"]),
    // The only place that passes the environment on; src/process/settings/ reads it.
    environment: process.env,
    directory: process.cwd(),
    exit,
    whenStopped: () => whenStopped(exit),
  };
}
