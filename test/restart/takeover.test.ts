/** `serve --takeover`: another process, of another version, too, takes the place of the one that serves. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { isRunning } from "../../src/process/identity.ts";
import { findService } from "../../src/process/data-lock.ts";
import { NO_SOCKETS } from "../../src/service/passed-sockets.ts";
import { askForTakeover, TakeoverOffer, type TakeoverOptions } from "../../src/service/takeover.ts";
import { type CliResult, runCli, type ServerProcess, serveCli, spawnCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { Client } from "../helpers/http.ts";
import { LATER_VERSION } from "../helpers/later-version/migrations.ts";
import { childrenRunning } from "../helpers/processes.ts";
import { makeSite, type Site } from "../helpers/site.ts";
import { finishes, until } from "../helpers/until.ts";
import { Systemd, WITHOUT_NOTIFY } from "./systemd.ts";

const LIST = "/api/public/articles";
/** For the successor's start. */
const HANG =
  "--import=data:text/javascript,if(process.env.LISTEN_FDS)setInterval(()=>{},1e3),await(new(Promise)(()=>{}))";
const CRASH = "--import=data:text/javascript,if(process.env.LISTEN_FDS)process.exit(7)";
const ENV = { ROSTRUM_DRAIN_SECONDS: "1", PORT: "0", ROSTRUM_RATE_LIMIT: "0" };

class Trial implements AsyncDisposable {
  readonly site: Site;
  readonly server: ServerProcess;
  readonly #folder: Folder;
  /** The successors' that the end of the trial ends; what is left of one holds the output that the first process has. */
  readonly pids: number[] = [];

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
    if (pid !== undefined) this.pids.push(Number(pid));
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
    for (const pid of [...this.pids, ...(this.pid === undefined ? [] : [this.pid])])
      if (isRunning(String(pid))) process.kill(pid, "SIGKILL");
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
  const crashed = await trial.takeOver({ NODE_OPTIONS: CRASH });
  assert.equal(crashed.code, 1);
  assert.equal(crashed.stderr, "The service goes on as it was. The new process ended with exit code 7.\n");
  assert.equal(trial.pid, old);
  assert.equal(await trial.status(), 200);
  assert.equal((await trial.takeOver()).code, 0);
});

test("the old process does not wait for idle connections once it is told to stop", async () => {
  await using trial = await Trial.start();
  using client = new Client(trial.server.url);
  await client.send(LIST, { headers: { "X-API-Key": trial.site.key } });
  assert.equal((await trial.takeOver()).code, 0);
  trial.server.child.kill("SIGTERM");
  assert.equal(await trial.firstEnds(), 0);
});

test("a service that is told to stop starts no successor, and ends one that does not serve yet", async () => {
  await using trial = await Trial.start();
  const { child } = trial.server;
  const takingOver = trial.takeOver({ NODE_OPTIONS: HANG });
  await until("the new process runs", () => childrenRunning("rostrum.js", child.pid).length > 0);
  child.kill("SIGTERM");
  assert.equal((await takingOver).stderr, "The service was told to stop meanwhile.\n");
  assert.equal(await trial.firstEnds(), 0);
  assert.equal(trial.pid, undefined);
});

