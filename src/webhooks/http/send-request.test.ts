import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { makeAuthority, makeCertificate } from "../../../test/helpers/certificates.ts";
import { answer, Receiver } from "../../../test/helpers/receivers.ts";
import { until } from "../../../test/helpers/until.ts";
import { AddressGuard, parseCidrs } from "../net/ssrf-guard.ts";
import { type Post, RequestSender } from "./send-request.ts";

/** Host names that were looked up. */
const lookups: string[] = [];
const guard = new AddressGuard({
  allowHttp: true,
  allowCidrs: parseCidrs("127.0.0.1/32") ?? [],
  lookup: async (hostname) => {
    lookups.push(hostname);
    return [{ address: "127.0.0.1", family: 4 }];
  },
});

const timesAsked = (name: string) => lookups.filter((asked) => asked === name).length;

let sender: RequestSender;
before(() => {
  sender = new RequestSender({ guard, timeoutMs: 5_000 });
});
after(async () => {
  await sender[Symbol.asyncDispose]();
  await until("no socket is left open", () => !process.getActiveResourcesInfo().some((name) => /TCP|TLS/.test(name)));
});

const BODY = '{"title":"日本語"}';

function makePost(url: string, settings: Partial<Post> = {}): Post {
  return { endpointId: url, url, headers: { "content-type": "application/json" }, body: BODY, ca: null, ...settings };
}

const answering = () =>
  Receiver.start({ onRequest: (socket) => socket.write(answer(200, "thanks", "X-Mixed: Case\r\n")) });
const silent = () => Receiver.start({ onRequest: () => undefined });

describe("the request", () => {
  test("is one POST with its length, its headers and exactly its bytes", async () => {
    await using receiver = await answering();
    const url = `${receiver.url("name.test")}?a=%20b`;
    await sender.send(makePost(url, { headers: { "content-type": "application/json", "webhook-id": "msg_1" } }));
    const [request] = receiver.requests;
    assert.ok(request !== undefined);
    assert.deepEqual(request.head.split("\r\n").toSorted(), [
      "POST /hook?a=%20b HTTP/1.1",
      "connection: keep-alive",
      `content-length: ${Buffer.byteLength(BODY)}`,
      "content-type: application/json",
      `host: name.test:${receiver.port}`,
      "webhook-id: msg_1",
    ]);
    assert.equal(Buffer.from(request.body, "latin1").toString(), BODY);
  });

  test("of 1 MiB arrives whole", async () => {
    await using receiver = await answering();
    const body = JSON.stringify("x".repeat(1_048_576));
    assert.equal((await sender.send(makePost(receiver.url(), { body }))).outcome, "success");
    assert.equal(receiver.requests[0]?.body, body);
  });
});

describe("the result", () => {
  test("has the status, headers in lower case, the body and the time of each step", async () => {
    await using receiver = await answering();
    const result = await sender.send(makePost(receiver.url("name.test")));
    assert.deepEqual([result.outcome, result.status, result.error], ["success", 200, null]);
    assert.deepEqual(result.responseHeaders, [
      ["x-mixed", "Case"],
      ["content-length", "6"],
    ]);
    assert.equal(result.responseBody.toString(), "thanks");
    const { dns, connect, firstByte, total } = result.timings;
    assert.ok(dns !== null && connect !== null && firstByte !== null);
    assert.ok(dns <= connect && connect <= firstByte && firstByte <= total);
  });

  test("has no time for DNS and connecting when a connection was reused", async () => {
    await using receiver = await answering();
    await sender.send(makePost(receiver.url()));
    const { dns, connect } = (await sender.send(makePost(receiver.url()))).timings;
    assert.deepEqual([dns, connect], [null, null]);
  });

  test("is a failure, and no exception, for headers that cannot be sent", async () => {
    await using receiver = await answering();
    for (const headers of [{ "x y": "z" }, { x: "y\r\nz: 0" }, { x: "日本" }, { "Content-Length": "0" }]) {
      const result = await sender.send(makePost(receiver.url(), { headers: { ...headers } }));
      assert.equal(result.outcome, "protocol");
    }
    assert.equal(receiver.requests.length, 0);
  });

  test("is a failure for a header that could be sent with its earlier value", async () => {
    await using receiver = await answering();
    const outcomes: string[] = [];
    for (const value of ["one", "one", "two\r\nz: 0", "two", "one"]) {
      outcomes.push((await sender.send(makePost(receiver.url(), { headers: { "x-own": value } }))).outcome);
    }
    assert.deepEqual(outcomes, ["success", "success", "protocol", "success", "success"]);
    const sent = receiver.requests.map(({ head }) => /^x-own: (.*)$/m.exec(head)?.[1]?.trim());
    assert.deepEqual(sent, ["one", "one", "two", "one"]);
  });
});

