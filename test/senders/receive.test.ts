/** What senders deliver is stored before it is understood, acknowledged in time, and saved once. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { connect, Socket } from "node:net";
import { after, describe, test } from "node:test";
import type { Arrival, ArrivalRequest } from "../../src/domain/articles/senders/sender.ts";
import { senderSource } from "../../src/domain/articles/senders/sender.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { secretBox } from "../../src/domain/system/secret-box.ts";
import { answerSenders } from "../../src/http/senders/answer.ts";
import { getTimeMs } from "../../src/http/senders/senders.ts";
import { getRequestFacts } from "../../src/http/request.ts";
import {
  type ArrivalDeps,
  arrivalTurns,
  authenticate,
  finishWaiting,
  receive,
} from "../../src/operations/articles/senders/receive.ts";
import { findRemovalRequest } from "../../src/operations/articles/review/removal-requests.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { findKnown } from "../../src/operations/articles/write/source-edit.ts";
import {
  findArrivalAnywhere,
  insertArrival,
  listArrivals,
  readArrivalBody,
} from "../../src/store/articles/senders/arrivals.ts";
import { deleteArticles } from "../../src/store/articles/purging.ts";
import { CHIEF, withClock } from "../helpers/articles.ts";
import { type Json, record, type Reply, type SendOptions } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { startPlainServer } from "../helpers/plain-server.ts";
import { openTeam } from "../helpers/team.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { newSender, type NewSender, warmUp } from "./new-sender.ts";

const team = await openTeam(LOOPBACK);
after(async () => {
  await team[Symbol.asyncDispose]();
  team.assertNoneFailed();
});
const { service } = team;
await warmUp(service);
const { app, website } = service;

const KEPT = 60_000;
const PATIENT = { replyWithinMs: 60_000 };
const TEXT = "<p>Flour and water are enough.</p>";
const REQUEST: ArrivalRequest = {
  method: "POST",
  path: "",
  query: {},
  headers: { "content-type": "application/json" },
};

/** Resolves when what was sent is done, too: on a busy machine the answer may come before. */
async function send(sender: NewSender, body: Json | string | Buffer, options: SendOptions = {}): Promise<Reply> {
  const { path, secret } = sender;
  const headers = {
    "X-API-Key": undefined,
    "Content-Type": "application/json",
    Authorization: `Bearer ${secret}`,
    ...options.headers,
  };
  const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const reply = await service.send(path, { method: "POST", body: text, ...options, headers });
  await until("nothing waits", async () => (await arrivals(sender)).every(({ state }) => state !== "waiting"));
  return reply;
}

const arrivals = (sender: NewSender): Promise<Arrival[]> =>
  app.store.read((db) => listArrivals(db, sender.sender.id, { state: null, before: null, limit: 100 }));
const known = (sender: NewSender, externalId: string) =>
  app.store.read((db) =>
    findKnown(db, website.id, { source: senderSource(sender.sender.id, externalId), id: undefined }),
  );
/** The article that the sender calls so; there must be one. */
async function brought(sender: NewSender, externalId: string) {
  const { article } = await known(sender, externalId);
  assert.ok(article !== undefined, externalId);
  return team.stored(article.id);
}
const stateOf = async (id: string) => (await app.store.read((db) => findArrivalAnywhere(db, id)))?.state;

test("an unknown sender, a deleted one and a wrong secret are answered alike, whatever they ask for", async () => {
  const { path } = await newSender(service);
  const deleted = await newSender(service, { deletedAt: 1 });
  const unknown = "/senders/00000000000000000000000000000000";
  for (const [method, below, headers] of [
    ["POST", "", {}],
    ["GET", "", {}],
    ["PUT", "/articles/1", { "Content-Type": "text/plain" }],
    ["POST", "/wrong-secret?token=wrong", { Authorization: "Bearer wrong" }],
    ["DELETE", "", { Authorization: `Bearer ${deleted.secret}`, "Content-Type": undefined }],
  ] as const) {
    const options = { method, headers: { "X-API-Key": undefined, ...headers }, body: method === "GET" ? "" : "{" };
    const [one, ...others] = await Promise.all(
      [path, unknown, deleted.path].map((at) => service.send(at + below, options)),
    );
    assert.equal(one?.status, 401);
    for (const other of others) {
      assert.equal(other.text, one.text);
      for (const name of ["content-type", "www-authenticate", "content-length", "cache-control"]) {
        assert.equal(other.headers[name], one.headers[name]);
      }
    }
  }
});

