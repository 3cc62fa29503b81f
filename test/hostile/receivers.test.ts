/** Whatever a receiver does, an attempt ends in time with the right outcome, and nothing of it stays behind. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import type { Outcome, PostResult } from "../../src/domain/webhooks/attempt.ts";
import { AddressGuard, parseCidrs } from "../../src/webhooks/net/ssrf-guard.ts";
import { RequestSender } from "../../src/webhooks/http/send-request.ts";
import { type Authority, type Certificate, makeAuthority, makeCertificate } from "../helpers/certificates.ts";
import { answer, closedPort, Receiver, type ReceiverOptions } from "../helpers/receivers.ts";
import { repeat, sayAndReset, startBlackHole } from "../helpers/receivers.ts";
import { until } from "../helpers/until.ts";

const TIMEOUT_MS = 5_000;
/** The deadline of attempts that must still be waiting when one with `TIMEOUT_MS` has ended. */
const LONGER_TIMEOUT_MS = 2 * TIMEOUT_MS;
const MAX_BODY = 64 * 1024;
const AT_ONCE = { concurrency: 100 };

const guard = new AddressGuard({
  allowHttp: true,
  allowCidrs: parseCidrs("127.0.0.0/8,::1/128") ?? [],
  lookup: (hostname) => {
    if (hostname === "silent.test") return new Promise(() => undefined);
    if (hostname === "half-dead.test") return addresses("127.0.0.2", "127.0.0.1");
    if (hostname === "half-private.test") return addresses("127.0.0.1", "10.0.0.1");
    if (hostname.endsWith(".invalid")) return Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" }));
    return addresses("127.0.0.1");
  },
});
const addresses = (...all: string[]) => Promise.resolve(all.map((address) => ({ address, family: 4 })));

let sender: RequestSender;
let slowerSender: RequestSender;
let silentReceiver: Receiver;
before(async () => {
  sender = new RequestSender({ guard, timeoutMs: TIMEOUT_MS, connectTimeoutMs: 2_000 });
  slowerSender = new RequestSender({ guard, timeoutMs: LONGER_TIMEOUT_MS });
  silentReceiver = await Receiver.start({ onRequest: () => undefined });
});
after(async () => {
  await sender[Symbol.asyncDispose]();
  await slowerSender[Symbol.asyncDispose]();
  await silentReceiver[Symbol.asyncDispose]();
  await until("no socket is left open", () => !process.getActiveResourcesInfo().some((name) => /TCP|TLS/.test(name)));
});

/** Endpoint ids are the URLs, so that each test has its own connections. */
async function post(url: string, { ca = null as string | null, body = '{"event":"x"}', from = sender } = {}) {
  const result = await from.send({ endpointId: url, url, headers: { "content-type": "application/json" }, body, ca });
  assert.equal(result.error === null, result.outcome === "success", `${result.outcome}: ${result.error}`);
  return result;
}

/** Starts an attempt that ends at its sender's deadline. An attempt that must end earlier is compared with it. */
function startSilentAttempt(from: RequestSender): { isOver: boolean } {
  const attempt = { isOver: false };
  const url = silentReceiver.url();
  void from
    .send({ endpointId: randomUUID(), url, headers: {}, body: "{}", ca: null })
    .then(() => Object.assign(attempt, { isOver: true }));
  return attempt;
}

interface Kind {
  name: string;
  receiver: ReceiverOptions;
  outcome: Outcome;
  /** Of `error`. */
  says?: RegExp;
  /** It ends before its deadline, which it otherwise may reach. */
  isQuick?: true;
  also?: (result: PostResult, receiver: Receiver) => void;
}

/** Says the bytes to each request, and keeps the connection. */
const saying = (bytes: string | Buffer): ReceiverOptions => ({ onRequest: (socket) => socket.write(bytes) });
const doing = (onRequest: (socket: Socket) => void): ReceiverOptions => ({ onRequest });
const head = (headers: string, status = "200 OK") => `HTTP/1.1 ${status}\r\n${headers}\r\n`;
const bodyIs = (body: string) => (result: PostResult) => assert.equal(result.responseBody.toString(), body);
const isFull = (result: PostResult) => assert.equal(result.responseBody.length, MAX_BODY);
const askedOnce = (_result: PostResult, { requests }: Receiver) => assert.equal(requests.length, 1);

