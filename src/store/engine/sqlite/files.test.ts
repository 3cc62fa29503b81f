import assert from "node:assert/strict";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { linkSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type Folder, tempFolder } from "../../../../test/helpers/folder.ts";
import { declareRow } from "../../row.ts";
import { openSqlite } from "./sqlite.ts";
import { type Disk, replaceDatabase } from "./files.ts";

const NOW = new Date("2026-01-02T03:04:05.678Z");
const ROWS = 50;

async function fill(path: string, word: string): Promise<void> {
  await using store = openSqlite(path);
  await store.write((db) => db.run("CREATE TABLE t (word TEXT NOT NULL)"));
  for (let n = 0; n < ROWS; n++) await store.write((db) => db.run("INSERT INTO t VALUES (?)", word));
}

/**
 * Creates a folder as a killed process leaves it, with all rows in the log, and the database that is to replace it.
 *
 * @param damaged replaces the content of the database file; its log then has only the last row.
 */
async function plant(folder: Folder, damaged?: string): Promise<string> {
  const path = folder.at("world");
  mkdirSync(path);
  {
    await using store = openSqlite(folder.at("living.db"));
    await store.write((db) => db.run("CREATE TABLE t (word TEXT NOT NULL)"));
    for (let n = 0; n < ROWS; n++) await store.write((db) => db.run("INSERT INTO t VALUES (?)", "old"));
    if (damaged !== undefined) {
      using other = new DatabaseSync(folder.at("living.db"));
      other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      await store.write((db) => db.run("INSERT INTO t VALUES (?)", "old"));
    }
    for (const suffix of ["", "-wal", "-shm"]) copyFileSync(folder.at(`living.db${suffix}`), join(path, `db${suffix}`));
  }
  if (damaged !== undefined) writeFileSync(join(path, "db"), damaged);
  await fill(join(path, "new"), "new");
  return path;
}

async function words(path: string): Promise<string[]> {
  await using store = openSqlite(path);
  return (await store.read((db) => db.all(declareRow<{ word: string }>("SELECT word FROM t")))).map(({ word }) => word);
}

type Step = { kind: "keep" | "rename"; from: string; to: string } | { kind: "remove" | "sync"; from: string };

/** Carries out a step on the files of a folder. */
function carryOut(folder: string, step: Step): void {
  const from = join(folder, step.from);
  if (step.kind === "keep") linkSync(from, join(folder, step.to));
  else if (step.kind === "rename") renameSync(from, join(folder, step.to));
  else if (step.kind === "remove") rmSync(from, { force: true });
}

/** Runs the whole replacement, recording each step, and copies the folder as it was before the first one. */
function record(world: string, before: string): Step[] {
  const steps: Step[] = [];
  const take = (step: Step) => {
    if (steps.length === 0) cpSync(world, before, { recursive: true });
    steps.push(step);
    carryOut(world, step);
  };
  const disk: Disk = {
    link: (path, name) => take({ kind: "keep", from: basename(path), to: basename(name) }),
    rename: (from, to) => take({ kind: "rename", from: basename(from), to: basename(to) }),
    remove: (path) => take({ kind: "remove", from: basename(path) }),
    sync: () => take({ kind: "sync", from: "" }),
  };
  replaceDatabase(join(world, "new"), join(world, "db"), NOW, disk);
  return steps;
}

/** Steps that the disk may hold when the power fails before a step: any that no sync has followed may be missing. */
function* powerCuts(steps: readonly Step[]): Generator<Step[]> {
  for (let stop = 0; stop <= steps.length; stop++) {
    const synced = steps.slice(0, stop).findLastIndex(({ kind }) => kind === "sync") + 1;
    const doubtful = steps.slice(synced, stop);
    for (let chosen = 0; chosen < 2 ** doubtful.length; chosen++) {
      yield [...steps.slice(0, synced), ...doubtful.filter((_step, index) => (chosen >> index) % 2 === 1)];
    }
  }
}

