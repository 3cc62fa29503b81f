/**
 * `node test/backup/pgbackrest.ts`: does what "Backups: PostgreSQL" in docs/operate.md says about pgBackRest, on a PostgreSQL of its own: a
 * backup, an archived log, a lost disk, and the way back to a moment. It needs PostgreSQL and pgBackRest (Debian: apt-get install
 * postgresql pgbackrest).
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { configure, initialise, openHome } from "../helpers/postgres-home.ts";
import { freePort, serverOf } from "../helpers/postgres-server.ts";
import { until } from "../helpers/until.ts";

const SECOND_MS = 1_500;

const say = (line: string) => process.stdout.write(`${line}\n`);
const run = promisify(execFile);

await using folder = await tempFolder();
await using home = await openHome(true);
const port = await freePort();
const server = serverOf(home, port);
const conf = join(home.path, "pgbackrest.conf");
await mkdir(join(home.path, "rest"));
const { uid, gid } = home.user;
if (uid !== undefined && gid !== undefined) await chown(join(home.path, "rest"), uid, gid);
await writeFile(
  conf,
  `[global]
repo1-path=${home.path}/rest/repository
lock-path=${home.path}/rest/lock
log-path=${home.path}/rest/log
spool-path=${home.path}/rest/spool
repo1-retention-full=4
start-fast=y

[main]
pg1-path=${home.data}
pg1-port=${port}
pg1-user=rostrum
pg1-database=postgres
pg1-socket-path=${home.path}
`,
);
const backRest = (...args: string[]) =>
  run("pgbackrest", [`--config=${conf}`, "--stanza=main", ...args], { cwd: home.path, ...home.user });

await initialise(home);
await configure(home, {
  port: String(port),
  listen_addresses: "127.0.0.1",
  unix_socket_directories: home.path,
  archive_mode: "on",
  archive_timeout: "60s",
  archive_command: `pgbackrest --config=${conf} --stanza=main archive-push %p`,
});
await server.start();
try {
  const env = {
    DATABASE_URL: await server.createDatabase(),
    PORT: "0",
    ROSTRUM_BACKUP_URL: `file:${folder.at("copies")}`,
    ROSTRUM_ASSETS: folder.at("assets"),
  };
  const command = { data: folder.at("data"), cwd: folder.path, env };
  const add = async (title: string) => {
    const stdin = JSON.stringify({ title, markdown: "Text" });
    const { id } = await cliJson(["article", "create", "--website", "W", "--file", "-"], { ...command, stdin });
    for (const verb of ["approve", "publish"]) await cliJson(["article", verb, String(id)], command);
  };
  assert.equal((await runCli(["migrate"], command)).code, 0);
  await cliJson(["website", "create", "--name", "W"], command);
  await backRest("stanza-create");
  await backRest("check");
  await backRest("backup", "--type=full");
  say("a full backup was made, and the log is archived");

  await add("one");
  await sleep(SECOND_MS);
  const moment = new Date();
  await sleep(SECOND_MS);
  await add("two");
  const sequence = async () =>
    Number((await server.query("SELECT event_sequence FROM websites", databaseOf(env)))[0]?.["event_sequence"]);
  const before = await sequence();
  await server.query("SELECT pg_switch_wal()");
  await until("the log is archived", async () => {
    const [row] = await server.query(
      "SELECT pg_walfile_name(pg_current_wal_lsn()) > coalesce(last_archived_wal, '') AS waits, last_archived_wal, last_failed_wal FROM pg_stat_archiver",
    );
    return row?.["last_archived_wal"] !== null && row?.["last_failed_wal"] === null;
  });
  await server.stop("fast");
  await rm(home.data, { recursive: true });
  say("the disk of the database is lost");

  const target = moment.toISOString().replace("T", " ").replace("Z", "+00");
  await backRest("restore", "--type=time", `--target=${target}`, "--target-action=promote");
  await server.start();
  await until(
    "the recovery has ended",
    async () => (await server.query("SELECT pg_is_in_recovery() AS recovers"))[0]?.["recovers"] === false,
  );
  say(`recovered to ${target}`);
  const restored = await cliJson(["restored"], command);
  assert.equal(restored["websites"], 1);
  const titles = async () => {
    const { stdout } = await runCli(["article", "list", "--website", "W", "--json"], command);
    return (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title).toSorted();
  };
  assert.deepEqual(await titles(), ["one"]);
  {
    await using serving = await serveCli(command);
    await add("three");
    assert.ok((await fetch(`${serving.url}/readyz`)).ok);
    await mkdir(folder.at("import"));
    await writeFile(folder.at("import/kettle.png"), png(9, 9));
    await writeFile(folder.at("import/four.md"), "# four\n\n![A kettle](kettle.png)\n");
    await cliJson(["import", folder.at("import"), "--website", "W", "--copy-images"], command);
    await until("the picture is copied", () => existsSync(folder.at("copies/pictures")));
  }
  await rm(folder.at("assets"), { recursive: true });
  assert.equal((await cliJson(["restore"], command))["pictures"], 1);
  assert.equal((await readdir(folder.at("assets"))).length, 1);
  say("the pictures were copied as they were saved, and came back");
  assert.deepEqual(await titles(), ["four", "one", "three"]);
  assert.ok((await sequence()) > before, "no event's number is given twice");
  say("rostrum restored, serve: what was there at the moment is served, and events have new numbers");
} finally {
  await server[Symbol.asyncDispose]();
}

function databaseOf({ DATABASE_URL }: { DATABASE_URL: string }): string {
  return new URL(DATABASE_URL).pathname.slice(1);
}
