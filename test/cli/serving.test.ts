/** `serve` as a process: starting, stopping, dying, and what other commands do beside it. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { findService } from "../../src/process/data-lock.ts";
import { runCli, serveCli, spawnCli } from "../helpers/cli.ts";
import { cliJson } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { makeSite } from "../helpers/site.ts";
import { assertRefusal, Client, record } from "../helpers/http.ts";
import { childrenRunning, leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import { gate, LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";

interface Site extends AsyncDisposable {
  folder: Folder;
  data: string;
  website: string;
  key: string;
  create(title: string): Promise<string>;
}

async function newSite(): Promise<Site> {
  const folder = await tempFolder();
  const site = await makeSite(folder.path);
  const create = (title: string) => site.create({ title, content: "<p>x</p>", status: "published" });
  return { ...site, folder, create, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const LIST = "/api/public/articles";

test("SIGTERM lets a request in flight be answered, closes the port, removes the note of who serves and exits with 0", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data });
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${site.key}\r\n`);
  await until("the note is there", () => existsSync(`${site.data}/rostrum.db.holder`));
  using client = new Client(server.url);
  assert.equal((await client.send("/healthz")).status, 200);
  server.child.kill("SIGTERM");
  await until("new connections are refused", () => isRefused(server.url));
  socket.end("\r\n");
  assert.match(await text(socket), /^HTTP\/1\.1 200 OK/);
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.ok(!existsSync(`${site.data}/rostrum.db.holder`));
});

test("a service that drains still answers, closes each connection with its answer, and a second signal ends it", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data, env: { ROSTRUM_DRAIN_SECONDS: "600" } });
  const idle = await openSocket(server.url);
  const ask = `GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${site.key}\r\n\r\n`;
  const first = once(idle, "data");
  idle.write(ask);
  assert.match(String(await first), /^HTTP\/1\.1 200 OK[^]*\r\nConnection: keep-alive/);
  const inFlight = await openSocket(server.url);
  inFlight.write(
    "POST /dashboard/api/session HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n" +
      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{",
  );
  using client = new Client(server.url);
  assert.equal((await client.send("/readyz")).status, 200);
  server.child.kill("SIGTERM");
  await until("it says that it drains", async () => (await client.send("/readyz")).status === 503);
  assert.equal(record((await client.send("/readyz")).json())["reason"], "draining");
  for (const path of [LIST, "/healthz", "/docs", "/dashboard/api/session"]) {
    const { status, headers } = await client.send(path, { headers: { "X-API-Key": site.key } });
    assert.equal(status, path === "/dashboard/api/session" ? 401 : 200, path);
    assert.equal(headers.connection, "close", path);
  }
  idle.write(ask);
  assert.match(await text(idle), /^HTTP\/1\.1 200 OK[^]*\r\nConnection: close/);
  inFlight.write("}");
  assert.match(await text(inFlight), /^HTTP\/1\.1 400 [^]*\r\nConnection: close/i);
  // One that comes at once counts as the first one, which a terminal or a launcher has sent twice.
  await until("it has ended", () => !server.child.kill("SIGINT") || server.child.exitCode !== null);
  assert.deepEqual(await server.ended, { code: 130, signal: null });
});

test("clients that keep connections alive lose no request while a service restarts", async () => {
  await using site = await newSite();
  const env = { ROSTRUM_DRAIN_SECONDS: "1" };
  await using server = await serveCli({ data: site.data, env });
  /** Goes elsewhere when it is refused, as a proxy does; fails of everything else. */
  const readUntilRefused = async () => {
    using client = new Client(server.url);
    for (;;) {
      const reply = await client.send(LIST, { headers: { "X-API-Key": site.key } }).catch((error: unknown) => {
        assert.equal(record(error)["code"], "ECONNREFUSED");
      });
      if (reply?.status !== 200) return reply;
    }
  };
  const readers = Promise.all(Array.from({ length: 4 }, readUntilRefused));
  server.child.kill("SIGTERM");
  for (const last of await readers) {
    if (last === undefined) continue;
    assertRefusal(last, 503, {
      error: "Service Unavailable",
      message: "This process is stopping; try again in a second.",
    });
    assert.equal(last.headers["retry-after"], "1");
  }
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  await using again = await serveCli({ data: site.data, env: { PORT: new URL(server.url).port } });
  using client = new Client(again.url);
  assert.equal((await client.send(LIST, { headers: { "X-API-Key": site.key } })).status, 200);
});

