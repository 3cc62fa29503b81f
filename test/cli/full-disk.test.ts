/** SQLite on a full disk: the service starts and answers reads, and says what is wrong, until there is room. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, statSync } from "node:fs";
import { test } from "node:test";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
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
