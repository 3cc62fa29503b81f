import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { createDatabase, dropDatabase } from "../helpers/postgres-databases.ts";
import { findPostgres } from "../helpers/postgres-programs.ts";
import { startPostgres } from "../helpers/postgres.ts";
import type { PostgresServer } from "../helpers/postgres-server.ts";
import { until } from "../helpers/until.ts";

describe("PostgreSQL for tests", { skip: findPostgres() === undefined && "there is no PostgreSQL here" }, () => {
  describe("one server", () => {
    let server: PostgresServer;
    before(async () => {
      server = await startPostgres();
    });
    after(() => server[Symbol.asyncDispose]());

    test("has databases that are separate, and a copy of a template has its rows", async () => {
      const [one, other] = await Promise.all([server.createDatabase(), createDatabase(server.url())]);
      await server.query("create table t as select 7 as n", nameOf(one));
      assert.deepEqual(await server.query("select to_regclass('t') as t", nameOf(other)), [{ t: null }]);

      const copy = await server.createDatabase(one);
      assert.deepEqual(await server.query("select n from t", nameOf(copy)), [{ n: 7 }]);

      await Promise.all([server.dropDatabase(one), dropDatabase(other), dropDatabase(copy)]);
      assert.deepEqual(await server.query("select 1 from pg_database where datname like 't\\_%'"), []);
    });

    test("does not order text by its bytes", async () => {
      const [row] = await server.query("select 'a' < 'B' as language, 'a' collate \"C\" < 'B' as bytes");
      assert.deepEqual(row, { language: true, bytes: false });
    });

    test("can end the sessions of others, by a condition", async () => {
      await using ended = await openSession(server, "ended");
      await using kept = await openSession(server, "kept");
      assert.equal(await server.terminateConnections("application_name = 'ended'"), 1);
      await ended.lost;
      assert.equal((await kept.client.query("select 1")).rowCount, 1);
      assert.equal(await server.terminateConnections(), 1);
      await kept.lost;
    });

    test("answers only when it is resumed after a pause", async () => {
      await using session = await openSession(server, "waiting");
      await server.pause();
      let answered = 0;
      const answers = [session.client.query("select 1"), server.query("select 1")].map(async (answer) => {
        await answer;
        answered += 1;
      });
      await wait(100);
      assert.equal(answered, 0);
      await server.resume();
      await Promise.all(answers);
    });
  });

  test("has every committed row after a crash if it is durable, on the same port", async () => {
    await using server = await startPostgres({ durable: true });
    assert.deepEqual(await server.query("show fsync"), [{ fsync: "on" }]);
    await server.query("create table t as select generate_series(1, 1000) as n");
    await server.stop("immediate");
    await assert.rejects(server.query("select 1"), { code: "ECONNREFUSED" });
    await server.start();
    assert.deepEqual(await server.query("select count(*)::int as n from t"), [{ n: 1000 }]);
    await server.stop("fast");
    await server.start();
    assert.deepEqual(await server.query("select count(*)::int as n from t"), [{ n: 1000 }]);
  });

  test("has, as a promoted replica, what its synchronous primary had committed, and takes writes", async () => {
    await using primary = await startPostgres();
    await using replica = await primary.startReplica();
    await primary.makeSynchronous();
    await primary.query("create table t as select 1 as n");
    // The commit waited until the replica had it on the disk, which is before its queries see it.
    await until(
      "the replica has the table",
      async () => (await replica.query("select to_regclass('t') is not null as found"))[0]?.["found"] === true,
    );
    await assert.rejects(replica.query("insert into t values (2)"), { code: "25006" });
    await primary.stop("immediate");
    await replica.promote();
    await replica.query("insert into t values (2)");
    assert.deepEqual(await replica.query("select n from t order by n"), [{ n: 1 }, { n: 2 }]);
  });

  test("waits for its replica at a commit if that is synchronous", async () => {
    await using primary = await startPostgres();
    await using replica = await primary.startReplica();
    await primary.makeSynchronous();
    await replica.pause();
    let isDone = false;
    const commit = (async () => {
      await primary.query("create table t ()");
      isDone = true;
    })();
    await wait(100);
    assert.equal(isDone, false);
    await replica.resume();
    await commit;
  });

  test("says what its log says when its start fails", async () => {
    await assert.rejects(startPostgres({ settings: { shared_buffers: "plenty" } }), /invalid value.*"shared_buffers"/s);
  });

  test("leaves no listener, process or folder after its disposal, even when paused", async () => {
    const disposals = ["serving", "paused", "stopped"].map(async (state) => {
      const server = await startPostgres();
      const traces = await tracesOf(server);
      if (state === "paused") await server.pause();
      if (state === "stopped") await server.stop("fast");
      await server[Symbol.asyncDispose]();
      await assertGone(traces);
    });
    await Promise.all(disposals);
  });

  test("does not outlive its process, even when that is killed", async () => {
    const source = `
      import { startPostgres } from ${JSON.stringify(import.meta.resolve("../helpers/postgres.ts"))};
      const server = await startPostgres();
      console.log(server.port);
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
      const client = new Client({ connectionString: `postgres://rostrum@127.0.0.1:${port}/postgres` });
      client.on("error", () => undefined);
      await client.connect();
      const traces = await tracesOf({
        port: Number(port),
        query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
      });
      await kill(child);
      await until("the server is gone", () => !existsSync(traces.folder));
      await assertGone(traces);
    } finally {
      await kill(child);
    }
  });
});

interface Traces {
  port: number;
  folder: string;
  pids: number[];
}

async function tracesOf(server: Pick<PostgresServer, "port" | "query">): Promise<Traces> {
  const [place] = await server.query("show data_directory");
  const data = String(place?.["data_directory"]);
  const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  const rows = await server.query("select pid from pg_stat_activity where backend_type <> 'client backend'");
  assert.ok(rows.length > 0);
  return { port: server.port, folder: join(data, ".."), pids: [postmaster, ...rows.map(({ pid }) => Number(pid))] };
}

async function assertGone({ port, folder, pids }: Traces): Promise<void> {
  await assert.rejects(once(connect(port, "127.0.0.1"), "connect"), { code: "ECONNREFUSED" });
  assert.equal(existsSync(folder), false);
  // Without its postmaster, a process ends as soon as it notices.
  for (const pid of pids) await until(`process ${pid} has ended`, () => !runs(pid));
}

/** A zombie process counts as ended. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = `/proc/${pid}/stat`;
  return !(existsSync(status) && readFileSync(status, "utf8").includes(") Z "));
}

async function openSession(server: PostgresServer, name: string) {
  const client = new Client({ connectionString: server.url(), application_name: name });
  client.on("error", () => undefined);
  const lost = new Promise((resolve) => client.once("end", resolve));
  await client.connect();
  return { client, lost, [Symbol.asyncDispose]: () => client.end() };
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