describe("a connection", () => {
  test("is reused without a DNS query; a new one makes a query", async () => {
    await using receiver = await answering();
    const post = makePost(receiver.url("again.test"));
    await sender.send(post);
    await sender.send(post);
    assert.deepEqual([receiver.connections, timesAsked("again.test")], [1, 1]);
    for (const socket of receiver.sockets) {
      socket.destroy();
      await once(socket, "close");
    }
    assert.equal((await sender.send(post)).outcome, "success");
    assert.deepEqual([receiver.connections, timesAsked("again.test")], [2, 2]);
  });

  test("belongs to one endpoint, one URL and one CA", async () => {
    await using receiver = await answering();
    await sender.send(makePost(receiver.url(), { endpointId: "one" }));
    await sender.send(makePost(receiver.url(), { endpointId: "another" }));
    assert.equal(receiver.connections, 2);
    await sender.send(makePost(receiver.url(), { endpointId: "one", ca: "another CA" }));
    assert.equal(receiver.connections, 3);
    await sender.send(makePost(`${receiver.url()}2`, { endpointId: "one", ca: "another CA" }));
    assert.equal(receiver.connections, 4);
    await until("those that were replaced are closed", () => receiver.sockets.size === 2);
  });

  test("is one of at most eight for an endpoint; the ninth POST waits for one of them", async () => {
    const held: (() => void)[] = [];
    await using receiver = await Receiver.start({
      onRequest: (socket) => held.push(() => socket.write(answer())),
    });
    const results = Promise.all(Array.from({ length: 20 }, () => sender.send(makePost(receiver.url()))));
    await until("eight are under way", () => held.length === 8);
    while (receiver.requests.length < 20 || held.length > 0) {
      held.shift()?.();
      await until("another comes or all are there", () => held.length > 0 || receiver.requests.length === 20);
    }
    assert.ok((await results).every((result) => result.outcome === "success"));
    assert.equal(receiver.connections, 8);
  });

  test("is one of at most eight even if reused ones break while other POSTs wait", async () => {
    const held: (() => void)[] = [];
    let most = 0;
    await using receiver = await Receiver.start({
      onRequest: (socket, _request, index) => {
        if (index >= 8 && index < 16) socket.destroy();
        else
          most = Math.max(
            most,
            held.push(() => socket.write(answer())),
          );
      },
    });
    const first = Promise.all(Array.from({ length: 8 }, () => sender.send(makePost(receiver.url()))));
    await until("eight are under way", () => held.length === 8);
    for (const answerNow of held.splice(0)) answerNow();
    await first;
    const results = Promise.all(Array.from({ length: 20 }, () => sender.send(makePost(receiver.url()))));
    await until("those that broke are there again", () => receiver.requests.length >= 24);
    while (receiver.requests.length < 36 || held.length > 0) {
      held.shift()?.();
      await until("another comes or all are there", () => held.length > 0 || receiver.requests.length === 36);
    }
    assert.ok((await results).every((result) => result.outcome === "success"));
    assert.equal(most, 8);
  });

  test("of a replaced URL is closed even if a cancelled POST waited for it", async () => {
    const held: (() => void)[] = [];
    await using receiver = await Receiver.start({
      onRequest: (socket, { head }) =>
        head.startsWith("POST /hook2") ? socket.write(answer()) : held.push(() => socket.write(answer())),
    });
    const post = makePost(receiver.url(), { endpointId: "moved" });
    const sent = Promise.all(Array.from({ length: 8 }, () => sender.send(post)));
    await until("eight are under way", () => held.length === 8);
    const abort = new AbortController();
    const waiting = sender.send(post, abort.signal);
    abort.abort();
    assert.equal((await waiting).outcome, "reset");
    await sender.send({ ...post, url: `${post.url}2` });
    for (const answerNow of held) answerNow();
    await sent;
    await until("only the new one is open", () => receiver.sockets.size === 1);
  });

  test("that the receiver closes after each response only costs a new one", async () => {
    await using receiver = await Receiver.start({
      onRequest: (socket) => socket.end(answer(200, "ok", "Connection: close\r\n")),
    });
    const post = makePost(receiver.url());
    const results = await Promise.all(Array.from({ length: 20 }, () => sender.send(post)));
    assert.ok(results.every((result) => result.outcome === "success" && result.timings.connect !== null));
    assert.equal((await sender.send(post)).outcome, "success");
    assert.deepEqual([receiver.requests.length, receiver.connections], [21, 21]);
  });

  test("that the receiver keeps for a second only is not reused", async () => {
    await using receiver = await Receiver.start({
      onRequest: (socket) => socket.write(answer(200, "ok", "Keep-Alive: timeout=1, max=5\r\n")),
    });
    const post = makePost(receiver.url());
    assert.equal((await sender.send(post)).outcome, "success");
    assert.equal((await sender.send(post)).outcome, "success");
    assert.equal(receiver.connections, 2);
  });

  test("is not reused when bytes follow the response", async () => {
    await using receiver = await Receiver.start({
      onRequest: (socket) => socket.write(`${answer(200, "ok")}\r\n`),
    });
    const post = makePost(receiver.url());
    assert.equal((await sender.send(post)).outcome, "success");
    assert.equal((await sender.send(post)).outcome, "success");
    assert.equal(receiver.connections, 2);
  });

  test("takes the next POST although the one before it timed out", async () => {
    await using brisk = new RequestSender({ guard, timeoutMs: 500 });
    await using receiver = await Receiver.start({
      onRequest: (socket, _request, index) => index >= 8 && socket.write(answer()),
    });
    const late = await Promise.all(Array.from({ length: 10 }, () => brisk.send(makePost(receiver.url()))));
    // The others wait for a connection: one may become free just before their own time is up.
    for (const { outcome, error } of late.slice(0, 8)) {
      assert.equal(outcome, "timeout");
      assert.match(error ?? "", /within 0\.5 s/);
    }
    assert.equal((await brisk.send(makePost(receiver.url()))).outcome, "success");
  });
});