const BOMB = gzipSync(Buffer.alloc(32 * 1024 * 1024));
const NOISE = Buffer.concat([Buffer.of(0xff), randomBytes(2_000)]);

const BREAKING: Kind[] = [
  {
    name: "resets on accept",
    receiver: { onConnection: (socket) => socket.resetAndDestroy() },
    outcome: "reset",
    says: /broke|reset/,
  },
  { name: "closes on accept", receiver: { onConnection: (socket) => socket.end() }, outcome: "reset" },
  { name: "resets after the request", receiver: doing((socket) => socket.resetAndDestroy()), outcome: "reset" },
  {
    name: "resets in the middle of the headers",
    receiver: doing((socket) => sayAndReset(socket, "HTTP/1.1 200 OK\r\nX-A: b")),
    outcome: "reset",
  },
  {
    name: "resets in the middle of the body",
    receiver: doing((socket) => sayAndReset(socket, `${head("Content-Length: 100\r\n")}some`)),
    outcome: "success",
    also: bodyIs("some"),
  },
  { name: "closes its half without an answer", receiver: doing((socket) => socket.end()), outcome: "reset" },
  {
    name: "ends its body by closing its half",
    receiver: doing((socket) => socket.end(`${head("")}until the end`)),
    outcome: "success",
    also: bodyIs("until the end"),
  },
  {
    name: "closes before the length it promised",
    receiver: doing((socket) => socket.end(`${head("Content-Length: 100\r\n")}short`)),
    outcome: "success",
    also: bodyIs("short"),
  },
];

const SLOW: Kind[] = [
  { name: "never answers", receiver: doing(() => undefined), outcome: "timeout", says: /No answer within 5 s/ },
  {
    name: "drips its headers",
    receiver: doing((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
      repeat(socket, "x", 20);
    }),
    outcome: "timeout",
  },
  {
    name: "drips its body",
    receiver: doing((socket) => {
      socket.write(head("Content-Length: 100000\r\n"));
      repeat(socket, "x", 20);
    }),
    outcome: "success",
    isQuick: true,
  },
  { name: "never sends its body", receiver: saying(head("Content-Length: 5\r\n")), outcome: "success", isQuick: true },
  {
    name: "sends 103 now and then",
    receiver: doing((socket) => repeat(socket, head("", "103 Early Hints"), 100)),
    outcome: "timeout",
    says: /Only interim answers/,
  },
  { name: "reads nothing", receiver: { onConnection: (socket) => socket.pause() }, outcome: "timeout" },
];

const FLOODING: Kind[] = [
  {
    name: "sends an endless body",
    receiver: doing((socket) => {
      socket.write(head(""));
      repeat(socket, "x".repeat(16_384), 0);
    }),
    outcome: "success",
    also: isFull,
  },
  {
    name: "sends endless chunks",
    receiver: doing((socket) => {
      socket.write(head("Transfer-Encoding: chunked\r\n"));
      repeat(socket, `10\r\n${"x".repeat(16)}\r\n`.repeat(4_096), 0);
    }),
    outcome: "success",
    also: isFull,
  },
  {
    name: "sends a gzip bomb",
    receiver: saying(
      Buffer.concat([Buffer.from(head(`Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n`)), BOMB]),
    ),
    outcome: "success",
    also: ({ responseBody }) => assert.ok(responseBody.equals(BOMB), "it stays compressed"),
  },
  { name: "sends 17 KiB of headers", receiver: saying(head(`X: ${"x".repeat(17_408)}\r\n`)), outcome: "protocol" },
  {
    name: "sends a header of 1 MiB",
    receiver: saying(head(`X: ${"x".repeat(1_048_576)}\r\n`)),
    outcome: "protocol",
    says: /larger than 16 KiB/,
  },
  { name: "sends 100,000 headers", receiver: saying(head("X: y\r\n".repeat(100_000))), outcome: "protocol" },
  {
    name: "floods with 103",
    receiver: doing((socket) => repeat(socket, head("Link: </x>\r\n", "103 Early Hints").repeat(100), 0)),
    outcome: "protocol",
    says: /more than 1000 interim/,
    isQuick: true,
  },
];