/** Writes into the file that `LOADED` names when the dashboard's API is loaded. */
const WATCH_LOADING = `import { registerHooks } from "node:module";
import { writeFileSync } from "node:fs";
registerHooks({
  load(url, context, next) {
    if (url.endsWith("/http/admin/admin.ts")) writeFileSync(process.env.LOADED, "yes");
    return next(url, context);
  },
});`;

test("the dashboard's API is loaded before somebody asks for it, unless nobody has an account", async () => {
  await using folder = await tempFolder();
  const loaded = folder.at("loaded");
  const hook = `--import=data:text/javascript;base64,${Buffer.from(WATCH_LOADING).toString("base64")}`;
  const options = { data: folder.at("data"), cwd: folder.path, env: { NODE_OPTIONS: hook, LOADED: loaded } };
  {
    await using _ = await serveCli(options);
    assert.ok(!existsSync(loaded));
  }
  await cliJson(["user", "create", "--email", "ada@example.com"], { data: folder.at("data") });
  await using server = await serveCli(options);
  await until("it is loaded", () => existsSync(loaded));
  using client = new Client(server.url);
  assert.equal((await client.send("/dashboard/api/session")).status, 401);
});

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  return socket;
}

test("SIGTERM ends the process although nobody reads its log", { skip: process.platform !== "linux" }, async () => {
  await using site = await newSite();
  execFileSync("mkfifo", [site.folder.at("log")]);
  // Open, and never read.
  const log = openSync(site.folder.at("log"), "r+");
  const child = leash(
    spawn(process.execPath, [join(import.meta.dirname, "..", "..", "bin", "rostrum.js"), "serve"], {
      env: {
        PATH: "/usr/bin:/bin",
        PORT: "0",
        ROSTRUM_DATA_DIR: site.data,
        ROSTRUM_LOG_LEVEL: "debug",
        ROSTRUM_DRAIN_SECONDS: "0",
      },
      stdio: ["ignore", log, "ignore"],
      timeout: 60_000,
      killSignal: "SIGKILL",
    }),
  );
  closeSync(log);
  const ended = once(child, "close");
  const database = join(site.data, "rostrum.db");
  await until("it serves", () => findService(database)?.url != null);
  using client = new Client(findService(database)?.url ?? "");
  // A pipe holds 64 kB, and each request is a line.
  for (let number = 0; number < 1_000; number++) await client.send("/healthz");
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

test("SIGTERM ends the process with everything in order, however long a receiver and a request take", async () => {
  await using site = await newSite();
  await using receiver = await ScriptedReceiver.start(gate().script);
  const env = { ...LOOPBACK, ROSTRUM_WEBHOOK_TIMEOUT_SECONDS: "60" };
  await cliJson(["webhook", "create", "--website", site.website, "--url", receiver.url], { data: site.data, env });
  await using server = await serveCli({ data: site.data, env });
  const [idle, unfinished] = [await openSocket(server.url), await openSocket(server.url)];
  unfinished.write(
    "POST /dashboard/api/session HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n" +
      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{",
  );
  await site.create("Waits");
  await receiver.arrival(1);
  server.child.kill("SIGTERM");
  // A process that has to force its end says so, and ends with 1.
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.ok(!server.lines.some((line) => line.includes("not everything could be finished")));
  for (const socket of [idle, unfinished]) socket.destroy();
});

test("SIGINT does not wait for the drain, nor for a connection that is kept alive and busy", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data, env: { ROSTRUM_DRAIN_SECONDS: "600" } });
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = text(socket);
  const request = `GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${site.key}\r\n`;
  socket.write(request);
  using client = new Client(server.url);
  assert.equal((await client.send("/healthz")).status, 200);
  server.child.kill("SIGINT");
  await until("new connections are refused", () => isRefused(server.url));
  // Answered, and not asked to stay.
  socket.write("\r\n");
  await closed;
  assert.deepEqual(await server.ended, { code: 0, signal: null });
});

