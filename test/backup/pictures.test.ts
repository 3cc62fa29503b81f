/** Pictures are copied to the backup as they are saved, after an outage, and stay there as long as any moment needs them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { type App, openApp, openAssetFiles } from "../../src/app/app.ts";
import { backedUp } from "../../src/asset-files/backed-up.ts";
import { backupPlace } from "../../src/backup/backup-url.ts";
import { openObjects } from "../../src/backup/objects.ts";
import { OWNER_FILE, Ownership } from "../../src/backup/ownership.ts";
import { LEFT_FILE, PictureCopier } from "../../src/backup/pictures.ts";
import { SharedPlace } from "../../src/backup/place-owner.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { assetKey } from "../../src/domain/articles/assets/asset.ts";
import { addAsset, deleteAsset } from "../../src/operations/articles/assets/assets.ts";
import type { AssetFiles } from "../../src/operations/system/deps.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { Bucket } from "../helpers/bucket.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { makeSite } from "../helpers/site.ts";
import { until } from "../helpers/until.ts";

const KEEP_MS = 30 * 86_400_000;

async function openParts(folder: Folder, bucket: Bucket) {
  const { website } = await makeSite(folder.at("data"));
  const settings = { ROSTRUM_DATA_DIR: folder.at("data"), ROSTRUM_BACKUP_URL: "s3://copies/x" };
  const config = readConfig({ ...settings, ...(await bucket.start()) }, folder.path);
  const app = await openApp(config);
  const place = config.backup.place ?? assert.fail("no place");
  const lines: string[] = [];
  const log = (_: unknown, line: string) => void lines.push(line);
  const copier = (more: { clock?: App["clock"]; isOwner?: () => Promise<boolean> } = {}) =>
    new PictureCopier({
      ...app,
      copies: openAssetFiles({ assets: backupPlace(place).pictures, dataDir: folder.at("data") }),
      objects: openObjects(place),
      place,
      keepMs: KEEP_MS,
      log: { info: log, warn: log, error: log },
      ...more,
    });
  return { app, website, copier, lines };
}

async function add(app: App, website: string, folder: Folder, side: number) {
  writeFileSync(folder.at("p.png"), png(side, side));
  return addAsset(app, website, { path: folder.at("p.png"), name: "p.png", alt: "" }, CLI_ORIGIN);
}

test("an outage of the backup is waited out, with one line in the log, and everything is copied afterwards", async () => {
  await using folder = await tempFolder();
  await using bucket = new Bucket("copies");
  const { app, website, copier: open, lines } = await openParts(folder, bucket);
  await using _app = app;
  const copier = open();
  const first = await add(app, website, folder, 3);
  await copier.run();
  assert.deepEqual(bucket.keys(), [`x/pictures/${assetKey(first)}`]);
  assert.deepEqual(copier.status(), { lagSeconds: 0, problem: null });

  bucket.failures.push(...Array.from({ length: 1_000 }, () => 503));
  for (const side of [4, 5, 6, 7, 8, 9]) await add(app, website, folder, side);
  for (let run = 0; run < 3; run++) await copier.run();
  const { lagSeconds, problem } = copier.status();
  assert.ok(lagSeconds > 0);
  assert.match(problem ?? "", /^The bucket "copies" cannot be used \(InternalError: /);
  assert.equal(lines.length, 1, lines.join("\n"));

  bucket.failures.length = 0;
  await until("all are copied", async () => {
    await copier.run();
    return copier.status().lagSeconds === 0;
  });
  assert.equal(bucket.keys("x/pictures/").length, 7);
  assert.match(lines.at(-1) ?? "", /pictures are copied again/);
});

test("a picture is in the backup before its row is saved", async () => {
  await using folder = await tempFolder();
  await using bucket = new Bucket("copies");
  const { app, website } = await openParts(folder, bucket);
  await using _app = app;
  bucket.delayMs = 1_500;
  const asset = await add(app, website, folder, 3);
  assert.deepEqual(bucket.keys(), [`x/pictures/${assetKey(asset)}`]);
});

test("an upload waits for its copy only for a while, and the next ones do not", async () => {
  let [saved, asked] = [0, 0];
  const files = { put: () => Promise.resolve(void saved++) } as Partial<AssetFiles> as AssetFiles;
  const copies = { put: () => new Promise<void>(() => void asked++) };
  const { put } = backedUp(files, copies, () => Promise.resolve(false), 10);
  await put("one", "/one");
  await put("two", "/two");
  assert.deepEqual([saved, asked], [2, 1]);
});

test("a place for another database gets no picture, neither at its upload nor later, and the service says so", async () => {
  await using folder = await tempFolder();
  await using bucket = new Bucket("copies");
  const { app, website, copier } = await openParts(folder, bucket);
  await using _app = app;
  const place = app.config.backup.place ?? assert.fail("no place");
  const open = (name: string) => new SharedPlace(app.store, openObjects(place), "s3://copies/x/", name);
  await new Ownership(openObjects(place), "s3://copies/x/", "db.example/first", true).claim("first");
  const asset = await add(app, website, folder, 3);
  const shared = open("db.example/second");
  const second = copier({ isOwner: () => shared.isOwner() });
  await second.run();
  assert.deepEqual(bucket.keys(), [`x/${OWNER_FILE}`]);
  assert.match(second.status().problem ?? "", /is for the copies of another database \(db\.example\/first on /);

  bucket.objects.delete(`x/${OWNER_FILE}`);
  for (const name of ["one process", "another process of the same database", "the first again"]) {
    const again = open(name);
    const ours = copier({ isOwner: () => again.isOwner() });
    await ours.run();
    assert.equal(ours.status().problem, null, name);
  }
  assert.deepEqual(bucket.keys("x/pictures/"), [`x/pictures/${assetKey(asset)}`]);
});

test("a picture that has left the service is removed from the backup after the days that can be restored", async () => {
  await using folder = await tempFolder();
  await using bucket = new Bucket("copies");
  const { app, website, copier } = await openParts(folder, bucket);
  await using _app = app;
  const [kept, left] = [await add(app, website, folder, 3), await add(app, website, folder, 4)];
  await copier().run();
  await deleteAsset(app, left, CLI_ORIGIN);
  const now = app.clock();
  const both = [kept, left].map((asset) => `x/pictures/${assetKey(asset)}`).toSorted();

  await copier({ clock: () => now }).run();
  assert.deepEqual(bucket.keys("x/pictures/"), both);
  await copier({ clock: () => now + KEEP_MS }).run();
  assert.deepEqual(bucket.keys("x/pictures/"), both);
  await copier({ clock: () => now + KEEP_MS + 1 }).run();
  assert.deepEqual(bucket.keys("x/pictures/"), [`x/pictures/${assetKey(kept)}`]);

  // Uploaded again meanwhile, it begins anew.
  const again = await add(app, website, folder, 4);
  assert.equal(again.id, left.id);
  await copier({ clock: () => now + KEEP_MS + 2 }).run();
  assert.deepEqual(bucket.keys("x/pictures/"), both);
  assert.equal(bucket.objects.get(`x/${LEFT_FILE}`)?.body.toString(), "{}");
});