const BABBLING: Kind[] = [
  { name: "speaks HTTP/0.9", receiver: doing((socket) => socket.end("<html>hello</html>")), outcome: "protocol" },
  { name: "sends noise", receiver: saying(NOISE), outcome: "protocol" },
  { name: "greets like a mail server", receiver: saying("220 mail.example ESMTP\r\n"), outcome: "protocol" },
  {
    name: "breaks its chunks",
    receiver: saying(`${head("Transfer-Encoding: chunked\r\n")}4\r\nsome\r\nZZ\r\n`),
    outcome: "success",
    also: bodyIs("some"),
  },
  { name: "gives no length", receiver: saying(head("Content-Length: much\r\n")), outcome: "protocol" },
  {
    name: "gives two lengths",
    receiver: saying(head("Content-Length: 1\r\nContent-Length: 2\r\n")),
    outcome: "protocol",
  },
  {
    name: "gives a length and chunks",
    receiver: saying(head("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")),
    outcome: "protocol",
  },
  {
    name: "switches to another protocol",
    receiver: saying(head("Connection: Upgrade\r\nUpgrade: websocket\r\n", "101 Switching Protocols")),
    outcome: "protocol",
  },
  { name: "says a bare 101", receiver: saying(head("", "101 X")), outcome: "protocol" },
  { name: "answers 99", receiver: saying(head("", "099 X")), outcome: "protocol" },
  { name: "answers 999", receiver: saying(answer(999)), outcome: "server_error" },
  { name: "answers 404", receiver: saying(answer(404)), outcome: "client_error", also: bodyIs("ok") },
  { name: "answers 503", receiver: saying(answer(503)), outcome: "server_error", says: /answered 503/ },
];

const REDIRECTING: Kind[] = [301, 302, 303, 307, 308].map((status) => ({
  name: `redirects with ${status}, in a circle`,
  receiver: saying(answer(status, "", "Location: /hook\r\n")),
  outcome: "redirect",
  also: askedOnce,
}));
REDIRECTING.push({
  name: "redirects to the cloud's metadata",
  receiver: saying(answer(302, "", "Location: http://169.254.169.254/latest/meta-data/\r\n")),
  outcome: "redirect",
  says: /302.*not followed/,
  also: askedOnce,
});

const receiversThat = () =>
  describe("a receiver that", AT_ONCE, () => {
    for (const kind of [...BREAKING, ...SLOW, ...FLOODING, ...BABBLING, ...REDIRECTING]) {
      test(`${kind.name} ends an attempt as ${kind.outcome}`, async () => {
        await using receiver = await Receiver.start(kind.receiver);
        const longerAttempt = startSilentAttempt(kind.isQuick ? sender : slowerSender);
        const result = await post(
          receiver.url(),
          kind.name === "reads nothing" ? { body: "x".repeat(16_000_000) } : {},
        );
        assert.equal(longerAttempt.isOver, false, "it lasted longer than an attempt with a later deadline");
        assert.equal(result.outcome, kind.outcome, result.error ?? "");
        if (kind.says !== undefined) assert.match(result.error ?? "", kind.says);
        kind.also?.(result, receiver);
      });
    }

    test("refuses ends an attempt as refused", async () => {
      assert.equal((await post(await closedPort())).outcome, "refused");
    });

    test("never accepts ends an attempt as timeout, after the time for connecting", async () => {
      await using hole = await startBlackHole();
      const longerAttempt = startSilentAttempt(sender);
      const result = await post(hole.url);
      assert.equal(longerAttempt.isOver, false);
      assert.equal(result.outcome, "timeout");
      assert.match(result.error ?? "", /No connection within 2 s/);
    });

    test("sends a body with 204 is a success, and the next attempt, too", async () => {
      await using receiver = await Receiver.start(saying("HTTP/1.1 204 X\r\n\r\nunasked"));
      for (const count of [1, 2, 3]) {
        const { outcome, status } = await post(receiver.url());
        assert.deepEqual([outcome, status], ["success", 204], `attempt ${count}`);
      }
    });

    test("sends a second answer after the first does not answer the next attempt with it", async () => {
      await using receiver = await Receiver.start({
        onRequest: (socket, _request, index) => socket.write(answer(200, `${index}`) + answer(500, "forged")),
      });
      for (const index of ["0", "1"]) {
        const result = await post(receiver.url());
        assert.deepEqual([result.outcome, result.responseBody.toString()], ["success", index]);
      }
    });

    for (const [name, drop] of [
      ["resets", (socket: Socket) => socket.resetAndDestroy()],
      ["closes", (socket: Socket) => socket.end()],
    ] as const) {
      test(`${name} a used connection just as the next request is sent gets that request again on a new connection`, async () => {
        await using receiver = await Receiver.start({
          onRequest: (socket, _request, index) => (index === 1 ? drop(socket) : socket.write(answer())),
        });
        assert.equal((await post(receiver.url())).outcome, "success");
        const second = await post(receiver.url());
        assert.equal(second.outcome, "success", second.error ?? "");
        assert.notEqual(second.timings.connect, null);
        assert.deepEqual([receiver.requests.length, receiver.connections], [3, 2]);
        assert.equal(receiver.requests[2]?.body, receiver.requests[1]?.body);
      });
    }

    test("breaks every used and every new connection gets a request at most twice", async () => {
      await using receiver = await Receiver.start({
        onRequest: (socket, _request, index) => (index === 0 ? socket.write(answer()) : socket.resetAndDestroy()),
      });
      await post(receiver.url());
      assert.equal((await post(receiver.url())).outcome, "reset");
      assert.equal(receiver.requests.length, 3);
    });

    test("breaks a used connection in the middle of an answer does not get the request again", async () => {
      await using receiver = await Receiver.start({
        onRequest: (socket, _request, index) => {
          if (index === 0) socket.write(answer());
          else sayAndReset(socket, "HTTP/1.1 2");
        },
      });
      await post(receiver.url());
      assert.equal((await post(receiver.url())).outcome, "reset");
      assert.equal(receiver.requests.length, 2);
    });
  });