test("no line of the log holds a key, a signing secret or a token, wherever it was sent", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data, env: { ROSTRUM_LOG_LEVEL: "debug" } });
  let log = "";
  server.child.stdout.setEncoding("utf8").on("data", (part: string) => {
    log += part;
  });
  using client = new Client(server.url);
  const token = "t".repeat(43);
  const secret = `whsec_${"A".repeat(32)}`;
  for (const path of [LIST, "/docs", "/dashboard/api/session", "/nothing"]) {
    await client.send(`${path}?api_key=${site.key}&x=${secret}&token=${token}`);
    await client.send(`${path}?${"y".repeat(470)}=${site.key}`);
    await client.send(`${path}/${encodeURIComponent(`\n${token}`)}`);
  }
  await until("the last request is in the log", () => log.split("/nothing").length > 3);
  for (const one of [site.key.slice(7), secret.slice(8), token]) assert.ok(!log.includes(one), one);
  assert.match(log, /api_key=rs_\[redacted\]&x=whsec_\[redacted\]&token=\[redacted\]/);
});

/** Warns, and then fails, when it gets a signal; its threads warn all the time. */
const FAULT = `data:text/javascript,
  import { isMainThread } from "node:worker_threads";
  if (isMainThread) process.on("SIGUSR2", () => {
    process.emitWarning("a planted warning");
    setTimeout(() => { throw new Error("a planted fault") }, 50);
  });
  else setInterval(() => process.emitWarning("a warning of a thread"), 50).unref();`;

const PRELOAD = `--import "${FAULT.replaceAll(/\n\s*/g, " ").replaceAll('"', '\\"')}"`;

test("requests with their trace, warnings of Node and the error that ends the process are lines of the log in one form", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data, env: { NODE_OPTIONS: PRELOAD } });
  // `serveCli` refuses a line without time, level and message.
  const lines = () => server.lines.map((line) => record(JSON.parse(line)));
  using client = new Client(server.url);
  const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  const sent = [
    [`00-${trace}-${span}-01`, true],
    [`01-${trace}-${span}-01-and-more`, true],
    [`00-${trace}-${span}-f2`, true],
    [`00-${trace}-${span}-01-and-more`, false],
    [`ff-${trace}-${span}-01`, false],
    [`00-${trace.toUpperCase()}-${span}-01`, false],
    [`00-${"0".repeat(32)}-${span}-01`, false],
    ["a line\tof text", false],
  ] as const;
  for (const [index, [traceparent, isLogged]] of sent.entries()) {
    for (const path of [`${LIST}?request=${index}`, `/nowhere?request=${index}`]) {
      const { headers } = await client.send(path, { headers: { traceparent } });
      await until("it is in the log", () => lines().some(({ url }) => url === path));
      const line = lines().find(({ url }) => url === path);
      assert.equal(line?.["requestId"], headers["x-request-id"]);
      const ids = isLogged ? [trace, span] : [undefined, undefined];
      assert.deepEqual([line?.["trace_id"], line?.["span_id"]], ids, traceparent);
    }
  }
  server.child.kill("SIGUSR2");
  assert.deepEqual(await server.ended, { code: 1, signal: null });
  const [warning, fault] = lines().slice(-2);
  assert.deepEqual([warning?.["msg"], warning?.["reason"]], ["warning of Node", "a planted warning"]);
  assert.deepEqual(
    [fault?.["msg"], record(fault?.["err"])["message"]],
    ["the process ends: uncaught error", "a planted fault"],
  );
  assert.equal(server.errors().includes("planted"), false);
});

