/** A SQLite file of before that somebody puts back by hand is not served before `rostrum restored`. */
import assert from "node:assert/strict";
import { copyFile, rm, stat } from "node:fs/promises";
import { test } from "node:test";
import { runCli, serveCli } from "../helpers/cli.ts";
import { cliJson } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";

test("a database file that was put back by hand is refused before `rostrum restored`; one that `restore` put back is served", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const options = { data, cwd: folder.path };
  const database = `${data}/rostrum.db`;
  const website = String((await cliJson(["website", "create", "--name", "W"], options))["id"]);
  const publish = async (title: string) => {
    const stdin = JSON.stringify({ title, content: "<p>x</p>", status: "published" });
    await cliJson(["article", "create", "--website", website, "--file", "-"], { ...options, stdin });
  };
  const serveOnce = async () => {
    await using server = await serveCli(options);
    server.child.kill("SIGTERM");
    await server.ended;
  };
  await publish("Kept");
  await copyFile(database, folder.at("earlier.db"));
  await cliJson(["backup", folder.at("backup.db")], options);
  await publish("Lost");
  await serveOnce();
  assert.equal((await stat(`${data}/high-water-mark.json`)).mode & 0o777, 0o600);
  await copyFile(folder.at("earlier.db"), database);
  const { code, stderr } = await runCli(["serve"], { ...options, env: { PORT: "0" } });
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^The database went back to an earlier state: website .* was at event 2, and is at 1 now\. /);
  await cliJson(["restored"], options);
  await serveOnce();
  // More than once, with events in between: each time the events continue above all earlier ones.
  for (const title of ["After the first", "After the second"]) {
    await cliJson(["restore", folder.at("backup.db")], options);
    await publish(title);
    await serveOnce();
  }
  await copyFile(folder.at("earlier.db"), database);
  await cliJson(["restored"], options);
  await serveOnce();
});

test("an empty database is not served from a data folder that has served websites, unless they were deleted", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const options = { data, cwd: folder.path };
  await cliJson(["website", "create", "--name", "W"], options);
  const serveOnce = async () => {
    await using server = await serveCli(options);
    server.child.kill("SIGTERM");
    await server.ended;
  };
  await serveOnce();
  await cliJson(["backup", folder.at("backup.db")], options);
  await cliJson(["website", "delete", "W", "--yes"], options);
  await serveOnce();
  const isEmpty =
    /The database is empty, but this data folder has served a website: .* restore a backup\. To start with an empty database, delete /;
  const assertRefused = async (command: string) => {
    const { code, stderr, stdout } = await runCli([command], { ...options, env: { PORT: "0" } });
    assert.equal(code, 1, stderr);
    assert.match(`${stderr}${stdout}`, isEmpty);
  };
  await rm(`${data}/rostrum.db`);
  await assertRefused("doctor");
  await assertRefused("serve");
  await assertRefused("doctor");
  await cliJson(["restore", folder.at("backup.db")], options);
  await serveOnce();
});
