/** Restarts and upgrades a service on SQLite under reads, writes, schedules and webhooks, as systemd does it for the units of deploy/. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, scheduleArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { makeArticle, CHIEF } from "../helpers/articles.ts";
import { cliJson } from "../helpers/cli.ts";
import { deriveContent } from "../helpers/content.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, type Received, ScriptedReceiver } from "../helpers/webhooks.ts";
import { PASSWORD, tokenOf } from "../people/dashboard.ts";
import { Load, type LoadResult, Visitor } from "../rolling-restart/load.ts";
import { Systemd } from "./systemd.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Between restarts: for the old process to end, and so that figures of one do not contain the next. */
const PAUSE_MS = 1_500;
const LATE_MS = 200;

export const WAYS = ["reload", "restart"] as const;
export type Way = (typeof WAYS)[number];

export interface RoundsOptions {
  /** `reload`: the new process takes over; `restart`: connections wait in systemd's socket. */
  way: Way;
  restarts: number;
  /** Of these, so many change the version, the first of them with a migration. */
  upgrades: number;
  readsPerSecond: number;
  writesPerSecond: number;
  drainSeconds: number;
  /** The folder of a package that `npm pack` made, as operators run it. Absent: this checkout. */
  packed?: string;
  onProgress: (line: string) => void;
}

export interface RoundsResult extends LoadResult {
  /** Acknowledged API keys that are not there. */
  missing: string[];
  /** Scheduled articles whose webhook did not come exactly once. */
  notOnce: string[];
  /** From the scheduled moment to the webhook, milliseconds, sorted. */
  lateness: number[];
  versions: string[];
}

export async function runRounds(options: RoundsOptions): Promise<RoundsResult> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const arrivedAt = new Map<Received, number>();
  const receiver = opened.use(
    await ScriptedReceiver.start((received) => {
      arrivedAt.set(received, Date.now());
      return {};
    }),
  );
  const env = { ...LOOPBACK, ROSTRUM_DRAIN_SECONDS: String(options.drainSeconds) };
  const cli = { cwd: folder.path, data: folder.at("data"), env };
  const websiteId = String((await cliJson(["website", "create", "--name", "W"], cli))["id"]);
  const key = String((await cliJson(["key", "create", "--website", websiteId, "--name", "k"], cli))["key"]);
  const { link } = await cliJson(["user", "create", "--email", "ada@example.com", "--role", "owner"], cli);
  const opening = opened.use(await openApp(readConfig({ ...env, ROSTRUM_DATA_DIR: cli.data }, cli.data)));
  const app = { ...opening, deriveContent };
  await app.store.write((db) => db.run("UPDATE websites SET integrity_gate = 'off' WHERE id = ?", websiteId));
  await createEndpoint(app, websiteId, { url: receiver.url }, CLI_ORIGIN);

  const versions = [
    makeVersion(folder, "9.0.0", options.packed),
    makeVersion(folder, "9.1.0", options.packed),
  ] as const;
  addMigration(versions[1], options.packed !== undefined);
  const program = folder.at("program");
  symlinkSync(versions[0], program);
  const systemd = opened.use(await Systemd.open({ folder, env, program }));
  await systemd.start();
  const { port } = new URL(systemd.url);
  const visitor = opened.use(new Visitor({ port: Number(port) }));
  const passing = opened.use(new Visitor({ port: Number(port) }, { keepAlive: false }));
  const { status, text } = await visitor.send("POST", "/dashboard/api/welcome", {
    body: { token: tokenOf(link), password: PASSWORD },
  });
  if (status >= 300) throw new Error(`the owner could not sign in: ${status} ${text}`);

  const load = new Load(visitor, { ...options, websiteId, key }, [passing]);
  const due = new Map<string, number>();
  const upgradeEvery = options.restarts / options.upgrades;
  let current = 0;
  for (let round = 1; round <= options.restarts; round++) {
    await sleep(PAUSE_MS);
    const title = `Scheduled ${round}`;
    const { article } = await createArticle(app, websiteId, makeArticle({ title, status: "approved" }), CHIEF);
    const at = app.clock() + LATE_MS;
    await scheduleArticle(app, article.id, at, CHIEF);
    due.set(title, at);
    if (Math.floor(round / upgradeEvery) > Math.floor((round - 1) / upgradeEvery)) {
      current = 1 - current;
      rmSync(program);
      symlinkSync(versions[current] ?? "", program);
    }
    const failures = load.failures;
    await (options.way === "reload" ? systemd.reload() : systemd.restart());
    if (round % 10 === 0 || load.failures > failures) {
      options.onProgress(
        `${options.way} ${round} of ${options.restarts}: ${load.failures} requests have failed so far`,
      );
    }
  }
  await sleep(PAUSE_MS);
  const result = await load.stop();
  const arrivals = () => receiver.received.filter(({ data }) => due.has(String(data["title"])));
  await until("the webhooks have arrived", () => new Set(arrivals().map(titleOf)).size === due.size);
  const rows = await app.store.read((db) => db.all("SELECT name FROM api_keys"));
  const names = new Set(rows.map(({ name }) => name));
  const served = systemd.output.flatMap((line) => /"version":"([^"]+)".*"serving"/.exec(line)?.[1] ?? []);
  return {
    ...result,
    missing: [...result.written].filter((name) => !names.has(name)),
    notOnce: [...due.keys()].filter((title) => arrivals().filter((one) => titleOf(one) === title).length !== 1),
    lateness: arrivals()
      .map((one) => (arrivedAt.get(one) ?? 0) - (due.get(titleOf(one)) ?? 0))
      .toSorted((a, b) => a - b),
    versions: served,
  };
}

function titleOf({ data }: { data: Record<string, unknown> }): string {
  return String(data["title"]);
}

/** A copy of this program under another version. @returns its folder. */
function makeVersion(folder: Folder, version: string, packed: string | undefined): string {
  const path = folder.at(version);
  if (packed === undefined) {
    mkdirSync(path);
    for (const name of ["bin", "src", "client", "openapi.json", "openapi-management.json", "package.json"]) {
      cpSync(join(ROOT, name), join(path, name), { recursive: true, verbatimSymlinks: true });
    }
    for (const name of ["node_modules", "dashboard"]) symlinkSync(join(ROOT, name), join(path, name));
  } else {
    cpSync(packed, path, { recursive: true });
  }
  const file = join(path, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, version }));
  return path;
}

/** One that only adds. */
function addMigration(path: string, isPacked: boolean): void {
  const later = `[first, { name: "901-later", isAdditive: true, sqlite: [], postgres: [],
    sql: "ALTER TABLE websites ADD COLUMN later_count BIGINT NOT NULL DEFAULT 0;\\n" }];`;
  for (const file of globSync(isPacked ? "lib/parts/*.js" : "src/store/migrations.ts", { cwd: path })) {
    const text = readFileSync(join(path, file), "utf8");
    const changed = text.replace(/(?<= MIGRATIONS(?:: readonly Migration\[\])? = )\[first\];/, later);
    if (changed === text) continue;
    writeFileSync(join(path, file), changed);
    return;
  }
  throw new Error("the list of migrations was not found");
}
