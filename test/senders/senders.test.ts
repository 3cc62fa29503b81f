/** Owners connect senders, change, rotate and delete them, and are told when one needs them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Arrival, ArrivalOutcome, ArrivalState } from "../../src/domain/articles/senders/sender.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { getArrival, listArrivals } from "../../src/operations/articles/senders/arrivals.ts";
import { limitArrivals } from "../../src/operations/articles/senders/arrival-retention.ts";
import { notifyOfArrival, notifyOfSilence } from "../../src/operations/articles/senders/notices.ts";
import {
  changeSender,
  createSender,
  deleteSender,
  getSender,
  listSenders,
  rotateSender,
} from "../../src/operations/articles/senders/senders.ts";
import { createArticle, deleteArticle } from "../../src/operations/articles/write/articles.ts";
import { readInbox } from "../../src/operations/people/notifications.ts";
import { listAudit } from "../../src/operations/system/audit.ts";
import { removeOld } from "../../src/operations/website/retention.ts";
import { deleteWebsite } from "../../src/operations/website/website-deletion.ts";
import { finishArrival, insertArrival, readArrivalBody } from "../../src/store/articles/senders/arrivals.ts";
import { findSenderAnywhere, touchSender } from "../../src/store/articles/senders/senders.ts";
import { insertAccount } from "../../src/store/people/accounts.ts";
import { insertMembership } from "../../src/store/people/memberships.ts";
import { CHIEF, DAY, makeArticle, TODAY } from "../helpers/articles.ts";
import { openQueue, type TestQueue } from "../helpers/webhooks.ts";

const GENERIC = { kind: "generic", name: "A generator", secret: null };
const KEEP = { trashMs: 30 * DAY, auditMs: null, arrivalMs: 30 * DAY };

/** Lets one article arrive, now. @returns the arrival's id. */
async function arrive(
  { app, website }: TestQueue,
  senderId: string,
  given: { state?: ArrivalState; at?: number; body?: string; articleId?: string; bytes?: number } = {},
): Promise<Arrival> {
  const { state = "stored", at = app.now, body = "{}", articleId = null, bytes = body.length } = given;
  const failed = state === "needs_attention";
  const outcome: ArrivalOutcome = {
    kind: "article",
    event: null,
    problem: failed ? "It has no title." : null,
    articles:
      articleId === null
        ? []
        : [{ externalId: "1", title: "A", outcome: "created", articleId, message: null, places: {} }],
  };
  const request = { method: "POST", path: "", query: {}, headers: {} };
  const arrival = { id: app.newId(), senderId, websiteId: website.id, at, state, request, bytes, outcome };
  await app.store.write(async (db) => {
    await insertArrival(db, { ...arrival, state: "waiting", outcome: null }, { body, claimedUntil: at });
    await touchSender(db, senderId, at);
    if (state !== "waiting") await finishArrival(db, arrival, state, outcome);
  });
  return arrival;
}

async function addOwner({ app }: TestQueue): Promise<() => Promise<string[]>> {
  await app.store.write(async (db) => {
    const account = {
      id: "olga",
      email: "o@example.com",
      name: "Olga",
      passwordHash: "x",
      trustedFor: "every" as const,
    };
    await insertAccount(db, { ...account, createdAt: TODAY, disabledAt: null, lastSignInAt: null });
    const membership = { id: "m", accountId: "olga", websiteId: null, role: "owner" as const };
    await insertMembership(db, { ...membership, createdAt: TODAY, acceptedAt: TODAY });
  });
  return async () => {
    const page = { unread: false, after: null, limit: 100 };
    const { notifications } = await readInbox(app, { accountId: "olga", hasSecondFactor: false }, page);
    return notifications.map(({ kind, detail }) => `${kind}: ${detail.sender}, ${detail.text ?? detail.lastOn}`);
  };
}