test("a secret that another key has sealed is the operator's affair, not a stranger's", async () => {
  const sender = await newSender(service, { secret: "unreadable" });
  const deps = { ...app, secrets: () => secretBox(Buffer.alloc(32), randomBytes) };
  assert.equal(await authenticate(app, sender.sender.id, REQUEST, Buffer.from("{}")), undefined);
  await assert.rejects(authenticate(deps, sender.sender.id, REQUEST, Buffer.from("{}")), {
    code: "service_unavailable",
    message: /in its log/,
  });
});

test("a request is committed without its secret before it is understood", async () => {
  const sender = await newSender(service);
  let stored: { arrival: Arrival | undefined; body: string | null } | undefined;
  const deps: ArrivalDeps = {
    ...app,
    readArrival: async (...given) => {
      const [first] = await arrivals(sender);
      stored = { arrival: first, body: await app.store.read((db) => readArrivalBody(db, first?.id ?? "")) };
      return app.readArrival(...given);
    },
  };
  const request = { ...REQUEST, path: `/${sender.secret}`, headers: { authorization: `Bearer ${sender.secret}` } };
  const body = Buffer.from(JSON.stringify({ id: "1", title: "One", content: TEXT, secret: sender.secret }));
  // The first arrival of all starts a content process.
  const { arrival } = await receive(deps, sender.sender, request, body, PATIENT);
  assert.equal(stored?.arrival?.state, "waiting");
  assert.equal(stored.arrival.bytes, body.length);
  assert.ok(!JSON.stringify(stored).includes(sender.secret), JSON.stringify(stored));
  assert.equal(record(JSON.parse(stored.body ?? ""))["secret"], "•");
  assert.equal(arrival.state, "stored");
  assert.equal(await stateOf(arrival.id), "stored");
});

