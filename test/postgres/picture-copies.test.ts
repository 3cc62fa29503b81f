/** The copies of pictures of databases in PostgreSQL: each has a place of its own, which its processes share. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { test } from "node:test";
import { cliJson, serveCli, type ServerProcess } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { until } from "../helpers/until.ts";

const readOwner = (path: string) => (existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as object) : null);

async function problem({ url }: ServerProcess): Promise<string | null> {
  const health = (await (await fetch(`${url}/readyz`)).json()) as { backup: { problem: string | null } };
  return health.backup.problem;
}

test("two processes of one database share a place, and another database is refused until it is given up", async () => {
  await using folder = await tempFolder();
  await using server = await startPostgres();
  const open = async (name: string) => ({
    cwd: folder.path,
    data: folder.at(name),
    env: {
      DATABASE_URL: await server.createDatabase(),
      ROSTRUM_ASSETS: folder.at(`${name}-assets`),
      ROSTRUM_BACKUP_URL: `file:${folder.at("copies")}`,
      ROSTRUM_SECRET_KEY: "a key that both processes share, and no test needs to hide",
      ROSTRUM_DRAIN_SECONDS: "0",
    },
  });
  const [first, second] = [await open("first"), await open("second")];
  const ownerFile = folder.at("copies/owner.json");
  for (const options of [first, second]) await cliJson(["website", "create", "--name", "W"], options);
  await using leader = await serveCli(first);
  await until("the place is claimed", () => existsSync(ownerFile));
  const owner = readOwner(ownerFile);
  await using next = await serveCli(first);
  leader.child.kill("SIGKILL");
  await leader.ended;
  await using other = await serveCli(second);
  const refused = async () => /is for the copies of another database/.test((await problem(other)) ?? "");
  await until("the other database is refused", refused, 20_000);
  assert.ok(other.lines.some((line) => line.includes("continuous backup: pictures are not copied")));
  assert.deepEqual(readOwner(ownerFile), owner, "whichever process leads");
  assert.deepEqual(readdirSync(folder.at("copies")), ["owner.json"]);
  next.child.kill("SIGKILL");
  await next.ended;
  rmSync(ownerFile);
  await until("it has the place", async () => (await problem(other)) === null, 20_000);
  assert.notDeepEqual(readOwner(ownerFile), owner);
});
