/**
 * `npm test` runs the tests that need no browser and take no long time, on SQLite. It reports what it leaves out. `--long`, as in
 * CI, adds those that take long, and then, if PostgreSQL is installed, runs those of both engines again on a temporary PostgreSQL
 * server, together with the tests that need one. `npm run test:all` adds the browser tests to all of these, and fails instead of
 * leaving any out; `npm run test:browser` runs only the browser tests.
 *
 * `node tools/test.ts test/spec/*.test.ts` runs these files on SQLite; with `--postgres` before them, on PostgreSQL.
 * `--postgres` alone runs only the PostgreSQL part. The output of node:test comes last.
 *
 * With `--again`, as in CI, files with failed tests run once more, one after the other, so that a failure caused by a busy
 * machine does not hide other effects of a change. The first failure stays in the output and is named, because it is still a
 * defect of the test or of the service.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { CHROMIUM, WITHOUT_CHROMIUM } from "../test/helpers/chromium.ts";
import { findPostgres } from "../test/helpers/postgres-programs.ts";
import { buildDashboard } from "./build-dashboard.ts";
import type { FileOptions } from "./test-files.ts";

const EVERYWHERE = [
  "src/**/*.test.ts",
  "test/!(browser|journeys|postgres)/**/*.test.ts",
  "dashboard/test/**/*.test.ts",
];
/** In addition to the dashboard's components, which Vitest tests in its own pages. */
const IN_BROWSER = ["test/{browser,journeys}/**/*.test.ts"];
/** The helpers of these tests use the server that `SERVER` names, if it is set. */
const ON_BOTH_ENGINES = [
  "src/operations/**/*.test.ts",
  "test/agents/tools.test.ts",
  // Without those about texts, pictures and limits, which do not depend on the store.
  "test/articles/!(element-ids|markdown-source|picture-renditions|picture-safety|redlines|text-loss|upload).test.ts",
  "test/hostile/requests.test.ts",
  // Without who may take which route, which is decided alike.
  "test/people/!(cross-site-requests|permission-matrix).test.ts",
  "test/read-api/!(bad-requests|debug|error-responses|headers|rate-limit|responsive-images).test.ts",
  // Without those of what is computed, or read in a content process.
  "test/senders/!(by-field-list|corpus|credentials|dialects|forged).test.ts",
  "test/spec/**/*.test.ts",
  // Without those of what the process and its connections do.
  "test/system/!(compressed-json|disconnected-clients|object-layout|start-order).test.ts",
  "test/system/*/**/*.test.ts",
  "test/upgrades/**/*.test.ts",
  "test/webhooks/**/*.test.ts",
];
const NEEDS_POSTGRES = ["test/postgres/**/*.test.ts"];

const COMPONENTS = join(import.meta.dirname, "..", "node_modules", "vitest", "vitest.mjs");
const SERVER = "ROSTRUM_TEST_DATABASE_SERVER";
const TEMPLATE = "ROSTRUM_TEST_DATABASE_TEMPLATE";
const FULL = "ROSTRUM_TEST_FULL";
/** Each process loads much of the service, and many start further such processes. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, "..", ".cache", "compiled");
/** More than there are cores, because many tests wait for a time or a process; those in a browser wait less. */
const PROCESSES_AT_ONCE = availableParallelism() + 2;
const BROWSERS_AT_ONCE = availableParallelism() + 1;
/** Files that share a process, because loading the service takes longer than most of them. */
const MAX_FILES_PER_PROCESS = 60;
/**
 * For the everyday tests on SQLite. More would wait less, and compute more: each loads the service and starts processes that read texts.
 * They share the files; beside them, one after the other, run those files that need a process of their own.
 */
const EVERYDAY_PROCESSES = availableParallelism() + 2;
/**
 * Loops that kill, generated requests, the simulation, texts at the limits of time and memory, whole blogs, every role at every route,
 * what processes and threads do to each other and to files, Litestream, telemetry, many articles, commands that each start a process, and
 * the package: `npm test` leaves them out, unless they are named. It also generates fewer cases (test/helpers/properties.ts).
 */