test("warnings of Node in a thread are lines of the log, too", async () => {
  await using site = await newSite();
  await cliJson(["webhook", "create", "--website", site.website, "--url", "https://192.0.2.1/hook"], {
    data: site.data,
    env: { ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24" },
  });
  await using server = await serveCli({ data: site.data, env: { NODE_OPTIONS: PRELOAD } });
  await until("the thread's warning is in the log", () =>
    server.lines.some((line) => line.includes('"reason":"a warning of a thread","msg":"warning of Node"')),
  );
});

async function isRefused(url: string): Promise<boolean> {
  using client = new Client(url);
  return client.send("/healthz").then(
    () => false,
    () => true,
  );
}

test("a server that is killed loses nothing that was acknowledged, and the next one serves it", async () => {
  await using site = await newSite();
  const ids: string[] = [];
  for (let turn = 0; turn < 2; turn++) {
    await using server = await serveCli({ data: site.data });
    using client = new Client(server.url);
    ids.push(await site.create(`Turn ${turn}`));
    for (const id of ids) {
      assert.equal((await client.send(`${LIST}/${id}`, { headers: { "X-API-Key": site.key } })).status, 200);
    }
    server.child.kill("SIGKILL");
    assert.equal((await server.ended).signal, "SIGKILL");
  }
});

test("a port that is in use is reported in a sentence, with exit code 1", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data });
  const { port } = new URL(server.url);
  const { code, stderr } = await runCli(["serve"], { data: site.folder.at("other"), cwd: "/", env: { PORT: port } });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^Port ${port} on 127.0.0.1 is in use`));
});

test(
  "a server does not outlive its launcher, however that ends",
  { skip: existsSync("/usr/bin/node") ? false : "no other Node to launch with" },
  async () => {
    await using site = await newSite();
    await using server = await serveCli({ data: site.data, runtime: "/usr/bin/node" });
    server.child.kill("SIGKILL");
    await server.ended;
    await until("the port is closed", () => isRefused(server.url));
  },
);

test(
  "an import does not outlive its launcher, either",
  { skip: existsSync("/usr/bin/node") ? false : "no other Node to launch with" },
  async () => {
    await using site = await newSite();
    const articles = Array.from({ length: 2_000 }, (_, number) =>
      JSON.stringify({ title: `${number}`, markdown: "x" }),
    );
    writeFileSync(site.folder.at("many.ndjson"), articles.join("\n"));
    const command = ["import", site.folder.at("many.ndjson"), "--website", site.website];
    const launcher = spawnCli(command, { data: site.data, runtime: "/usr/bin/node" });
    const processes = () => [launcher.pid, ...childrenRunning("rostrum.js", launcher.pid)];
    await until("it has opened the database", () => processes().some(hasOpenDatabase));
    launcher.kill("SIGKILL");
    // Its output is closed when no process holds it any more.
    await once(launcher, "close");
    const { stdout } = await runCli(["export", "--website", site.website], { data: site.data });
    assert.ok(stdout.split("\n").length < articles.length);
  },
);

function hasOpenDatabase(pid: number | undefined): boolean {
  return readFileSync(`/proc/${pid}/maps`, "utf8").includes("rostrum.db");
}

test(
  "SIGTERM to npm stops the service that it runs, also where its shell does not pass that on",
  { skip: process.platform === "win32" },
  async () => {
    await using site = await newSite();
    const program = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");
    const start = `node ${program} serve`;
    writeFileSync(site.folder.at("package.json"), JSON.stringify({ scripts: { start } }));
    const env = { ...process.env, ROSTRUM_DATA_DIR: site.data, ROSTRUM_DRAIN_SECONDS: "0", PORT: "0" };
    const npm = leash(spawn("npm", ["start", "--silent"], { cwd: site.folder.path, env }));
    let printed = "";
    npm.stdout.setEncoding("utf8").on("data", (part: string) => (printed += part));
    await until("it serves", () => printed.includes('"serving"'));
    npm.kill("SIGTERM");
    // When no process holds its output any more.
    await once(npm, "close");
    assert.match(printed, /"reason":"SIGTERM".*"stopping"/);
  },
);

test(
  "a service that drains finishes when its launcher or npm's shell ends meanwhile",
  { skip: existsSync("/usr/bin/node") ? false : "no other Node to launch with" },
  async () => {
    const program = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");
    const starts = [
      { command: ["/usr/bin/node", program, "serve"], env: {} },
      {
        command: ["/bin/sh", "-c", `'${process.execPath}' '${program}' serve; exit`],
        env: { npm_lifecycle_script: "rostrum serve" },
      },
    ];
    await Promise.all(
      starts.map(async ({ command: [file = "", ...args], env }) => {
        await using site = await newSite();
        const settings = { ROSTRUM_DATA_DIR: site.data, ROSTRUM_DRAIN_SECONDS: "3", PORT: "0" };
        const parent = leash(spawn(file, args, { env: { ...process.env, ...settings, ...env } }));
        let printed = "";
        parent.stdout.setEncoding("utf8").on("data", (part: string) => (printed += part));
        await until("it serves", () => printed.includes('"serving"'));
        const [service = 0] = childrenRunning("rostrum.js", parent.pid);
        process.kill(service, "SIGTERM");
        await until("it drains", () => printed.includes('"stopping"'));
        // Later than signals that count as one.
        await setTimeout(600);
        parent.kill("SIGKILL");
        // When no process holds its output any more.
        await once(parent, "close");
        assert.ok(!existsSync(`${site.data}/rostrum.db.holder`), "it was ended in the middle of its stop");
      }),
    );
  },
);

test("the service ends with npm's shell only if that did nothing but wait for it", async () => {
  const alone = [
    "'rostrum'",
    "rostrum serve",
    "PORT=80 rostrum serve",
    "node bin/rostrum.js serve",
    "/opt/bin/rostrum serve",
  ];
  const others = [
    "",
    "bash",
    "rostrum serve &",
    "nohup rostrum serve",
    "setsid rostrum serve",
    "(rostrum serve)",
    "pm2 start rostrum -- serve",
    "tmux new -d 'rostrum serve'",
    "rostrum migrate && rostrum serve",
    "node server.js rostrum",
  ];
  const ask = `import { isRostrumAlone } from "./bin/started-by-npm.js";
    console.log(JSON.stringify(process.argv.slice(1).filter(isRostrumAlone)));`;
  const options = { cwd: join(import.meta.dirname, "..", "..") };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", ask, "--", ...alone, ...others], options);
  assert.deepEqual(JSON.parse(await text(child.stdout)), alone);
});

test(
  "the launcher replaces itself by the Node that it has found, where its own can do so",
  { skip: process.platform === "win32" && "a process cannot be replaced" },
  async () => {
    const launch = `import { runElsewhere } from "./bin/other-node.js";
      await runElsewhere({ root: ".", isCheckout: true, minMajor: 26, args: ["-p", "process.pid"], env: process.env });`;
    const options = { cwd: join(import.meta.dirname, "..", "..") };
    const child = spawn(process.execPath, ["--input-type=module", "--eval", launch], options);
    assert.equal(await text(child.stdout), `${child.pid}\n`);
  },
);

test(
  "the launcher says so if the Node that it has found cannot be run",
  { skip: process.platform === "win32" },
  async () => {
    await using folder = await tempFolder();
    const root = join(import.meta.dirname, "..", "..");
    for (const inside of ["lib", "runtime/bin"]) mkdirSync(folder.at(inside), { recursive: true });
    const packages = { [`node-${process.platform}-${process.arch}`]: { version: "99.0.0" } };
    writeFileSync(folder.at("lib/programs.json"), JSON.stringify(packages));
    const program = folder.at("runtime/bin/node");
    writeFileSync(program, "no program");
    const launch = `import { runElsewhere } from "./bin/other-node.js";
    await runElsewhere({ root: ${JSON.stringify(folder.path)}, isCheckout: false, minMajor: 99, args: [], env: process.env });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", launch], { cwd: root });
    assert.equal(await text(child.stderr), `${program} could not be started: spawn ${program} EACCES\n`);
    assert.equal(child.exitCode ?? (await once(child, "exit"))[0], 1);
  },
);

