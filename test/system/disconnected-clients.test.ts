/** A browser that disconnects while its request is checked leaves no stream or subscription open. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { API, type Browser, type People, people } from "../people/dashboard.ts";

let service: TestService;
let all: People;
let owner: Browser;
/** How often live updates asked whether anybody has committed, which they do while somebody looks. */
let asked = 0;
/** What is read on behalf of this file waits at the gate. */
let gated: string | undefined;
let gate: PromiseWithResolvers<void>;
let waiting = 0;
/** Pages that were read for readers. */
let pages = 0;
const READ_MODEL = "operations/articles/read-model/read-model.ts";

before(async () => {
  const change = changeStore((store) => ({
    commitCounter: () => {
      // Others ask the same.
      if (new Error().stack?.includes("operations/people/change-stream.ts") === true) asked++;
      return store.commitCounter();
    },
    read: async (work) => {
      if (new Error().stack?.includes(READ_MODEL) === true) pages++;
      if (gated !== undefined && new Error().stack?.includes(gated) === true) {
        waiting++;
        await gate.promise;
      }
      return store.read(work);
    },
  }));
  service = await startTestService({}, change);
  all = people(service);
  owner = await all.owner();
});
after(async () => {
  all[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

/** Resolves when the request has been given up while what it needs was being read, and that is read now. */
async function askAndGo(path: string, file: string): Promise<void> {
  gate = Promise.withResolvers();
  gated = file;
  waiting = 0;
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(
    `GET ${API}${path}?website_id=${service.website.id} HTTP/1.1\r\nHost: x\r\nCookie: ${owner.cookie}\r\n` +
      "Sec-Fetch-Site: same-origin\r\n\r\n",
  );
  await until("it is being looked into", () => waiting === 1);
  gated = undefined;
  socket.destroy();
  await once(socket, "close");
  // Its end comes over another connection than these, but before them.
  for (let count = 0; count < 3; count++) await owner.json("GET", "/session");
  gate.resolve();
  await owner.json("GET", "/session");
}

test("a live update ends completely when its client disconnects", async () => {
  await askAndGo("/live", "operations/people/change-stream.ts");
  const before = asked;
  // It polls ten times a second while somebody is connected; one more poll may have been about to start.
  await wait(1_000);
  assert.ok(asked <= before + 1, `asked ${asked - before} times`);
  assert.deepEqual(service.log.failures, []);
});

test("an abandoned export takes up no slot", async () => {
  for (let count = 0; count < 5; count++) await askAndGo("/exports", "admin/articles/exports.ts");
  const path = `/exports?website_id=${service.website.id}`;
  await until("there is room", async () => (await owner.send("GET", path)).status === 200);
});

test("a page with contents is not made for a reader who has left while it waited for its turn", async () => {
  const { hostname, port } = new URL(service.url);
  const ask = async () => {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(`GET ${LIST}?include=content HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\n\r\n`);
    return socket;
  };
  await service.list("?include=content");
  gate = Promise.withResolvers();
  gated = READ_MODEL;
  waiting = 0;
  const first = await ask();
  await until("the first page is being made", () => waiting === 1);
  const others = await Promise.all(Array.from({ length: 5 }, ask));
  for (let count = 0; count < 3; count++) await owner.json("GET", "/session");
  gated = undefined;
  for (const socket of others) {
    socket.destroy();
    await once(socket, "close");
  }
  for (let count = 0; count < 3; count++) await owner.json("GET", "/session");
  const before = pages;
  gate.resolve();
  await service.list("?include=content");
  first.destroy();
  assert.equal(pages - before, 1, "the last one");
});

test("a sender's request that is broken off is no failure of the service", async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(`POST /senders/${"0".repeat(32)} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"a":`);
  for (let count = 0; count < 3; count++) await owner.json("GET", "/session");
  socket.destroy();
  await once(socket, "close");
  for (let count = 0; count < 3; count++) await owner.json("GET", "/session");
  assert.deepEqual(service.log.failures, []);
});
