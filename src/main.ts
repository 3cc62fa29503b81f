import { fstatSync } from "node:fs";
import { type Command, explainFailure, type Io, runCommand, UsageError } from "./cli/command.ts";
import { printable, printableLine } from "./cli/output.ts";
import { whenStopped } from "./cli/stop-signals.ts";

/** Loaded on demand: a command starts without the code of the others. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  serve: { summary: "run the service", load: async () => (await import("./cli/serve.ts")).serve },
  demo: {
    summary: "run a demonstration with a website and its articles",
    load: async () => (await import("./cli/demo/demo.ts")).demo,
  },
  website: {
    summary: "create, list and delete websites, and change their settings",
    load: async () => (await import("./cli/website/website.ts")).website,
  },
  key: { summary: "create, list and revoke API keys", load: async () => (await import("./cli/people/key.ts")).key },
  token: {
    summary: "create, list and revoke access tokens",
    load: async () => (await import("./cli/people/token.ts")).token,
  },
  sender: {
    summary: "connect services that push articles, and see what they have sent",
    load: async () => (await import("./cli/articles/sender.ts")).sender,
  },
  import: { summary: "import articles", load: async () => (await import("./cli/articles/import.ts")).importCommand },
  export: {
    summary: "export a website's articles",
    load: async () => (await import("./cli/articles/export.ts")).exportCommand,
  },
  push: {
    summary: "send a repository's articles to a service",
    load: async () => (await import("./cli/articles/push.ts")).push,
  },
  pull: {
    summary: "write published articles as Markdown files",
    load: async () => (await import("./cli/articles/pull.ts")).pull,
  },
  mcp: {
    summary: "connect an agent on this machine to the articles of a service",
    load: async () => (await import("./cli/articles/mcp.ts")).mcp,
  },
  article: {
    summary: "create, change, approve, publish and delete articles",
    load: async () => (await import("./cli/articles/article.ts")).article,
  },
  verify: {
    summary: "check a review record offline",
    load: async () => (await import("./cli/articles/verify.ts")).verify,
  },
  recheck: {
    summary: "compute quality metrics anew after an upgrade",
    load: async () => (await import("./cli/articles/recheck.ts")).recheck,
  },
  webhook: {
    summary: "manage webhooks, their deliveries and replays",
    load: async () => (await import("./cli/webhooks/webhook.ts")).webhook,
  },
  "review-key": {
    summary: "list, rotate and revoke the keys that sign review records",
    load: async () => (await import("./cli/system/review-key.ts")).reviewKey,
  },
  user: {
    summary: "add and list users, reset passwords",
    load: async () => (await import("./cli/people/user.ts")).user,
  },
  backup: { summary: "copy all data into a file", load: async () => (await import("./cli/system/backup.ts")).backup },
  restore: {
    summary: "restore a backup",
    load: async () => (await import("./cli/system/restore.ts")).restore,
  },
  restored: {
    summary: "prepare a database that was restored by other means",
    load: async () => (await import("./cli/system/restored.ts")).restored,
  },
  migrate: {
    summary: "migrate the database to this version",
    load: async () => (await import("./cli/system/migrate.ts")).migrate,
  },
  "migrate-store": {
    summary: "move all data between SQLite and PostgreSQL",
    load: async () => (await import("./cli/system/migrate-store.ts")).migrateStore,
  },
  doctor: {
    summary: "check the installation and report problems",
    load: async () => (await import("./cli/system/doctor.ts")).doctor,
  },
  version: { summary: "print the version", load: async () => (await import("./cli/version.ts")).version },
};

/** Runs one command. @returns the exit code. */
export async function main(args: string[], io = processIo()): Promise<number> {
  try {
    return await run(args, io);
  } catch (error) {
    const failure = explainFailure(error);
    if (failure === null) throw error;
    io.err(`${failure.message}\n`);
    return failure.code;
  }
}

async function run([name, ...args]: string[], io: Io): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    io.out(`${overview()}\n`);
    return name === undefined ? 2 : 0;
  }
  const entry = name === "--version" ? COMMANDS["version"] : Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) throw new UsageError(`There is no command "${name}".`);
  return runCommand(name, await entry.load(), args, io);
}

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(15)}${summary}`);
  return [
    "Rostrum stores articles, has them reviewed and published, and delivers them by a read API.",
    "",
    "Usage: rostrum <command> [options]",
    "",
    ...lines,
    "",
    "Each command has --help. Settings are read from the environment and from .env; the README lists them.",
  ].join("\n");
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
  // The reader of a pipe may close it early, as `head` does: that ends the command without an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.kill(process.pid, "SIGPIPE");
  });
  // A service goes on without the reader of its messages.
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
    redraw: (text) => void process.stderr.write(`\r\u001b[K${printableLine(text)}`),
    isTerminal: process.stderr.isTTY,
    isJournal: isJournal(process.env["JOURNAL_STREAM"]),
    // The only place that passes the environment on; src/process/config.ts reads it.
    environment: process.env,
    directory: process.cwd(),
    exit,
    whenStopped: () => whenStopped(exit),
  };
}
