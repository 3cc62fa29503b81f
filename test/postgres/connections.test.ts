/** To which server processes connect, what they say when they cannot, and what the server puts an end to. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { after, before, describe, test } from "node:test";
import { migrate } from "../../src/store/migrations.ts";
import { declareRow } from "../../src/store/row.ts";
import type { Snapshot } from "../../src/store/store.ts";
import { lockWebsite } from "../../src/store/system/websites.ts";
import { type CliOptions, cliJson, runCli } from "../helpers/cli.ts";
import { openStoreBy } from "../helpers/database.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { startPostgres } from "../helpers/postgres.ts";
import type { PostgresReplica, PostgresServer } from "../helpers/postgres-server.ts";
import { until } from "../helpers/until.ts";

/** All characters that have to be escaped in a URL or in SQL. */
const PASSWORD = "p@ss:w/o?r#d[]!$&'()*+,;=% \"\\ü漢";

let server: PostgresServer;
let replica: PostgresReplica;
let folder: Folder;

before(async () => {
  folder = await tempFolder();
  server = await startPostgres();
  replica = await server.startReplica();
  await server.query(`create role "o'neil" login password '${PASSWORD.replaceAll("'", "''")}'`);
  const [row] = await server.query("show hba_file");
  const rules = ["host all,replication rostrum 127.0.0.1/32 trust", "host all all 127.0.0.1/32 scram-sha-256"];
  const lines = rules.map((rule) => `('${rule}')`).join(", ");
  await server.query(`copy (select line from (values ${lines}) as rules (line)) to '${String(row?.["hba_file"])}'`);
  await server.query("select pg_reload_conf()");
});
after(async () => {
  await replica[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const by = (url: string, env: Record<string, string> = {}): CliOptions => ({
  data: folder.path,
  env: { DATABASE_URL: url, ...env },
});

/** Creates a database that belongs to the user with the password. */
async function ownDatabase(): Promise<URL> {
  const url = new URL(await server.createDatabase());
  await server.query(`alter database ${url.pathname.slice(1)} owner to "o'neil"`);
  return Object.assign(url, { username: encodeURIComponent("o'neil"), password: encodeURIComponent(PASSWORD) });
}

describe("the address", () => {
  test("may have several hosts, of which the one that accepts writes is used", async () => {
    const url = new URL(await server.createDatabase());
    // Nobody listens on the first.
    const hosts = [1, replica.port, server.port].map((port) => `127.0.0.1:${port}`).join(",");
    const several = `postgres://rostrum@${hosts}${url.pathname}`;
    const { id } = await cliJson(["website", "create", "--name", "W"], by(several));
    assert.deepEqual(await server.query("select id from websites", url.pathname.slice(1)), [{ id }]);
  });

  test("may have a user and a password of any characters, percent-encoded", async () => {
    const url = await ownDatabase();
    await cliJson(["website", "create", "--name", "W"], by(url.href));
    assert.equal((await server.query("select id from websites", url.pathname.slice(1))).length, 1);
  });
});

/** A command and the service, with the address. */
async function refused(url: string, sentence: RegExp): Promise<void> {
  for (const command of [["website", "list"], ["serve"]]) {
    const { code, stderr } = await runCli(command, by(url, { PORT: "0" }));
    assert.equal(code, 69, stderr);
    assert.match(stderr, sentence);
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    assert.ok(!stderr.includes("wrong-password"), stderr);
  }
}

describe("a database that cannot be used is reported in one sentence, with exit code 69", () => {
  test("if the password is wrong", async () => {
    const url = Object.assign(await ownDatabase(), { password: "wrong-password" });
    await refused(url.href, /^PostgreSQL refuses the user of DATABASE_URL \(.+\): check its name and password\.$/m);
  });

  test("if the database does not exist", async () => {
    await refused(
      server.url("nowhere"),
      /^PostgreSQL has no such database \(.+\): create it, or change DATABASE_URL\.$/m,
    );
  });

  test("if the user lacks rights", async () => {
    const url = new URL(await server.createDatabase());
    Object.assign(url, { username: encodeURIComponent("o'neil"), password: encodeURIComponent(PASSWORD) });
    await refused(
      url.href,
      /^The user of DATABASE_URL lacks a permission \(.+\): make it the owner of the database or its schema\.$/m,
    );
  });

  test("if there is no schema for its tables", async () => {
    const url = await ownDatabase();
    await server.query(`alter database ${url.pathname.slice(1)} set search_path = ''`);
    await refused(
      url.href,
      /^The user of DATABASE_URL may use no schema of its search_path \(.+\): make it the owner of one, such as public\.$/m,
    );
  });

  test("if it has no connection left", async () => {
    const url = await ownDatabase();
    await server.query(`alter database ${url.pathname.slice(1)} connection limit 0`);
    await refused(
      url.href,
      /^PostgreSQL has no connection left \(.+\): raise max_connections .+, or lower ROSTRUM_DATABASE_POOL\.$/m,
    );
  });

  test("if it is a standby", async () => {
    await refused(replica.url(), /^PostgreSQL is read-only, as a standby is: .+\.$/m);
  });

  test("if there is no server", async () => {
    await refused(
      "postgres://rostrum@127.0.0.1:1/x",
      /^PostgreSQL cannot be reached \(.+\): check that it runs, and DATABASE_URL\.$/m,
    );
  });

  test("if its encoding cannot store every text", async () => {
    await server.query("create database latin encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0");
    await refused(
      server.url("latin"),
      /^The database's encoding is LATIN1, .+: create it again with ENCODING 'UTF8' .+\.$/m,
    );
  });

  test("if the server wants TLS, and the address has none", async () => {
    const file = String((await server.query("show hba_file"))[0]?.["hba_file"]);
    const rules = await server.query(`select line from regexp_split_to_table(pg_read_file('${file}'), '\\n') as line`);
    const write = (lines: readonly string[]) =>
      server.query(`copy (select unnest(array[${lines.map((line) => `'${line}'`).join(", ")}])) to '${file}'`);
    const before = rules.map(({ line }) => String(line)).filter((line) => line !== "");
    const url = await ownDatabase();
    await write(["hostnossl all \"o''neil\" 127.0.0.1/32 reject", ...before]);
    await server.query("select pg_reload_conf()");
    await refused(
      url.href,
      /^PostgreSQL refuses this connection without TLS \(.+\): .+ sslmode=verify-full .+ pg_hba\.conf\.$/m,
    );
    await write(before);
    await server.query("select pg_reload_conf()");
  });

  test("if the server is too old", async () => {
    const url = await server.createDatabase();
    const name = new URL(url).pathname.slice(1);
    await server.query("create schema old", name);
    await server.query(
      `create function old.current_setting(text) returns text language sql
       as $$ select case $1 when 'server_version_num' then '140018' else pg_catalog.current_setting($1) end $$`,
      name,
    );
    await server.query(`alter database ${name} set search_path = old, pg_catalog, public`);
    await refused(url, /^PostgreSQL 15 or later is required; this server is older\.$/m);
  });
});

test("the server ends statements, lock waits and idle transactions that take too long", async () => {
  const url = await server.createDatabase();
  const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
  for (const pooled of ["0", "1"]) {
    await using store = openStoreBy({ DATABASE_URL: url, ROSTRUM_DATABASE_PGBOUNCER: pooled });
    await migrate(store, 0);
    for (const limit of limits) {
      const asked = (db: Snapshot) => db.get(declareRow<{ set: string }>("SELECT current_setting(?) AS set"), limit);
      for (const { set } of [await store.read(asked), await store.write(asked)].filter((one) => one !== undefined)) {
        assert.match(set, /^(?:[1-9]|[1-5]\d)\d?(?:\d{3}ms|s)$|^1min$/, `${limit} is ${set}`);
      }
    }
  }
});

test("a write that waits too long for another's lock fails with an error and changes nothing", async () => {
  const url = await server.createDatabase();
  await using store = openStoreBy({ DATABASE_URL: url }, { lockTimeoutMs: 200 });
  await migrate(store, 0);
  await store.write((db) =>
    db.run(
      "INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch) VALUES ('w', 'w', 0, 1, 0, 'e')",
    ),
  );
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const first = store.write(async (db) => {
    await lockWebsite(db, "w");
    held.resolve();
    await release.promise;
  });
  await held.promise;
  const second = store.write(async (db) => {
    await db.run("INSERT INTO settings VALUES ('a', 'b')");
    await lockWebsite(db, "w");
  });
  await assert.rejects(second, { code: "unavailable", message: /^PostgreSQL took too long/ });
  release.resolve();
  await first;
  assert.deepEqual(await store.read((db) => db.all("SELECT name FROM settings WHERE name = 'a'")), []);
});

/** Failures that occur once, while a write marks the website that it changes. */
const FAILURES = {
  "is ended by the server": "PERFORM pg_terminate_backend(pg_backend_pid())",
  "conflicts with another's": "RAISE SQLSTATE '40P01'",
} as const;

for (const [failure, statement] of Object.entries(FAILURES)) {
  test(`a write that ${failure} before its commit is retried, and takes effect once`, async () => {
    const url = await server.createDatabase();
    await using store = openStoreBy({ DATABASE_URL: url });
    await migrate(store, 0);
    await store.write(async (db) => {
      await db.run("CREATE SEQUENCE tries");
      await db.run(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('tries') = 1 THEN ${statement}; END IF;
        RETURN NEW;
      END $$`);
      await db.run("CREATE TRIGGER fail BEFORE INSERT ON website_changes FOR EACH ROW EXECUTE FUNCTION fail()");
    });
    await store.write(async (db) => {
      await db.run("INSERT INTO settings VALUES (?, 'b')", crypto.randomUUID());
      db.markWebsiteChanged("w");
    });
    const rows = await store.read((db) => db.all("SELECT website_id FROM website_changes, settings WHERE value = 'b'"));
    assert.deepEqual(rows, [{ website_id: "w" }]);
    // The notification after the commit briefly uses a connection.
    await until("every connection is given back", () => store.pool().inUse === 0);
  });
}

/** Ten readers of 200 pages of 50 rows, 300 MB of text; prints how often the old generation was collected. */
const READ_PAGES = `
  import { PerformanceObserver, constants } from "node:perf_hooks";
  const [, module, url] = process.argv;
  const { openPostgres } = await import(module);
  const limits = { queryTimeoutMs: 60_000, lockTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
  const store = openPostgres({ url, connections: 10, isPooled: false, ...limits }, () => "id");
  const sql = "SELECT n, repeat('a long text ', 250) AS text FROM generate_series(1, 50) AS n";
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  });
  observer.observe({ entryTypes: ["gc"] });
  const read = async () => {
    for (let page = 0; page < 200; page++) await store.read((db) => db.all(sql));
  };
  await Promise.all(Array.from({ length: 10 }, read));
  await new Promise((resolve) => setImmediate(resolve));
  console.log(collections);
  await store[Symbol.asyncDispose]();
`;

test("rows that were read are collected while they are young, instead of filling the memory until the next large collection", async () => {
  const url = await server.createDatabase();
  const store = pathToFileURL(join(import.meta.dirname, "../../src/store/engine/postgres/postgres.ts")).href;
  const flags = ["--max-semi-space-size=4", "--input-type=module", "--eval"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, READ_PAGES, store, url]);
  // One to three. The driver alone has nine: it keeps the rows of each query reachable from earlier ones.
  assert.ok(Number(stdout) <= 5, stdout);
});
