/** ROSTRUM_READERS: several processes of one service on one port and one SQLite file. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { runCli, serveCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { makeSite, type Site } from "../helpers/site.ts";
import { until } from "../helpers/until.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { revokeKey } from "../../src/operations/people/api-keys.ts";
import { people } from "../people/dashboard.ts";
import { connectToAll, Connection, isAlive, readerPids } from "./processes.ts";

const LIST = "/api/public/articles";
const READERS = { ROSTRUM_READERS: "3" };
/** Reading processes write to this process's standard output. */
const QUIET = { ...READERS, ROSTRUM_LOG_LEVEL: "silent" };

interface OwnSite extends Site, AsyncDisposable {
  folder: Folder;
  headers: { "X-API-Key": string };
}

async function newSite(): Promise<OwnSite> {
  const folder = await tempFolder();
  const site = await makeSite(folder.path);
  const headers = { "X-API-Key": site.key };
  return { ...site, folder, headers, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("every process serves reads, and the main one everything else, with the client's address", async () => {
  await using service = await startTestService({ ...QUIET, ROSTRUM_TRUST_PROXY: "127.0.0.1" });
  const headers = { "X-API-Key": service.key };
  const preview = { "X-API-Key": (await service.newKey({ scope: "preview" })).secret };
  const { article } = await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
  await saveDraftCopy(service.app, article.id, { title: "Drafted" }, CHIEF);
  for (const { node, connection } of await connectToAll(service.url, headers, { count: 3, each: 2 })) {
    using one = connection;
    assert.equal((await one.get("/readyz")).status, 200);
    assert.equal((await one.get("/docs")).status, 200);
    assert.equal((await one.get("/dashboard/articles")).headers["content-type"], "text/html; charset=utf-8");
    assert.equal((await one.get("/nothing")).status, 404);
    assert.equal((await one.get(LIST, { "X-Preview-Token": "x" })).status, 403);
    assert.equal((await one.get("/dashboard/api/session")).status, 401);
    assert.match((await one.get(LIST, preview)).body, /"title":"Drafted"/);
    assert.doesNotMatch((await one.get(LIST)).body, /"title":"Drafted"/);
    // Only the machine itself may see them.
    assert.equal((await one.get("/metrics")).status, 200);
    assert.equal((await one.get("/metrics", { "X-Forwarded-For": "192.0.2.1" })).status, 404);
    assert.equal(
      (await one.get("/metrics", { "rostrum-peer": "x 127.0.0.1", "X-Forwarded-For": "192.0.2.1" })).status,
      404,
    );
    assert.equal(await one.node(), node);
  }
});

test("the dashboard signs in, uploads and follows changes through any process", async () => {
  await using service = await startTestService(QUIET);
  using owner = people(service);
  const { cookie } = await owner.owner();
  const query = new URLSearchParams({ website_id: service.website.id, name: "x.ndjson" }).toString();
  // Longer than one write.
  const lines = Array.from({ length: 8 }, (_, index) =>
    JSON.stringify({ title: `T${index}`, markdown: "word ".repeat(5_000) }),
  );
  for (const { connection } of await connectToAll(service.url, { "X-API-Key": service.key }, { count: 3 })) {
    using one = connection;
    const headers = { Cookie: cookie ?? "", "Sec-Fetch-Site": "same-origin" };
    const session = await one.get("/dashboard/api/session", headers);
    assert.match(session.body, /owner@example\.com/);
    const file = { ...headers, "Content-Type": "application/octet-stream", Expect: "100-continue" };
    const imported = await one.post(`/dashboard/api/imports?${query}`, lines.join("\n"), file);
    assert.equal(imported.status, 200, imported.body);
    assert.ok(imported.body.trim().split("\n").length >= lines.length, imported.body);
    const tooMuch = await one.post("/dashboard/api/session", JSON.stringify({ email: "x".repeat(700_000) }), {
      ...headers,
      "Content-Type": "application/json",
    });
    assert.equal(tooMuch.status, 413);
  }
});

test("a killed reading process fails only requests on its own connections, and is started again", async () => {
  await using site = await newSite();
  await site.create({ title: "x", content: "<p>x</p>", status: "published" });
  await using server = await serveCli({ data: site.data, env: READERS });
  const before = readerPids(server);
  assert.equal(before.length, 2);
  const connections = await connectToAll(server.url, site.headers, { count: 3, each: 4 });
  const over = new AbortController();
  const failed = new Map<string, number>();
  let answered = 0;
  const loops = connections.map(async ({ node, connection }) => {
    while (!over.signal.aborted) {
      try {
        assert.equal((await connection.get(LIST)).status, 200);
        answered++;
      } catch {
        failed.set(node, (failed.get(node) ?? 0) + 1);
        // A new connection may go to any process.
        return;
      }
    }
  });
  process.kill(before[0] ?? 0, "SIGKILL");
  await until("it is started again", () => readerPids(server).length === 3);
  const atRestart = answered;
  await until("the others have gone on", () => answered > atRestart + 100);
  over.abort();
  await Promise.all(loops);
  for (const { connection } of connections) connection[Symbol.dispose]();
  assert.deepEqual([...failed.values()], [4]);
  const error = server.lines.map((line) => record(JSON.parse(line))).find(({ level }) => level === 50);
  assert.equal(error?.["msg"], "a reading process is started again");
  for (const { connection } of await connectToAll(server.url, site.headers, { count: 3 })) connection[Symbol.dispose]();
});

test("no reading process outlives the main one", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data, env: READERS });
  const pids = readerPids(server);
  assert.equal(pids.length, 2);
  server.child.kill("SIGKILL");
  await server.ended;
  await until("they have ended", () => !pids.some(isAlive));
  // The port is free, and the database in order.
  const { port } = new URL(server.url);
  await using again = await serveCli({ data: site.data, env: { ...READERS, PORT: port } });
  using connection = new Connection(again.url, site.headers);
  assert.equal((await connection.get(LIST)).status, 200);
});

