import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { HeadWriter, ResponseHead } from "./head-writer.ts";
import { Bucket } from "./rate-limit.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
const LARGE_BYTES = 8_000_000;
const TYPE = ["Content-Type", "application/json"];

const BODIES: Record<string, string | Buffer> = {
  "/text": "a text",
  "/bytes": Buffer.from("some bytes"),
  "/large": Buffer.alloc(LARGE_BYTES, "x"),
};

async function start(writer: HeadWriter, now = () => NOW) {
  let requests = 0;
  const bucket = new Bucket(5, 10, NOW);
  const heads = Object.entries(BODIES).map(
    ([url, body]) =>
      [url, new ResponseHead(200, [...TYPE, "ETag", 'W/"1"', "Content-Length", String(body.length)])] as const,
  );
  const prepared = new Map(heads);
  const notModified = new ResponseHead(304, ["ETag", 'W/"1"']);
  const server = createServer((req, res) => {
    const url = req.url ?? "";
    requests++;
    if (url.endsWith("/closing")) res.shouldKeepAlive = false;
    const isUnchanged = req.headers["if-none-match"] !== undefined;
    const path = url.replace(/\/(closing|limited)$/, "");
    const head = isUnchanged ? notModified : prepared.get(path);
    assert.ok(head);
    const isLimited = url.endsWith("/limited");
    if (isLimited) bucket.take(NOW);
    writer.write(req, res, head, { requestId: `r-${requests}`, bucket: isLimited ? bucket : null, now: now() });
    if (isUnchanged || req.method === "HEAD") res.end();
    else res.end(BODIES[path], "latin1");
  });
  server.keepAliveTimeout = 72_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Sends the requests and a last one over one connection. @returns all that comes back. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let all = "";
  socket.setEncoding("latin1").on("data", (text: string) => (all += text));
  socket.write(bytes + LAST);
  await once(socket, "close");
  return all;
}

function get(path: string, headers = "", method = "GET", version = "1.1"): string {
  return `${method} ${path} HTTP/${version}\r\nHost: x\r\n${headers}\r\n`;
}

/** Those after the first one are written as text. */
const FIRST = get("/text");
const LAST = get("/text", "Connection: close\r\n");

const EXCHANGES: Record<string, string> = {
  "one response after another": FIRST + get("/text") + get("/bytes") + get("/text"),
  "pipelined, of different sizes": FIRST + get("/large") + get("/text") + get("/large") + get("/bytes"),
  HEAD: FIRST + get("/text", "", "HEAD") + get("/bytes", "", "HEAD") + get("/text"),
  "304": FIRST + get("/text", 'If-None-Match: W/"1"\r\n') + get("/text"),
  "304 to HEAD": FIRST + get("/text", 'If-None-Match: W/"1"\r\n', "HEAD") + get("/text"),
  "HTTP/1.0": FIRST + get("/text", "", "GET", "1.0"),
  "HTTP/1.0 that stays open": FIRST + get("/text", "Connection: keep-alive\r\n", "GET", "1.0") + get("/text"),
  "Connection: close": FIRST + LAST + get("/text"),
  "a server that stops": FIRST + get("/text/closing") + get("/text"),
  "rate limits": FIRST + get("/text/limited") + get("/bytes/limited") + get("/text/limited") + get("/text"),
  "a request with a body": `${FIRST}${get("/text", "Content-Length: 4\r\n")}body${get("/text")}`,
  "Expect: 100-continue": `${FIRST}${get("/text", "Content-Length: 4\r\nExpect: 100-continue\r\n")}body${get("/text")}`,
};

for (const [what, bytes] of Object.entries(EXCHANGES)) {
  test(`the bytes are those that writeHead sends: ${what}`, async () => {
    await using asText = await start(new HeadWriter());
    await using asHeaders = await start(new HeadWriter(false));
    const [written, expected] = [await exchange(asText.port, bytes), await exchange(asHeaders.port, bytes)];
    assert.ok(expected.startsWith("HTTP/1.1 200 OK\r\n"));
    assert.ok(written === expected, `${written.slice(0, 2_000)}\n---\n${expected.slice(0, 2_000)}`);
  });
}

test("this version of Node sends a head that was set as text", () => {
  assert.equal(new HeadWriter().isSupported, true);
});

test("the date follows the clock that is given, to the second", async () => {
  let now = NOW;
  await using server = await start(new HeadWriter(), () => (now += 400));
  const answers = await exchange(server.port, FIRST.repeat(5));
  const dates = Array.from(answers.matchAll(/^Date: (.*)\r$/gm), ([, date]) => Date.parse(date ?? ""));
  assert.deepEqual(
    dates,
    [0, 0, 1, 1, 2, 2].map((second) => NOW + second * 1_000),
  );
});

test("clients that do not read, or leave, delay nobody's response", async () => {
  await using server = await start(new HeadWriter());
  const idle = connect(server.port, "127.0.0.1");
  idle.write(FIRST + get("/large") + LAST);
  const gone = connect(server.port, "127.0.0.1");
  gone.write(FIRST + get("/large"));
  await once(gone, "data");
  gone.destroy();
  const others = await exchange(server.port, FIRST);
  assert.equal(others.match(/a text/g)?.length, 2);
  // The rest of the responses arrives complete and in order.
  let all = "";
  idle.setEncoding("latin1").on("data", (text: string) => (all += text));
  await once(idle, "close");
  const [, first, second, third] = all.split("HTTP/1.1 200 OK\r\n");
  assert.ok(first?.endsWith("\r\n\r\na text"));
  assert.equal(second?.split("\r\n\r\n")[1]?.length, LARGE_BYTES);
  assert.ok(third?.endsWith("\r\n\r\na text"));
});

test("a header that would break the response is refused", () => {
  assert.throws(() => new ResponseHead(200, ["ETag", "a\r\nb: c"]).text, { code: "ERR_INVALID_CHAR" });
});
