/** What the tests of all generators share: installing, building and serving a site in a folder of its own. */
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import type { SiteService } from "./service.ts";

export const ROOT = join(import.meta.dirname, "..", "..");

export interface SiteTest {
  /** The site's folder. */
  site: string;
  service: SiteService;
  /** How many articles the service has, and how many changes a test of freshness makes. */
  articles: number;
  changes: number;
  /** The folder with the packages of the client and the kits. */
  packs: string;
}

/** Makes the folder of a site, with packages of npm and our own. */
export async function install({ site, packs }: SiteTest, packages: readonly string[], own: readonly string[]) {
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "package.json"), '{ "name": "site", "private": true, "type": "module" }');
  const ours = readdirSync(packs).filter((pack) => own.some((name) => pack.startsWith(`rostrum-${name}-`)));
  await npm(site, "install", ...packages, ...ours.map((pack) => join(packs, pack)));
}

/** The variables that the guides name. */
export function siteVariables({ key, secret }: SiteService, url: string): Record<string, string> {
  return { ROSTRUM_URL: url, ROSTRUM_API_KEY: key, WEBHOOK_SECRET: secret };
}

export async function run(site: string, program: string, args: readonly string[], env: Record<string, string>) {
  await command(join(site, "node_modules", ".bin", program), args, site, { ...environment(), ...env });
}

export async function npm(cwd: string, ...args: string[]): Promise<void> {
  await command("npm", [...args, "--no-audit", "--no-fund"], cwd, process.env);
}

/** Fails with what the command has printed. */
export async function command(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  await new Promise<void>((resolve, reject) => {
    execFile(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${program} ${args.join(" ")}\n${stdout.slice(-2000)}${stderr.slice(-4000)}`));
    });
  });
}

export interface ServedSite extends AsyncDisposable {
  url: string;
  /** What the server has printed to standard error lately. */
  errors: () => string;
  /** @returns the body of a page, whatever its status. */
  read: (path: string) => Promise<string>;
}

/** Starts a site's server, and waits until it answers. */
export async function serve(
  site: string,
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  port: number,
): Promise<ServedSite> {
  const server = leash(
    spawn(program, args, { cwd: site, env: { ...environment(), ...env }, stdio: ["ignore", "ignore", "pipe"] }),
  );
  let errors = "";
  server.stderr?.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-4000)));
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("the site is served", answers, 60_000).catch((error: unknown) => {
    server.kill();
    throw new Error(`The site is not served: ${errors}`, { cause: error });
  });
  return {
    url,
    errors: () => errors,
    read: async (path) => await (await fetch(url + path)).text(),
    [Symbol.asyncDispose]: async () => void server.kill(),
  };
}

/** Runs work that reads from the service. @returns how long it took, and what it asked of the API. */
export async function timed(service: SiteService, work: () => Promise<unknown>) {
  const [start, before] = [performance.now(), service.traffic()];
  await work();
  const { requests, refused, busyMs } = service.traffic();
  return {
    seconds: seconds(performance.now() - start),
    requests: requests - before.requests,
    refused: refused - before.refused,
    apiSeconds: seconds(busyMs - before.busyMs),
  };
}

type Work = Awaited<ReturnType<typeof timed>>;

export function told({ seconds: all, requests, refused, apiSeconds }: Work): string {
  return `${all} s, ${apiSeconds} s of them in ${requests} requests to the API${refused === 0 ? "" : `, ${refused} refused`}`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}

export function environment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1" };
}

export function tell(site: string, text: string): void {
  process.stdout.write(`${site}: ${text}\n`);
}