const LONG = [
  "test/agents/!(passages).test.ts",
  "test/articles/{article-lists,asset-archive,batch,bulk,exports,fetched-addresses,import-pictures,imports,origins}.test.ts",
  "test/articles/{dashboard-edits,management,picture-renditions,picture-safety,picture-search,reimport,text-loss,transition-costs,two-writers}.test.ts",
  "test/backup/**/*.test.ts",
  "test/cli/!(pull|review-link|rotate-secret).test.ts",
  "test/client/{client,management,mirror}.test.ts",
  "test/contract/{answers,documents,journeys,lightness,sbom}.test.ts",
  "test/deploy/!(service-command).test.ts",
  "test/{import,quality}/corpora.test.ts",
  "test/hostile/!(forbidden-addresses).test.ts",
  "test/people/{commands,grants-model,permission-matrix}.test.ts",
  "test/read-api/{histories,rate-limit,search}.test.ts",
  "test/release/**/*.test.ts",
  "test/senders/!(by-field-list|corpus|credentials|senders).test.ts",
  "test/system/!(audit|compressed-json|index-now|overview|schema|start-order|websites).test.ts",
  "test/system/coherence/*.test.ts",
  "test/upgrades/released.test.ts",
  "test/webhooks/{fairness,leases,poison,poison-loops,pruning,receipts,traces}.test.ts",
  "src/{importers/corpora,importers/senders/any-arrival,operations/articles/import/zip-archive}.test.ts",
  "dashboard/test/editor/lossless.test.ts",
  "test/{fuzz,kill,restart,simulation}/**/*.test.ts",
];
/** These measure or change their process, or last for long, and run in a process of their own. */
const IN_OWN_PROCESS = [
  "src/webhooks/http/send-request.test.ts",
  "test/articles/{exports,imports,upload}.test.ts",
  "test/cli/permissions.test.ts",
  "test/contract/sbom.test.ts",
  "test/{fuzz,hostile,kill,postgres,restart,simulation}/**/*.test.ts",
];
/** Limit per test, far more than the longest needs. A hanging test fails and is named. */
const TIMEOUT_MS = 300_000;
/** Limit of files that run once more; if more failed, the machine was not the cause. */
const MAX_FILES_AGAIN = 4;

const words = process.argv.slice(2);
const isAll = words.includes("--all");
const isOnlyPostgres = words.includes("--postgres");
const isOnlyBrowser = words.includes("--browser");
const isAgain = words.includes("--again");
const filters = words.filter((word) => !word.startsWith("--"));
const isLong = isAll || words.includes("--long") || filters.length > 0;

const hasPostgres = findPostgres() !== undefined;
const missing = [
  ...((isAll || isOnlyBrowser) && WITHOUT_CHROMIUM !== false
    ? [`The browser tests need Chromium at ${CHROMIUM} (Debian: apt-get install chromium-headless-shell).`]
    : []),
  ...((isAll || isOnlyPostgres) && !hasPostgres
    ? ["The tests on PostgreSQL need its server (Debian: apt-get install postgresql; it need not run)."]
    : []),
];

if (missing.length > 0) {
  process.stderr.write(`${missing.join("\n")}\n${isAll ? 'Without them: "npm test".\n' : ""}`);
  process.exitCode = 1;
} else {
  await runPasses();
}

async function runPasses(): Promise<void> {
  const isFiltered = filters.length > 0;
  const outcomes: Outcome[] = [];
  const goesOn = () => !outcomes.includes("interrupted");
  // Built once, because all test files use the same dist.
  if ((!isFiltered || isOnlyBrowser) && !isOnlyPostgres) await buildDashboard();
  if (isAll || isOnlyBrowser) {
    say("The dashboard's components:");
    outcomes.push(await runProgram([COMPONENTS, "run", "--config", "dashboard/vitest.config.ts"]));
    if (outcomes[0] === "failed") say("The tests of the dashboard's components failed, above. On to the others:");
  } else if (!isFiltered && !isOnlyPostgres) {
    say('Left out: the browser tests (test/browser, test/journeys, dashboard); "npm run test:all" runs them too.');
    if (!isLong) {
      say(
        'Left out: kill loops, fuzzing, long properties, the package, PostgreSQL; "npm test -- --long" runs them too, ' +
          '"npm test -- --postgres" only PostgreSQL.',
      );
    } else if (!hasPostgres)
      say("Left out: the tests on PostgreSQL; there is none here (Debian: apt-get install postgresql).");
  }
  if (!isOnlyPostgres && goesOn()) {
    say(isOnlyBrowser ? "In the browser:" : "On SQLite:");
    const isEveryday = !isLong && !isOnlyBrowser;
    const files = findFiles(isFiltered ? filters : filesOnSqlite());
    outcomes.push(await runTests(files, isEveryday));
  }
  if (isOnlyPostgres || (hasPostgres && isLong && !isFiltered && !isOnlyBrowser && goesOn())) {
    // They load most of the service.
    const { createTemplate } = await import("../test/helpers/database.ts");
    const { startPostgres } = await import("../test/helpers/postgres.ts");
    await using server = await startPostgres();
    const [row] = await server.query("show server_version");
    const before = outcomes.length === 0 ? "" : ` (on SQLite, above, the tests ${outcomes.at(-1)})`;
    say(`On PostgreSQL ${String(row?.["server_version"])}${before}:`);
    const files = findFiles(isFiltered ? filters : [...ON_BOTH_ENGINES, ...NEEDS_POSTGRES]);
    const variables = { [SERVER]: server.url(), [TEMPLATE]: await createTemplate(server.url()) };
    outcomes.push(await runTests(files, false, variables));
  }
  process.exitCode = outcomes.every((outcome) => outcome === "passed") ? 0 : 1;
}

