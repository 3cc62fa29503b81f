/** Shared by the tests of all generators: installs, builds and serves a site in its own folder. */
import { execFile, spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import { documentedVariables } from "./documented-files.ts";
import type { SiteService } from "./service.ts";

export const ROOT = join(import.meta.dirname, "..", "..");

export interface SiteTest {
  /** The site's folder. */
  site: string;
  service: SiteService;
  /** How many articles the service has, and how many changes a test of freshness makes. */
  articles: number;
  changes: number;
  /** Time from the webhook to the check of the page. */
  lookAfterMs: number;
  /** The folder with the packages of the client and the kits. */
  packs: string;
}

/** Creates the folder of a site, with packages from npm and our own. */
export async function install({ site, packs }: SiteTest, packages: readonly string[], own: readonly string[]) {
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "package.json"), '{ "name": "site", "private": true, "type": "module" }');
  const ours = readdirSync(packs).filter((pack) => own.some((name) => pack.startsWith(`rostrum-${name}-`)));
  await npm(site, "install", ...packages, ...ours.map((pack) => join(packs, pack)));
}

/** Only the variables that the guide names. @param url of the service. */
export function siteVariables(
  guide: string,
  { key, secret }: SiteService,
  url: string,
  site: string,
): Record<string, string> {
  const values = { ROSTRUM_URL: url, ROSTRUM_API_KEY: key, WEBHOOK_SECRET: secret, SITE_URL: site, ORIGIN: site };
  const names = documentedVariables(guide);
  const given = Object.entries(values).filter(([name]) => names.includes(name));
  if (given.length < names.length) throw new Error(`${guide} names other variables: ${names.join(", ")}`);
  return Object.fromEntries(given);
}

export async function run(site: string, program: string, args: readonly string[], env: Record<string, string>) {
  await command(join(site, "node_modules", ".bin", program), args, site, { ...environment(), ...env });
}

/** npm could not install the dependencies of a site, because its registry did not respond. */
export class RegistryError extends Error {}

const NETWORK_FAILURE =
  /\b(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EIDLETIMEOUT|ENETUNREACH|ENOTFOUND|ERR_SOCKET_TIMEOUT|ETIMEDOUT|E429|E5\d\d)\b/;
const INSTALL_TIMEOUT_MS = 180_000;
/** By default npm would retry for minutes. */
const RETRIES = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];

/** @throws RegistryError */
export async function npm(cwd: string, ...args: string[]): Promise<void> {
  const isInstall = args[0] === "install";
  const timeout = isInstall ? INSTALL_TIMEOUT_MS : 0;
  try {
    await command(
      "npm",
      [...args, ...(isInstall ? RETRIES : []), "--no-audit", "--no-fund"],
      cwd,
      process.env,
      timeout,
    );
  } catch (error) {
    const isOffline = error instanceof CommandError && (error.isLate || NETWORK_FAILURE.test(error.message));
    if (!isInstall || !isOffline) throw error;
    throw new RegistryError("npm's registry does not answer.", { cause: error });
  }
}

class CommandError extends Error {
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}

/** Fails with the output of the command. */
export async function command(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  timeout = 0,
) {
  await new Promise<void>((resolve, reject) => {
    execFile(program, args, { cwd, env, timeout, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const printed = `${stdout.slice(-2000)}${stderr.slice(-4000)}`;
      if (error === null) resolve();
      else reject(new CommandError(`${program} ${args.join(" ")}\n${printed}`, error.killed === true));
    });
  });
}

export interface ServedSite extends AsyncDisposable {
  url: string;
  /** The latest output of the server on standard error. */
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

/** Runs work that reads from the service. @returns the duration and the requests to the API. */
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

export function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