describe("TLS", () => {
  test("sends the host in SNI and checks the certificate against it, not against the address", async () => {
    const authority = makeAuthority("CA");
    const certificate = makeCertificate({ issuer: authority, hosts: ["name.test"] });
    await using receiver = await Receiver.start({ certificate, onRequest: (socket) => socket.write(answer()) });
    const named = await sender.send(makePost(receiver.url("name.test"), { ca: authority.cert }));
    assert.equal(named.outcome, "success", named.error ?? "");
    assert.deepEqual(receiver.servernames, ["name.test"]);
    assert.equal((await sender.send(makePost(receiver.url(), { ca: authority.cert }))).outcome, "tls");
  });

  test("to an address has no SNI and needs a certificate for the address", async () => {
    const authority = makeAuthority("CA");
    const certificate = makeCertificate({ issuer: authority, hosts: ["127.0.0.1"] });
    await using receiver = await Receiver.start({ certificate, onRequest: (socket) => socket.write(answer()) });
    const result = await sender.send(makePost(receiver.url(), { ca: authority.cert }));
    assert.equal(result.outcome, "success", result.error ?? "");
    assert.deepEqual(receiver.servernames, [false]);
  });
});

describe("stopping", () => {
  test("by the signal ends the attempt at once and closes its connection", async () => {
    await using receiver = await silent();
    const abort = new AbortController();
    const sent = sender.send(makePost(receiver.url()), abort.signal);
    await until("the request is there", () => receiver.requests.length === 1);
    abort.abort();
    const { outcome, error } = await sent;
    assert.equal(outcome, "reset");
    assert.match(error ?? "", /stopped/);
    await until("the connection is closed", () => receiver.sockets.size === 0);
  });

  test("before it began sends nothing", async () => {
    await using receiver = await silent();
    const { outcome, error } = await sender.send(makePost(receiver.url()), AbortSignal.abort());
    assert.equal(outcome, "reset");
    assert.match(error ?? "", /stopped/);
    assert.equal(receiver.connections, 0);
  });

  test("after the headers of a 2xx leaves a success", async () => {
    await using receiver = await Receiver.start({
      onRequest: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        // By then the sender has read it.
        setTimeout(() => abort.abort(), 50);
      },
    });
    const abort = new AbortController();
    const result = await sender.send(makePost(receiver.url()), abort.signal);
    assert.deepEqual([result.outcome, result.responseBody.toString()], ["success", "half"]);
    assert.ok(result.timings.total < 4_000, `${result.timings.total} ms`);
  });

  test("ends every POST in progress, waiting or connecting, and refuses later ones", async () => {
    await using receiver = await silent();
    const brief = new RequestSender({ guard, timeoutMs: 5_000 });
    const sent = Promise.all(Array.from({ length: 10 }, () => brief.send(makePost(receiver.url()))));
    await until("they are under way", () => receiver.requests.length === 8);
    const connecting = brief.send(makePost(receiver.url("name.test", "https")));
    await brief[Symbol.asyncDispose]();
    for (const { outcome, error } of [...(await sent), await connecting, await brief.send(makePost(receiver.url()))]) {
      assert.equal(outcome, "reset");
      assert.match(error ?? "", /stopped/);
    }
    await until("no connection is left", () => receiver.sockets.size === 0);
  });
});

test("a response that came in time while this process was suspended is no time-out", async () => {
  // In a thread, so that it responds while this one is blocked.
  const receiver = new Worker(
    `const { createServer } = require("node:http");
     const { parentPort } = require("node:worker_threads");
     const server = createServer((req, res) => setTimeout(() => res.end("in time"), 100));
     server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => void (await receiver.terminate()));
  const [port] = (await once(receiver, "message")) as [number];
  const hasty = opened.use(new RequestSender({ guard, timeoutMs: 1_000 }));
  const url = `http://127.0.0.1:${port}/`;
  assert.equal((await hasty.send(makePost(url))).outcome, "success", "the connection is there");
  const sent = hasty.send(makePost(url));
  // The request is sent in earlier turns of the event loop.
  await wait(20);
  // After this, the event loop starts with timers.
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
  const { outcome, error } = await sent;
  assert.deepEqual([outcome, error], ["success", null]);
});