test("what fails in the thread that answers senders is told to the sender, and logged once, with its cause", async () => {
  const { path, secret, sender } = await newSender(service);
  await app.store.write((db) => db.run("UPDATE senders SET secret = 'v1.other' WHERE id = ?", sender.id));
  const before = service.log.failures.length;
  const headers = { "X-API-Key": undefined, Authorization: `Bearer ${secret}` };
  const { status, text } = await service.send(path, { method: "POST", headers, body: "{}" });
  assert.equal(status, 503, text);
  assert.match(text, /This sender's secret cannot be checked at the moment/);
  // The team asserts in the end that nothing else failed.
  const [failure, ...more] = service.log.failures.splice(before);
  assert.deepEqual([failure?.url, more], [path, []]);
  assert.ok(failure?.error instanceof Error);
  assert.match(String(failure.error.cause), /were encrypted with another key/);
});

test("a body is read in the encoding that it names", async () => {
  const sender = await newSender(service);
  const body = JSON.stringify({ id: "umlaut", title: "Übung", content: TEXT });
  for (const [charset, bytes] of [
    ["iso-8859-1", Buffer.from(body, "latin1")],
    ["UTF-16LE", Buffer.from(body, "utf16le")],
    ["of nobody", Buffer.from(body)],
  ] as const) {
    const headers = { "Content-Type": `application/json; charset="${charset}"` };
    assert.equal((await send(sender, bytes, { headers })).status, 200, charset);
    assert.equal((await brought(sender, "umlaut")).article.title, "Übung", charset);
  }
});

test("three deliveries, also at once, are one article in review by the sender", async () => {
  const sender = await newSender(service);
  const body = { id: "bread", title: "Bread", slug: "bread-of-sender", content: TEXT };
  const replies = await Promise.all([send(sender, body), send(sender, body), send(sender, body)]);
  for (const reply of replies) assert.equal(reply.status, 200, reply.text);
  const again = record((await send(sender, body)).json());
  assert.equal(again["success"], true);
  const { article } = await brought(sender, "bread");
  assert.deepEqual([article.status, article.reviewState, article.authorId], ["pending", "in_review", sender.sender.id]);
  assert.equal(article.slug, "bread-of-sender");
  assert.equal(again["id"], article.id);
  assert.deepEqual(await team.actions(article.id), ["article.created"]);
  const all = await arrivals(sender);
  assert.deepEqual(new Set(all.map(({ state }) => state)), new Set(["stored"]));
  assert.equal(all.filter(({ outcome }) => outcome?.articles[0]?.outcome === "created").length, 1);
});

test("seven senders repeat their article over an editor's correction: it stays", async () => {
  const senders = await Promise.all(Array.from({ length: 7 }, () => newSender(service)));
  const body = { id: "same", title: "Repeated", content: TEXT };
  await Promise.all(senders.map((sender) => send(sender, body)));
  for (const sender of senders) {
    const { article } = await brought(sender, "same");
    await articles.updateArticle(app, article.id, { content: "<p>Corrected.</p>" }, CHIEF);
  }
  for (let count = 0; count < 3; count++) {
    const replies = await Promise.all(senders.map((sender) => send(sender, { ...body, unknown: count })));
    for (const { status, text } of replies) assert.equal(status, 200, text);
  }
  for (const sender of senders) {
    const { body: text, article } = await brought(sender, "same");
    assert.equal(text.html, "<p>Corrected.</p>");
    assert.deepEqual(await team.actions(article.id), ["article.created", "article.edited"]);
  }
});

test("a new text over an editor's correction is held", async () => {
  const sender = await newSender(service);
  await send(sender, { id: "held", title: "Held", content: TEXT });
  const { article } = await brought(sender, "held");
  await articles.updateArticle(app, article.id, { content: "<p>Corrected.</p>" }, CHIEF);
  const reply = await send(sender, { id: "held", title: "Held", content: "<p>Another text.</p>" });
  assert.equal(reply.status, 200);
  const [last] = await arrivals(sender);
  assert.deepEqual([last?.state, last?.outcome?.articles[0]?.outcome], ["stored", "held"]);
  assert.equal((await brought(sender, "held")).body.html, "<p>Corrected.</p>");
});

test("what takes longer is answered as received, and goes on", async () => {
  const sender = await newSender(service);
  const gate = Promise.withResolvers<void>();
  const outcomes: string[] = [];
  const deps: ArrivalDeps = {
    ...app,
    readArrival: async (...given) => {
      await gate.promise;
      return app.readArrival(...given);
    },
    onArrival: (kind, state) => outcomes.push(`${kind} ${state}`),
  };
  const body = Buffer.from(JSON.stringify({ id: "late", title: "Late", content: TEXT }));
  const works: Promise<void>[] = [];
  const options = { replyWithinMs: 1, later: (work: Promise<void>) => void works.push(work) };
  const { arrival } = await receive(deps, sender.sender, REQUEST, body, options);
  assert.deepEqual([arrival.state, arrival.outcome], ["waiting", null]);
  assert.deepEqual(outcomes, []);
  gate.resolve();
  await Promise.all(works);
  assert.equal(await stateOf(arrival.id), "stored");
  assert.deepEqual(outcomes, ["generic stored"]);
});

test("the time until the answer is counted from when the request had come, not from when the thread had started", async () => {
  const sender = await newSender(service);
  const gate = Promise.withResolvers<void>();
  const works: Promise<void>[] = [];
  const deps: ArrivalDeps = {
    ...app,
    readArrival: async (...given) => {
      await gate.promise;
      return app.readArrival(...given);
    },
  };
  const later = (work: Promise<void>) => void works.push(work);
  const answer = answerSenders(deps, later);
  const ask = (waitedMs: number) =>
    answer({
      senderId: sender.sender.id,
      method: "POST",
      path: "",
      query: "",
      rawHeaders: ["Authorization", `Bearer ${sender.secret}`, "Content-Type", "application/json"],
      body: Buffer.from(JSON.stringify({ id: `${waitedMs}`, title: "Cold", content: TEXT })),
      base: "http://127.0.0.1",
      address: "127.0.0.1",
      receivedAt: getTimeMs() - waitedMs,
      traceparent: undefined,
    });
  const answered: string[] = [];
  const answering = [0, 5_000].map(async (waitedMs) => {
    const { status } = await ask(waitedMs);
    answered.push(`${status} after ${waitedMs}`);
  });
  await Promise.race(answering);
  assert.deepEqual(answered, ["200 after 5000"], "the other one has four seconds left");
  gate.resolve();
  await Promise.all([...answering, ...works]);
});

test("the text of an arrival is kept until its turn while there is room, and is read from the database otherwise", async () => {
  for (const hasRoom of [true, false]) {
    const sender = await newSender(service);
    const turns = arrivalTurns();
    using _taken = hasRoom ? undefined : await turns.bodies.enter("", Number.POSITIVE_INFINITY);
    const turn = await turns.senders.enter(sender.sender.id);
    const works: Promise<void>[] = [];
    const options = { replyWithinMs: 1, later: (work: Promise<void>) => void works.push(work) };
    const body = Buffer.from(JSON.stringify({ id: "kept", title: "Kept", content: TEXT }));
    const { arrival } = await receive({ ...app, turns }, sender.sender, REQUEST, body, options);
    await app.store.write((db) => db.run("DELETE FROM arrival_bodies WHERE arrival_id = ?", arrival.id));
    turn[Symbol.dispose]();
    await Promise.all(works);
    assert.equal(await stateOf(arrival.id), hasRoom ? "stored" : "needs_attention");
  }
});

test("an arrival that failed for the moment, or was left by a crash, is taken up after its claim, and not twice", async () => {
  const sender = await newSender(service);
  const clocked = withClock(app, app.clock());
  const errors: unknown[] = [];
  const failing: ArrivalDeps = {
    ...clocked,
    readArrival: () => Promise.reject(new AppError("busy", "Too much at once.")),
    onError: (error) => errors.push(error),
  };
  const body = Buffer.from(JSON.stringify({ id: "crash", title: "Crash", content: TEXT }));
  const { arrival } = await receive(failing, sender.sender, REQUEST, body, PATIENT);
  assert.equal(arrival.state, "waiting");
  assert.equal(errors.length, 1);
  assert.equal(await finishWaiting(clocked), 0);
  clocked.now += KEPT;
  const taken = await Promise.all([finishWaiting(clocked), finishWaiting(clocked)]);
  assert.deepEqual(taken.toSorted(), [0, 1]);
  assert.equal(await stateOf(arrival.id), "stored");
  assert.deepEqual(await team.actions((await brought(sender, "crash")).article.id), ["article.created"]);
});

test("a single article and the outcome of its arrival are one commit; a repetition of it is recorded, too", async () => {
  const sender = await newSender(service);
  const seen: [boolean, string | undefined][] = [];
  const deps: ArrivalDeps = {
    ...app,
    store: Object.assign(Object.create(app.store) as typeof app.store, {
      read: app.store.read.bind(app.store),
      write: async (...given: Parameters<typeof app.store.write>) => {
        const result = await app.store.write(...given);
        const [newest] = await arrivals(sender);
        seen.push([(await known(sender, "whole")).article !== undefined, newest?.state]);
        return result;
      },
    }),
  };
  const body = Buffer.from(JSON.stringify({ id: "whole", title: "Whole", content: TEXT }));
  await receive(deps, sender.sender, REQUEST, body, PATIENT);
  assert.deepEqual(seen.splice(0), [
    [false, "waiting"],
    [true, "stored"],
  ]);
  await receive(deps, sender.sender, REQUEST, body, PATIENT);
  assert.deepEqual(
    seen.map(([, state]) => state),
    // The last one waits for the disk.
    ["waiting", "stored", "stored"],
  );
});

test("what was interrupted never replaces what came later", async () => {
  const sender = await newSender(service);
  const clocked = withClock(app, app.clock());
  const failing: ArrivalDeps = { ...clocked, readArrival: () => Promise.reject(new AppError("busy", "Too much.")) };
  const article = { id: "order", title: "In order", content: "<p>First.</p>" };
  await receive(failing, sender.sender, REQUEST, Buffer.from(JSON.stringify(article)), PATIENT);
  clocked.now += 1;
  const second = { ...article, content: "<p>Second.</p>" };
  await receive(clocked, sender.sender, REQUEST, Buffer.from(JSON.stringify(second)), PATIENT);
  assert.equal((await brought(sender, "order")).body.html, "<p>Second.</p>");
  clocked.now += KEPT;
  assert.equal(await finishWaiting(clocked), 1);
  assert.equal((await brought(sender, "order")).body.html, "<p>Second.</p>");
  assert.deepEqual(
    (await arrivals(sender)).map(({ state }) => state),
    ["stored", "stored"],
  );
});

test("a fault that is no refusal needs attention, is logged, and can be run again", async () => {
  const sender = await newSender(service);
  const errors: unknown[] = [];
  const deps: ArrivalDeps = {
    ...app,
    readArrival: () => Promise.reject(new TypeError("a bug")),
    onError: (error) => errors.push(error),
  };
  const { arrival } = await receive(deps, sender.sender, REQUEST, Buffer.from("{}"), PATIENT);
  assert.equal(arrival.state, "needs_attention");
  assert.match(arrival.outcome?.problem ?? "", /^The service failed/);
  assert.equal(errors.length, 1);
});

test("several articles are saved each for itself; one that fails needs attention", async () => {
  const mapping = { articles: ["articles[]"], id: ["id"] };
  const sender = await newSender(service, { mapping });
  const good = { id: "good", title: "Good", content: TEXT };
  const reply = await send(sender, { articles: [{ id: "bad", content: TEXT }, good] });
  assert.equal(reply.status, 200, reply.text);
  const [arrival] = await arrivals(sender);
  assert.equal(arrival?.state, "needs_attention");
  assert.deepEqual(
    arrival.outcome?.articles.map(({ externalId, outcome }) => [externalId, outcome]),
    [
      ["bad", "failed"],
      ["good", "created"],
    ],
  );
  assert.equal((await brought(sender, "good")).article.title, "Good");
  assert.equal((await known(sender, "bad")).article, undefined);
});

describe("events", () => {
  const means = { saved: "article", gone: "removal", ping: "test" } as const;
  const mapping = { event: { at: ["event"], means }, articles: ["article"], id: ["id"] };

  test("tests and unknown events are answered, listed and change nothing", async () => {
    const sender = await newSender(service, { mapping });
    const article = { id: "1", title: "A test", content: TEXT };
    for (const event of ["ping", "credits.low"]) {
      const reply = await send(sender, { event, article });
      assert.equal(reply.status, 200, reply.text);
    }
    assert.deepEqual(
      (await arrivals(sender)).map(({ state, outcome }) => [state, outcome?.event, outcome?.articles]),
      [
        ["ignored", "credits.low", []],
        ["ignored", "ping", []],
      ],
    );
    assert.equal((await known(sender, "1")).article, undefined);
  });

  test("a removal is a request that people decide; of an unknown article it is ignored", async () => {
    const sender = await newSender(service, { mapping });
    const article = { id: "gone", title: "Gone soon", content: TEXT };
    await send(sender, { event: "saved", article });
    const { article: saved } = await brought(sender, "gone");
    for (let count = 0; count < 2; count++) await send(sender, { event: "gone", article });
    await send(sender, { event: "gone", article: { id: "never" } });
    assert.deepEqual(
      (await arrivals(sender)).map(({ state, outcome }) => [state, outcome?.articles.map((one) => one.outcome)]),
      [
        ["ignored", ["unchanged"]],
        ["stored", ["removal_requested"]],
        ["stored", ["removal_requested"]],
        ["stored", ["created"]],
      ],
    );
    assert.ok((await app.store.read((db) => findRemovalRequest(db, saved.id))) !== null);
    assert.equal((await team.stored(saved.id)).article.deletedAt, null);
    assert.deepEqual(await team.actions(saved.id), ["article.created", "article.removal_requested"]);
  });
});

test("an article that people have deleted for good needs attention when it comes again", async () => {
  const sender = await newSender(service);
  await send(sender, { id: "purged", title: "Purged", content: TEXT });
  const { article } = await brought(sender, "purged");
  await app.store.write((db) => deleteArticles(db, website.id, [article.rowNo]));
  const reply = await send(sender, { id: "purged", title: "Purged", content: TEXT });
  assert.equal(reply.status, 422, reply.text);
  assert.match((await arrivals(sender))[0]?.outcome?.articles[0]?.message ?? "", /deleted permanently/);
});

test("pictures are copied after saving, each once; a repeat changes nothing", async () => {
  await using far = await startPlainServer(({ url = "" }, response) => {
    if (url.startsWith("/missing")) response.writeHead(404).end();
    else response.setHeader("Content-Type", "image/png").end(png(url.length, 3));
  });
  const sender = await newSender(service);
  const content = `<p>Look:</p><img src="${far.url}/one.png" alt="one"><img src="${far.url}/missing.png" alt="two">`;
  const body = { id: "pictures", title: "Pictures", content, featured_image: `${far.url}/hero.png` };
  assert.equal((await send(sender, body)).status, 200);
  const saved = await brought(sender, "pictures");
  const ours = `${service.url}/assets/${website.id}/`;
  assert.ok(saved.body.html.includes(ours), saved.body.html);
  assert.ok(!saved.body.html.includes(`${far.url}/one.png`), saved.body.html);
  assert.ok(saved.body.html.includes(`${far.url}/missing.png`), saved.body.html);
  assert.ok(saved.article.featuredImageUrl?.startsWith(ours), String(saved.article.featuredImageUrl));
  const { version } = saved.article;
  assert.equal((await send(sender, body)).status, 200);
  assert.equal((await brought(sender, "pictures")).article.version, version);
  assert.equal(far.asked.filter((line) => line === "GET /one.png").length, 1);
});

test("pictures of a slow host delay no later article of their sender, and never bring back an earlier text", async () => {
  const waiting = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using far = await startPlainServer((_request, response) => {
    asked.resolve();
    void waiting.promise.then(() => response.setHeader("Content-Type", "image/png").end(png(2, 2)));
  });
  const sender = await newSender(service);
  const deps: ArrivalDeps = { ...app, turns: arrivalTurns() };
  const works: Promise<void>[] = [];
  const options = { ...PATIENT, later: (work: Promise<void>) => void works.push(work) };
  const deliver = (content: string) =>
    receive(deps, sender.sender, REQUEST, Buffer.from(JSON.stringify({ id: "slow", title: "Slow", content })), options);
  const first = await deliver(`<p>First.</p><img src="${far.url}/a.png" alt="a">`);
  assert.equal(first.arrival.state, "stored");
  await asked.promise;
  assert.equal(await stateOf(first.arrival.id), "waiting");
  const second = await deliver("<p>Second.</p>");
  assert.equal(await stateOf(second.arrival.id), "stored");
  waiting.resolve();
  await Promise.all(works);
  assert.equal(await stateOf(first.arrival.id), "stored");
  assert.equal((await brought(sender, "slow")).body.html, "<p>Second.</p>");
});

describe("limits", () => {
  test("long requests that one address sends slowly delay nobody else's", async () => {
    const sender = await newSender(service);
    const { hostname, port } = new URL(service.url);
    const slow = Array.from({ length: 40 }, () =>
      connect({ host: hostname, port: Number(port), localAddress: "127.0.0.79" }),
    );
    for (const one of slow)
      one.write("POST /senders/unknown HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n");
    await Promise.all(slow.map((one) => once(one, "connect")));
    // The last of them has been read once another request on the same thread is answered.
    assert.equal((await service.send("/healthz")).status, 200);
    const long = { event: "test", padding: "x".repeat(1_000_000) };
    assert.equal((await send(sender, long)).status, 200);
    for (const one of slow) one.destroy();
    assert.equal((await send(sender, long, { localAddress: "127.0.0.79" })).status, 200);
  });

  test("more than 10 MB are 413, compressed bodies 415", async () => {
    const sender = await newSender(service);
    const long = await send(sender, Buffer.alloc(10_000_001, 32));
    assert.equal(long.status, 413, long.text);
    const compressed = await send(sender, "{}", { headers: { "Content-Encoding": "gzip" } });
    assert.equal(compressed.status, 415, compressed.text);
    assert.deepEqual(await arrivals(sender), []);
  });

  test("megabytes arrive as they were signed, with and without their length", async () => {
    const sender = await newSender(service);
    for (const [index, more] of [{}, { "Transfer-Encoding": "chunked" }].entries()) {
      const body = JSON.stringify({
        id: `long-${index}`,
        title: "Long",
        content: TEXT,
        padding: "ä".repeat(1_000_000),
      });
      const signature = createHmac("sha256", sender.secret).update(body).digest("hex");
      const headers = { Authorization: undefined, "X-Signature": `sha256=${signature}`, ...more };
      const reply = await send(sender, body, { headers });
      assert.equal(reply.status, 200, reply.text);
      const [arrival] = await arrivals(sender);
      assert.equal(arrival?.bytes, Buffer.byteLength(body));
      assert.equal(await app.store.read((db) => readArrivalBody(db, arrival.id)), body);
    }
  });

  test("a sender's rate from one address is limited; strangers elsewhere use up none of it", async () => {
    const sender = await newSender(service);
    const wrong = { localAddress: "127.0.0.78", method: "GET", headers: { Authorization: "Bearer wrong" } };
    const send20 = () => Promise.all(Array.from({ length: 20 }, () => send(sender, "", wrong)));
    const replies = await send20();
    // Each second allows one more: on a busy machine it takes some more requests than the limit.
    while (replies.length < 400 && !replies.some(({ status }) => status === 429)) replies.push(...(await send20()));
    const late = replies.filter(({ status }) => status === 429);
    assert.ok(late.length > 0 && replies.length - late.length >= 50, `${late.length} of ${replies.length}`);
    assert.ok(Number(late[0]?.headers["retry-after"]) >= 1);
    const more = Array.from({ length: 30 }, () => send(sender, "", wrong));
    const right = send(sender, "", { method: "GET" });
    await Promise.all(more);
    assert.equal((await right).status, 200);
  });

  test("an address is refused a hundred times an hour; right credentials hold, also after wrong ones", async () => {
    const sender = await newSender(service);
    const from = { localAddress: "127.0.0.77", method: "GET" };
    const wrong = { ...from, headers: { Authorization: "Bearer wrong" } };
    const unknown = (count: number) => service.send(`/senders/unknown-${count}`, { ...from, headers: {} });
    const statuses: number[] = [];
    for (let batch = 0; batch < 12; batch++) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_none, at) => (batch < 3 ? send(sender, "", wrong) : unknown(batch * 10 + at))),
      );
      statuses.push(...replies.map(({ status }) => status));
    }
    assert.equal(statuses.filter((status) => status === 401).length, 100);
    assert.equal(statuses.at(-1), 429);
    assert.equal((await send(sender, "", from)).status, 200);
  });
});

