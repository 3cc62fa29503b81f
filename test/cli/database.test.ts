/** Exit code 69: a database that cannot be used, each with a sentence for the operator. */
import assert from "node:assert/strict";
import { mkdir, open, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";

async function refused(data: string, said: RegExp): Promise<void> {
  for (const args of [["website", "list"], ["serve"], ["migrate"]]) {
    const { code, stdout, stderr } = await runCli(args, { data, cwd: "/", env: { PORT: "0" } });
    assert.deepEqual([code, stdout], [69, ""], `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, said);
    assert.doesNotMatch(stderr, /\n {4}at /);
  }
}

test("a file that is no database is refused with a sentence", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.at("rostrum.db"), "This is text, and quite a lot of it. ".repeat(200));
  await refused(folder.path, /is not a database/);
});

test("another program's database is refused with a sentence", async () => {
  await using folder = await tempFolder();
  const database = new DatabaseSync(folder.at("rostrum.db"));
  database.exec("CREATE TABLE theirs (x)");
  database.close();
  await refused(folder.path, /is a SQLite database of another program/);
});

test("a database of a newer version is refused with a sentence", async () => {
  await using folder = await tempFolder();
  await cliJson(["website", "create", "--name", "W"], { data: folder.path });
  const database = new DatabaseSync(folder.at("rostrum.db"));
  database.exec("INSERT INTO migrations (name, applied_at, additive) VALUES ('999-later', 0, 0)");
  database.close();
  await refused(folder.path, /written by a newer Rostrum/);
});

test("a data folder that is a file is refused with a sentence", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.at("data"), "");
  await refused(folder.at("data"), /is not a folder|cannot be opened/);
});

test(
  "a data folder where none can be made is refused with a sentence",
  { skip: process.platform !== "linux" },
  async () => {
    await refused(
      "/proc/rostrum/data",
      /^There is no Rostrum data in \/proc\/rostrum\/data|^The folder of \/proc\/rostrum\/data\/rostrum\.db cannot be made/,
    );
  },
);

test("a folder in place of the database is refused with a sentence", async () => {
  await using folder = await tempFolder();
  await mkdir(folder.at("rostrum.db"));
  await refused(folder.path, /cannot be opened/);
});

test("a damaged database is reported by doctor, and by commands that read it", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  const website = String((await cliJson(["website", "create", "--name", "W"], { data }))["id"]);
  const lines = Array.from({ length: 100 }, (_none, n) => `{"title":"T ${n}","content":"${"x ".repeat(500)}"}`);
  await cliJson(["import", "-", "--website", website, "--format", "ndjson"], { data, stdin: lines.join("\n") });
  const file = await open(folder.at("rostrum.db"), "r+");
  const { size } = await file.stat();
  for (let at = 16_384; at + 4_096 < size; at += 8_192) await file.write(Buffer.alloc(4_096, 0xff), 0, 4_096, at);
  await file.close();
  const doctor = await runCli(["doctor", "--json"], { data });
  assert.equal(doctor.code, 69);
  assert.match(doctor.stdout, /damaged/);
  const exported = await runCli(["export", "--website", website], { data });
  assert.equal(exported.code, 69);
  assert.match(exported.stderr, /is damaged/);
});

test("doctor says in a sentence that a database is damaged whose list of tables cannot be read", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  await cliJson(["website", "create", "--name", "W"], { data });
  const file = await open(folder.at("rostrum.db"), "r+");
  await file.write(Buffer.alloc(16_384, 0xff), 0, 16_384, 16_384);
  await file.close();
  const { code, stdout, stderr } = await runCli(["doctor"], { data });
  assert.deepEqual([code, stderr], [69, ""]);
  assert.match(stdout, /^FAIL {2}database +.*is damaged .*restore a backup with "rostrum restore FILE"/m);
});

test("on a full disk a change is refused with a sentence, nothing is lost, and changes work again once there is room", async () => {
  await using service = await startTestService();
  const create = (size: number) =>
    createArticle(
      service.app,
      service.website.id,
      makeArticle({ status: "published", content: `<p>${"x ".repeat(size)}</p>` }),
      CHIEF,
    );
  const { article } = await create(10);
  const pages = (most: number) => service.app.store.write((db) => db.get(`PRAGMA max_page_count = ${most}`));
  await pages(1);
  await assert.rejects(create(500_000), { code: "unavailable", message: /disk of .* is full/ });
  assert.equal((await service.detail(article.id))["title"], article.title);
  assert.equal((await service.list()).pagination["total"], 1);
  await pages(1_000_000);
  await create(500_000);
  assert.equal((await service.list()).pagination["total"], 2);
  assert.equal((await service.get(LIST)).status, 200);
});
