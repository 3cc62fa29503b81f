/** The place of the copies is away, hangs, is slow or full: the service goes on, says so, and everything is copied afterwards. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { Replication, type ReplicationOptions } from "../../src/backup/replication.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { Bucket } from "../helpers/bucket.ts";
import { cliJson, type CliOptions, runCli, serveCli, type ServerProcess } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";
import { copied, health, litestreams } from "./copying.ts";

/** Litestream and the service try again at intervals. */
const BACK_WITHIN_MS = 60_000;

async function openPlace(folder: Folder, bucket: Bucket): Promise<CliOptions> {
  const env = { ...(await bucket.start()), ROSTRUM_BACKUP_URL: "s3://copies/x" };
  return { data: folder.at("data"), cwd: folder.path, env };
}

async function add(title: string, options: CliOptions): Promise<void> {
  const stdin = JSON.stringify({ title, markdown: "Text" });
  await cliJson(["article", "create", "--website", "W", "--file", "-"], { ...options, stdin });
}

async function addPicture({ url }: ServerProcess, options: CliOptions): Promise<void> {
  const made = await cliJson(["token", "create", "--website", "W", "--name", "t", "--scope", "publish"], options);
  const response = await fetch(`${url}/api/management/assets?name=p.png`, {
    method: "POST",
    headers: { authorization: `Bearer ${String(made["token"])}`, "content-type": "application/octet-stream" },
    body: new Uint8Array(png(3, 3)),
  });
  assert.ok(response.ok, await response.text());
}

async function verify(options: CliOptions): Promise<unknown[]> {
  const { articles, pictures, missing } = await cliJson(["backup", "verify"], options);
  return [articles, pictures, missing];
}

/** Litestream for a database of one row, without a service. */
async function replicate(folder: Folder, bucket: Bucket, bytes: number, limits: Partial<ReplicationOptions>) {
  const { env = {} } = await openPlace(folder, bucket);
  const { place, keepMs } = readConfig({ ...env, ROSTRUM_DATA_DIR: folder.at("data") }, folder.path).backup;
  const databasePath = folder.at("x.db");
  const lines: string[] = [];
  const line = (_: unknown, text: string) => void lines.push(text);
  const log = { info: line, warn: line, error: line };
  const { PATH = "" } = process.env;
  const database = new DatabaseSync(databasePath);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000");
  database.exec("CREATE TABLE t (n INTEGER, filler TEXT); INSERT INTO t VALUES (0, '')");
  database.exec("CREATE TABLE settings (name TEXT, value TEXT); INSERT INTO settings VALUES ('database-id', 'one')");
  const replication = new Replication({
    place: place ?? assert.fail(),
    databasePath,
    keepMs,
    environment: { ...env, PATH },
    log,
    ...limits,
  });
  replication.start();
  const write = () => database.exec(`UPDATE t SET n = n + 1, filler = hex(randomblob(${bytes / 2}))`);
  const committing = setInterval(write, 3_000);
  return {
    lines,
    replication,
    write,
    n: () => Number(database.prepare("SELECT n FROM t").get()?.["n"]),
    isCopied: () => replication.status().lagSeconds === 0,
    [Symbol.asyncDispose]: async () => {
      clearInterval(committing);
      await replication.stop();
      database.close();
    },
  };
}