const namesThat = () =>
  describe("a name that", AT_ONCE, () => {
    test("does not exist ends an attempt as dns", async () => {
      const result = await post("http://something.invalid/");
      assert.deepEqual([result.outcome, result.error], ["dns", "The name cannot be resolved (ENOTFOUND)."]);
    });

    test("is never resolved ends an attempt as timeout", async () => {
      const result = await post("http://silent.test/");
      assert.equal(result.outcome, "timeout");
      assert.match(result.error ?? "", /not resolved within 5 s/);
    });

    test("has a dead address and a live one is reached", async () => {
      await using receiver = await Receiver.start(saying(answer()));
      assert.equal((await post(receiver.url("half-dead.test"))).outcome, "success");
    });

    test("has an address that swallows packets leaves time for the other", async () => {
      await using receiver = await Receiver.start(saying(answer()));
      await using _hole = await startBlackHole({ host: "127.0.0.2", port: receiver.port });
      const result = await post(receiver.url("half-dead.test"));
      assert.equal(result.outcome, "success", result.error ?? "");
      assert.ok((result.timings.connect ?? 0) >= 190, "the first address was tried");
    });

    test("has one private address is not called at all", async () => {
      await using receiver = await Receiver.start(saying(answer()));
      assert.equal((await post(receiver.url("half-private.test"))).outcome, "blocked");
      assert.equal(receiver.connections, 0);
    });

    for (const url of [
      "http://169.254.169.254/",
      "http://[::ffff:10.0.0.1]/",
      "http://0x0a000001/",
      "ftp://x.test/",
      "?",
    ]) {
      test(`is really ${url} ends an attempt as blocked`, async () => {
        assert.equal((await post(url)).outcome, "blocked");
      });
    }
  });

