import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { once } from "node:events";
import { tempFolder } from "../../../test/helpers/folder.ts";
import { secretKeyFrom } from "./secret-key-file.ts";

test("a key is made if there is none, in a folder that is made too, and found there again", async () => {
  await using folder = await tempFolder();
  const path = folder.at("data/secret.key");
  const key = secretKeyFrom(path, randomBytes);
  assert.equal(key.length, 32);
  assert.deepEqual(secretKeyFrom(path, randomBytes), key);
  assert.equal(await readFile(path, "utf8"), `${key.toString("base64")}\n`);
  assert.deepEqual(await readdir(folder.at("data")), ["secret.key"]);
});

test("only its owner may read the key", { skip: process.platform === "win32" }, async () => {
  await using folder = await tempFolder();
  secretKeyFrom(folder.at("key"), randomBytes);
  assert.equal((await stat(folder.at("key"))).mode & 0o777, 0o600);
});

test("an existing key is used, and left as it is", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.at("key"), "ab".repeat(32));
  assert.deepEqual(secretKeyFrom(folder.at("key"), randomBytes), Buffer.alloc(32, 0xab));
  assert.equal(await readFile(folder.at("key"), "utf8"), "ab".repeat(32));
});

test("a file with anything else is refused and left as it is, because it may be all that is left of a key", async () => {
  await using folder = await tempFolder();
  for (const text of ["", "not a key"]) {
    await writeFile(folder.at("key"), text);
    assert.throws(() => secretKeyFrom(folder.at("key"), randomBytes), { code: "misconfigured", message: /put back/ });
    assert.equal(await readFile(folder.at("key"), "utf8"), text);
  }
});

test("a file that cannot be read is refused", async () => {
  await using folder = await tempFolder();
  assert.throws(() => secretKeyFrom(folder.path, randomBytes), { code: "misconfigured", message: /cannot be read/ });
});

test("of several processes that make the key at once one wins, and all have the same", async () => {
  await using folder = await tempFolder();
  const path = folder.at("key");
  const script = `
    const { parentPort } = require("node:worker_threads");
    parentPort.once("message", async () => {
      const { secretKeyFrom } = await import(${JSON.stringify(new URL("secret-key-file.ts", import.meta.url).href)});
      parentPort.postMessage(secretKeyFrom(${JSON.stringify(path)}, require("node:crypto").randomBytes).toString("hex"));
    });`;
  const workers = Array.from({ length: 3 }, () => new Worker(script, { eval: true }));
  const answers = workers.map((worker) => once(worker, "message"));
  for (const worker of workers) worker.postMessage("go");
  const keys = (await Promise.all(answers)).flat();
  assert.equal(new Set(keys).size, 1);
  assert.equal(secretKeyFrom(path, randomBytes).toString("hex"), keys[0]);
});
