import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LIVE_TOPICS } from "../../../domain/people/live-topics.ts";
import { EventStream } from "./event-stream.ts";

/** A stream to a client on loopback, which receives nothing unless it reads. */
async function openStream() {
  const server = createServer({ highWaterMark: 1_024 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [, res] = (await once(server, "request")) as [unknown, ServerResponse];
  return {
    client,
    res,
    stream: new EventStream(res, {}, "w"),
    async [Symbol.asyncDispose]() {
      client.destroy();
      server.closeAllConnections();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

/** Writes until the client's side accepts no more. */
async function fill({ stream, res }: Awaited<ReturnType<typeof openStream>>): Promise<void> {
  for (let idle = 0; idle < 20;) {
    for (let count = 0; count < 20; count++) stream.send(LIVE_TOPICS);
    const before = res.writableLength;
    await nextTurn();
    idle = before > 0 && res.writableLength === before ? idle + 1 : 0;
  }
}

test("events that a slow client does not read are not queued, and it is disconnected at the second heartbeat", async () => {
  await using opened = await openStream();
  const { stream, res } = opened;
  await fill(opened);
  const kept = res.writableLength;
  for (let count = 0; count < 10_000; count++) stream.send(LIVE_TOPICS);
  assert.equal(res.writableLength, kept);
  assert.ok(kept < 100_000, `${kept} bytes`);
  stream.beat();
  assert.ok(!res.destroyed);
  stream.beat();
  assert.ok(res.destroyed);
  stream.send(["articles"]);
  stream.end();
});

test("a client that was slow for a moment gets what it missed in one event", async () => {
  await using opened = await openStream();
  const { stream, client, res } = opened;
  await fill(opened);
  stream.send(["keys"]);
  stream.send(["members"]);
  stream.beat();
  let tail = "";
  client.on("data", (part: Buffer) => {
    tail = (tail + part.toString()).slice(-2_000);
  });
  await once(res, "drain");
  stream.beat();
  stream.end("event: last\n\n");
  await once(res, "close");
  while (!tail.includes("event: last")) await once(client, "data");
  const [change] = tail.split("event: change\n").slice(-1);
  assert.match(String(change), /^data: \{"website_id":"w","topics":\[.*"keys".*"members".*\]\}$/m);
  assert.match(tail, /\n:\n\n/);
});

test("a stream that ends does not wait for a slow client", async () => {
  await using opened = await openStream();
  await fill(opened);
  opened.stream.end();
  assert.ok(opened.res.destroyed);
});
