/** A database that was put back to an earlier state is not served before `rostrum restored`; a failover that lost nothing is. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { until } from "../helpers/until.ts";

let folder: Folder;
before(async () => {
  folder = await tempFolder();
});
after(() => folder[Symbol.asyncDispose]());

const options = (name: string, url: string) => ({
  data: folder.at(name),
  cwd: folder.path,
  env: { DATABASE_URL: url, ROSTRUM_SECRET_KEY: "a key that all of them share, and no test needs to hide" },
});

/** Publishes by a command, which appends an event. */
async function publish(url: string, website: string, title: string): Promise<void> {
  const stdin = JSON.stringify({ title, content: "<p>x</p>", status: "published" });
  const args = ["article", "create", "--website", website, "--file", "-"];
  await cliJson(args, { ...options("commands", url), stdin });
}

async function hasSeen(markFile: string, sequence: number): Promise<boolean> {
  return existsSync(markFile) && (await readFile(markFile, "utf8")).includes(`"eventSequence":${sequence}}`);
}

const newWebsite = async (url: string) =>
  String((await cliJson(["website", "create", "--name", "W"], options("commands", url)))["id"]);

test("a standby that lacks the last changes is served neither by running nor by new processes before `rostrum restored`", async () => {
  await using primary = await startPostgres();
  await primary.query("create database r");
  const website = await newWebsite(primary.url("r"));
  await publish(primary.url("r"), website, "Kept");
  await using standby = await primary.startReplica();
  // Nothing reaches it from now on.
  await standby.stop("fast");
  const either = primary.url("r").replace(`:${primary.port}`, `:${primary.port},127.0.0.1:${standby.port}`);
  await using running = await serveCli(options("running", either));
  await using stopped = await serveCli(options("stopped", either));
  await publish(primary.url("r"), website, "Lost");
  await until("the process that goes on has seen it", () => hasSeen(folder.at("running/high-water-mark.json"), 2));
  stopped.child.kill("SIGTERM");
  await stopped.ended;
  await primary.stop("immediate");
  await standby.start();
  await standby.promote();
  assert.deepEqual(await running.ended, { code: 1, signal: null });

  const url = standby.url("r");
  for (const name of ["running", "stopped"]) {
    const { code, stderr } = await runCli(["serve"], options(name, url));
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      new RegExp(`went back to an earlier state: website ${website} was at event 2, and is at 1 now`),
    );
    assert.match(stderr, /stop the service on every machine, run "rostrum restored" once/);
  }
  await cliJson(["restored"], options("commands", url));
  for (const name of ["running", "stopped"]) {
    await using _server = await serveCli(options(name, url));
  }
});

test("a synchronous standby that takes over lacks nothing, and serving continues", async () => {
  await using primary = await startPostgres();
  await primary.query("create database r");
  const website = await newWebsite(primary.url("r"));
  await using standby = await primary.startReplica();
  await primary.makeSynchronous();
  const either = primary.url("r").replace(`:${primary.port}`, `:${primary.port},127.0.0.1:${standby.port}`);
  await using running = await serveCli(options("failover", either));
  await publish(either, website, "Before");
  await primary.stop("immediate");
  await standby.promote();
  await publish(either, website, "After");
  running.child.kill("SIGTERM");
  assert.deepEqual(await running.ended, { code: 0, signal: null });
  await using _server = await serveCli(options("failover", either));
});

test("data from another server's dump is not served before `rostrum restored`", async () => {
  await using older = await startPostgres();
  await older.query("create database r");
  const website = await newWebsite(older.url("r"));
  await publish(older.url("r"), website, "There");
  // As a server that has counted further has written it.
  await older.query("update events set xid = '4000000000'", "r");
  const { code, stderr } = await runCli(["serve"], options("dump", older.url("r")));
  assert.equal(code, 1, stderr);
  assert.match(stderr, /were written by another PostgreSQL server/);
  await cliJson(["restored"], options("dump", older.url("r")));
  await using _server = await serveCli(options("dump", older.url("r")));
});
