/** `serve --takeover`: another process, of another version, too, takes the place of the one that serves. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { isRunning } from "../../src/process/identity.ts";
import { findService } from "../../src/process/data-lock.ts";
import { type CliResult, runCli, type ServerProcess, serveCli, spawnCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { Client } from "../helpers/http.ts";
import { LATER_VERSION } from "../helpers/later-version/migrations.ts";
import { childrenRunning } from "../helpers/processes.ts";
import { makeSite, type Site } from "../helpers/site.ts";
import { finishes, until } from "../helpers/until.ts";
import { Systemd, WITHOUT_NOTIFY } from "./systemd.ts";

const LIST = "/api/public/articles";
const ENV = { ROSTRUM_DRAIN_SECONDS: "1", PORT: "0", ROSTRUM_RATE_LIMIT: "0" };

class Trial implements AsyncDisposable {
  readonly site: Site;
  readonly server: ServerProcess;
  readonly #folder: Folder;
  readonly #pids: number[] = [];

  static async start(): Promise<Trial> {
    const folder = await tempFolder();
    const site = await makeSite(folder.at("data"));
    return new Trial(folder, site, await serveCli({ data: site.data, env: ENV }));
  }

  private constructor(folder: Folder, site: Site, server: ServerProcess) {
    this.#folder = folder;
    this.site = site;
    this.server = server;
  }

  /** The exit code of the process that was started first. Its output stays open: it is the successor's, too. */
  async firstEnds(): Promise<number | null> {
    const { child } = this.server;
    if (child.exitCode === null) await finishes("the first process ends", once(child, "exit"));
    return child.exitCode;
  }

  async takeOver(env: Record<string, string> = {}): Promise<CliResult & { pid: number | undefined }> {
    const result = await runCli(["serve", "--takeover"], { data: this.site.data, env: { ...ENV, ...env } });
    const [, pid] = /^Process (\d+) /.exec(result.stdout) ?? [];
    if (pid !== undefined) this.#pids.push(Number(pid));
    return { ...result, pid: pid === undefined ? undefined : Number(pid) };
  }

  /** The process that holds the data. */
  get pid(): number | undefined {
    return findService(`${this.site.data}/rostrum.db`)?.pid;
  }

  async status(): Promise<number> {
    using client = new Client(this.server.url);
    return (await client.send(LIST, { headers: { "X-API-Key": this.site.key } })).status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#pids) if (isRunning(String(pid))) process.kill(pid, "SIGKILL");
    await this.server[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** Reads over connections that are kept alive, and over new ones, until `work` has ended: every request is answered. */
async function whileReading(url: string, key: string, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const read = async (isNew: boolean) => {
    using client = new Client(url);
    for (;;) {
      const headers = { "X-API-Key": key, ...(isNew ? { Connection: "close" } : {}) };
      assert.equal((await client.send(LIST, { headers })).status, 200);
      if (isOver) return;
    }
  };
  const readers = Promise.all([false, false, false, true].map(read));
  try {
    await work();
  } finally {
    isOver = true;
  }
  await readers;
}

test("readers notice nothing; the old process ends with 0, the new one has the data, and can be taken over again", async () => {
  await using trial = await Trial.start();
  const old = trial.pid;
  await whileReading(trial.server.url, trial.site.key, async () => {
    const { code, stdout, stderr, pid } = await trial.takeOver();
    assert.equal(code, 0, stderr);
    assert.notEqual(pid, old);
    assert.equal(stdout, `Process ${pid} serves now at ${trial.server.url}, instead of process ${old}.\n`);
    assert.equal(await trial.firstEnds(), 0);
    const second = await trial.takeOver();
    assert.equal(second.code, 0, second.stderr);
    await until("it has the data", () => trial.pid === second.pid);
  });
  assert.equal(await trial.status(), 200);
});

test("the old process waits for idle connections, of which the next answer closes each", async () => {
  await using trial = await Trial.start();
  const { hostname, port } = new URL(trial.server.url);
  const socket = connect(Number(port), hostname);
  const ask = `GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${trial.site.key}\r\n\r\n`;
  socket.write(ask);
  assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 200 OK[^]*\r\nConnection: keep-alive/);
  assert.equal((await trial.takeOver()).code, 0);
  assert.equal(trial.server.child.exitCode, null);
  socket.write(ask);
  assert.match(await text(socket), /^HTTP\/1\.1 200 OK[^]*\r\nConnection: close/);
  assert.equal(await trial.firstEnds(), 0);
});

test("if the new process does not start, the old one goes on, and whoever asked gets the reason", async () => {
  await using trial = await Trial.start();
  const old = trial.pid;
  const weak = await trial.takeOver({ ROSTRUM_SECRET_KEY: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" });
  assert.equal(weak.code, 1);
  assert.match(weak.stderr, /^The service goes on as it was\. ROSTRUM_SECRET_KEY /);
  const crashed = await trial.takeOver({
    NODE_OPTIONS: "--import=data:text/javascript,if(process.env.LISTEN_FDS)process.exit(7)",
  });
  assert.equal(crashed.code, 1);
  assert.equal(crashed.stderr, "The service goes on as it was. The new process ended with exit code 7.\n");
  assert.equal(trial.pid, old);
  assert.equal(await trial.status(), 200);
  assert.equal((await trial.takeOver()).code, 0);
});

test("a command that is stopped while it waits takes the new process with it", async () => {
  await using trial = await Trial.start();
  const { child } = trial.server;
  const hang =
    "--import=data:text/javascript,if(process.env.LISTEN_FDS)setInterval(()=>{},1e3),await(new(Promise)(()=>{}))";
  const command = spawnCli(["serve", "--takeover"], { data: trial.site.data, env: { ...ENV, NODE_OPTIONS: hang } });
  const successors = () => childrenRunning("rostrum.js", child.pid);
  await until("the new process runs", () => successors().length > 0);
  const { stderr } = await trial.takeOver();
  assert.equal(stderr, "The service goes on as it was. Another takeover is under way: wait until it is done.\n");
  command.kill("SIGINT");
  await until("the new process has ended", () => successors().length === 0);
  assert.equal(await trial.status(), 200);
});

test("a version with additions migrates beside the one that serves; for any other the old one must be stopped", async () => {
  await using trial = await Trial.start();
  const old = trial.pid;
  const migrations = pathToFileURL(join(import.meta.dirname, "../../src/store/migrations.ts")).href;
  const breaking = `const { MIGRATIONS } = await import("${migrations}");
    MIGRATIONS.push({ name: "900-breaking", isAdditive: false, sql: "DROP TABLE audit_log;", sqlite: [], postgres: [] });`;
  const refused = await trial.takeOver({
    NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(breaking).toString("base64")}`,
  });
  assert.equal(refused.code, 1);
  assert.equal(
    refused.stderr,
    'The service goes on as it was. It could not go on after the migration "900-breaking" of the new version: stop it, then start ' +
      'that version with "rostrum serve".\n',
  );
  assert.equal(trial.pid, old);
  await whileReading(trial.server.url, trial.site.key, async () => {
    const { code, stderr } = await trial.takeOver(LATER_VERSION);
    assert.equal(code, 0, stderr);
    assert.equal(await trial.firstEnds(), 0);
  });
  assert.equal((await trial.takeOver()).code, 0, "the version before, for which there is nothing to migrate");
});

test("there must be a service on SQLite to take over", async () => {
  await using folder = await tempFolder();
  const none = await runCli(["serve", "--takeover"], { data: folder.path });
  assert.equal(none.code, 1);
  assert.equal(none.stderr, `No service runs on ${folder.at("rostrum.db")}: start one with "rostrum serve".\n`);
  const postgres = await runCli(["serve", "--takeover"], {
    data: folder.path,
    env: { DATABASE_URL: "postgres://127.0.0.1:1/none" },
  });
  assert.equal(postgres.code, 1);
  assert.match(
    postgres.stderr,
    /^The data is in PostgreSQL \(.*\): run several processes there, and restart one after/,
  );
  assert.ok(!existsSync(folder.at("rostrum.db.lock")));
});

test("systemd follows to the new process, and restarts that one", { skip: WITHOUT_NOTIFY }, async () => {
  await using folder = await tempFolder();
  const { key } = await makeSite(folder.at("data"));
  await using systemd = await Systemd.open({ folder, env: { ROSTRUM_DRAIN_SECONDS: "1" }, watchdogMs: 8_000 });
  await systemd.start();
  const first = systemd.mainPid;
  await whileReading(systemd.url, key, async () => {
    await systemd.reload();
    assert.notEqual(systemd.mainPid, first);
    const fed = systemd.messages.length;
    await until("it feeds the watchdog", () => systemd.messages.slice(fed).includes("WATCHDOG=1"));
    await systemd.restart();
  });
});