/** A copy of the program whose folder for compiled code nobody can create, not even root, as there is a file in its place. */
async function newUnwritableProgram() {
  const program = await tempFolder();
  const root = join(import.meta.dirname, "..", "..");
  cpSync(join(root, "bin"), program.at("bin"), { recursive: true });
  symlinkSync(join(root, "src"), program.at("src"));
  symlinkSync(join(root, "package.json"), program.at("package.json"));
  writeFileSync(program.at("node_modules"), "");
  return program;
}

describe("compiled code", { skip: process.platform !== "linux" && "the folder has another place there" }, () => {
  test("is kept in the user's folder where the package's cannot be written, and only the user can open it", async () => {
    await using program = await newUnwritableProgram();
    const env = { XDG_CACHE_HOME: program.at("cache") };
    const { code, stderr } = await runCli(["version"], { program: program.path, env });
    assert.equal(code, 0, stderr);
    assert.ok(readdirSync(program.at("cache/rostrum/compiled"), { recursive: true }).length > 1);
    assert.equal(statSync(program.at("cache/rostrum")).mode & 0o077, 0);
  });

  test("is kept nowhere if others can change the folder, or it is not named by an absolute path", async () => {
    await using program = await newUnwritableProgram();
    const ofOthers = program.at("shared");
    mkdirSync(join(ofOthers, "rostrum"), { recursive: true });
    chmodSync(ofOthers, 0o777);
    for (const folder of [ofOthers, relative(process.cwd(), program.at("relative"))]) {
      const { code, stderr } = await runCli(["version"], { program: program.path, env: { XDG_CACHE_HOME: folder } });
      assert.equal(code, 0, stderr);
      assert.ok(!existsSync(join(folder, "rostrum", "compiled")), folder);
    }
  });
});