test("a revoked key is refused by every process at once", async () => {
  await using service = await startTestService(QUIET);
  for (let round = 0; round < 5; round++) {
    const { id, secret } = await service.newKey();
    const connections = await connectToAll(service.url, { "X-API-Key": secret }, { count: 3, each: 2 });
    await Promise.all(connections.map(({ connection }) => connection.get(LIST)));
    await revokeKey(service.app, id, CLI_ORIGIN);
    const answers = await Promise.all(connections.map(({ connection }) => connection.get(LIST)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      connections.map(() => 401),
    );
    for (const { connection } of connections) connection[Symbol.dispose]();
  }
});

test("a rate limit holds for all processes together, and all of it can be used", async () => {
  await using service = await startTestService(QUIET);
  for (let round = 0; round < 3; round++) {
    const { secret } = await service.newKey({ rateLimit: 20 });
    const warm = await service.newKey();
    const connections = await connectToAll(service.url, { "X-API-Key": warm.secret }, { count: 3, each: 3 });
    const startedAt = performance.now();
    const answers = await Promise.all(
      connections.flatMap(({ connection }) =>
        Array.from({ length: 20 }, () => connection.get(`${LIST}?limit=1`, { "X-API-Key": secret })),
      ),
    );
    const refilled = ((performance.now() - startedAt) / 1_000) * 20;
    const allowed = answers.filter(({ status }) => status === 200).length;
    assert.ok(allowed >= 40, `${allowed} of 40 were allowed`);
    assert.ok(allowed <= 40 + Math.ceil(refilled), `${allowed} were allowed, with ${refilled} refilled`);
    for (const { status, headers } of answers) {
      assert.ok(status === 200 || status === 429);
      assert.equal(headers["ratelimit-policy"], '"key";q=40;w=2');
      assert.match(String(headers["ratelimit"]), /^"key";r=\d+;t=\d+$/);
      if (status === 429) assert.ok(Number(headers["retry-after"]) >= 1);
    }
    for (const { connection } of connections) connection[Symbol.dispose]();
  }
});

test("requests with unknown keys are limited for all processes together", async () => {
  await using service = await startTestService(QUIET);
  const connections = await connectToAll(service.url, { "X-API-Key": service.key }, { count: 3, each: 2 });
  const statuses: number[] = [];
  for (let round = 0; round < 20; round++) {
    for (const { connection } of connections) {
      statuses.push((await connection.get(LIST, { "X-API-Key": `rs_${"a".repeat(36)}` })).status);
    }
  }
  assert.equal(statuses.filter((status) => status === 401).length, 100);
  assert.equal(statuses.filter((status) => status === 429).length, 20);
  for (const { connection } of connections) connection[Symbol.dispose]();
});

test("the metrics and the requests of keys are those of all processes", async () => {
  await using service = await startTestService(QUIET);
  const connections = await connectToAll(service.url, { "X-API-Key": service.key }, { count: 3 });
  const read = async () => {
    using one = new Connection(service.url);
    const { body } = await one.get("/metrics");
    const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(body)?.[1]);
    return {
      reads: value('rostrum_reads_total\\{route="list",status="200"\\}'),
      durations: value('rostrum_read_duration_seconds_count\\{route="list"\\}'),
      readers: value("rostrum_readers"),
    };
  };
  const before = await read();
  for (const { connection } of connections) {
    for (let times = 0; times < 10; times++) await connection.get(LIST);
    connection[Symbol.dispose]();
  }
  const after = await read();
  assert.deepEqual(after, { reads: before.reads + 30, durations: before.durations + 30, readers: 2 });
});

