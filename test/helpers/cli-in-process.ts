/**
 * Commands that run in this process: starting another takes most of a command's time. Signals, the process's own limits and
 * concurrent processes need helpers/cli.ts.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { printable } from "../../src/cli/output.ts";
import { main } from "../../src/main.ts";
import type { CliResult } from "./cli.ts";
import { pools } from "./content.ts";
import { record } from "./http.ts";

export interface CommandOptions {
  /** Where `.env` would be; paths in arguments must be absolute. */
  cwd?: string;
  /** The data folder. */
  data?: string;
  env?: Record<string, string>;
  stdin?: string;
  /** Width of a terminal. */
  columns?: number;
}

/** Runs one command without this process's environment. */
export async function runCli(args: readonly string[], options: CommandOptions = {}): Promise<CliResult> {
  const { cwd = options.data ?? import.meta.dirname, data, env, stdin = "" } = options;
  let [stdout, stderr] = ["", ""];
  const code = await main([...args], {
    stdin: Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]),
    out: (text) => {
      stdout += printable(text);
    },
    write: (data, done) => {
      stdout += typeof data === "string" ? data : Buffer.from(data).toString("latin1");
      done();
    },
    err: (text) => {
      stderr += printable(text);
    },
    redraw: () => assert.fail("there is no terminal"),
    openScreen: () => assert.fail("there is no terminal"),
    isTerminal: false,
    columns: options.columns ?? null,
    isJournal: false,
    pools,
    environment: { ...(data === undefined ? {} : { ROSTRUM_DATA_DIR: data }), ...env },
    directory: cwd,
    exit: (status) => assert.fail(`the command wants to end this process with ${status}`),
    whenStopped: () => new Promise(() => undefined),
  });
  return { code, signal: null, stdout, stderr, json: () => JSON.parse(stdout) as unknown };
}

/** Runs a command that must succeed. @returns its JSON output. */
export async function cliJson(args: readonly string[], options: CommandOptions = {}): Promise<Record<string, unknown>> {
  const result = await runCli([...args, "--json"], options);
  assert.equal(result.code, 0, `${args.join(" ")}: ${result.stderr}`);
  return record(result.json());
}
