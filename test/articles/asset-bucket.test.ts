/** Pictures in a bucket, behind a real HTTP server that checks each signature by AWS's published rules. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset, openAsset, removeOrphanedFiles } from "../../src/operations/articles/assets/assets.ts";
import { DAY, withClock } from "../helpers/articles.ts";
import { Bucket } from "../helpers/bucket.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { makeSite } from "../helpers/site.ts";

test("pictures are kept in a bucket, checked when they are read, and their orphans removed", async () => {
  await using folder = await tempFolder();
  await using bucket = new Bucket();
  bucket.pageSize = 2;
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const settings = {
    ROSTRUM_DATA_DIR: data,
    ROSTRUM_ASSETS: "s3://pictures/of tea/",
    ...(await bucket.start()),
  };
  const open = (more = {}) => openApp(readConfig({ ...settings, ...more }, folder.path));
  await using app = await open();
  const add = async (side: number) => {
    writeFileSync(folder.at("p.png"), png(side, side));
    return addAsset(app, website, { path: folder.at("p.png"), name: "p.png", alt: "" }, CLI_ORIGIN);
  };
  bucket.failures.push(500, 503);
  const assets = [await add(3), await add(4), await add(5)];
  assert.equal(bucket.objects.size, 3);
  assert.ok([...bucket.objects.keys()].every((key) => key.startsWith(`of tea/${website}/`)));
  const [first, second, third] = assets.map(({ hash }) => hash) as [string, string, string];

  const read = async (hash: string, from = app) => {
    const found = await openAsset(from, website, hash);
    return found && readFileSync(found.path);
  };
  assert.deepEqual(await read(first), png(3, 3));
  bucket.failures.push(500, 500, 500);
  assert.deepEqual(await read(first), png(3, 3), "it is kept on this machine");
  bucket.failures.length = 0;

  const keyOf = (hash: string) => [...bucket.objects.keys()].find((key) => key.includes(hash)) ?? "";
  bucket.objects.set(keyOf(second), { body: png(6, 6), modifiedAt: Date.now() });
  await assert.rejects(read(second), /is not the file that was put there/);
  bucket.objects.delete(keyOf(third));
  await assert.rejects(read(third), /is missing/);
  await add(5);
  assert.deepEqual(await read(third), png(5, 5));

  await using stranger = await open({ ROSTRUM_S3_SECRET_ACCESS_KEY: "another" });
  await assert.rejects(stranger.assetFiles.has(`${website}/x`), /cannot be reached/);
  assert.equal(bucket.refused, 1, "a refusal is not repeated");

  await app.store.write((db) => db.run("DELETE FROM assets WHERE hash <> ?", first));
  const later = withClock(app, app.clock() + 31 * DAY);
  assert.equal(await removeOrphanedFiles(later), 2);
  assert.deepEqual([...bucket.objects.keys()], [keyOf(first)]);
});

/** The problems of the settings; empty if there are none. */
function message(settings: Record<string, string>): string {
  try {
    readConfig({ ROSTRUM_ASSETS: "s3://pictures", ...settings }, "/nowhere");
    return "";
  } catch (error) {
    return String(error);
  }
}

test("a bucket needs all its settings", () => {
  assert.match(message({}), /ROSTRUM_S3_ENDPOINT/);
  assert.match(message({ ROSTRUM_S3_ENDPOINT: "https://s3.example.com" }), /ROSTRUM_S3_ACCESS_KEY_ID/);
  const all = {
    ROSTRUM_S3_ENDPOINT: "https://s3.example.com/",
    ROSTRUM_S3_ACCESS_KEY_ID: "a",
    ROSTRUM_S3_SECRET_ACCESS_KEY: "b",
  };
  assert.equal(message(all), "");
  assert.match(message({ ...all, ROSTRUM_ASSETS: "s3:///prefix" }), /ROSTRUM_ASSETS/);
});
