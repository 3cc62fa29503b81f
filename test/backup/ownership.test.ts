/** Two services never copy to one place without saying so. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, test } from "node:test";
import { openObjects } from "../../src/backup/objects.ts";
import { OWNER_FILE, Ownership } from "../../src/backup/ownership.ts";
import { cliJson, runCli, serveCli, type ServerProcess } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

interface Health {
  backup: { lag_seconds: number; problem: string | null };
}

const health = async ({ url }: ServerProcess) => (await (await fetch(`${url}/readyz`)).json()) as Health;
const copied = (server: ServerProcess) =>
  until("everything is copied", async () => (await health(server)).backup.lag_seconds === 0, 20_000);
const problem = (server: ServerProcess, expected: RegExp) =>
  until("it says so", async () => expected.test((await health(server)).backup.problem ?? ""), 20_000);

describe("the place of a continuous backup", { skip: process.platform !== "linux" }, () => {
  test("takes the copies of one database; a second one is refused until the place is given up", async () => {
    await using folder = await tempFolder();
    const env = { ROSTRUM_BACKUP_URL: `file:${folder.at("copies")}` };
    const first = { data: folder.at("first"), cwd: folder.path, env };
    const second = { ...first, data: folder.at("second") };
    {
      await using server = await serveCli(first);
      await cliJson(["website", "create", "--name", "First"], first);
      await copied(server);
      server.child.kill("SIGTERM");
      assert.equal((await server.ended).code, 0, server.errors());
    }
    await using server = await serveCli(second);
    await cliJson(["website", "create", "--name", "Second"], second);
    await problem(server, /^file:\S+copies is for the copies of another database \(\S+first\/rostrum\.db on /);
    assert.ok(server.lines.some((line) => line.includes("continuous backup has stopped: ")));
    const other = { ...first, data: folder.at("restored") };
    await cliJson(["restore"], other);
    const { stdout } = await runCli(["website", "list", "--json"], other);
    assert.deepEqual(
      (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name),
      ["First"],
    );

    rmSync(folder.at("copies/owner.json"));
    await copied(server);
  });

  test("goes to the service that came last with the same database, as after a restore, and the other one says so", async () => {
    await using folder = await tempFolder();
    const objects = openObjects({ kind: "folder", path: folder.path, isShared: true });
    const [first, second, foreign] = ["first", "second", "foreign"].map(
      (name) => new Ownership(objects, "file:/copies", name),
    );
    assert.ok(first !== undefined && second !== undefined && foreign !== undefined);
    await first.claim("one");
    await first.claim("one");
    await second.claim("one");
    await assert.rejects(
      first.claim("one"),
      /Another service has copied the same database to file:\/copies since \S+ \(second on /,
    );
    await assert.rejects(foreign.claim("two"), /file:\/copies is for the copies of another database \(second on /);
    assert.deepEqual(
      [first, second, foreign].map((one) => one.isOwner()),
      [false, true, false],
    );
    await second.claim("one");
    rmSync(folder.at(OWNER_FILE));
    await foreign.claim("two");
    assert.ok(foreign.isOwner());
  });
});