test("whenever replacing is stopped, the database has either all earlier rows or all new ones, and the earlier data still exists", async () => {
  await using folder = await tempFolder();
  const before = folder.at("before");
  const steps = record(await plant(folder), before);
  let cuts = 0;
  for (const done of powerCuts(steps)) {
    const world = folder.at(`cut-${cuts++}`);
    cpSync(before, world, { recursive: true });
    for (const step of done) carryOut(world, step);
    const found = await words(join(world, "db"));
    assert.equal(found.length, ROWS, `after ${JSON.stringify(done)}`);
    const [word] = found;
    assert.ok(found.every((one) => one === word));
    const kept = readdirSync(world).find((name) => name.startsWith("db.before-restore-"));
    if (word === "new") {
      assert.deepEqual(await words(join(world, kept ?? "")), Array(ROWS).fill("old"));
      continue;
    }
    // Running the same command again ends as if it had not been stopped.
    await fill(join(world, "again"), "new");
    const name = replaceDatabase(join(world, "again"), join(world, "db"), new Date(NOW.getTime() + 1_000));
    assert.deepEqual(await words(join(world, "db")), Array(ROWS).fill("new"));
    assert.deepEqual(await words(name ?? ""), Array(ROWS).fill("old"));
    assert.deepEqual(
      readdirSync(world).filter((one) => one.includes("before-restore")),
      [basename(name ?? "")],
    );
  }
  assert.ok(cuts > steps.length, `${cuts}`);
});

for (const [what, damaged] of [
  ["damaged", "no database at all ".repeat(1_000)],
  ["empty", ""],
] as const) {
  test(`whenever replacing a database that is ${what} is stopped, its bytes and its log are kept, and never beside the new ones`, async () => {
    await checkKept(damaged);
  });
}

async function checkKept(damaged: string): Promise<void> {
  await using folder = await tempFolder();
  const before = folder.at("before");
  const world = await plant(folder, damaged);
  const log = readFileSync(join(world, "db-wal"));
  assert.ok(log.length > 0);
  const steps = record(world, before);
  assert.deepEqual(await words(join(world, "db")), Array(ROWS).fill("new"));
  let cuts = 0;
  for (const done of powerCuts(steps)) {
    const cut = folder.at(`cut-${cuts++}`);
    cpSync(before, cut, { recursive: true });
    for (const step of done) carryOut(cut, step);
    const logs = readdirSync(cut).filter((name) => name.endsWith("-wal") && name !== "new-wal");
    assert.ok(logs.some((name) => readFileSync(join(cut, name)).equals(log)));
    if (readFileSync(join(cut, "db"), "utf8") !== damaged)
      assert.ok(!existsSync(join(cut, "db-wal")), `a foreign log after ${JSON.stringify(done)}`);
    if (!logs.includes("db-wal")) {
      const kept = readdirSync(cut).find((name) => name.startsWith("db.before-restore-") && !name.endsWith("-wal"));
      assert.equal(readFileSync(join(cut, kept ?? ""), "utf8"), damaged);
    }
  }
}

test("a database that another process has open is not replaced", async () => {
  await using folder = await tempFolder();
  await fill(folder.at("db"), "old");
  await fill(folder.at("new"), "new");
  await using store = openSqlite(folder.at("db"));
  await store.read((db) => db.all("SELECT * FROM t"));
  assert.throws(() => replaceDatabase(folder.at("new"), folder.at("db"), NOW), {
    code: "unavailable",
    message: /locked by another program/,
  });
  assert.equal((await store.read((db) => db.all("SELECT * FROM t"))).length, ROWS);
});

test("a log without its database is deleted neither by opening nor by replacing", async () => {
  await using folder = await tempFolder();
  const world = await plant(folder);
  rmSync(join(world, "db"));
  const log = readFileSync(join(world, "db-wal"));
  const refusal = { code: "unavailable", message: /db is missing, but its log .*db-wal is there/ };
  assert.throws(() => openSqlite(join(world, "db")), refusal);
  assert.throws(() => replaceDatabase(join(world, "new"), join(world, "db"), NOW), refusal);
  assert.deepEqual(readFileSync(join(world, "db-wal")), log);
  assert.ok(!existsSync(join(world, "db")));
});

test("where there was no database, the new one is put in place and nothing else is kept", async () => {
  await using folder = await tempFolder();
  await fill(folder.at("new"), "new");
  assert.equal(replaceDatabase(folder.at("new"), folder.at("db"), NOW), null);
  assert.deepEqual(readdirSync(folder.path), ["db"]);
});