test("a sender is created with a secret that is stored sealed, and each change is recorded without it", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { secret, sender } = await createSender(app, website.id, GENERIC, CLI_ORIGIN);
  assert.match(String(secret), /^[\dA-Za-z]{32}$/);
  assert.match(sender.id, /^[\da-f]{32}$/);
  assert.notEqual(sender.secret, secret);
  assert.equal(app.secrets().open(sender.secret, sender.id), secret);
  const mapping = { fields: { title: ["headline"] } };
  await changeSender(app, sender.id, { name: " Other\n", kind: "outrank", mapping }, CLI_ORIGIN);
  await changeSender(app, sender.id, { name: "Other" }, CLI_ORIGIN);
  assert.deepEqual((await getSender(app, sender.id)).sender, { ...sender, name: "Other", kind: "outrank", mapping });
  await changeSender(app, sender.id, { mapping: null }, CLI_ORIGIN);
  const rotated = await rotateSender(app, sender.id, null, CLI_ORIGIN);
  assert.equal(rotated.sender.previousSecret, sender.secret);
  assert.equal(rotated.previousUntil, app.now + DAY);
  await deleteSender(app, sender.id, CLI_ORIGIN);
  assert.deepEqual(await listSenders(app, website.id), []);
  await assert.rejects(deleteSender(app, sender.id, CLI_ORIGIN), { code: "not_found" });
  const { entries } = await listAudit(app, { websiteId: website.id, about: "keys", after: null, limit: 10 });
  assert.deepEqual(
    entries.map(({ action, targetId, detail }) => [action, targetId, detail["name"], detail["fields"]]),
    [
      ["sender.deleted", sender.id, "Other", undefined],
      ["sender.rotated", sender.id, "Other", undefined],
      ["sender.changed", sender.id, "Other", "mapping"],
      ["sender.changed", sender.id, "Other", "name, kind, mapping"],
      ["sender.created", sender.id, "A generator", undefined],
    ],
  );
  const secrets = [secret, rotated.secret].map(String);
  assert.ok(!secrets.some((one) => JSON.stringify(entries).includes(one)));
});

test("protocols get secrets in the form that their clients check; a product's own secret is taken and not shown", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const create = (kind: string, secret: string | null = null) =>
    createSender(app, website.id, { ...GENERIC, kind, secret }, CLI_ORIGIN);
  assert.match(String((await create("ghost")).secret), /^[\da-f]{24}:[\da-f]{64}$/);
  assert.match(String((await create("wordpress")).secret), /^(?:[\dA-Za-z]{4} ){5}[\dA-Za-z]{4}$/);
  const given = await create("generic", " made-elsewhere \n");
  assert.equal(given.secret, null);
  assert.equal(app.secrets().open(given.sender.secret, given.sender.id), "made-elsewhere");
  await assert.rejects(create("ghost", "made-elsewhere"), { code: "invalid", field: "secret" });
  for (const secret of ["", "short", "with a\nline", "ü".repeat(20), "x".repeat(501)]) {
    await assert.rejects(create("generic", secret), { code: "invalid", field: "secret" });
  }
  await assert.rejects(changeSender(app, given.sender.id, { kind: "ghost" }, CLI_ORIGIN), { code: "conflict" });
});

test("a product that makes the secret gets its address first; until then nobody knows a secret that holds", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const input = { ...GENERIC, kind: "rankpill" };
  const made = await createSender(app, website.id, input, CLI_ORIGIN);
  assert.equal(made.secret, null);
  assert.match(app.secrets().open(made.sender.secret, made.sender.id), /^[\dA-Za-z]{32}$/);
  await assert.rejects(rotateSender(app, made.sender.id, null, CLI_ORIGIN), { code: "invalid", field: "secret" });
  const { secret, sender } = await rotateSender(app, made.sender.id, "its-own-secret", CLI_ORIGIN);
  assert.equal(secret, null);
  assert.equal(app.secrets().open(sender.secret, sender.id), "its-own-secret");
});

