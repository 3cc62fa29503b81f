/** `rostrum migrate-store`: everything goes from one engine to the other, is compared, and goes on after a stop. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Client } from "pg";
import { openStore } from "../../src/app/app.ts";
import { listNear } from "../../src/store/articles/quality/fingerprints.ts";
import { COPIED_TABLES, insertPage, getKey, readPage, type CopiedRow } from "../../src/store/system/table-copy.ts";
import { copyStore, type StoreCopy } from "../../src/operations/system/store-copy.ts";
import { migrate } from "../../src/store/migrations.ts";
import { declareRow } from "../../src/store/row.ts";
import type { Database } from "../../src/store/store.ts";
import { type CliOptions, cliJson, runCli, serveCli, spawnCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { fillStore, FULL_STORE_SETTINGS } from "../helpers/full-store.ts";
import { Client as HttpClient, record, records } from "../helpers/http.ts";
import { findPostgres } from "../helpers/postgres-programs.ts";
import { startPostgres } from "../helpers/postgres.ts";
import type { PostgresServer } from "../helpers/postgres-server.ts";
import { until } from "../helpers/until.ts";
import { assertSigned, ScriptedReceiver } from "../helpers/webhooks.ts";

const skip = findPostgres() === undefined && "there is no PostgreSQL here (Debian: apt-get install postgresql)";

describe("migrate-store", { skip }, () => {
  let server: PostgresServer;
  let folder: Folder;
  let options: CliOptions;
  before(async () => {
    server = await startPostgres();
    folder = await tempFolder();
    options = { cwd: folder.path, data: folder.at("data"), env: { ...FULL_STORE_SETTINGS } };
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  let files = 0;
  const newFile = () => `sqlite:${folder.at(`${++files}.db`)}`;
  const copy = (from: string, to: string) => cliJson(["migrate-store", "--from", from, "--to", to], options);
  const refused = async (from: string, to: string, expected: RegExp, code = 1) => {
    const result = await runCli(["migrate-store", "--from", from, "--to", to], options);
    assert.deepEqual([result.code, result.stdout], [code, ""], result.stderr);
    assert.match(result.stderr, expected);
    assert.doesNotMatch(result.stderr, /^\s+at /m);
  };
  /** A small store of SQLite. */
  const newSource = async (name = "Small") => {
    const url = newFile();
    const env = { ...FULL_STORE_SETTINGS, DATABASE_URL: url };
    const { id } = await cliJson(["website", "create", "--name", name], { ...options, env });
    const stdin = Array.from({ length: 3 }, (_none, index) => `{"title":"A ${index}","content":"<p>${index}</p>"}\n`);
    await cliJson(["import", "-", "--website", String(id), "--events", "--status", "published"], {
      ...options,
      env,
      stdin: stdin.join(""),
    });
    return { url, env, websiteId: String(id) };
  };

  test("what was copied there and back is the same, and its service goes on with keys, search, webhooks and numbers", async () => {
    await using receiver = await ScriptedReceiver.start();
    const [first, there, back] = [newFile(), await server.createDatabase(), newFile()];
    const full = await fillStore({ DATABASE_URL: first }, receiver);
    const toldBefore = receiver.received.length;
    const outward = await copy(first, there);
    assert.equal(outward["resumed"], false);
    const tables = record(outward["tables"]);
    for (const { name } of COPIED_TABLES) {
      const { rows, sha256 } = record(tables[name]);
      assert.ok(Number(rows) > 0, `${name} has rows`);
      assert.match(String(sha256), /^[0-9a-f]{64}$/);
    }
    assert.deepEqual((await copy(there, back))["tables"], tables);
    assert.deepEqual(await server.query("SELECT name FROM settings WHERE name LIKE 'order %'", databaseOf(there)), []);

    const exported = async (url: string) => {
      const env = { ...FULL_STORE_SETTINGS, DATABASE_URL: url };
      const { stdout } = await runCli(["export", "--website", full.websiteId], { ...options, env });
      assert.ok(stdout.length > 0);
      return stdout;
    };
    const [before, ...later] = await Promise.all([first, there, back].map(exported));
    assert.deepEqual(later, [before, before]);
    assert.deepEqual(await leased(there), []);
    for (const url of [there, back]) assert.ok(await findsDuplicates(url), url);

    for (const url of [there, back]) {
      // A folder for each: a data folder records the latest event, and `back` lacks the one that `there` gets.
      const data = folder.at(`served ${url === there ? "there" : "back"}`);
      const known = receiver.received.length;
      await using running = await serveCli({ ...options, data, env: { ...FULL_STORE_SETTINGS, DATABASE_URL: url } });
      using client = new HttpClient(running.url);
      const get = async (path: string, key = full.key) => {
        const reply = await client.send(`/api/public/${path}`, { headers: { "X-API-Key": key } });
        return { status: reply.status, data: record(record(reply.json())["data"] ?? {}) };
      };
      assert.equal((await get("articles", full.revokedKey)).status, 401);
      for (const word of [full.word, full.wordIn]) {
        const { data } = await get(`articles?q=${encodeURIComponent(word)}`);
        assert.equal(records(data["articles"]).length, 1, word);
      }
      // The one that waited in the source; the same event comes from each copy.
      await receiver.arrival(known + 1);
      const env = { ...FULL_STORE_SETTINGS, DATABASE_URL: url };
      const stdin = '{"title":"New","content":"<p>New since</p>","status":"published"}';
      await cliJson(["article", "create", "--website", full.websiteId, "--file", "-"], { ...options, env, stdin });
      await until("the new article is told of", () => receiver.titles.slice(known).includes("New"));
      for (const one of receiver.received.slice(known)) assertSigned(one, full.waiting.secret);
    }
    assert.ok(receiver.received.length >= toldBefore + 4);
  });

  test("every table and column is copied, except those that belong to one database alone", async () => {
    const [url, file] = [await server.createDatabase(), newFile()];
    const OWN: Record<string, readonly string[]> = {
      events: ["xid"],
      deliveries: ["is_parked", "failed_state"],
      delivery_queue: ["lease_token", "lease_until", "worker"],
    };
    const NOT_COPIED = /^(?:migrations|workers|website_changes|article_words.*|fingerprint_bands|sqlite_.*)$/;
    await using one = await opened(url);
    await using other = await opened(file);
    for (const [store, sql] of [
      [one, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"],
      [
        other,
        `SELECT t.name AS table_name, c.name AS column_name FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table'`,
      ],
    ] as const) {
      const found = new Map<string, string[]>();
      for (const row of await store.read((db) =>
        db.all(declareRow<{ table_name: string; column_name: string }>(sql)),
      )) {
        const { table_name: table, column_name: column } = row;
        if (NOT_COPIED.test(table) || (store.engine === "postgres" && OWN[table]?.includes(column))) continue;
        if (table === "delivery_queue" && OWN[table]?.includes(column)) continue;
        found.set(table, [...(found.get(table) ?? []), column].toSorted());
      }
      const copied = COPIED_TABLES.map(({ name, columns }) => [name, columns.toSorted()] as const);
      assert.deepEqual(Object.fromEntries(found), Object.fromEntries(copied), store.engine);
    }
  });

  /** Starts a copy that cannot get past `table`, and ends it there by `stop`. @returns its exit code and errors. */
  const stopAt = async (
    table: string,
    { from, to }: { from: string; to: string },
    stop: (child: ReturnType<typeof spawnCli>) => unknown = (child) => child.kill("SIGKILL"),
  ) => {
    await cliJson(["migrate"], { ...options, env: { ...FULL_STORE_SETTINGS, DATABASE_URL: to } });
    const holder = new Client({ connectionString: to });
    await holder.connect();
    const child = spawnCli(["migrate-store", "--from", from, "--to", to], options);
    const ended = Promise.all([text(child.stderr), once(child, "close") as Promise<[number | null]>]);
    try {
      await holder.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
      await until(`the copy waits at ${table}`, async () => {
        assert.equal(child.exitCode, null);
        const sql = `SELECT 1 FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`;
        return (await holder.query(sql)).rows.length > 0;
      });
      await stop(child);
    } finally {
      await holder.end();
    }
    const [stderr, [code]] = await ended;
    return { code, stderr };
  };

  test("a killed copy resumes where it was, with the same result as an uninterrupted one", async () => {
    const { url } = await newSource();
    const [whole, killed] = [await server.createDatabase(), await server.createDatabase()];
    const { tables } = await copy(url, whole);
    await stopAt("events", { from: url, to: killed });
    const before = await server.query("SELECT xmin::text, id FROM articles ORDER BY id", databaseOf(killed));
    assert.equal(before.length, 3);
    const resumed = await copy(url, killed);
    assert.deepEqual([resumed["resumed"], resumed["tables"]], [true, tables]);
    assert.deepEqual(
      await server.query("SELECT xmin::text, id FROM articles ORDER BY id", databaseOf(killed)),
      before,
      "what was copied before is not written again",
    );
    assert.deepEqual(await server.query("SELECT * FROM settings", databaseOf(killed)), []);
    await refused(url, killed, /already contains data \(websites\)/);
  });

  test("a copy that loses its source reports it, and resumes when it is run again", async () => {
    const [source, target] = [await server.createDatabase(), await server.createDatabase()];
    const { tables } = await copy((await newSource()).url, source);
    const { code, stderr } = await stopAt("events", { from: source, to: target }, () =>
      server.terminateConnections(`datname = '${databaseOf(source)}'`),
    );
    assert.equal(code, 69, stderr);
    assert.match(stderr, /^PostgreSQL cannot be reached \(.*\): check that it runs/);
    const resumed = await copy(source, target);
    assert.deepEqual([resumed["resumed"], resumed["tables"]], [true, tables]);
  });

  test("a copy that is stopped after every page has the same result, in both directions", async () => {
    const urls = [(await newSource()).url, await server.createDatabase(), newFile()];
    const found: StoreCopy[] = [];
    for (const [index, url] of urls.slice(1).entries()) {
      await using source = await opened(urls[index] ?? "");
      await using target = await opened(url);
      for (let turns = 1; found.length <= index; turns++) {
        assert.ok(turns < 100);
        let pages = 0;
        const stop = ({ doing }: { doing: string }) => {
          if (doing === "copying" && ++pages > 1) throw new Error("stopped");
        };
        try {
          found.push(await copyStore(source, target, url, stop));
        } catch (error) {
          assert.match(String(error), /^Error: stopped$/);
        }
      }
    }
    assert.deepEqual(found[0], found[1]);
    assert.deepEqual([found[0]?.resumed, found[0]?.tables["articles"]?.rows], [true, 3]);
  });

  test("when two copy into one target at once, one finishes, and nothing is copied twice", async () => {
    const [{ url }, target] = [await newSource(), await server.createDatabase()];
    await using source = await opened(url);
    await using one = await opened(target);
    await using other = await opened(target);
    const ends = await Promise.allSettled([one, other].map((store) => copyStore(source, store, url, () => undefined)));
    assert.ok(ends.some(({ status }) => status === "fulfilled"));
    for (const end of ends) {
      if (end.status === "rejected") {
        assert.match(String(end.reason), /Another migrate-store|conflicts with another change|already contains data/);
      }
    }
    assert.deepEqual(await server.query("SELECT count(*)::int AS n FROM events", databaseOf(target)), [{ n: 3 }]);
  });

  test("a page has as many rows as fit into memory, and at least one", async () => {
    const events = COPIED_TABLES.find(({ name }) => name === "events");
    assert.ok(events !== undefined);
    for (const url of [await server.createDatabase(), newFile()]) {
      await using store = await opened(url);
      const sizes = [5, 1.5, 1.5, 1.5, 0.1, 0.1, 0.1].map((mb) => mb * 1024 * 1024);
      const rows = sizes.map((size, at) => {
        const event: Record<string, string | number> = {
          website_id: "w",
          sequence: at,
          id: `e${at}`,
          kind: "article.published",
          article_id: "a",
          created_at: 1,
          payload: "x".repeat(size),
        };
        return events.columns.map((column) => event[column] ?? null);
      });
      await store.write(async (db) => {
        await db.run(
          "INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch) VALUES ('w', 'W', 1, 1, 1, 'e')",
        );
        await insertPage(db, events, rows);
      });
      await using walk = await store.openSnapshot();
      const read: number[] = [];
      for (let last: CopiedRow | undefined; ;) {
        const page: CopiedRow[] = await readPage(walk, events, last === undefined ? null : getKey(events, last));
        if (page.length === 0) break;
        read.push(page.length);
        last = page.at(-1);
      }
      assert.deepEqual(read, [1, 2, 4], store.engine);
    }
  });

  test("an unfinished copy is not resumed from another source, or from one that has changed since", async () => {
    const source = await newSource();
    const target = await server.createDatabase();
    await stopAt("events", { from: source.url, to: target });
    await refused((await newSource()).url, target, /unfinished copy of .*\.db, which is another source/);
    await cliJson(["key", "create", "--website", source.websiteId, "--name", "k"], { ...options, env: source.env });
    await refused(source.url, target, /has changed since: empty the target/);
  });

  test("a row that differs at the end is an error that names its table", async () => {
    const { url } = await newSource();
    const target = await server.createDatabase();
    await stopAt("events", { from: url, to: target });
    await server.query("UPDATE article_bodies SET text = 'x' WHERE row_no = 2", databaseOf(target));
    await server.query("DELETE FROM article_words WHERE row_no = 1", databaseOf(target));
    for (let times = 0; times < 2; times++) {
      await refused(url, target, /Source and target differ in article_bodies, article_words:/);
    }
  });

  test("one database under two names, one that holds data, and one that is not there are refused", async () => {
    const { url } = await newSource();
    const target = await server.createDatabase();
    await copy(url, target);
    const path = url.slice("sqlite:".length);
    await refused(url, `sqlite:${folder.path}/./${path.split("/").at(-1)}`, /are the same database/);
    await refused(target, target.replace("127.0.0.1", "localhost"), /are the same database/);
    await refused(url, target, /already contains data \(websites\)/);
    await refused(target, (await newSource()).url, /already contains data/);
    await refused(newFile(), target, /There is no database .*\.db/);
    await refused(await server.createDatabase(), newFile(), /no data of Rostrum in the source/);
    await refused(url, "postgres://rostrum:hunter2@127.0.0.1:1/none", /PostgreSQL cannot be reached/, 69);
    await refused(url, "mysql://user:hunter2@host/db", /^--to must be sqlite:<path> or postgres:/m, 2);
  });

  test("nothing is copied while a service runs on either side", async () => {
    const { url, env } = await newSource();
    const target = await server.createDatabase();
    {
      await using _serving = await serveCli({ ...options, env });
      await refused(url, target, /The service is running on .*\.db .*stop the service first/);
    }
    {
      await using serving = await serveCli({ ...options, env: { ...FULL_STORE_SETTINGS, DATABASE_URL: target } });
      assert.match(
        serving.lines.join("\n"),
        /The database is empty, but this data folder has served a website: check DATABASE_URL/,
      );
      await refused(url, target, /The service is running on .* \(1 process\): stop the service first/);
      await refused(target, newFile(), /stop the service first/);
      const again = await runCli(["restored"], { ...options, env: { ...FULL_STORE_SETTINGS, DATABASE_URL: target } });
      assert.deepEqual([again.code, /stop the service first/.test(again.stderr)], [1, true]);
    }
  });

  test("an address may be in a file, the source is that of the settings, and the key's location is printed", async () => {
    const source = newFile();
    const env = { ...FULL_STORE_SETTINGS, DATABASE_URL: source };
    await using receiver = await ScriptedReceiver.start();
    const { id } = await cliJson(["website", "create", "--name", "W"], { ...options, env });
    const hook = ["webhook", "create", "--website", String(id), "--url", receiver.url];
    await cliJson(hook, { ...options, env });
    const target = await server.createDatabase();
    await writeFile(folder.at("address"), `${target}\n`);
    const result = await runCli(["migrate-store", "--to-file", folder.at("address")], { ...options, env });
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /^Copied .*\.db to postgres:.*\n {2}websites +1 /);
    assert.match(result.stderr, /set ROSTRUM_SECRET_KEY to the current ROSTRUM_SECRET_KEY for every process/);
    for (const [args, expected] of [
      [[], /--to or --to-file is missing/],
      [["--to", target, "--to-file", "x"], /not both/],
      [["--from", "", "--to", target], /--from must be/],
    ] as const) {
      const wrong = await runCli(["migrate-store", ...args], { ...options, env });
      assert.equal(wrong.code, 2);
      assert.match(wrong.stderr, expected);
    }
  });

  const leased = (url: string) =>
    server.query("SELECT 1 FROM delivery_queue WHERE coalesce(lease_token, worker) IS NOT NULL", databaseOf(url));

  test("restored makes new epochs, leaps over event numbers, and removes earlier processes and transactions", async () => {
    await using receiver = await ScriptedReceiver.start();
    const url = await server.createDatabase();
    const env = { ...FULL_STORE_SETTINGS, DATABASE_URL: url };
    const full = await fillStore({ DATABASE_URL: url }, receiver);
    const run = (sql: string) => server.query(sql, databaseOf(url));
    await run("UPDATE events SET xid = '900000000000', created_at = extract(epoch FROM now()) * 1000 + 3600000");
    await run("INSERT INTO workers (id, kind, seen_at) VALUES ('gone', 'node', now() - interval '1 hour')");
    await run("UPDATE website_changes SET xid = '900000000000'");
    const leases = (await leased(url)).length;
    assert.ok(leases > 0);
    const websites = "SELECT id, epoch, event_sequence::int AS sequence FROM websites ORDER BY id";
    const before = await run(websites);
    const done = await cliJson(["restored"], { ...options, env });
    const [events] = await run("SELECT count(*)::int AS n FROM events");
    assert.deepEqual(done, { websites: 2, leases, renumbered: events?.["n"] });
    for (const [index, row] of (await run(websites)).entries()) {
      assert.notEqual(row["epoch"], before[index]?.["epoch"]);
      assert.ok(Number(row["sequence"]) >= Number(before[index]?.["sequence"]) + 1_000_000);
    }
    assert.deepEqual([await leased(url), await run("SELECT 1 FROM workers")], [[], []]);
    const ahead = "xid >= pg_snapshot_xmax(pg_current_snapshot())";
    assert.deepEqual(await run(`SELECT 1 FROM events WHERE ${ahead}`), []);
    assert.deepEqual(await run(`SELECT 1 FROM website_changes WHERE ${ahead}`), []);
    const known = receiver.received.length;
    await using _serving = await serveCli({ ...options, env });
    assertSigned(await receiver.arrival(known + 1), full.waiting.secret);
  });

  test("restored does the same for SQLite, and requires an existing database", async () => {
    const { url, env } = await newSource();
    const sequence = async () => {
      await using store = await opened(url);
      return store.read((db) => db.get("SELECT epoch, event_sequence - 1000000 AS sequence FROM websites"));
    };
    const before = record(await sequence());
    assert.deepEqual(await cliJson(["restored"], { ...options, env }), { websites: 1, leases: 0, renumbered: 0 });
    const after = record(await sequence());
    assert.notEqual(after["epoch"], before["epoch"]);
    assert.equal(after["sequence"], 3);
    const none = await runCli(["restored"], { ...options, env: { ...FULL_STORE_SETTINGS, DATABASE_URL: newFile() } });
    assert.deepEqual([none.code, none.stderr.startsWith("There is no Rostrum data")], [69, true]);
  });

  test("restored checks every event, in batches, and finds none to number the second time", async () => {
    const url = await server.createDatabase();
    const env = { ...FULL_STORE_SETTINGS, DATABASE_URL: url };
    const { id } = await cliJson(["website", "create", "--name", "W"], { ...options, env });
    await server.query(
      `INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload, xid)
       SELECT '${String(id)}', n, 'e' || n, 'article.published', 'a', 1, '{}', '900000000000' FROM generate_series(1, 4500) n`,
      databaseOf(url),
    );
    assert.equal((await cliJson(["restored"], { ...options, env }))["renumbered"], 4_500);
    assert.equal((await cliJson(["restored"], { ...options, env }))["renumbered"], 0);
  });
});

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function opened(url: string): Promise<Database> {
  const store = openStore(
    url.startsWith("sqlite:")
      ? { kind: "sqlite", path: url.slice("sqlite:".length) }
      : { kind: "postgres", url, connections: 4, isPooled: false },
  );
  await migrate(store, Date.now());
  return store;
}

/** Whether an article is found by its own fingerprint, which takes its bands. */
async function findsDuplicates(url: string): Promise<boolean> {
  await using store = await opened(url);
  return store.read(async (db) => {
    const row = await db.get("SELECT website_id, minhash FROM fingerprints ORDER BY row_no LIMIT 1");
    assert.ok(row !== undefined);
    return (await listNear(db, { rowNo: 0, websiteId: row.website_id }, row.minhash)).length > 0;
  });
}
