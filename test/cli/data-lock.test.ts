/** One process at a time serves a SQLite database, or replaces it: the kernel holds the lock. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { lockData } from "../../src/process/data-lock.ts";
import { cliJson, runCli, serveCli, spawnCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";

const NAMESPACE = ["--pid", "--fork", "--kill-child", "--mount-proc"];
const hasMounts = spawnSync("unshare", ["--mount", "true"]).status === 0;
const hasNamespaces = spawnSync("unshare", [...NAMESPACE, "true"]).status === 0;

let folder: Folder;
let data: string;
let website: string;

before(async () => {
  folder = await tempFolder();
  data = folder.at("data");
  website = String((await cliJson(["website", "create", "--name", "W"], { data, cwd: folder.path }))["id"]);
  await cliJson(["backup", folder.at("backup.db")], { data });
});
after(() => folder[Symbol.asyncDispose]());

describe("while a service runs on a SQLite database", () => {
  test("a second service, restore, restored and migrate-store are refused with the name of the first, whatever their ports", async () => {
    await using server = await serveCli({ data });
    const options = { data, env: { PORT: "0" } };
    const refused = [
      ["serve"],
      ["restore", folder.at("backup.db")],
      ["restored"],
      ["migrate-store", "--to", `sqlite:${folder.at("copy.db")}`],
      ["demo", "--data", data],
    ];
    // A second time: the first refusals must have taken nothing away.
    const results = await Promise.all(refused.map((args) => runCli(args, options)));
    for (const { code, stderr } of [...results, await runCli(["restore", folder.at("backup.db")], options)]) {
      assert.equal(code, 1, stderr);
      assert.match(stderr, new RegExp(`^The service is running on .*rostrum.db \\(process ${server.child.pid} on `));
      assert.ok(stderr.includes(`, ${server.url}): stop the service first.`), stderr);
    }
    const { stdout } = await runCli(["doctor"], { data });
    assert.match(stdout, new RegExp(`service +running at ${server.url}`));
  });

  test("commands that read, change or copy articles work", async () => {
    await using _server = await serveCli({ data });
    const stdin = JSON.stringify({ title: "T", content: "<p>x</p>" });
    await cliJson(["article", "create", "--website", website, "--file", "-"], { data, stdin });
    assert.equal((await runCli(["article", "list", "--website", website], { data })).code, 0);
    await cliJson(["backup", folder.at("again.db"), "--force"], { data });
  });

  test("SIGKILL frees the data at once, whatever the service left behind", async () => {
    const killed = await serveCli({ data });
    killed.child.kill("SIGKILL");
    await killed.ended;
    assert.ok(existsSync(`${data}/rostrum.db.holder`));
    assert.match((await runCli(["doctor"], { data })).stdout, /service +not running/);
    await using server = await serveCli({ data });
    const holder = record(JSON.parse(await readFile(`${data}/rostrum.db.holder`, "utf8")));
    assert.deepEqual([holder["pid"], holder["url"]], [server.child.pid, server.url]);
    server.child.kill("SIGTERM");
    await server.ended;
    assert.ok(!existsSync(`${data}/rostrum.db.holder`));
    await cliJson(["restore", folder.at("backup.db")], { data });
  });

  test(
    "one in another container, with process numbers of its own, is refused, too",
    { skip: !hasNamespaces && "needs the right to make namespaces" },
    async () => {
      await using server = await serveCli({ data });
      const command = [process.execPath, "bin/rostrum.js", "restore", folder.at("backup.db")];
      const { status, stderr } = spawnSync("unshare", [...NAMESPACE, ...command], {
        cwd: `${import.meta.dirname}/../..`,
        env: { PATH: "/usr/bin:/bin", ROSTRUM_DATA_DIR: data },
        encoding: "utf8",
      });
      assert.equal(status, 1, stderr);
      assert.ok(stderr.includes(server.url), stderr);
    },
  );
});

for (const command of ["serve", "website list"]) {
  test(
    `"${command}" on a disk that can only be read fails with a message`,
    { skip: hasMounts ? false : "needs unshare" },
    async () => {
      await using own = await tempFolder();
      const closed = own.at("data");
      // A command leaves no WAL. Beside one, what only reads needs to write nothing, and works.
      await cliJson(["website", "create", "--name", "W"], { data: closed, cwd: own.path });
      const readOnly = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" bin/rostrum.js ${command}`;
      const { status, stderr } = spawnSync(
        "unshare",
        ["--mount", "sh", "-c", readOnly, "sh", closed, process.execPath],
        {
          cwd: `${import.meta.dirname}/../..`,
          env: { PATH: "/usr/bin:/bin", ROSTRUM_DATA_DIR: closed, PORT: "0" },
          encoding: "utf8",
        },
      );
      assert.equal(status, 69, stderr);
      assert.match(stderr, /^.*rostrum\.db is on a read-only disk: mount the disk with write access\.\n$/);
    },
  );
}

test("doctor finds a service whose health is on a port that it does not know", async () => {
  await using server = await serveCli({ data, env: { ROSTRUM_METRICS_PORT: "0" } });
  // Settings that name no port, any port, and one on which nobody answers.
  for (const env of [{}, { ROSTRUM_METRICS_PORT: "0" }, { ROSTRUM_METRICS_PORT: "1" }]) {
    const { stdout } = await runCli(["doctor"], { data, env });
    assert.match(stdout, new RegExp(`^ok +service +running at ${server.url}`, "m"));
  }
});

test("a start during a restore fails with a message instead of waiting", async () => {
  using _lock = lockData(`${data}/rostrum.db`, "restore");
  const { code, stderr } = await runCli(["serve"], { data, env: { PORT: "0" } });
  assert.equal(code, 1);
  assert.match(stderr, /^"rostrum restore" works on .*rostrum\.db \(process \d+ on .*\): wait until it is done\.\n$/);
});

test("of several services that start at once on one database exactly one serves", async () => {
  const children = Array.from({ length: 3 }, () => spawnCli(["serve"], { data, env: { PORT: "0" } }));
  let serving = 0;
  const ended = children.map(
    (child) =>
      new Promise<void>((resolve) => {
        child.stdout.on("data", (part: Buffer) => {
          if (!part.includes('"msg":"serving"')) return;
          serving++;
          resolve();
        });
        child.once("close", () => resolve());
      }),
  );
  await Promise.all(ended);
  assert.equal(serving, 1);
  for (const child of children) child.kill("SIGKILL");
});
