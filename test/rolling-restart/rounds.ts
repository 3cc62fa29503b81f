/** Restarts three processes behind a proxy one after the other, as docs/operate.md says, while clients read and write. */
import { setTimeout as sleep } from "node:timers/promises";
import { cliJson, type ServerProcess, serveCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client } from "../helpers/http.ts";
import { LATER_VERSION } from "../helpers/later-version/migrations.ts";
import type { PostgresServer } from "../helpers/postgres-server.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { until } from "../helpers/until.ts";
import { PASSWORD, tokenOf } from "../people/dashboard.ts";
import { Load, type LoadResult, Visitor } from "./load.ts";
import { type Backend, HOST, type ProxyName, startProxy } from "./proxy.ts";

const SECRET_KEY = "a key that all nodes share, and no test needs to hide";
const HOUR_MS = 3_600_000;
/** As docs/operate.md says: so that the proxy uses the process again before the next one stops. */
export const PAUSE_MS = 3_000;

export interface RoundsOptions {
  proxy: ProxyName;
  nodes: number;
  rounds: number;
  readsPerSecond: number;
  writesPerSecond: number;
  /** `ROSTRUM_DRAIN_SECONDS`. */
  drainSeconds: number;
  /** How long each process is paused instead of restarted; 0 restarts it. */
  hangSeconds: number;
  /** Whether the processes that are started again are of a version with more migrations. */
  isUpgrade: boolean;
  onProgress: (line: string) => void;
}

export interface RoundsResult extends LoadResult {
  restarts: number;
  /** Acknowledged API keys that are not there, and keys that are there twice. */
  missing: string[];
  doubled: string[];
}

export async function runRounds(server: PostgresServer, options: RoundsOptions): Promise<RoundsResult> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const databaseUrl = await server.createDatabase();
  const env = {
    DATABASE_URL: databaseUrl,
    ROSTRUM_SECRET_KEY: SECRET_KEY,
    ROSTRUM_PUBLIC_URL: `https://${HOST}`,
    ROSTRUM_TRUST_PROXY: "127.0.0.1",
    ROSTRUM_DRAIN_SECONDS: String(options.drainSeconds),
  };
  const cli = { data: folder.path, env, withinMs: HOUR_MS };
  const websiteId = String((await cliJson(["website", "create", "--name", "W"], cli))["id"]);
  const key = String((await cliJson(["key", "create", "--website", websiteId, "--name", "k"], cli))["key"]);
  const { link } = await cliJson(["user", "create", "--email", "ada@example.com", "--role", "owner"], cli);

  const backends: Backend[] = [];
  const processes: ServerProcess[] = [];
  const start = async ({ port, healthPort }: Backend, version = {}): Promise<ServerProcess> => {
    const ports = { PORT: String(port), ROSTRUM_METRICS_PORT: String(healthPort) };
    const process = await serveCli({ ...cli, env: { ...env, ...ports, ...version } });
    using client = new Client(`http://127.0.0.1:${healthPort}`);
    await until("it is ready", async () => (await client.send("/readyz")).status === 200);
    return process;
  };
  opened.defer(async () => void (await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))));
  for (let index = 0; index < options.nodes; index++) {
    const backend = { port: await freePort(), healthPort: await freePort() };
    backends.push(backend);
    processes.push(await start(backend));
  }
  const proxy = opened.use(await startProxy(options.proxy, backends, folder));
  const visitor = opened.use(new Visitor(proxy));
  await until("the proxy answers", async () => {
    const { status } = await visitor.send("GET", "/api/public/articles", { key });
    return status === 200;
  });
  const { status, text } = await visitor.send("POST", "/dashboard/api/welcome", {
    body: { token: tokenOf(link), password: PASSWORD },
  });
  if (status >= 300) throw new Error(`the owner could not sign in: ${status} ${text}`);

  const load = new Load(visitor, { ...options, websiteId, key });
  let restarts = 0;
  await sleep(PAUSE_MS);
  for (let round = 1; round <= options.rounds; round++) {
    for (const [index, backend] of backends.entries()) {
      const running = processes[index];
      if (options.hangSeconds > 0) {
        running?.child.kill("SIGSTOP");
        await sleep(options.hangSeconds * 1_000);
        running?.child.kill("SIGCONT");
      } else {
        running?.child.kill("SIGTERM");
        const ended = await running?.ended;
        if (ended?.code !== 0) throw new Error(`a process ended with ${ended?.code}`);
        processes[index] = await start(backend, options.isUpgrade ? LATER_VERSION : {});
        restarts++;
      }
      await sleep(PAUSE_MS);
    }
    options.onProgress(`round ${round} of ${options.rounds}: ${load.failures} requests have failed so far`);
  }
  const result = await load.stop();
  const rows = await server.query("SELECT name FROM api_keys", new URL(databaseUrl).pathname.slice(1));
  const names = rows.map((row) => String(row["name"]));
  const found = new Set(names);
  return {
    ...result,
    restarts,
    missing: [...result.written].filter((name) => !found.has(name)),
    doubled: names.filter((name, index) => names.indexOf(name) !== index),
  };
}