test("an unknown kind, no name, a mapping that is none and a 51st sender are refused", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const create = (input: Partial<typeof GENERIC> = {}) =>
    createSender(app, website.id, { ...GENERIC, ...input }, CLI_ORIGIN);
  await assert.rejects(create({ kind: "Rank Pill" }), /did you mean rankpill\?/);
  await assert.rejects(create({ kind: "nothing like it" }), /The kinds are generic, /);
  await assert.rejects(create({ name: " \n" }), { code: "invalid", field: "name" });
  const { sender } = await create();
  const mapping = { fields: { headline: ["a"] } };
  await assert.rejects(changeSender(app, sender.id, { mapping }, CLI_ORIGIN), { field: "mapping.fields.headline" });
  assert.equal((await getSender(app, sender.id)).sender.mapping, null);
  for (let count = 1; count < 50; count++) await create();
  await assert.rejects(create(), (error) => error instanceof AppError && error.code === "conflict");
  await deleteSender(app, sender.id, CLI_ORIGIN);
  await create();
});

test("arrivals are listed the newest first, page by page and by state", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { sender } = await createSender(app, website.id, GENERIC, CLI_ORIGIN);
  const ids: string[] = [];
  for (const state of ["stored", "needs_attention", "ignored", "waiting", "stored"] as const) {
    ids.unshift((await arrive(queue, sender.id, { state, body: `"${state}"` })).id);
  }
  const page = await listArrivals(app, sender.id, { state: null, before: null, limit: 3 });
  const rest = await listArrivals(app, sender.id, { state: null, before: page.next, limit: 3 });
  assert.deepEqual(
    [...page.arrivals, ...rest.arrivals].map(({ id }) => id),
    ids,
  );
  assert.equal(rest.next, null);
  const bad = await listArrivals(app, sender.id, { state: "needs_attention", before: null, limit: 3 });
  assert.deepEqual(
    bad.arrivals.map(({ outcome }) => outcome?.problem),
    ["It has no title."],
  );
  assert.equal((await getArrival(app, ids[0] ?? "")).body, '"stored"');
  assert.deepEqual((await getSender(app, sender.id)).arrivals, { waiting: 1, needsAttention: 1 });
  await assert.rejects(getArrival(app, "none"), { code: "not_found" });
});

test("owners are told of the first arrival that needs attention after a good one, once a day", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const told = await addOwner(queue);
  const { sender } = await createSender(app, website.id, GENERIC, CLI_ORIGIN);
  const send = async (state: ArrivalState) => {
    app.now += 1_000;
    const arrival = await arrive(queue, sender.id, { state });
    await app.store.write((db) => notifyOfArrival(db, app, sender, arrival));
    return (await told()).length;
  };
  assert.equal(await send("stored"), 0);
  assert.equal(await send("needs_attention"), 1);
  assert.equal(await send("ignored"), 1);
  assert.equal(await send("needs_attention"), 1);
  assert.equal(await send("stored"), 1);
  assert.equal(await send("needs_attention"), 1, "once a day");
  app.now += DAY;
  assert.equal(await send("needs_attention"), 1, "nothing good since");
  assert.equal(await send("stored"), 1);
  assert.equal(await send("needs_attention"), 2);
  assert.deepEqual(new Set(await told()), new Set(["sender_needs_attention: A generator, It has no title."]));
});

test("owners are told once of a sender that sent about weekly and has been silent for 14 days", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const told = await addOwner(queue);
  const create = async (name: string) => (await createSender(app, website.id, { ...GENERIC, name }, CLI_ORIGIN)).sender;
  const weekly = await create("Weekly");
  const rare = await create("Rare");
  const tried = await create("Tried on one day");
  const deleted = await create("Deleted");
  for (const days of [0, 6, 13]) {
    for (const { id } of [weekly, deleted]) await arrive(queue, id, { at: app.now + days * DAY });
    if (days > 0) await arrive(queue, rare.id, { at: app.now + days * DAY });
    await arrive(queue, tried.id, { at: app.now + days });
    await arrive(queue, rare.id, { at: app.now + days * DAY, state: "ignored" });
  }
  await deleteSender(app, deleted.id, CLI_ORIGIN);
  app.now += 27 * DAY;
  await notifyOfSilence(app);
  assert.deepEqual(await told(), []);
  app.now++;
  await notifyOfSilence(app);
  app.now += DAY;
  await notifyOfSilence(app);
  const last = new Date(TODAY + 13 * DAY).toISOString().slice(0, 10);
  assert.deepEqual(await told(), [`sender_silent: Weekly, ${last}`]);
});

