/** What processes cost a server: connections, and statements while nothing happens. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type CliOptions, cliJson, serveCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { Client } from "../helpers/http.ts";
import { startPostgres } from "../helpers/postgres.ts";
import type { PostgresServer } from "../helpers/postgres-server.ts";
import { LIST } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";

const POOL = 3;

/** All that is asked while nothing happens, by a piece of its text, and how often at the most. */
const IDLE = [
  { who: "the node lives, and what the others have changed", text: "UPDATE workers SET seen_at", perSecond: 4 },
  { who: "what there is to do for those that deliver", text: "AS has_replays", perSecond: 1 },
  { who: "when the next article is due", text: "SELECT publish_at FROM articles", perSecond: 0.25 },
  { who: "what a process left of a sender's arrivals when it ended", text: "AS one FROM arrivals", perSecond: 0.25 },
  { who: "those that are gone are forgotten", text: "DELETE FROM workers", perSecond: 0.25 },
  { who: "the server's time, with a transaction now and then", text: "AS server_ms", perSecond: 0.25 },
] as const;
/** All of these together, including the statements that begin and end their transactions. */
const MAX_PER_SECOND = 6;

let server: PostgresServer;
let folder: Folder;

before(async () => {
  folder = await tempFolder();
  server = await startPostgres({ settings: { shared_preload_libraries: "pg_stat_statements" } });
  await server.query("create extension pg_stat_statements");
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function kindOf(query: unknown): (typeof IDLE)[number] | undefined {
  return IDLE.find(({ text }) => String(query).includes(text));
}

/** A website with a key, and with an endpoint: the thread that delivers runs, too. */
async function newSite() {
  const url = await server.createDatabase();
  const name = new URL(url).pathname.slice(1);
  const env = {
    ...LOOPBACK,
    DATABASE_URL: url,
    ROSTRUM_DATABASE_POOL: String(POOL),
    ROSTRUM_SECRET_KEY: "a key that both processes share, and no test needs to hide",
  };
  const options: CliOptions = { data: folder.path, env };
  const { id } = await cliJson(["website", "create", "--name", "W"], options);
  const { key } = await cliJson(["key", "create", "--website", String(id), "--name", "k"], options);
  await cliJson(["webhook", "create", "--website", String(id), "--url", "http://127.0.0.1:9/"], options);
  /** Connections to the database. */
  const count = async () => {
    const rows = await server.query(
      `select count(*)::int as n from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    return Number(rows[0]?.["n"]);
  };
  /** Whether the dispatcher's thread has polled for work. */
  const isDelivering = async () => {
    const asking = `select 1 from pg_stat_activity where datname = '${name}' and query like '%silent_ms%'`;
    return (await server.query(asking)).length > 0;
  };
  return { name, options, key: String(key), count, isDelivering };
}

test("a process has at most five connections beyond those of its setting, and none once SIGTERM has ended it", async () => {
  const { options, key, count } = await newSite();
  await using process = await serveCli(options);
  using client = new Client(process.url);
  let most = 0;
  const load = { isDone: false };
  const watching = (async () => {
    while (!load.isDone) most = Math.max(most, await count());
  })();
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_none, index) =>
        client.send(`${LIST}?q=word${round}x${index}`, { headers: { "X-API-Key": key } }),
      ),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  }
  load.isDone = true;
  await watching;
  assert.ok(most > POOL && most <= POOL + 5, `${most} connections`);
  process.child.kill("SIGTERM");
  assert.deepEqual(await process.ended, { code: 0, signal: null });
  assert.equal(await count(), 0);
});

test("a process with nothing to do sends few queries, which read little", async (t) => {
  const { name, options, isDelivering } = await newSite();
  await using _ = await serveCli(options);
  await until("the thread that delivers is there", isDelivering);
  const transactions = /^(?:BEGIN|COMMIT|SET)/;
  /** The statements of some time, and how long it was. */
  const watch = async (ms: number) => {
    await server.query("select pg_stat_statements_reset()");
    const since = performance.now();
    await wait(ms);
    const asked = await server.query(
      `select calls::int, (shared_blks_hit + shared_blks_read) / calls as pages, regexp_replace(query, '\\s+', ' ', 'g') as query from pg_stat_statements
       where dbid = (select oid from pg_database where datname = '${name}') order by calls desc`,
    );
    const others = asked.filter(({ query }) => kindOf(query) === undefined && !transactions.test(String(query)));
    return { asked, others, seconds: (performance.now() - since) / 1_000 };
  };
  await until("its start is over", async () => (await watch(1_000)).others.length === 0);
  const { asked, others, seconds } = await watch(4_000);
  assert.deepEqual(others, []);
  for (const kind of IDLE) {
    const { perSecond, who } = kind;
    const calls = asked.reduce((sum, one) => sum + (kindOf(one["query"]) === kind ? Number(one["calls"]) : 0), 0);
    assert.ok(calls <= perSecond * seconds + 1, `${who}: ${calls} in ${seconds} s`);
    t.diagnostic(`${calls / seconds}/s ${who}`);
  }
  const all = asked.reduce((sum, { calls }) => sum + Number(calls), 0);
  assert.ok(all <= MAX_PER_SECOND * seconds, `${all} in ${seconds} s`);
  for (const { query, pages } of asked) assert.ok(Number(pages) < 100, `${String(pages)} pages: ${String(query)}`);
});
