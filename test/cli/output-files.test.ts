/** Commands write to new names and, with --force, to regular files. What else has a name is never replaced. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { after, before, describe, test } from "node:test";
import { replaceFile } from "../../src/cli/files.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { makeSite } from "../helpers/site.ts";

let folder: Folder;
let data: string;
let website: string;

before(async () => {
  folder = await tempFolder();
  data = folder.at("data");
  const site = await makeSite(data);
  ({ website } = site);
  await site.create({ title: "T", content: "<p>x</p>" });
});
after(() => folder[Symbol.asyncDispose]());

test("commands that write one file at once leave the whole file of one, and nothing of a killed one stays", async () => {
  await using own = await tempFolder();
  const path = own.at("file");
  for (const name of ["file.0a1b2c3d.unfinished", "file.0a1b2c3d.unfinished-journal", "file.0a1b2c3e.unfinished"]) {
    writeFileSync(own.at(name), "left");
    if (name.includes("3d")) utimesSync(own.at(name), 0, 0);
  }
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = replaceFile(path, true, async (draft) => {
    writeFileSync(draft, "first");
    started.resolve();
    await release.promise;
  });
  await started.promise;
  await replaceFile(path, true, async (draft) => {
    writeFileSync(draft, "half");
    release.resolve();
    await first;
    assert.equal(readFileSync(path, "utf8"), "first");
    writeFileSync(draft, "second");
  });
  assert.equal(readFileSync(path, "utf8"), "second");
  assert.deepEqual(readdirSync(own.path).toSorted(), ["file", "file.0a1b2c3e.unfinished"]);
});

const COMMANDS = {
  export: (file: string) => ["export", "--website", website, "--output", file],
  "export --with-assets": (file: string) => ["export", "--website", website, "--with-assets", "--output", file],
  backup: (file: string) => ["backup", file],
};

describe("a file that the user names", { skip: process.platform === "win32" }, () => {
  for (const [name, command] of Object.entries(COMMANDS)) {
    test(`${name} replaces no link, device, pipe or folder, even with --force`, async () => {
      const here = folder.at(name.replaceAll(" ", ""));
      mkdirSync(here);
      writeFileSync(`${here}/target`, "mine");
      symlinkSync(`${here}/target`, `${here}/link`);
      symlinkSync("/dev/full", `${here}/device`);
      symlinkSync(`${here}/nowhere`, `${here}/dangling`);
      execFileSync("mkfifo", [`${here}/pipe`]);
      mkdirSync(`${here}/folder`);
      const before = readdirSync(here);
      for (const one of ["link", "device", "dangling", "pipe", "folder"]) {
        for (const force of [[], ["--force"]]) {
          const { ino } = lstatSync(`${here}/${one}`);
          const { code, stderr } = await runCli([...command(`${here}/${one}`), ...force], { data });
          assert.deepEqual([code, lstatSync(`${here}/${one}`).ino], [1, ino], `${one}: ${stderr}`);
          assert.match(stderr, new RegExp(`${one} is no regular file, .* name another, or - for standard output`));
        }
      }
      assert.match((await runCli(command("/dev/full"), { data })).stderr, /\/dev\/full is no regular file/);
      assert.deepEqual(readdirSync(here), before, "nothing is left beside them");
      assert.equal(readFileSync(`${here}/target`, "utf8"), "mine");
    });

    test(`${name} says that the name of its file is empty`, async () => {
      const { code, stderr } = await runCli(command(""), { data, cwd: folder.path });
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^(?:The name of the file to write is empty|--output is missing)\. See "rostrum \w+ --help"\.\n$/,
      );
    });

    test(`${name} replaces an existing file with --force alone`, async () => {
      const file = folder.at(`${name}.existing`);
      writeFileSync(file, "mine");
      const refused = await runCli(command(file), { data });
      assert.deepEqual([refused.code, readFileSync(file, "utf8")], [1, "mine"]);
      assert.match(refused.stderr, /exists: name another file, or replace it with --force/);
      const { code, stderr } = await runCli([...command(file), "--force"], { data });
      assert.equal(code, 0, stderr);
      assert.notEqual(readFileSync(file, "utf8"), "mine");
    });

    test(`${name} writes the same bytes to standard output as to a file`, async () => {
      const file = folder.at(`${name}.out`);
      assert.equal((await runCli(command(file), { data })).code, 0);
      const printed = await runCli(command("-"), { data, cwd: folder.path });
      assert.equal(printed.code, 0, printed.stderr);
      if (name === "backup") assert.match(printed.stdout, /^SQLite format 3\0/);
      else assert.equal(printed.stdout, readFileSync(file, "latin1"));
      assert.ok(!readdirSync(folder.path).includes("-"));
      assert.deepEqual(
        readdirSync(data).filter((one) => one.endsWith(".unfinished")),
        [],
      );
    });
  }

  test("a restore replaces the database that a link leads to, not the link", async () => {
    assert.equal((await runCli(["backup", folder.at("linked.db")], { data })).code, 0);
    renameSync(`${data}/rostrum.db`, folder.at("elsewhere.db"));
    symlinkSync(folder.at("elsewhere.db"), `${data}/rostrum.db`);
    const { code, stderr } = await runCli(["restore", folder.at("linked.db")], { data });
    assert.equal(code, 0, stderr);
    assert.ok(lstatSync(`${data}/rostrum.db`).isSymbolicLink());
    assert.match((await runCli(["article", "list", "--website", website], { data })).stdout, /T/);
  });
});