test("arrivals go after their time, a deleted sender when histories need its name no longer; what waits stays", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { sender } = await createSender(app, website.id, GENERIC, CLI_ORIGIN);
  const article = (await createArticle(app, website.id, makeArticle(), CHIEF)).article.id;
  const old = await arrive(queue, sender.id, { articleId: article });
  const waiting = await arrive(queue, sender.id, { state: "waiting" });
  const fresh = await arrive(queue, sender.id, { at: app.now + 1, articleId: article });
  await deleteSender(app, sender.id, CLI_ORIGIN);
  app.now += 30 * DAY + 1;
  const errors: unknown[] = [];
  const remove = () => removeOld(app, KEEP, 30 * DAY, (error) => errors.push(error));
  const rowsOfArrival = ["arrivals", "arrival_bodies", "arrived_articles"];
  assert.equal(await remove(), rowsOfArrival.length);
  await assert.rejects(getArrival(app, old.id), { code: "not_found" });
  for (const { id } of [waiting, fresh]) assert.equal((await getArrival(app, id)).body, "{}");
  app.now += 370 * DAY + 1;
  await remove();
  assert.ok((await app.store.read((db) => findSenderAnywhere(db, sender.id))) !== undefined, "something waits still");
  await app.store.write((db) => db.run("UPDATE arrivals SET state = 'ignored' WHERE id = ?", waiting.id));
  await remove();
  assert.equal(await app.store.read((db) => findSenderAnywhere(db, sender.id)), undefined);
  assert.deepEqual(errors, []);
});

test("above the limit the oldest bodies are forgotten, those of what needs attention last; what waits keeps its own", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { sender } = await createSender(app, website.id, GENERIC, CLI_ORIGIN);
  const other = (await createSender(app, website.id, GENERIC, CLI_ORIGIN)).sender;
  const all: Arrival[] = [];
  for (const state of ["waiting", "needs_attention", "stored", "ignored", "stored"] as const) {
    all.push(await arrive(queue, sender.id, { state, at: app.now + all.length, bytes: 100 }));
  }
  const untouched = await arrive(queue, other.id, { bytes: 300 });
  const left = () => Promise.all(all.map(({ id }) => app.store.read((db) => readArrivalBody(db, id))));
  assert.equal(await limitArrivals(app, 500), 0);
  assert.equal(await limitArrivals(app, 350), 2);
  assert.deepEqual(await left(), ["{}", "{}", null, null, "{}"]);
  assert.equal(await limitArrivals(app, 300), 0);
  assert.equal(await limitArrivals(app, 150), 3);
  assert.deepEqual(await left(), ["{}", null, null, null, null]);
  assert.equal((await getArrival(app, untouched.id)).body, null);
  assert.equal(await limitArrivals(app, 50), 0);
});

test("with an article that is deleted for good goes what brought it", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { sender } = await createSender(app, website.id, GENERIC, CLI_ORIGIN);
  const make = async () => (await createArticle(app, website.id, makeArticle(), CHIEF)).article.id;
  const [gone, kept] = [await make(), await make()];
  await deleteArticle(app, gone, CHIEF);
  app.now += 29 * DAY;
  const [first, second] = [
    await arrive(queue, sender.id, { articleId: gone }),
    await arrive(queue, sender.id, { articleId: kept }),
  ];
  app.now += 2 * DAY;
  await removeOld(app, KEEP, 30 * DAY);
  assert.equal((await getArrival(app, first.id)).body, null);
  assert.equal((await getArrival(app, second.id)).body, "{}");
  const articles = await app.store.read((db) => db.all("SELECT article_id FROM arrived_articles"));
  assert.deepEqual(
    articles.map(({ article_id: id }) => id),
    [kept],
  );
});

test("the senders of a deleted website are refused at once", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { sender } = await createSender(app, website.id, GENERIC, CLI_ORIGIN);
  await deleteWebsite(app, website.id, website.name, CLI_ORIGIN);
  assert.equal((await app.store.read((db) => findSenderAnywhere(db, sender.id)))?.deletedAt, app.now);
  await assert.rejects(getSender(app, sender.id), { code: "not_found" });
});
