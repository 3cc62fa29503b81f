/**
 * `npm run upgrade-under-load -- [--deliveries 2000000] [--rate 5] [--seconds 30] [--engine postgres|sqlite]`: what an upgrade
 * of a large database costs. The later version is this one with further migrations (test/helpers/later-version).
 *
 * PostgreSQL: this version publishes and delivers to a receiver on this machine, before, while the later one starts and
 * migrates, and afterwards, beside it. Fails when a publication is refused, or a webhook is a second later than the latest
 * before. SQLite: nothing runs meanwhile; the time and the room on the disk that `rostrum migrate` takes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { statSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type CliOptions, cliJson, serveCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { LATER_VERSION } from "../helpers/later-version/migrations.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { until } from "../helpers/until.ts";

const { values } = parseArgs({
  options: {
    deliveries: { type: "string", default: "2000000" },
    rate: { type: "string", default: "5" },
    seconds: { type: "string", default: "30" },
    engine: { type: "string", default: "postgres" },
  },
});
const deliveries = Number(values.deliveries);
const say = (line: string) => process.stdout.write(`${line}\n`);
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
const sqliteSeries = (count: number) =>
  `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s`;
const postgresSeries = (count: number) => `SELECT generate_series(1, ${count}) AS n`;
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const DAY_MS = 86_400_000;
const ALLOWED_MS = 1_000;
const RECEIVERS = { ROSTRUM_WEBHOOK_ALLOW_HTTP: "1", ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32" };

/** Finished deliveries of one webhook, and an event for each four of them. Both engines read it, but for their series of numbers. */
const seed = (websiteId: string, endpointId: string, series: (count: number) => string): string[] => [
  `INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload)
   SELECT '${websiteId}', n, 'event-' || n, CASE WHEN n % 20 = 0 THEN 'article.deleted' ELSE 'article.updated' END,
     'article-' || n % 50000, 1700000000000 + n, '{"text":"' || replace(hex8(n), '0', 'some words ') || '"}'
   FROM (${series(Math.ceil(deliveries / 4))}) AS numbers`,
  `INSERT INTO deliveries (id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state, attempts,
     created_at, finished_at)
   SELECT 'delivery-' || n, '${websiteId}', '${endpointId}', 'event-' || (n + 3) / 4, (n + 3) / 4, 'article.updated',
     'article-' || n % 50000, 'event', CASE WHEN n % 100 = 0 THEN 'exhausted' ELSE 'delivered' END, 1, 1700000000000 + n,
     1700000000000 + n
   FROM (${series(deliveries)}) AS numbers`,
  `UPDATE websites SET event_sequence = ${Math.ceil(deliveries / 4)} WHERE id = '${websiteId}'`,
];

if (values.engine === "sqlite") await upgradeSqlite();
else await upgradePostgres();

async function upgradeSqlite(): Promise<void> {
  await using folder = await tempFolder();
  const options = optionsOf(folder.path, RECEIVERS);
  const { websiteId, endpointId } = await createSite(options, "http://127.0.0.1:9/");
  const file = join(folder.path, "rostrum.db");
  {
    const database = new DatabaseSync(file);
    database.function("hex8", (n) => Number(n).toString(2).padStart(24, "0"));
    database.exec("BEGIN");
    for (const statement of seed(websiteId, endpointId, sqliteSeries)) database.exec(statement);
    database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  }
  const before = sizeOf(file);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, sizeOf(file) + sizeOf(`${file}-wal`));
  }, 20);
  const began = performance.now();
  const { applied } = await cliJson(["migrate"], { data: folder.path, env: LATER_VERSION, withinMs: DAY_MS });
  const seconds = (performance.now() - began) / 1_000;
  clearInterval(watch);
  say(`${String(applied)} in ${seconds.toFixed(1)} s`);
  say(`${megabytes(before)} before, at most ${megabytes(most)} meanwhile, ${megabytes(sizeOf(file))} afterwards`);
}

