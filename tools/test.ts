/**
 * `npm test` runs everything that needs no browser; `npm run test:all` adds the browser's part and refuses to leave
 * anything out. What node:test prints stands last.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";

const EVERYWHERE = ["src/**/*.test.ts", "test/!(browser)/**/*.test.ts"];
const IN_BROWSER = ["test/browser/**/*.test.ts"];
const CHROMIUM = "/usr/bin/chromium";

const isAll = process.argv.includes("--all");
const filters = process.argv.slice(2).filter((argument) => argument !== "--all");

if (isAll && !existsSync(CHROMIUM)) {
  process.stderr.write(
    `The browser tests need Chromium at ${CHROMIUM}: install it (Debian: apt-get install chromium), or run "npm test".\n`,
  );
  process.exitCode = 1;
} else {
  if (!isAll) process.stdout.write('Left out: the browser tests (test/browser); "npm run test:all" runs them too.\n');
  const files = filters.length > 0 ? filters : isAll ? [...EVERYWHERE, ...IN_BROWSER] : EVERYWHERE;
  const { status } = spawnSync(process.execPath, ["--test", `--test-concurrency=${availableParallelism()}`, ...files], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