describe("outages of the backup", { skip: process.platform !== "linux" && "npm has no Litestream for it" }, () => {
  test("a bucket that is away is named, and gets everything when it is back", async () => {
    await using folder = await tempFolder();
    await using bucket = new Bucket("copies");
    const options = await openPlace(folder, bucket);
    await using server = await serveCli(options);
    await cliJson(["website", "create", "--name", "W"], options);
    await add("One", options);
    await copied(server);
    await bucket.stop();
    await add("Two", options);
    await addPicture(server, options);
    await until("the problem is known", async () =>
      /^The bucket "copies" at http\S+ cannot be reached now/.test((await health(server)).backup.problem ?? ""),
    );
    const { status, problems } = await health(server);
    assert.deepEqual([status, problems], ["ready", []]);
    assert.match(await (await fetch(`${server.url}/metrics`)).text(), /^rostrum_backup_lag_seconds [\d.]*[1-9]/m);
    await add("Three", options);
    await bucket.start();
    await copied(server, BACK_WITHIN_MS);
    assert.deepEqual(await verify(options), [3, 1, []]);
  });

  test("a bucket that never answers holds up neither uploads nor the end of the service", async () => {
    await using folder = await tempFolder();
    await using bucket = new Bucket("copies");
    const options = await openPlace(folder, bucket);
    {
      await using server = await serveCli(options);
      await cliJson(["website", "create", "--name", "W"], options);
      await copied(server);
      bucket.isHanging = true;
      await add("One", options);
      await addPicture(server, options);
      await until("it is noticed", async () => (await health(server)).backup.problem !== null);
      assert.equal((await health(server)).backup.problem, "s3://copies/x/ is slow, or does not answer.");
      server.child.kill("SIGTERM");
      assert.equal((await server.ended).code, 0, server.errors());
      assert.deepEqual(litestreams(folder), []);
    }
    bucket.isHanging = false;
    await using server = await serveCli(options);
    await copied(server, BACK_WITHIN_MS);
    assert.deepEqual(await verify(options), [1, 1, []]);
  });

  test("a slow bucket delays only the copies", async () => {
    await using folder = await tempFolder();
    await using bucket = new Bucket("copies");
    const options = await openPlace(folder, bucket);
    await using server = await serveCli(options);
    await cliJson(["website", "create", "--name", "W"], options);
    bucket.delayMs = 1_500;
    await add("One", options);
    await addPicture(server, options);
    await copied(server, BACK_WITHIN_MS);
    bucket.delayMs = 0;
    assert.deepEqual(await verify(options), [1, 1, []]);
  });

  test("a full disk of the copies is named, and gets everything when there is space", async (context) => {
    await using folder = await tempFolder();
    const copies = folder.at("copies");
    mkdirSync(copies);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", copies], { stdio: "ignore" });
    } catch {
      context.skip("only root can mount a small disk");
      return;
    }
    using _mounted = { [Symbol.dispose]: () => void execFileSync("umount", ["-l", copies]) };
    const options = { data: folder.at("data"), cwd: folder.path, env: { ROSTRUM_BACKUP_URL: `file:${copies}` } };
    await using server = await serveCli(options);
    await cliJson(["website", "create", "--name", "W"], options);
    await copied(server);
    try {
      writeFileSync(`${copies}/filler`, Buffer.alloc(8_000_000));
    } catch {
      // It is full now.
    }
    await add("One", options);
    await addPicture(server, options);
    const sentence = `The disk of ${copies} is full: free some space.`;
    await until("the problem is known", async () => (await health(server)).backup.problem === sentence);
    assert.equal((await health(server)).status, "ready");
    rmSync(`${copies}/filler`);
    await copied(server, BACK_WITHIN_MS);
    assert.deepEqual(await verify(options), [1, 1, []]);
  });

  test("a takeover waits for no Litestream that hangs, and lets no second one write beside it", async () => {
    await using folder = await tempFolder();
    const options = {
      data: folder.at("data"),
      cwd: folder.path,
      env: { ROSTRUM_BACKUP_URL: `file:${folder.at("copies")}` },
    };
    await using server = await serveCli(options);
    await cliJson(["website", "create", "--name", "W"], options);
    await copied(server);
    const [hanging = 0] = litestreams(folder);
    process.kill(hanging, "SIGSTOP");
    await add("One", options);
    const { code, stdout, stderr } = await runCli(["serve", "--takeover"], {
      ...options,
      env: { ...options.env, PORT: "0" },
    });
    assert.equal(code, 0, stderr);
    const pid = Number(/^Process (\d+) /.exec(stdout)?.[1]);
    using _successor = { [Symbol.dispose]: () => void process.kill(pid, "SIGKILL") };
    await until("the successor has one of its own", () => litestreams(folder).length === 1);
    assert.notEqual(litestreams(folder)[0], hanging);
    await copied(server, BACK_WITHIN_MS);
    assert.deepEqual(await verify(options), [1, 0, []]);
  });

  test("a Litestream that waits for an answer that never comes is started again", async () => {
    await using folder = await tempFolder();
    await using bucket = new Bucket("copies");
    await using parts = await replicate(folder, bucket, 100, { hangsAfterMs: 1_000 });
    const { lines, isCopied, write } = parts;
    await until("everything is copied", isCopied);
    bucket.isHanging = true;
    write();
    const begun = () => lines.filter((line) => line === "continuous backup begins").length;
    await until("it is started again", () => begun() > 1, BACK_WITHIN_MS);
    bucket.isHanging = false;
    await until("everything is copied", isCopied, BACK_WITHIN_MS);
  });

  test("what waits for a bucket that is away does not fill the disk: the whole database is copied instead", async () => {
    await using folder = await tempFolder();
    await using bucket = new Bucket("copies");
    await using parts = await replicate(folder, bucket, 1_000_000, { largeLogBytes: 50_000_000 });
    const { lines, isCopied, write, n } = parts;
    await until("everything is copied", isCopied);
    await bucket.stop();
    const isDiscarded = () => lines.some((line) => line.includes("too much waits to be copied, and is discarded"));
    await until(
      "it is discarded",
      () => {
        if (n() < 60) write();
        return isDiscarded();
      },
      BACK_WITHIN_MS,
    );
    await bucket.start();
    const last = n();
    await until("everything is copied", isCopied, BACK_WITHIN_MS);
    assert.ok(lines.some((line) => line.includes("the whole database was copied")));
    assert.ok(n() >= last);
    assert.equal(new Set(bucket.keys("x/database/generations/").map((key) => key.split("/")[3])).size, 2);
  });
});
