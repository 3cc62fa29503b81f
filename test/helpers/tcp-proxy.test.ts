import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { test } from "node:test";
import { startTcpProxy } from "./tcp-proxy.ts";
import { until } from "./until.ts";

test("bytes pass in both directions, and so does the end of one", async () => {
  await using setup = await startSetup();
  const client = await setup.connect();
  assert.equal(await client.ask("hello"), "echo:hello");
  assert.equal(setup.proxy.connections, 1);
  const large = "x".repeat(4_000_000);
  assert.equal(await client.ask(large), `echo:${large}`);
  client.socket.end();
  await client.closed;
  await until("the proxy lets go", () => setup.proxy.connections === 0);
});

test("while it refuses, new connections are reset and old ones live", async () => {
  await using setup = await startSetup();
  const old = await setup.connect();
  setup.proxy.mode = "refuse";
  const refused = await setup.connect();
  assert.equal(await refused.closed, "ECONNRESET");
  assert.equal(await old.ask("still"), "echo:still");
  setup.proxy.mode = "pass";
  assert.equal(await (await setup.connect()).ask("again"), "echo:again");
});

test("a cut resets every connection on both sides; new ones pass", async () => {
  await using setup = await startSetup();
  const clients = [await setup.connect(), await setup.connect()];
  for (const client of clients) await client.ask("here");
  setup.proxy.cut();
  for (const client of clients) assert.equal(await client.closed, "ECONNRESET");
  await until("the target sees it", () => setup.target.resets() === 2);
  assert.equal(setup.proxy.connections, 0);
  assert.equal(await (await setup.connect()).ask("new"), "echo:new");
});

test("frozen connections hang and stay dead after the thaw, open on both sides; new ones work", async () => {
  await using setup = await startSetup();
  const old = await setup.connect();
  await old.ask("before");
  setup.proxy.mode = "freeze";
  const during = await setup.connect();
  const answers = [old.ask("lost"), during.ask("lost, too")];
  setup.proxy.thaw();
  const fresh = await setup.connect();
  assert.equal(await fresh.ask("after"), "echo:after");

  const first = await Promise.race([...answers, old.closed, during.closed, wait(50, "silence")]);
  assert.equal(first, "silence");
  assert.deepEqual(setup.target.heard(), ["before", "after"]);
  assert.equal(setup.target.open(), 2);
  assert.equal(setup.proxy.connections, 3);
});

test("a chunk that waits when the network freezes does not arrive", async () => {
  await using setup = await startSetup();
  setup.proxy.slow(20);
  const client = await setup.connect();
  await client.ask("before");
  void client.ask("lost");
  setup.proxy.mode = "freeze";
  await wait(50);
  assert.deepEqual(setup.target.heard(), ["before"]);
});

test("when slow, each chunk waits in each direction, and the order stays", async () => {
  await using setup = await startSetup();
  const client = await setup.connect();
  await client.ask("quick");
  setup.proxy.slow(40);
  const startedAt = performance.now();
  assert.equal(await client.ask("slow"), "echo:slow");
  // Timers may fire up to a millisecond early.
  assert.ok(performance.now() - startedAt >= 78);
  client.socket.end("last");
  await client.closed;
  assert.deepEqual(setup.target.heard(), ["quick", "slow", "last"]);
});

test("after a retarget new connections go elsewhere, old ones stay", async () => {
  await using setup = await startSetup();
  await using other = await startEcho("other:");
  const old = await setup.connect();
  await old.ask("first");
  setup.proxy.retarget(other.port);
  assert.equal(await (await setup.connect()).ask("second"), "other:second");
  assert.equal(await old.ask("third"), "echo:third");
});

test("a target that is gone looks like a reset", async () => {
  await using setup = await startSetup();
  const unused = await startEcho("");
  await unused[Symbol.asyncDispose]();
  setup.proxy.retarget(unused.port);
  assert.equal(await (await setup.connect()).closed, "ECONNRESET");
});

test("after disposal nothing listens and no connection is left", async () => {
  const setup = await startSetup();
  const client = await setup.connect();
  await client.ask("here");
  setup.proxy.mode = "freeze";
  const hanging = await setup.connect();
  await setup.proxy[Symbol.asyncDispose]();
  assert.equal(await client.closed, "ECONNRESET");
  assert.equal(await hanging.closed, "ECONNRESET");
  await until("the target lost it", () => setup.target.open() === 0);
  assert.equal(await (await setup.connect()).closed, "ECONNREFUSED");
  await setup.target[Symbol.asyncDispose]();
});

async function startSetup() {
  await using opened = new AsyncDisposableStack();
  const target = opened.use(await startEcho("echo:"));
  const proxy = opened.use(await startTcpProxy({ port: target.port }));
  const clients: Socket[] = [];
  opened.defer(() => {
    for (const client of clients) client.destroy();
  });
  const owned = opened.move();
  return {
    target,
    proxy,
    /** Resolves once the connection is open, or has failed. */
    connect: async () => {
      const socket = connect(proxy.port, "127.0.0.1");
      clients.push(socket);
      let code: string | undefined;
      let said = "";
      socket.setEncoding("utf8").on("data", (part: string) => {
        said += part;
      });
      const closed = new Promise<string | undefined>((resolve) => socket.on("close", () => resolve(code)));
      socket.on("error", (error: NodeJS.ErrnoException) => {
        code = error.code;
      });
      await Promise.race([new Promise((resolve) => socket.once("connect", resolve)), closed]);
      return {
        socket,
        /** The code of the error that ended it, if any. */
        closed,
        /** Sends the text. @returns the response, as soon as it ends with the text. */
        ask: async (text: string) => {
          said = "";
          socket.write(text);
          while (!said.endsWith(text)) await once(socket, "data");
          return said;
        },
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Echoes each text, with the prefix before its first chunk. */
async function startEcho(prefix: string) {
  const sockets = new Set<Socket>();
  const heard: string[] = [];
  let resets = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setEncoding("utf8").on("data", (text: string) => {
      // A further chunk of a text that consists of one letter.
      const goesOn = text.startsWith("xx") && heard.at(-1)?.startsWith("xx");
      heard.push(text);
      socket.write(goesOn ? text : prefix + text);
    });
    socket.on("error", () => {
      resets += 1;
    });
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => heard,
    resets: () => resets,
    open: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
