/**
 * `npm test` runs everything that needs no browser: all of it on SQLite, and then, where PostgreSQL is installed, what
 * is promised of both engines once more on a PostgreSQL server of its own, with the tests that need one. It names what
 * it leaves out. `npm run test:all` adds the browser's part and refuses to leave anything out; `npm run test:browser` is
 * that part alone.
 *
 * `node tools/test.ts test/spec/*.test.ts` runs these files on SQLite; with `--postgres` before them, on PostgreSQL.
 * `--postgres` alone is the pass on PostgreSQL alone. What node:test prints stands last.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { findPostgres, startPostgres } from "../test/helpers/postgres.ts";

const EVERYWHERE = ["src/**/*.test.ts", "test/!(browser|postgres)/**/*.test.ts"];
const IN_BROWSER = ["test/browser/**/*.test.ts"];
/** The helpers of these open their data on the server that `SERVER` names, when it names one. */
const ON_BOTH_ENGINES = [
  "src/operations/**/*.test.ts",
  "test/coherence/**/*.test.ts",
  "test/decisions/**/*.test.ts",
  "test/people/**/*.test.ts",
  "test/hostile/requests.test.ts",
  "test/spec/**/*.test.ts",
  "test/store/**/*.test.ts",
  "test/webhooks/**/*.test.ts",
];
const NEEDS_POSTGRES = ["test/postgres/**/*.test.ts"];

const SERVER = "ROSTRUM_TEST_DATABASE_SERVER";
const CHROMIUM = "/usr/bin/chromium";
/** Of one test, and of one file, milliseconds: far more than the longest needs. What hangs fails, and is named. */
const TIMEOUT_MS = 300_000;

const words = process.argv.slice(2);
const isAll = words.includes("--all");
const isOnlyPostgres = words.includes("--postgres");
const isOnlyBrowser = words.includes("--browser");
const filters = words.filter((word) => !word.startsWith("--"));

const hasPostgres = findPostgres() !== undefined;
const missing = [
  ...((isAll || isOnlyBrowser) && !existsSync(CHROMIUM)
    ? [`The browser tests need Chromium at ${CHROMIUM} (Debian: apt-get install chromium).`]
    : []),
  ...((isAll || isOnlyPostgres) && !hasPostgres
    ? ["The tests on PostgreSQL need its server (Debian: apt-get install postgresql; it need not run)."]
    : []),
];

if (missing.length > 0) {
  process.stderr.write(`${missing.join("\n")}\n${isAll ? 'Without them: "npm test".\n' : ""}`);
  process.exitCode = 1;
} else if (isOnlyBrowser) {
  process.exitCode = (await runTests(IN_BROWSER)) === "passed" ? 0 : 1;
} else {
  await runPasses();
}

async function runPasses(): Promise<void> {
  const isFiltered = filters.length > 0;
  const outcomes: Outcome[] = [];
  if (!isAll && !isFiltered && !isOnlyPostgres) {
    say('Left out: the browser tests (test/browser); "npm run test:all" runs them too.');
    if (!hasPostgres)
      say("Left out: the tests on PostgreSQL; there is none here (Debian: apt-get install postgresql).");
  }
  if (!isOnlyPostgres) {
    say("On SQLite:");
    outcomes.push(await runTests(isFiltered ? filters : isAll ? [...EVERYWHERE, ...IN_BROWSER] : EVERYWHERE));
  }
  if (isOnlyPostgres || (hasPostgres && !isFiltered && outcomes[0] !== "interrupted")) {
    await using server = await startPostgres();
    const [row] = await server.query("show server_version");
    const before = outcomes[0] === undefined ? "" : ` (on SQLite, above, the tests ${outcomes[0]})`;
    say(`On PostgreSQL ${String(row?.["server_version"])}${before}:`);
    outcomes.push(await runTests(isFiltered ? filters : [...ON_BOTH_ENGINES, ...NEEDS_POSTGRES], server.url()));
  }
  process.exitCode = outcomes.every((outcome) => outcome === "passed") ? 0 : 1;
}

type Outcome = "passed" | "failed" | "interrupted";

/** On SQLite, unless there is a server. */
async function runTests(files: string[], server?: string): Promise<Outcome> {
  const args = ["--test", `--test-concurrency=${availableParallelism()}`, `--test-timeout=${TIMEOUT_MS}`, ...files];
  const child = spawn(process.execPath, args, {
    stdio: "inherit",
    // oxlint-disable-next-line no-restricted-properties -- handed on as it is, but for the one variable
    env: { ...process.env, [SERVER]: server },
  });
  // This process stays until the tests have ended: they may need the server until then.
  let isInterrupted = false;
  const interrupt = (signal: NodeJS.Signals) => {
    isInterrupted = true;
    child.kill(signal);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const [code] = (await once(child, "exit")) as [number | null];
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  return isInterrupted ? "interrupted" : code === 0 ? "passed" : "failed";
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