test("of a sender that sends too much, the oldest is forgotten at once", async () => {
  const sender = await newSender(service);
  await send(sender, { id: "early", title: "Early", content: TEXT });
  const [early] = await arrivals(sender);
  assert.ok(early !== undefined);
  const huge = { ...early, id: app.newId(), at: early.at - 1, bytes: 500_000_000 };
  const bodyOf = (id: string) => app.store.read((db) => readArrivalBody(db, id));
  await app.store.write((db) => insertArrival(db, huge, { body: "{}", claimedUntil: 0 }));
  assert.equal((await send(sender, { event: "test", padding: "x".repeat(100_000) })).status, 200);
  await until("it is forgotten", async () => (await bodyOf(huge.id)) === null);
  assert.notEqual(await bodyOf(early.id), null);
});

test("a header that is sent twice is no credential", async () => {
  const sender = await newSender(service);
  for (const authorization of [
    [`Bearer ${sender.secret}`, "Bearer wrong"],
    ["Bearer wrong", `Bearer ${sender.secret}`],
    [`Bearer ${sender.secret}`, `Bearer ${sender.secret}`],
  ]) {
    const reply = await send(sender, "{}", { headers: { Authorization: authorization } });
    assert.equal(reply.status, 401);
  }
});

test("lines of the log have the whole id of a sender, and nothing that stands beside it", () => {
  const id = "0123456789abcdef0123456789abcdef";
  for (const [url, shown] of [
    [`/senders/${id}`, `/senders/${id}`],
    [`/senders/${id}/s3cret?token=s3cret`, `/senders/${id}/…`],
    [`/senders/${id}?token=s3cret`, `/senders/${id}/…`],
    [`http://host/senders/${id}/s3cret`, `http://host/senders/${id}/…`],
    [`/senders/${id}/`, `/senders/${id}/…`],
    [`//senders/${id}/s3cret`, `//senders/${id}/…`],
    [`/senders/${id}%2Fs3cret`, "/senders/…"],
    ["/senders/s3cret", "/senders/…"],
    ["/api/public/articles?x=1", "/api/public/articles?x=1"],
  ] as const) {
    const request = Object.assign(new IncomingMessage(new Socket()), { url, method: "POST" });
    assert.equal(getRequestFacts("1", request).url, shown);
  }
});
