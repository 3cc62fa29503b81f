/**
 * `npm run try-guide [-- DOCUMENT…]`: runs the commands of the README and of all guides as they are written, from an empty folder, in a
 * copy of this machine's file system with a network of its own: as root, with Debian's PostgreSQL 15, and the packages that npm has
 * in its cache, into which those of the sites are installed first. The tables have the values to fill in, and the commands that are
 * not run. Nothing that it starts outlives it, and nothing outside the copy is changed. `DOCUMENT`, such as `docs/sites/next.md`:
 * only this one, after the README, whose service most of them need.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Block, countCommands, readBlocks } from "./blocks.ts";
import { findGaps, GUIDES } from "./guides.ts";
import type { Guide, Trial } from "./table.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** No setting of the service, which would report it as unknown. */
const INSIDE = "TRIES_GUIDE";
/** Limit for one part of a block; `npm ci` takes longest. */
const WITHIN_MS = 400_000;
/** Where a part of a block leaves its folder and variables for the next one. */
const STATE = "/tmp/guide-state";
/** The blocks of the README that lead to a published article. */
const FIRST_ARTICLE = ["npm ci", "npm start", "npx rostrum website create"];
interface Service {
  child: ChildProcess;
  output: string;
}
const services: Service[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);

const chosen = GUIDES.filter(
  ({ document }) => process.argv.length === 2 || document === "README.md" || process.argv.includes(document),
);
if (process.env[INSIDE] === undefined) {
  fillCache();
  await goInside();
} else await tryAll();

/** Has npm fetch what the sites install, as there is no way to its registry inside. */
function fillCache(): void {
  const installs = readBlocks()
    .filter(({ document, text }) => document.startsWith("docs/sites/") && /^npm install ./m.test(text))
    .filter(({ document }) => chosen.some((guide) => guide.document === document))
    .map(({ text }) => text.replaceAll(/ \.\/\S+/g, ""));
  const templates = globSync("kits/create-rostrum-site/templates/*/package.json", { cwd: ROOT }).map((file) => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as { dependencies: object };
    const packages = Object.entries(dependencies).map(([name, version]) => `${name}@${String(version)}`);
    return `npm install ${packages.filter((name) => !name.includes("file:")).join(" ")}`;
  });
  const isCreated = chosen.some(({ document }) => document === "docs/sites/new-site.md");
  for (const commands of [...installs, ...(isCreated ? templates : [])]) {
    const cwd = mkdtempSync(join(tmpdir(), "rostrum-guide-"));
    execFileSync("bash", ["-ec", commands], { cwd, stdio: ["ignore", "ignore", "inherit"] });
    rmSync(cwd, { recursive: true });
  }
}

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