describe("backup and restore", () => {
  test("a backup is taken while the service serves; restoring is refused until it stops", async () => {
    await using site = await newSite();
    const first = await site.create("First");
    const file = site.folder.at("backup.db");
    let etag: string | undefined;
    let second: string;
    {
      await using server = await serveCli({ data: site.data });
      using client = new Client(server.url);
      const get = (path: string, headers = {}) => client.send(path, { headers: { "X-API-Key": site.key, ...headers } });
      const { bytes } = await cliJson(["backup", file], { data: site.data });
      assert.ok(existsSync(`${site.data}/last-backup`));
      assert.ok(Number(bytes) > 0);
      assert.equal((await runCli(["backup", file], { data: site.data })).code, 1, "the file exists");
      await cliJson(["backup", file, "--force"], { data: site.data });
      second = await site.create("Second");
      ({ etag } = (await get(LIST)).headers);
      const refused = await runCli(["restore", file], { data: site.data });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /The service is running/);
      assert.equal((await get(`${LIST}/${second}`)).status, 200);
      server.child.kill("SIGTERM");
      await server.ended;
    }
    const { kept } = await cliJson(["restore", file], { data: site.data });
    assert.ok(existsSync(String(kept)));
    await using server = await serveCli({ data: site.data });
    using client = new Client(server.url);
    const get = (path: string, headers = {}) => client.send(path, { headers: { "X-API-Key": site.key, ...headers } });
    assert.equal((await get(`${LIST}/${first}`)).status, 200);
    assert.equal((await get(`${LIST}/${second}`)).status, 404);
    const third = await site.create("Third");
    assert.equal((await get(LIST, { "If-None-Match": etag })).status, 200, "no ETag of before is valid");
    assert.ok((await get(LIST)).text.includes(third));
    const deleted = await runCli(["article", "delete", third], { data: site.data });
    assert.equal(deleted.code, 0);
    // A receiver that had followed the events up to the lost one, and asks what came after it.
    const { events, pagination } = JSON.parse((await get("/api/public/events?after=1000")).text).data;
    assert.deepEqual(
      events.map((event: { data: { article_id: string } }) => event.data.article_id),
      [third, third],
      "no event after the restoration has a number of before",
    );
    assert.equal(pagination.has_more, false);
  });

  test("a backup over the database itself is refused, also with --force", async () => {
    await using site = await newSite();
    const id = await site.create("Kept");
    const { code } = await runCli(["backup", `${site.data}/rostrum.db`, "--force"], { data: site.data });
    assert.equal(code, 1);
    assert.equal((await cliJson(["article", "show", id], { data: site.data }))["title"], "Kept");
  });

  test(
    "a backup or an export for which there is no room leaves no part of it behind",
    { skip: process.platform === "win32" },
    async () => {
      await using folder = await tempFolder();
      const site = await makeSite(folder.at("data"));
      const content = `<p>${"x ".repeat(100_000)}</p>`;
      await site.create({ title: "Long", content });
      const file = folder.at("copy");
      for (const command of [`backup ${file}`, `export --website ${site.website} --output ${file}`]) {
        const program = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");
        const limited = `ulimit -f 200; exec '${process.execPath}' '${program}' ${command}`;
        const env = { PATH: "/usr/bin:/bin", ROSTRUM_DATA_DIR: site.data };
        const child = spawn("sh", ["-c", limited], { env, stdio: "ignore" });
        assert.notEqual((await once(child, "exit"))[0], 0);
        assert.deepEqual(
          readdirSync(folder.path).filter((name) => name.startsWith("copy")),
          [],
        );
      }
    },
  );

  test("a file that is no backup is refused, and the data stays", async () => {
    await using site = await newSite();
    const id = await site.create("Kept");
    for (const [name, content] of [
      ["text", "not a database at all, but long enough to be read as one ".repeat(100)],
      ["empty", ""],
    ] as const) {
      await writeFile(site.folder.at(name), content);
      const { code, stderr } = await runCli(["restore", site.folder.at(name)], { data: site.data });
      assert.equal(code, 1, `${name}: ${stderr}`);
      assert.match(stderr, /cannot be restored: it is (?:not a database|empty)\.$/m);
    }
    assert.equal((await cliJson(["article", "show", id], { data: site.data }))["title"], "Kept");
  });
});

test("the log of a start names an unknown setting, a limit of open files that is too low, and a wrong secret key", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  const env = { ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24", ROSTRUM_SECRET_KEY: randomBytes(32).toString("hex") };
  const { id } = await cliJson(["website", "create", "--name", "W"], { data, env });
  await cliJson(["webhook", "create", "--website", String(id), "--url", "https://192.0.2.1/hook"], { data, env });
  await using server = await serveCli({
    data,
    env: {
      ...env,
      ROSTRUM_SECRET_KEY: randomBytes(32).toString("hex"),
      ROSTRUM_CACHE_MBS: "1",
      ROSTRUM_MAX_CONNECTIONS: "999999",
    },
  });
  const text = server.lines.join("\n");
  assert.match(text, /Did you mean \\"ROSTRUM_CACHE_MB\\"\?/);
  assert.match(text, /"maxConnections":999999,"msg":"fewer files may be open than ROSTRUM_MAX_CONNECTIONS/);
  assert.match(text, /The secret key is missing, or is not the one/);
});