function filesOnSqlite(): string[] {
  if (isOnlyBrowser) return IN_BROWSER;
  return isAll ? [...EVERYWHERE, ...IN_BROWSER] : EVERYWHERE;
}

interface Files {
  /** In a process of their own. */
  alone: readonly string[];
  together: readonly string[];
  /** In processes that each keep one browser. */
  inBrowser: readonly string[];
}

function findFiles(patterns: readonly string[]): Files {
  const long = new Set(isLong ? [] : globSync(LONG));
  const alone = new Set(globSync(IN_OWN_PROCESS));
  const inBrowser = new Set(globSync(IN_BROWSER));
  // Files of test/ come first, because they take longer: otherwise one of them would run alone at the end.
  const files = globSync(patterns)
    .filter((file) => !long.has(file))
    .toSorted()
    .toReversed();
  return {
    alone: files.filter((file) => alone.has(file)),
    inBrowser: files.filter((file) => inBrowser.has(file)),
    together: files.filter((file) => !alone.has(file) && !inBrowser.has(file)),
  };
}

type Outcome = "passed" | "failed" | "interrupted";

/** Runs on SQLite unless `server` names a PostgreSQL server. */
async function runTests(files: Files, isEveryday: boolean, server: Record<string, string> = {}): Promise<Outcome> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "rostrum-tests-"));
  const list = join(folder.path, "failed");
  const reporters = [
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${join(import.meta.dirname, "failed-files.ts")}`,
    `--test-reporter-destination=${list}`,
  ];
  // node:test runs its files in the order of their names.
  const claims = join(folder.path, "claims");
  mkdirSync(claims);
  const programs = programsFor(files, isEveryday, claims).map((text, index) => {
    const program = join(folder.path, `group-${String(index).padStart(3, "0")}.mjs`);
    writeFileSync(program, text);
    return program;
  });
  const run = (files: readonly string[], concurrency: number) =>
    runProgram(
      ["--test", ...reporters, `--test-concurrency=${concurrency}`, `--test-timeout=${TIMEOUT_MS}`, ...files],
      { NODE_COMPILE_CACHE, [FULL]: isLong ? "1" : undefined, ...server },
    );
  const atOnce = isOnlyBrowser ? BROWSERS_AT_ONCE : PROCESSES_AT_ONCE;
  const outcome = await run(programs, isEveryday ? EVERYDAY_PROCESSES + 1 : atOnce);
  if (outcome !== "failed" || !isAgain) return outcome;
  const failed = [...new Set(readFileSync(list, "utf8").split("\n"))].filter((file) => file !== "");
  if (failed.length === 0 || failed.length > MAX_FILES_AGAIN) return outcome;
  say(`Failed, and run once more: ${failed.map((file) => relative(process.cwd(), file)).join(", ")}`);
  return await run(failed, 1);
}

/** What each process runs. Those that share files take one after the other from the same list. */
function programsFor({ alone, together, inBrowser }: Files, isEveryday: boolean, claims: string): string[] {
  const module = pathToFileURL(join(import.meta.dirname, "test-files.ts")).href;
  const program = (paths: readonly string[], options: Partial<FileOptions>) => {
    const all = { claims: null, maxFiles: paths.length, attributesErrors: filters.length > 0, keepsBrowser: false };
    return `import { runFiles } from "${module}";\nawait runFiles(${JSON.stringify(paths)}, ${JSON.stringify({ ...all, ...options })});\n`;
  };
  const share = (paths: readonly string[], atOnce: number, options: Partial<FileOptions>) => {
    const { length } = paths;
    const processes = Math.max(Math.ceil(length / (options.maxFiles ?? Infinity)), Math.min(length, atOnce));
    return Array.from({ length: processes }, () => program(paths, options));
  };
  const shared = isEveryday
    ? share(together, EVERYDAY_PROCESSES, { claims })
    : share(together, PROCESSES_AT_ONCE, { claims, maxFiles: MAX_FILES_PER_PROCESS });
  const browsers = share(inBrowser, BROWSERS_AT_ONCE, { claims, keepsBrowser: WITHOUT_CHROMIUM === false });
  const single = alone.map((file) => program([file], {}));
  // Loops that kill wait most of their time, and shared files compute: side by side they take less time than one after the other.
  return isEveryday ? [...shared, ...single] : mix(single, browsers, shared);
}

/** All lists, each spread over the whole. */
function mix(...lists: string[][]): string[] {
  return lists
    .flatMap((list) => list.map((text, index) => ({ text, at: index / list.length })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ text }) => text);
}

async function runProgram(args: string[], variables: Record<string, string | undefined> = {}): Promise<Outcome> {
  const child = spawn(process.execPath, args, {
    stdio: "inherit",
    // oxlint-disable-next-line no-restricted-properties -- passed on, except for these
    env: { ...process.env, [SERVER]: undefined, [TEMPLATE]: undefined, ...variables },
  });
  // This process stays until the tests have ended because they may need its server until then.
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