async function tryAll(): Promise<void> {
  const blocks = readBlocks();
  const failures = findGaps(blocks);
  const first = { commands: 0, ms: 0 };
  let tried = 0;
  for (const guide of chosen) {
    if (guide.isAlone === true) await stopServices(0);
    const started = services.length;
    rmSync(STATE, { force: true });
    const [startedAt, { length: before }] = [performance.now(), failures];
    const own = blocks.filter(({ document }) => document === guide.document);
    let [commands, isShown] = [0, false];
    for (const trial of guide.trials) {
      const block = own.find(({ text }) => text.startsWith(trial.block));
      if (block === undefined) continue;
      const blockAt = performance.now();
      failures.push(...(await tellBlock(block, trial)));
      tried++;
      commands += countCommands(block.text);
      if (FIRST_ARTICLE.some((name) => block.text.startsWith(name))) {
        first.commands += countCommands(block.text);
        first.ms += performance.now() - blockAt;
      }
      if (failures.length === before && trial.after?.startsWith("shows ") === true && !isShown) {
        isShown = true;
        const seconds = Math.round((first.ms + performance.now() - startedAt) / 1_000);
        say(`From nothing to the first article on this page: ${first.commands + commands} commands, ${seconds} s`);
      }
    }
    if (guide.document !== "README.md") await stopServices(started);
    for (const { block, why } of guide.untried ?? []) say(`not tried: ${block.split("\n")[0]} (${why})`);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    say(`${guide.document}: ${commands} commands in ${seconds} s, ${failures.length - before} failures`);
    // The guides after it need its service.
    if (guide.document === "README.md" && failures.length > 0) break;
  }
  const untried = chosen.reduce((sum, guide: Guide) => sum + (guide.untried?.length ?? 0), 0);
  say(`${tried} blocks were tried, ${untried} are not tried here; ${failures.length} failures`);
  for (const failure of failures) say(failure.split("\n")[0] ?? "");
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** @returns the problems. */
async function tellBlock(block: Block, trial: Trial): Promise<string[]> {
  const startedAt = performance.now();
  const problems = await tryBlock(block, trial);
  if (trial.endsService === true) await stopServices(services.length - 1);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const result = problems.length === 0 ? "ok    " : "FAILED";
  say(`${result} ${seconds.padStart(6)} s  ${block.document}:${block.line} ${block.name}`);
  for (const problem of problems) say(problem.replaceAll(/^/gm, "        "));
  return problems;
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
    if (trial.isService === true) {
      const problems = await startService(commands, trial);
      if (problems.length > 0) return problems;
      continue;
    }
    const { code, output } = await runShell(commands, trial.stdin);
    printed += output;
    if (code !== 0) return [`It ended with ${code}:\n${commands}\n${end(output)}`];
  }
  const problems = (trial.isService === true ? [] : (trial.prints ?? []))
    .filter((pattern) => !pattern.test(printed))
    .map((pattern) => `It does not print ${String(pattern)}:\n${end(printed)}`);
  for (const check of (trial.after ?? "").split("\n").filter((line) => line !== "")) {
    const { code, output } = await runShell(check);
    if (code !== 0) problems.push(`Afterwards this ended with ${code}: ${check}\n${end(output)}`);
  }
  return problems;
}

/** A shell that keeps its folder and variables from one part to the next. */
async function runShell(commands: string, stdin = ""): Promise<{ code: number | null; output: string }> {
  const log = `${STATE}.log`;
  // Each part continues in the folder and with the variables of the previous one.
  const script = `[ ! -e ${STATE} ] || . ${STATE}\nexport SERVICE_OUTPUT=${services.at(-1)?.output ?? ""}\ntrap 'status=$?; { export -p; printf "cd %q\\n" "$PWD"; } > ${STATE}; exit $status' EXIT\nset -eo pipefail\n${commands}\n`;
  writeFileSync(`${STATE}.sh`, script);
  const child = spawn("bash", ["-c", `exec bash ${STATE}.sh > ${log} 2>&1`], {
    stdio: ["pipe", "ignore", "inherit"],
    detached: true,
    env: process.env,
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
  const output = `/tmp/guide-service-${services.length}.log`;
  writeFileSync(output, "");
  const script = `[ ! -e ${STATE} ] || . ${STATE}\nset -eo pipefail\n${commands}\n`;
  const child = spawn("bash", ["-c", `exec > ${output} 2>&1\n${script}`], { stdio: "ignore", detached: true });
  services.push({ child, output });
  const deadline = performance.now() + WITHIN_MS;
  let missing = prints;
  while (performance.now() < deadline && child.exitCode === null) {
    const printed = readFileSync(output, "utf8");
    missing = prints.filter((pattern) => !pattern.test(printed));
    if (missing.length === 0) return [];
    await sleep(200);
  }
  return [`It does not print ${missing.join(", ")}:\n${end(readFileSync(output, "utf8"))}`];
}

/** Stops the latest ones, and leaves `kept`. */
async function stopServices(kept: number): Promise<void> {
  for (const { child } of services.splice(kept).toReversed()) {
    if (child.pid === undefined || child.exitCode !== null) continue;
    const over = once(child, "exit");
    process.kill(-child.pid, "SIGTERM");
    await Promise.race([over, sleep(30_000)]);
  }
}

function end(output: string): string {
  return output.trimEnd().split("\n").slice(-25).join("\n");
}
