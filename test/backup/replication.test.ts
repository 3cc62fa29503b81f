/** The service has Litestream copy the database as it changes, and says how far the copies are. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { findLitestream } from "../../src/backup/litestream.ts";
import { openConnection } from "../../src/store/engine/sqlite/connection.ts";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { copied, health, litestreams } from "./copying.ts";

const run = promisify(execFile);
const isLinux = process.platform === "linux";

/** How many articles are in what Litestream restores from the folder. */
async function restoredArticles(folder: Folder, name: string): Promise<number> {
  const litestream = await findLitestream("", () => undefined);
  await run(litestream, ["restore", "-o", folder.at(name), `file://${folder.at("copies/database")}`]);
  using database = new DatabaseSync(folder.at(name));
  assert.deepEqual({ ...database.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
  return Number(database.prepare("SELECT count(*) AS n FROM articles").get()?.["n"]);
}

describe("continuous backup", { skip: !isLinux && "npm has no Litestream for this system" }, () => {
  test("commits are copied within a second, the last ones when the service stops, and go on at the next start", async () => {
    await using folder = await tempFolder();
    const data = folder.at("data");
    const options = { data, cwd: folder.path, env: { ROSTRUM_BACKUP_URL: `file:${folder.at("copies")}` } };
    const add = async (title: string, more = options) =>
      cliJson(["article", "create", "--website", "W", "--file", "-"], {
        ...more,
        stdin: JSON.stringify({ title, markdown: "Text" }),
      });
    {
      await using server = await serveCli(options);
      await cliJson(["website", "create", "--name", "W"], options);
      await add("One");
      await copied(server);
      assert.equal(await restoredArticles(folder, "first.db"), 1);
      let metrics = "";
      await until("the metrics say so", async () => {
        metrics = await (await fetch(`${server.url}/metrics`)).text();
        return /^rostrum_backup_lag_seconds 0$/m.test(metrics);
      });
      const at = Number(/^rostrum_last_backup_timestamp_seconds (\S+)$/m.exec(metrics)?.[1]);
      assert.ok(Math.abs(at - Date.now() / 1_000) < 5, String(at));
      await until("doctor says so", async () => {
        const { code, stdout } = await runCli(["doctor"], options);
        return code === 0 && /^ok {4}backup {4}everything is copied$/m.test(stdout);
      });
      const other = await runCli(["doctor"], { ...options, env: {} });
      assert.doesNotMatch(other.stdout, /backup/);

      await add("Two");
      server.child.kill("SIGTERM");
      assert.equal((await server.ended).code, 0, server.errors());
      assert.equal(await restoredArticles(folder, "second.db"), 2);
      assert.deepEqual(litestreams(folder), []);
    }
    {
      await using server = await serveCli(options);
      await add("Three");
      await copied(server);
      const lines = server.lines.map((line) => String(record(JSON.parse(line))["msg"]));
      assert.ok(!lines.some((line) => line.includes("whole database")), "it goes on where it was");
      server.child.kill("SIGKILL");
      await server.ended;
      await until("Litestream has ended with it", () => litestreams(folder).length === 0);
    }
    assert.equal(await restoredArticles(folder, "third.db"), 3);
    // Nobody else can read what Litestream keeps, and no secret is in its settings.
    for (const name of readdirSync(data, { recursive: true, encoding: "utf8" })) {
      assert.equal(statSync(`${data}/${name}`).mode & 0o077, 0, name);
    }
  });

  test("Litestream is started again when it ends, and what commands and other programs write meanwhile is copied", async () => {
    await using folder = await tempFolder();
    const options = { data: folder.at("data"), cwd: folder.path };
    const env = { ROSTRUM_BACKUP_URL: `file:${folder.at("copies")}` };
    await using server = await serveCli({ ...options, env });
    await copied(server);
    for (const pid of litestreams(folder)) process.kill(pid, "SIGKILL");
    // Without the setting, and by a program that makes checkpoints of its own.
    await cliJson(["website", "create", "--name", "W"], options);
    {
      using database = new DatabaseSync(folder.at("data/rostrum.db"));
      database.exec("PRAGMA wal_autocheckpoint = 1; PRAGMA busy_timeout = 5000");
      for (let n = 0; n < 50; n++) database.exec("UPDATE websites SET name = name || 'x'");
    }
    await until("Litestream runs again", () => litestreams(folder).length === 1);
    await copied(server);
    await restoredArticles(folder, "restored.db");
    using database = new DatabaseSync(folder.at("restored.db"));
    assert.equal(database.prepare("SELECT name FROM websites").get()?.["name"], `W${"x".repeat(50)}`);
  });

  test("a folder that cannot be written is named, harms nobody, and is caught up with without another change", async () => {
    await using folder = await tempFolder();
    const copies = folder.at("copies");
    writeFileSync(copies, "no folder");
    const options = { data: folder.at("data"), cwd: folder.path, env: { ROSTRUM_BACKUP_URL: `file:${copies}` } };
    await using server = await serveCli(options);
    const sentence = `${copies} is no folder: check ROSTRUM_BACKUP_URL.`;
    await until("the problem is known", async () => (await health(server)).backup.problem === sentence, 20_000);
    assert.equal((await health(server)).status, "ready");
    await cliJson(["website", "create", "--name", "W"], options);
    const findWarnings = () => server.lines.filter((line) => line.includes("continuous backup is behind"));
    await until("the log says so", () => findWarnings().length > 0);
    const warnings = findWarnings();
    assert.equal(warnings.length, 1);
    assert.equal(record(JSON.parse(warnings[0] ?? ""))["msg"], `continuous backup is behind: ${sentence}`);
    await until("doctor says so", async () => {
      const { code, stdout } = await runCli(["doctor"], options);
      return code === 1 && /^FAIL {2}backup {4}\d+ s behind: \S+ is no folder/m.test(stdout);
    });
    rmSync(copies);
    await copied(server);
    await until("the log says so", () => server.lines.some((line) => line.includes("copies are written again")));
    await restoredArticles(folder, "restored.db");
  });

  test("without the setting nothing is kept beside the database", async () => {
    await using folder = await tempFolder();
    const options = { data: folder.at("data"), cwd: folder.path };
    await using server = await serveCli(options);
    assert.ok(!("backup" in (await health(server))));
    assert.doesNotMatch(await (await fetch(`${server.url}/metrics`)).text(), /^rostrum_backup_lag/m);
    assert.ok(!existsSync(folder.at("data/.rostrum.db-litestream")));
    assert.deepEqual(litestreams(folder), []);
  });
});

test("checkpoints are left to Litestream where it keeps its log, whatever the settings", async () => {
  await using folder = await tempFolder();
  const pages = () => {
    const { database } = openConnection(folder.at("x.db"));
    const found = database.prepare("PRAGMA wal_autocheckpoint").get()?.["wal_autocheckpoint"];
    database.close();
    return found;
  };
  assert.equal(pages(), 2_000);
  writeFileSync(folder.at(".x.db-litestream"), "");
  assert.equal(pages(), 100_000);
});