async function upgradePostgres(): Promise<void> {
  await using server = await startPostgres({ durable: true });
  await using folder = await tempFolder();
  const arrivals = new Map<string, number>();
  const receiver = createServer((request, response) => {
    void receive(request, response, arrivals);
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  const url = typeof address === "object" ? `http://127.0.0.1:${address?.port}/` : "";
  const databaseUrl = await server.createDatabase();
  const env = {
    DATABASE_URL: databaseUrl,
    ROSTRUM_SECRET_KEY: "a key that both versions share, and nothing is sealed with it",
    ...RECEIVERS,
  };
  const options = optionsOf(folder.path, env);
  const { websiteId, endpointId } = await createSite(options, url);
  const database = new URL(databaseUrl).pathname.slice(1);
  const ask = (sql: string) => server.query(sql, database);
  await ask(`CREATE FUNCTION hex8(n BIGINT) RETURNS TEXT LANGUAGE sql AS 'SELECT CAST(CAST(n AS BIT(24)) AS TEXT)'`);
  say(`making ${deliveries} deliveries …`);
  for (const statement of seed(websiteId, endpointId, postgresSeries)) await ask(statement);
  await ask("DROP FUNCTION hex8");
  await ask("CHECKPOINT");

  await using earlier = await serveCli(options);
  await using app = await openApp(readConfig({ ...env, ROSTRUM_DATA_DIR: folder.path }, folder.path));
  const published: { phase: string; id: string; at: number; ms: number }[] = [];
  const refused: string[] = [];
  const underWay = new Set<Promise<void>>();
  let phase = "before";
  const publish = async () => {
    const began = performance.now();
    const own = phase;
    try {
      const { article } = await createArticle(app, websiteId, makeArticle({ status: "published" }), CHIEF);
      const at = performance.now();
      published.push({ phase: own, id: article.id, at, ms: at - began });
    } catch (error) {
      refused.push(`${own}: ${String(error)}`);
    }
  };
  await publish();
  await until("the first webhook arrives", () => arrivals.size > 0, 60_000);
  published.length = 0;
  const publishing = setInterval(
    () => {
      const one = publish().finally(() => underWay.delete(one));
      underWay.add(one);
    },
    1_000 / Number(values.rate),
  );
  await sleep(Number(values.seconds) * 1_000);
  phase = "during";
  const began = performance.now();
  await using later = await serveCli({ data: folder.path, env: { ...env, ...LATER_VERSION }, withinMs: DAY_MS });
  const seconds = (performance.now() - began) / 1_000;
  phase = "both";
  await sleep(10_000);
  phase = "after";
  earlier.child.kill("SIGTERM");
  await earlier.ended;
  await sleep(10_000);
  clearInterval(publishing);
  await Promise.all(underWay);
  await until("all webhooks have arrived", () => published.every(({ id }) => arrivals.has(id)), 120_000);
  receiver.close();

  say(`The later version served after ${seconds.toFixed(1)} s.`);
  for (const line of later.lines) {
    const step = JSON.parse(line) as Record<string, unknown>;
    if (step["msg"] !== "migration step") continue;
    const details = ["milliseconds", "tries", "batches", "longestMilliseconds"].map(
      (name) => `${name} ${String(step[name])}`,
    );
    say(`  ${String(step["migration"])}: ${String(step["step"])}: ${details.join(", ")}`);
  }
  const latest = new Map<string, number>();
  for (const name of ["before", "during", "both", "after"]) {
    const all = published.filter((one) => one.phase === name);
    const lateness = all.map(({ id, at }) => (arrivals.get(id) ?? Number.NaN) - at).toSorted((a, b) => a - b);
    const slowest = Math.max(...all.map(({ ms }) => ms));
    latest.set(name, lateness.at(-1) ?? Number.NaN);
    const median = lateness[Math.floor(lateness.length / 2)] ?? Number.NaN;
    say(
      `${name}: ${all.length} published, slowest ${Math.round(slowest)} ms; webhooks: median ${Math.round(median)} ms, ` +
        `latest ${Math.round(lateness.at(-1) ?? Number.NaN)} ms`,
    );
  }
  say(`${refused.length} publications refused`);
  for (const one of refused.slice(0, 20)) say(`  ${one}`);
  const later1s = (latest.get("during") ?? 0) - (latest.get("before") ?? 0);
  if (refused.length > 0 || later1s > ALLOWED_MS) process.exitCode = 1;
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  arrivals: Map<string, number>,
): Promise<void> {
  const [, id] = /"article_id":"([^"]+)"/.exec(await text(request)) ?? [];
  if (id !== undefined && !arrivals.has(id)) arrivals.set(id, performance.now());
  response.end("ok");
}

function optionsOf(data: string, env: Record<string, string>): CliOptions {
  return { data, env, withinMs: DAY_MS };
}

async function createSite(options: CliOptions, url: string): Promise<{ websiteId: string; endpointId: string }> {
  const website = await cliJson(["website", "create", "--name", "W", "--url", "https://example.com"], options);
  const websiteId = String(website["id"]);
  const webhook = await cliJson(["webhook", "create", "--website", websiteId, "--url", url], options);
  return { websiteId, endpointId: String(webhook["id"]) };
}
