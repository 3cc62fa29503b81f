/**
 * `npm run try-guide [-- PART]`: runs the commands of the README and of docs/operate.md as they are written, in a copy of this
 * machine's file system with a network of its own: as root, with Debian's PostgreSQL 15, and the packages that npm has in its
 * cache. table.ts has the values to fill in, and the commands that are not run. Nothing that it starts outlives it, and nothing
 * outside the copy is changed. `PART`: stops after the first block whose first line contains it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Block, readBlocks } from "./blocks.ts";
import { findGaps, type Trial, TRIALS, UNTRIED } from "./table.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const INSIDE = "ROSTRUM_TRIES_GUIDE";
/** Limit for one part of a block; `npm ci` takes longest. */
const WITHIN_MS = 400_000;
/** Where a part of a block leaves its folder and variables for the next one. */
const STATE = "/tmp/guide-state";
const SERVICE_OUTPUT = "/tmp/guide-service.log";
let service: ChildProcess | undefined;
const say = (line: string) => process.stdout.write(`${line}\n`);

if (process.env[INSIDE] === undefined) await goInside();
else await tryAll();

/** Programs that are replaced by harmless ones. */
async function goInside(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rostrum-guide-"));
  const child = spawn(
    "unshare",
    [
      "--mount",
      "--net",
      "--pid",
      "--fork",
      "--kill-child",
      "sh",
      join(import.meta.dirname, "inside.sh"),
      folder,
    ].concat(process.execPath, process.argv.slice(1)),
    {
      stdio: ["ignore", "inherit", "inherit"],
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        HOME: "/root",
        CHECKOUT: ROOT,
        [INSIDE]: "1",
        npm_config_offline: "true",
      },
    },
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGKILL"));
  const [code] = (await once(child, "exit")) as [number | null];
  rmdirSync(folder);
  process.exitCode = code ?? 1;
}

/** A shell that keeps its folder and variables from one part to the next. */
async function tryAll(): Promise<void> {
  const blocks = readBlocks();
  const failures = findGaps(blocks.map(({ text }) => text));
  const last = process.argv[2];
  let tried = 0;
  for (const trial of TRIALS) {
    const block = blocks.find(({ text }) => text.startsWith(trial.block));
    if (block === undefined) continue;
    const startedAt = performance.now();
    const problems = await tryBlock(block, trial);
    if (trial.endsService === true) await stopService();
    tried++;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    say(
      `${problems.length === 0 ? "ok    " : "FAILED"} ${seconds.padStart(6)} s  ${block.document}:${block.line} ${block.name}`,
    );
    for (const problem of problems) say(problem.replaceAll(/^/gm, "        "));
    failures.push(...problems);
    if (last !== undefined && block.name.includes(last)) break;
  }
  for (const { block, why } of UNTRIED) say(`not tried: ${block.split("\n")[0]} (${why})`);
  say(
    `${tried} of ${blocks.length} blocks were tried, ${UNTRIED.length} are not tried here; ${failures.length} failures`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** @returns the problems. */
async function tryBlock(block: Block, trial: Trial): Promise<string[]> {
  let printed = "";
  const parts = block.text.trimEnd().split("\n\n");
  const before = trial.before ?? [];
  const sections = before.length > 1 ? parts : [block.text];
  for (const [index, part] of sections.entries()) {
    const prepared = before[index] === undefined ? undefined : await runShell(before[index]);
    if (prepared !== undefined && prepared.code !== 0)
      return [`The preparation ended with ${prepared.code}:\n${end(prepared.output)}`];
    let commands = part;
    for (const [from, to] of Object.entries(trial.replace ?? {})) commands = commands.replaceAll(from, () => to);
    if (trial.isService === true) return startService(commands, trial);
    const { code, output } = await runShell(commands, trial.stdin);
    printed += output;
    if (code !== 0) return [`It ended with ${code}:\n${commands}\n${end(output)}`];
  }
  const problems = (trial.prints ?? [])
    .filter((pattern) => !pattern.test(printed))
    .map((pattern) => `It does not print ${String(pattern)}:\n${end(printed)}`);
  for (const check of (trial.after ?? "").split("\n").filter((line) => line !== "")) {
    const { code, output } = await runShell(check);
    if (code !== 0) problems.push(`Afterwards this ended with ${code}: ${check}\n${end(output)}`);
  }
  return problems;
}

async function runShell(commands: string, stdin = ""): Promise<{ code: number | null; output: string }> {
  const log = `${STATE}.log`;
  // Each part continues in the folder and with the variables of the previous one.
  const script = `[ ! -e ${STATE} ] || . ${STATE}\ntrap 'status=$?; { export -p; printf "cd %q\\n" "$PWD"; } > ${STATE}; exit $status' EXIT\nset -eo pipefail\n${commands}\n`;
  writeFileSync(`${STATE}.sh`, script);
  const child = spawn("bash", ["-c", `exec bash ${STATE}.sh > ${log} 2>&1`], {
    stdio: ["pipe", "ignore", "inherit"],
    detached: true,
    env: { ...process.env, SERVICE_OUTPUT },
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), WITHIN_MS);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  return { code, output: readFileSync(log, "utf8") };
}

/** Resolves when the expected output has appeared. @returns the problems. */
async function startService(commands: string, { prints = [] }: Trial): Promise<string[]> {
  writeFileSync(SERVICE_OUTPUT, "");
  const script = `[ ! -e ${STATE} ] || . ${STATE}\nset -eo pipefail\n${commands}\n`;
  service = spawn("bash", ["-c", `exec > ${SERVICE_OUTPUT} 2>&1\n${script}`], { stdio: "ignore", detached: true });
  const deadline = performance.now() + WITHIN_MS;
  let missing = prints;
  while (performance.now() < deadline && service.exitCode === null) {
    const output = readFileSync(SERVICE_OUTPUT, "utf8");
    missing = prints.filter((pattern) => !pattern.test(output));
    if (missing.length === 0) return [];
    await sleep(200);
  }
  return [`It does not print ${missing.join(", ")}:\n${end(readFileSync(SERVICE_OUTPUT, "utf8"))}`];
}

async function stopService(): Promise<void> {
  if (service?.pid === undefined || service.exitCode !== null) return;
  const over = once(service, "exit");
  process.kill(-service.pid, "SIGTERM");
  await Promise.race([over, sleep(30_000)]);
  service = undefined;
}

function end(output: string): string {
  return output.trimEnd().split("\n").slice(-25).join("\n");
}