/** Its channel is descriptor 3. */
async function offer(program: string, options: Partial<TakeoverOptions> = {}) {
  const folder = await tempFolder();
  let hasFailed = false;
  let isTaken = false;
  const path = folder.at("control");
  const log = { info: () => undefined, warn: () => undefined };
  const onFailed = () => {
    hasFailed = true;
  };
  const offered = new TakeoverOffer({ path, sockets: NO_SOCKETS, environment: {}, log, onFailed, ...options });
  const watchTaken = async () => {
    await offered.taken;
    isTaken = true;
  };
  void watchTaken();
  const prelude = 'const channel = new (require("node:net").Socket)({ fd: 3 }).on("close", () => process.exit());';
  return {
    offered,
    path,
    request: { program: [process.execPath, "-e", prelude + program], directory: folder.path, environment: {} },
    isReady: () => existsSync(folder.at("ready")),
    hasFailed: () => hasFailed,
    isTaken: () => isTaken,
    [Symbol.asyncDispose]: async () => {
      offered[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
const SAY = 'channel.resume().write(JSON.stringify({ serving: { pid: process.pid, url: "" } }) + "\\n"';

describe("a successor", () => {
  test("that has been told to end does not take over", async () => {
    await using it = await offer(
      `process.on("SIGTERM", () => ${SAY})); channel.resume(); require("node:fs").writeFileSync("ready", "");`,
    );
    const asking = connect(it.path);
    asking.write(`${JSON.stringify(it.request)}\n`);
    await until("it runs", it.isReady);
    asking.destroy();
    await until("it has ended", it.hasFailed);
    assert.equal(it.isTaken(), false);
  });

  test("that hangs is ended", async () => {
    await using it = await offer("setInterval(() => {}, 1000)", { startTimeoutMs: 300 });
    await assert.rejects(
      askForTakeover(it.path, it.request),
      /^AppError: The service goes on as it was\. The new process \d+ did not serve within 0\.3 seconds, and was ended\.$/,
    );
  });

  test("is not waited for where the service hangs", async () => {
    await using folder = await tempFolder();
    const path = folder.at("control");
    const server = createServer((socket) => socket.resume());
    server.listen(path);
    await once(server, "listening");
    const asking = askForTakeover(path, { program: [], directory: "", environment: {} }, 100);
    await assert.rejects(asking, /cannot be taken over \(it does not answer\): stop it, then start this one\.$/);
    server.close();
  });

  test("that dies when it serves is no success", async () => {
    await using it = await offer(`${SAY}, () => process.exit(7));`);
    const asking = assert.rejects(
      askForTakeover(it.path, it.request),
      /ended with exit code 7 when it had just taken over/,
    );
    const successor = await it.offered.taken;
    // Also no zombie any more.
    await until("its end is known", () => !existsSync(`/proc/${successor.pid}`));
    assert.throws(() => successor.release(), /start the service again/);
    await asking;
  });

  test("is not started where a supervisor watches this process and cannot be told of another", async () => {
    const main = String(process.connected ? process.ppid : process.pid);
    await using it = await offer("", { environment: { SYSTEMD_EXEC_PID: main } });
    await assert.rejects(askForTakeover(it.path, it.request), /must not change.*: restart it, or use Type=notify/);
  });

  test("cannot be asked for where the path is too long for a socket", async () => {
    await assert.rejects(
      askForTakeover(`/${"x".repeat(108)}`, { program: [], directory: "", environment: {} }),
      /is longer than \d+ bytes\): stop it, then start this one/,
    );
  });
});

test("the new process serves if the old one is killed meanwhile", async () => {
  await using trial = await Trial.start();
  const first = trial.server.child;
  const WAIT = "--import=data:text/javascript,if(process.env.LISTEN_FDS)await(new(Promise)((go)=>setTimeout(go,1e3)))";
  const asking = trial.takeOver({ NODE_OPTIONS: WAIT });
  const successors = () => childrenRunning("rostrum.js", first.pid);
  await until("the new process runs", () => successors().length > 0);
  trial.pids.push(...successors());
  first.kill("SIGKILL");
  assert.match((await asking).stderr, /ended meanwhile\. The new process \d+ goes on: "rostrum doctor" says/);
  await until("it serves", async () => trial.pid !== undefined && trial.pid !== first.pid, 20_000);
  assert.equal(await trial.status(), 200);
});

test("an address stays, and the command and the log say which settings count only after a stop", async () => {
  await using folder = await tempFolder();
  const site = await makeSite(folder.at("data"));
  const env = { ...ENV, ROSTRUM_METRICS_PORT: "0" };
  await using server = await serveCli({ data: site.data, env });
  const metricsUrl = String(findLine(server, "serving")["metricsUrl"]);
  const takeOver = (more: Record<string, string>) => runCli(["serve", "--takeover"], { data: site.data, env: more });
  const kept = await takeOver(env);
  assert.deepEqual([kept.code, kept.stderr], [0, ""]);
  const { stderr } = await takeOver({ ...ENV, HOST: "0.0.0.0" });
  const sentences = [
    "HOST or PORT has changed: the service stays where it is until it is stopped and started.",
    "HOST or ROSTRUM_METRICS_PORT has changed: health and metrics stay where they are until the service is stopped and started.",
  ];
  assert.equal(stderr, sentences.map((sentence) => `${sentence}\n`).join(""));
  for (const sentence of sentences) assert.equal(findLine(server, sentence)["level"], 40);
  assert.equal((await fetch(`${metricsUrl}/readyz`)).status, 200);
  process.kill(findService(`${site.data}/rostrum.db`)?.pid ?? 0, "SIGKILL");
});

function findLine({ lines }: ServerProcess, message: string): Record<string, unknown> {
  const found = lines.find((line) => line.includes(`"msg":"${message}"`));
  return JSON.parse(found ?? "{}") as Record<string, unknown>;
}

test("a command that is stopped while it waits takes the new process with it", async () => {
  await using trial = await Trial.start();
  const { child } = trial.server;
  const command = spawnCli(["serve", "--takeover"], { data: trial.site.data, env: { ...ENV, NODE_OPTIONS: HANG } });
  const successors = () => childrenRunning("rostrum.js", child.pid);
  await until("the new process runs", () => successors().length > 0);
  const { stderr } = await trial.takeOver();
  assert.equal(
    stderr,
    `The service goes on as it was. Another takeover is under way (process ${successors()[0]}): wait until it is done.\n`,
  );
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
  const env: Record<string, string> = { ROSTRUM_DRAIN_SECONDS: "1" };
  // On a busy machine each feeding, a process of its own, takes a second or two.
  await using systemd = await Systemd.open({ folder, env, watchdogMs: 9_000 });
  await systemd.start();
  const first = systemd.mainPid;
  env["NODE_OPTIONS"] = CRASH;
  await assert.rejects(systemd.reload(), /ended with exit code 7/);
  await until("it is told which process goes on", () => systemd.messages.includes(`MAINPID=${first}`));
  delete env["NODE_OPTIONS"];
  await whileReading(systemd.url, key, async () => {
    await systemd.reload();
    assert.notEqual(systemd.mainPid, first);
    const fed = systemd.messages.length;
    await until("it feeds the watchdog", () => systemd.messages.slice(fed).includes("WATCHDOG=1"));
    await systemd.restart();
  });
});
