/** The files of pictures in backups, and where the settings put them. */
import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { backUpFiles } from "../../src/asset-files/backup.ts";
import { AssetFolder } from "../../src/asset-files/folder.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset, openAsset } from "../../src/operations/articles/assets/assets.ts";
import { runCli } from "../helpers/cli.ts";
import { cliJson } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { makeSite } from "../helpers/site.ts";

const keysIn = (folder: string) => globSync("*/*", { cwd: folder }).toSorted();

async function add(folder: Folder, settings: Record<string, string>, website: string, bytes: Buffer) {
  writeFileSync(folder.at("picture.png"), bytes);
  await using app = await openApp(readConfig(settings, folder.path));
  return await addAsset(app, website, { path: folder.at("picture.png"), name: "p.png", alt: "" }, CLI_ORIGIN);
}

async function read(folder: Folder, settings: Record<string, string>, website: string, hash: string) {
  await using app = await openApp(readConfig(settings, folder.path));
  const found = await openAsset(app, website, hash);
  return found && readFileSync(found.path);
}

test("a backup includes the pictures, and a restore brings back missing ones", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const settings = { ROSTRUM_DATA_DIR: data };
  const { website } = await makeSite(data);
  const file = folder.at("backup.db");
  assert.equal((await cliJson(["backup", file], { data }))["pictures"], 0);
  assert.ok(!existsSync(`${file}.assets`));
  const [first, second] = [png(3, 4), png(5, 6)];
  const kept = await add(folder, settings, website, first);
  const lost = await add(folder, settings, website, second);
  assert.equal((await cliJson(["backup", file, "--force"], { data }))["pictures"], 2);
  assert.deepEqual(keysIn(`${file}.assets`), keysIn(`${data}/assets`));

  const later = await add(folder, settings, website, png(7, 8));
  rmSync(`${data}/assets/${website}/${lost.hash}.${lost.id}`);
  assert.equal((await cliJson(["restore", file], { data }))["pictures"], 2);
  assert.deepEqual(await read(folder, settings, website, kept.hash), first);
  assert.deepEqual(await read(folder, settings, website, lost.hash), second);
  assert.equal(await read(folder, settings, website, later.hash), undefined);
  assert.ok(
    existsSync(`${data}/assets/${website}/${later.hash}.${later.id}`),
    "the data that was replaced is kept, and needs its file",
  );

  rmSync(`${data}/assets/${website}/${lost.hash}.${lost.id}`);
  const said = await runCli(["backup", folder.at("other.db")], { data });
  assert.equal(said.code, 0);
  assert.match(said.stdout, /and 1 pictures to/);
  assert.match(said.stderr, new RegExp(`^1 pictures have no file, such as .*${lost.id}`, "m"));
});

test("two backups into one folder at once have all pictures, and leave what others have put there", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  for (const side of [3, 4, 5]) await add(folder, { ROSTRUM_DATA_DIR: data }, website, png(side, side));
  const keys = keysIn(`${data}/assets`);
  const source = new AssetFolder(`${data}/assets`, { isShared: false });
  const file = folder.at("backup.db");
  const notes = `${website}/notes.txt`;
  mkdirSync(`${file}.assets/${website}`, { recursive: true });
  writeFileSync(`${file}.assets/${notes}`, "mine");
  const copied = await Promise.all(Array.from({ length: 8 }, () => backUpFiles(source, file, keys)));
  assert.ok(copied.every(({ files }) => files === 3));
  assert.deepEqual(keysIn(`${file}.assets`), [...keys, notes].toSorted());
});

test("what a killed backup has begun to copy is removed by one an hour later", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  await add(folder, { ROSTRUM_DATA_DIR: data }, website, png(3, 3));
  const keys = keysIn(`${data}/assets`);
  const file = folder.at("backup.db");
  const [old, fresh] = ["0a1b2c3d", "0a1b2c3e"].map((draft) => `${keys[0]}.${draft}.unfinished`);
  mkdirSync(`${file}.assets/${website}`, { recursive: true });
  for (const name of [old, fresh]) writeFileSync(`${file}.assets/${name}`, "begun");
  utimesSync(`${file}.assets/${old}`, 0, Date.now() / 1_000 - 3_700);
  await backUpFiles(new AssetFolder(`${data}/assets`, { isShared: false }), file, keys);
  assert.deepEqual(keysIn(`${file}.assets`), [...keys, fresh]);
});

test("ROSTRUM_ASSETS names another folder", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const settings = { ROSTRUM_DATA_DIR: data, ROSTRUM_ASSETS: "shared/pictures" };
  const bytes = png(2, 2);
  const { hash } = await add(folder, settings, website, bytes);
  assert.equal(keysIn(folder.at("shared/pictures")).length, 1);
  assert.ok(!existsSync(`${data}/assets`));
  assert.deepEqual(await read(folder, settings, website, hash), bytes);
});