test("a service that drains answers until it refuses reads, and resets nobody", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data, env: { ...READERS, ROSTRUM_DRAIN_SECONDS: "2" } });
  const pids = readerPids(server);
  const statuses = new Map<number, number>();
  let isDraining = false;
  const client = async () => {
    for (;;) {
      using connection = new Connection(server.url, site.headers);
      const { status, headers } = await connection.get(LIST);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (headers.connection === "close") isDraining = true;
      // As a proxy does, which sends the next requests to another process.
      if (status !== 200) return headers["retry-after"];
    }
  };
  const clients = Array.from({ length: 4 }, client);
  server.child.kill("SIGTERM");
  assert.deepEqual(await Promise.all(clients), ["1", "1", "1", "1"]);
  assert.ok(isDraining);
  assert.deepEqual(new Set(statuses.keys()), new Set([200, 503]));
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.ok(!pids.some(isAlive));
});

test("a port that another program listens on is refused", async () => {
  await using site = await newSite();
  const other = createServer().listen({ host: "127.0.0.1", port: 0, reusePort: true });
  await once(other, "listening");
  const address = other.address();
  assert.ok(typeof address === "object" && address !== null);
  const { code, stderr } = await runCli(["serve"], {
    data: site.data,
    env: { ...READERS, PORT: String(address.port) },
  });
  assert.equal(code, 1);
  assert.match(stderr, /is in use by another program/);
  other.close();
});

test("nobody but a reading process can pass on requests", async () => {
  await using service = await startTestService(QUIET);
  const path = await forwardPath();
  const socket = connect(path);
  socket.on("error", () => undefined);
  socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\nrostrum-peer: guess 127.0.0.1\r\n\r\n");
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    answer += part;
  });
  await once(socket, "close");
  assert.equal(answer, "");
  assert.deepEqual(service.log.failures, []);
});

/** The abstract socket on which the main process listens. */
async function forwardPath(): Promise<string> {
  const sockets = await readFile("/proc/net/unix", "utf8");
  const names = [...sockets.matchAll(/@(rostrum-\w+)/g)].map(([, name]) => `\0${name}`);
  const name = names.at(-1);
  assert.ok(name !== undefined);
  return name;
}
