/** SQLite on a full disk: the service starts and answers reads, and says what is wrong, until there is room. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { makeSite } from "../helpers/site.ts";

/** Only root may mount a small disk. */
const mayMount = process.platform === "linux" && process.getuid?.() === 0;

function fill(path: string): void {
  for (const size of [1024 * 1024, 4_096, 1]) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(size));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
    }
  }
}

test(
  "on a full disk the service starts for reading, and /readyz, doctor and commands say so",
  { skip: !mayMount },
  async () => {
    await using folder = await tempFolder();
    const disk = folder.at("disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", disk]);
    try {
      const data = `${disk}/data`;
      const options = { data, cwd: folder.path };
      const site = await makeSite(data);
      await site.create({ title: "Still read", content: "<p>x</p>", status: "published" });
      const { key } = await cliJson(["key", "create", "--website", site.website, "--name", "k"], options);
      {
        await using server = await serveCli(options);
        server.child.kill("SIGTERM");
        assert.deepEqual((await server.ended).code, 0);
      }
      const reserve = () => statSync(`${data}/rostrum.db.reserve`).size;
      assert.equal(reserve(), 4 * 1024 * 1024);
      fill(`${disk}/filler`);

      const listed = await runCli(["website", "list"], options);
      assert.deepEqual([listed.code, listed.stderr.trim().split("\n").length], [69, 1], listed.stderr);
      assert.match(listed.stderr, /^The disk of .+rostrum\.db is full: free some space and try again\./);
      const doctor = record((await runCli(["doctor", "--json"], options)).json());
      assert.equal(records(doctor["findings"]).find(({ ok }) => ok === false)?.["check"], "disk");

      // Also when it is killed, and its reserve is released already and filled by others.
      for (const _start of [1, 2, 3]) {
        await using server = await serveCli(options);
        const ask = async (path: string) =>
          (await fetch(server.url + path, { headers: { "x-api-key": String(key) } })).text();
        assert.match(await ask("/api/public/articles"), /Still read/);
        assert.match(String(record(JSON.parse(await ask("/readyz")))["problems"]), /disk of the database is full/);
        const refused = await runCli(["website", "create", "--name", "New"], options);
        assert.equal(refused.code, 69, refused.stderr);
        assert.match(refused.stderr, /^The disk of .+ is full/);
        const exported = await runCli(["export", "--website", site.website], options);
        assert.deepEqual([exported.code, exported.stdout.includes("Still read")], [0, true], exported.stderr);
        assert.match(
          exported.stderr,
          /^The disk of the database is full: the audit log does not record this export\.\n/,
        );
        server.child.kill("SIGKILL");
        await server.ended;
        fill(`${disk}/filler`);
      }
      assert.equal(reserve(), 0);

      await using _server = await serveCli(options);
      rmSync(`${disk}/filler`);
      await cliJson(["website", "create", "--name", "New"], options);
      assert.equal(reserve(), 4 * 1024 * 1024, "it is set aside again");
    } finally {
      execFileSync("umount", ["-l", disk]);
    }
  },
);

test(
  "a full disk of pictures, or of a backup, is a sentence, and nothing unfinished is left there",
  { skip: !mayMount },
  async () => {
    await using folder = await tempFolder();
    const disk = folder.at("disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]);
    try {
      const options = { data: folder.at("data"), cwd: folder.path, env: { ROSTRUM_ASSETS: `${disk}/assets` } };
      await makeSite(folder.at("data"));
      const backup = await runCli(["backup", `${disk}/backup.db`], options);
      assert.deepEqual([backup.code, backup.stderr.split("\n").length], [69, 2], backup.stderr);
      assert.deepEqual(readdirSync(disk), []);

      fill(`${disk}/filler`);
      mkdirSync(folder.at("site"));
      writeFileSync(folder.at("site/a.png"), png(3, 3));
      writeFileSync(folder.at("site/a.md"), "# A\n\n![a](a.png)\n");
      const imported = await runCli(["import", folder.at("site"), "--website", "W"], options);
      assert.equal(imported.code, 69, imported.stderr);
      assert.match(imported.stderr, /^\S+ cannot be written: the disk is full\.\n$/);
      rmSync(`${disk}/filler`);
      const again = await runCli(["import", folder.at("site"), "--website", "W"], options);
      assert.deepEqual([again.code, again.stdout.includes("1 created")], [0, true], again.stderr + again.stdout);
    } finally {
      execFileSync("umount", ["-l", disk]);
    }
  },
);