const tlsReceivers = () =>
  describe("a TLS receiver", AT_ONCE, () => {
    let authority: Authority;
    before(() => {
      authority = makeAuthority("Private CA");
    });

    const REFUSED: [name: string, certificate: () => Certificate, says: RegExp][] = [
      ["whose certificate has expired", () => makeCertificate({ issuer: authority, days: -1 }), /CERT_HAS_EXPIRED/],
      [
        "whose certificate is for another host",
        () => makeCertificate({ issuer: authority, hosts: ["other.test"] }),
        /ALTNAME/,
      ],
      ["whose certificate is self-signed", () => makeCertificate(), /SELF_SIGNED/],
      ["of another CA", () => makeCertificate({ issuer: makeAuthority("Another CA") }), /UNABLE_TO|UNKNOWN/],
    ];
    for (const [name, certificate, says] of REFUSED) {
      test(`${name} ends an attempt as tls and is told nothing`, async () => {
        await using receiver = await Receiver.start({ ...saying(answer()), certificate: certificate() });
        const result = await post(receiver.url("localhost"), { ca: authority.cert });
        assert.equal(result.outcome, "tls");
        assert.match(result.error ?? "", says);
        assert.equal(receiver.requests.length, 0);
      });
    }

    test("of a private CA is trusted with that CA only", async () => {
      const certificate = makeCertificate({ issuer: authority });
      await using receiver = await Receiver.start({ ...saying(answer()), certificate });
      assert.equal((await post(receiver.url("localhost"), { ca: authority.cert })).outcome, "success");
      assert.equal((await post(receiver.url("localhost"))).outcome, "tls");
      assert.equal((await post(receiver.url("localhost"), { ca: "no PEM" })).outcome, "tls");
    });

    test("is told apart from a plain one", async () => {
      await using plain = await Receiver.start(doing(() => undefined));
      await using babbling = await Receiver.start({ onConnection: (socket) => socket.end(answer(400)) });
      await using secure = await Receiver.start({ ...saying(answer()), certificate: makeCertificate() });
      const [silent, loud, unencrypted] = await Promise.all([
        post(plain.url("localhost", "https")),
        post(babbling.url("localhost", "https")),
        post(secure.url("localhost", "http")),
      ]);
      assert.equal(silent.outcome, "timeout");
      assert.match(silent.error ?? "", /connection was not ready within 5 s/);
      assert.equal(loud.outcome, "tls");
      assert.ok(["protocol", "reset"].includes(unencrypted.outcome), unencrypted.outcome);
    });

    test("is verified even where NODE_TLS_REJECT_UNAUTHORIZED=0 is set", async () => {
      await using receiver = await Receiver.start({ ...saying(answer()), certificate: makeCertificate() });
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      try {
        assert.equal((await post(receiver.url("localhost"))).outcome, "tls");
      } finally {
        delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      }
    });

    test("that breaks off in the handshake ends an attempt as reset", async () => {
      await using receiver = await Receiver.start({ onConnection: (socket) => socket.resetAndDestroy() });
      assert.equal((await post(receiver.url("localhost", "https"))).outcome, "reset");
    });
  });

describe("at once", AT_ONCE, () => {
  void receiversThat();
  void namesThat();
  void tlsReceivers();
});

test("after all of them a good receiver is reached as before", async () => {
  await using receiver = await Receiver.start(saying(answer()));
  const result = await post(receiver.url());
  assert.equal(result.outcome, "success", result.error ?? "");
});

test("an answer that comes when a deadline of one second is over is in time for one of ten seconds", async () => {
  await using strict = new RequestSender({ guard, timeoutMs: 1_000 });
  await using patient = new RequestSender({ guard, timeoutMs: 10_000 });
  const { promise: strictAttemptEnded, resolve: endStrictAttempt } = Promise.withResolvers<void>();
  await using receiver = await Receiver.start(
    doing((socket) => void strictAttemptEnded.then(() => socket.writable && socket.write(answer()))),
  );
  const url = receiver.url();
  const inTime = post(url, { from: patient });
  const late = await post(url, { from: strict });
  endStrictAttempt();
  assert.deepEqual([late.outcome, (await inTime).outcome], ["timeout", "success"]);
  // Timers may fire up to a millisecond early.
  assert.ok(late.timings.total >= 999, `${late.timings.total} ms`);
});

test("floods leak no memory", async () => {
  await using receivers = new AsyncDisposableStack();
  const urls: string[] = [];
  for (const kind of FLOODING) urls.push(receivers.use(await Receiver.start(kind.receiver)).url());
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++) await Promise.all([...urls, ...urls].map((url) => post(url)));
    return cleanMemory();
  };
  // The first rounds fill what is kept for good: the parser, buffers, compiled code.
  const before = await rounds(5);
  const now = await rounds(10);
  const heap = (now.heapUsed - before.heapUsed) / 1e6;
  const rest = (now.external - before.external) / 1e6;
  assert.ok(heap < 4 && rest < 4, `grew by ${heap} MB of objects, ${rest} MB of buffers`);
  assert.ok(now.rss - before.rss < 128e6, `memory grew by ${(now.rss - before.rss) / 1e6} MB`);
});

/** After garbage collection, which a test may ask for; twice, because buffers are let go in the background. */
async function cleanMemory(): Promise<NodeJS.MemoryUsage> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  await new Promise(setImmediate);
  collect();
  return process.memoryUsage();
}
