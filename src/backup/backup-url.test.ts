import assert from "node:assert/strict";
import { mkdtempDisposableSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { backupPlace, parseBackupUrl } from "./backup-url.ts";
import { readConfig } from "../process/settings/config.ts";

const S3 = {
  ROSTRUM_S3_ENDPOINT: "https://s3.example.com/",
  ROSTRUM_S3_ACCESS_KEY_ID: "AKID",
  ROSTRUM_S3_SECRET_ACCESS_KEY: "the secret",
};

function read(settings: Record<string, string>) {
  const { backup, s3 } = readConfig({ ROSTRUM_DATA_DIR: "/data", ...settings }, "/work");
  return { place: backup.place && backupPlace(backup.place), keepMs: backup.keepMs, s3 };
}

test("a folder has the database's replica and the pictures", () => {
  for (const [url, path] of [
    ["file:/copies", "/copies"],
    ["file:///copies/", "/copies/"],
    ["file:../copies", "/copies"],
  ] as const) {
    const { place } = read({ ROSTRUM_BACKUP_URL: url });
    assert.equal(place?.url, `file:${path}`);
    assert.deepEqual(place?.replica, { config: { type: "file", path: "/copies/database" }, environment: {} });
    assert.deepEqual(place?.pictures, { kind: "folder", path: "/copies/pictures", isShared: true });
  }
});

test("a bucket has them below its prefix, and its secrets are not in Litestream's configuration", () => {
  for (const [url, prefix] of [
    ["s3://copies", ""],
    ["s3://copies/of/tea/", "of/tea/"],
  ] as const) {
    const { place, s3 } = read({ ROSTRUM_BACKUP_URL: url, ...S3 });
    assert.equal(place?.url, `s3://copies/${prefix}`);
    assert.ok(place?.pictures.kind === "bucket" && place.pictures.prefix === `${prefix}pictures/`);
    const { config, environment } = place.replica;
    assert.deepEqual([config["bucket"], config["path"]], ["copies", `${prefix}database`]);
    assert.equal(config["endpoint"], "https://s3.example.com");
    assert.ok(!JSON.stringify(config).includes("the secret"));
    assert.equal(environment["AWS_SECRET_ACCESS_KEY"], "the secret");
    assert.deepEqual(parseBackupUrl("--from", url, "/work", s3), place);
  }
});

test("a place that cannot be used is refused with what to do", () => {
  const problem = (settings: Record<string, string>) => {
    try {
      return read(settings).place;
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };
  assert.equal(problem({}), null);
  for (const url of ["copies", "file:", "https://copies", "ftp://copies"]) {
    const sentence = `ROSTRUM_BACKUP_URL is "${url}"; it must be file:<folder>, or s3://bucket/folder.`;
    assert.equal(problem({ ROSTRUM_BACKUP_URL: url }), sentence);
  }
  assert.match(
    String(problem({ ROSTRUM_BACKUP_URL: "s3://B", ...S3 })),
    /a bucket is named as in s3:\/\/bucket\/folder/,
  );
  assert.equal(
    problem({ ROSTRUM_BACKUP_URL: "s3://copies", ...S3, ROSTRUM_S3_SECRET_ACCESS_KEY: "" }),
    "ROSTRUM_S3_SECRET_ACCESS_KEY is missing; ROSTRUM_BACKUP_URL names a bucket.",
  );
  assert.match(String(problem({ ROSTRUM_BACKUP_URL: "file:/data/copies" })), /within ROSTRUM_DATA_DIR/);
  using folder = mkdtempDisposableSync(join(tmpdir(), "rostrum-links-"));
  symlinkSync(folder.path, join(folder.path, "link"));
  const settings = { ROSTRUM_DATA_DIR: folder.path, ROSTRUM_BACKUP_URL: `file:${folder.path}/link/copies` };
  assert.match(String(problem(settings)), /within ROSTRUM_DATA_DIR/);
  assert.match(String(problem({ ROSTRUM_BACKUP_KEEP_DAYS: "0" })), /whole days from 1 to 3650/);
  assert.equal(read({ ROSTRUM_BACKUP_KEEP_DAYS: "7" }).keepMs, 7 * 86_400_000);
  const { s3 } = read({});
  assert.throws(
    () => parseBackupUrl("--from", "s3://copies", "/work", s3),
    /ROSTRUM_S3_ENDPOINT is missing; --from names/,
  );
});
