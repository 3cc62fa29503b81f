/** How a node stays in sync with the others, and how it handles a database that does not answer. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { CHANNEL } from "../../src/store/engine/postgres/node-sync.ts";
import { migrate } from "../../src/store/migrations.ts";
import type { Database } from "../../src/store/store.ts";
import { SharedLiveness } from "../../src/store/system/shared-liveness.ts";
import { openStoreBy } from "../helpers/database.ts";
import { startPostgres } from "../helpers/postgres.ts";
import type { PostgresServer } from "../helpers/postgres-server.ts";
import { startTcpProxy } from "../helpers/tcp-proxy.ts";
import { finishes, until } from "../helpers/until.ts";

/** Long enough to miss a heartbeat. */
const STANDS_STILL_MS = 1_500;
/** Longer than a heartbeat may take. */
const HELD_UP_MS = 1_100;
const BEAT_EVERY_MS = 50;

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

/** A node's store that follows, with what it complained of. */
async function follow(url: string, prepare: (store: Database) => Promise<unknown> = () => Promise.resolve()) {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(openStoreBy({ DATABASE_URL: url }));
  await migrate(store, 0);
  await prepare(store);
  const complaints: string[] = [];
  opened.use(await store.followCommits((_error, message) => void complaints.push(message)));
  const owned = opened.move();
  return {
    store,
    complaints,
    database: new URL(url).pathname.slice(1),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("a node registers together with its position, so that nobody waits for one that has just started", async () => {
  const url = await server.createDatabase();
  await using node = await follow(url, (store) =>
    store.write(async (db) => {
      await db.run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.applied_snapshot IS NULL THEN RAISE 'it has said nothing'; END IF;
        RETURN NEW;
      END $$`);
      await db.run(
        "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON workers FOR EACH ROW WHEN (NEW.kind = 'node') EXECUTE FUNCTION refuse()",
      );
    }),
  );
  await until("it answers from memory", () => !Number.isNaN(node.store.changeToken("")));
  assert.deepEqual(node.complaints, []);
});

test("a process confirms its own changes with the heartbeat that reports them, and those of others with the next", async () => {
  const url = await server.createDatabase();
  // Counts with each heartbeat how many changes the node has not reported as seen.
  await using node = await follow(url, (store) =>
    store.write(async (db) => {
      await db.run("CREATE TABLE beats (number BIGINT GENERATED ALWAYS AS IDENTITY, unseen BIGINT)");
      await db.run(`CREATE FUNCTION record_beat() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO beats (unseen) SELECT count(*) FROM website_changes WHERE NOT pg_visible_in_snapshot(xid, NEW.applied_snapshot);
        RETURN NEW;
      END $$`);
      await db.run(
        "CREATE TRIGGER record_beat BEFORE UPDATE ON workers FOR EACH ROW WHEN (NEW.kind = 'node') EXECUTE FUNCTION record_beat()",
      );
    }),
  );
  const count = async (condition: string) => {
    const [row] = await server.query(`SELECT count(*)::int AS n FROM beats WHERE ${condition}`, node.database);
    return Number(row?.["n"]);
  };
  const nextBeats = async () => {
    const before = await count("true");
    await until("two more heartbeats", async () => (await count("true")) >= before + 2);
  };
  await nextBeats();
  await node.store.write((db) => Promise.resolve(db.markWebsiteChanged("own")));
  await nextBeats();
  assert.equal(await count("unseen > 0"), 0);
  await server.query("INSERT INTO website_changes VALUES ('other', pg_current_xact_id())", node.database);
  await until("it was reported, and not confirmed", async () => (await count("unseen = 1")) === 1);
  await nextBeats();
  assert.equal(await count("unseen > 0"), 1);
});

test("a process that was blocked itself does not consider the database unreachable", async () => {
  await using node = await follow(await server.createDatabase());
  const { store } = node;
  for (let times = 0; times < 3; times++) {
    const heldUp = Promise.withResolvers<void>();
    // It is notified of a change, sends a heartbeat at once, and reads the answer only much later.
    store.onCommit(() => {
      store.onCommit(() => undefined);
      setImmediate(() => {
        const since = performance.now();
        while (performance.now() - since < HELD_UP_MS);
        heldUp.resolve();
      });
    });
    await server.query(`notify ${CHANNEL}`, node.database);
    await heldUp.promise;
    await until("it answers from memory", () => !Number.isNaN(store.changeToken("")));
  }
  assert.deepEqual(node.complaints, []);
});

test("a long transaction survives a database that pauses for a moment", async () => {
  await using node = await follow(await server.createDatabase());
  let times = 0;
  const writing = node.store.write((db) => {
    times++;
    return db.get("SELECT 1 AS done FROM pg_sleep(4.5)");
  });
  await wait(100);
  await server.pause();
  await wait(STANDS_STILL_MS);
  await server.resume();
  await until("a beat was missed", () => node.complaints.length > 0);
  assert.deepEqual(await writing, { done: 1 });
  assert.equal(times, 1);
});

test("a pause of the database fences the dispatcher, and for a while afterwards silence does not mean death", async () => {
  await using node = await follow(await server.createDatabase());
  const liveness = new SharedLiveness();
  node.store.setDispatcher({ id: "dispatcher", liveness });
  const thread = setInterval(() => liveness.beat(), BEAT_EVERY_MS);
  using _ = { [Symbol.dispose]: () => clearInterval(thread) };
  await until("silence means death", () => liveness.isSteady(process.hrtime.bigint()));
  await server.pause();
  await until("it sends nothing", () => liveness.isFenced());
  assert.equal(liveness.isSteady(process.hrtime.bigint()), false);
  const asked = process.hrtime.bigint();
  await server.resume();
  await until("it sends again", () => !liveness.isFenced());
  assert.equal(liveness.isSteady(asked), false);
  await until("silence means death again", () => liveness.isSteady(process.hrtime.bigint()));
  assert.equal(liveness.isFenced(), false);
});

test("a transaction whose response the network lost is abandoned, and its caller gets an error", async () => {
  const direct = new URL(await server.createDatabase());
  await using proxy = await startTcpProxy({ port: server.port });
  await using node = await follow(Object.assign(new URL(direct), { port: String(proxy.port) }).href);
  const writing = node.store.write((db) => db.get("SELECT 1 AS done FROM pg_sleep(0.5)"));
  await wait(100);
  proxy.mode = "freeze";
  await wait(STANDS_STILL_MS);
  proxy.thaw();
  // Without this, a query ends only after a minute.
  await finishes(
    "the transaction",
    writing.catch(() => undefined),
  );
  assert.deepEqual(await node.store.read((db) => db.get("SELECT 1 AS done")), { done: 1 });
});
