/** People are notified of what concerns them: once, in their inbox and in one e-mail per burst. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "../../src/domain/people/permissions.ts";
import {
  describeNotification,
  mailDueAt,
  MAX_BURST_MS,
  NOTIFICATION_KINDS,
  type NotificationDetail,
  type NotificationKind,
  QUIET_MS,
} from "../../src/domain/people/notification.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { changeEach } from "../../src/operations/articles/write/bulk.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { NotificationMailer } from "../../src/operations/people/notification-mails.ts";
import { createSender } from "../../src/operations/articles/senders/senders.ts";
import { createToken, revokeToken, warnOfExpiry } from "../../src/operations/people/access-tokens.ts";
import { changeSettings, notify, readInbox, setAllRead, setRead } from "../../src/operations/people/notifications.ts";
import { openUnsubscribeToken, unsubscribe } from "../../src/operations/people/unsubscribe.ts";
import type { Actor } from "../../src/operations/system/deps.ts";
import { Outbox } from "../../src/operations/system/email-outbox.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { insertAccount } from "../../src/store/people/accounts.ts";
import { insertMembership } from "../../src/store/people/memberships.ts";
import { DAY, makeArticle, TODAY } from "../helpers/articles.ts";
import { MailServer, type ReceivedMail } from "../helpers/mail-server.ts";
import { openQueue } from "../helpers/webhooks.ts";
import { publishDueArticles } from "../../src/operations/articles/write/schedule.ts";

const BASE = "https://articles.example.com";
const HOUR = 3_600_000;

/** A website with Ann, who approves, Bob, another approver, Eve, who writes, and Olga, the owner; and a mail server. */
async function openHouse() {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await MailServer.start());
  const queue = opened.use(await openQueue({ SMTP_URL: server.url, ROSTRUM_PUBLIC_URL: BASE }));
  const { app, website } = queue;
  const add = async (id: string, role: Role, websiteId: string | null = website.id) => {
    await app.store.write(async (db) => {
      const account = { id, email: `${id}@example.com`, name: id, passwordHash: "hash", trustedFor: "every" as const };
      await insertAccount(db, { ...account, createdAt: TODAY, disabledAt: null, lastSignInAt: null });
      const membership = { id: `member ${id}`, accountId: id, websiteId, role, createdAt: TODAY, acceptedAt: TODAY };
      await insertMembership(db, membership);
    });
    return { id, mayApprove: role !== "editor" } satisfies Actor;
  };
  const ann = await add("Ann", "approver");
  const bob = await add("Bob", "approver");
  const eve = await add("Eve", "editor");
  const olga = await add("Olga", "owner", null);
  const { mail } = app;
  assert.ok(mail !== null);
  const errors: unknown[] = [];
  const mailer = (deps = app) => new NotificationMailer({ ...deps, mail }, (error) => void errors.push(error));
  const outbox = new Outbox({
    deps: { ...app, clock: () => app.now, mail },
    onError: (error) => void errors.push(error),
  });
  const ownMailer = mailer();
  const owned = opened.move();
  const house = {
    ...queue,
    add,
    ann,
    bob,
    eve,
    olga,
    server,
    mail,
    mailer,
    inbox: async ({ id }: Actor, { hasSecondFactor = false } = {}) =>
      (await readInbox(app, { accountId: id, hasSecondFactor }, { unread: false, after: null, limit: 100 }))
        .notifications,
    /** What the inbox says, newest first. */
    says: async (actor: Actor) =>
      (await house.inbox(actor)).map(
        ({ title, ...one }) =>
          `${title === null ? "" : `${title}: `}${describeNotification({ ...one, count: one.total }, one.actorName)}`,
      ),
    unread: async ({ id }: Actor) =>
      (await readInbox(app, { accountId: id, hasSecondFactor: false }, { unread: true, after: null, limit: 1 })).unread,
    draft: async (title: string, by: Actor = eve) =>
      (
        await articles.createArticle(app, website.id, makeArticle({ title }), by, {
          reviewState: "draft",
          authorId: by.id,
        })
      ).article.id,
    /** Lets time pass, and sends what is due. @returns who got what since. */
    mails: async (passMs: number, one = ownMailer) => {
      const before = server.mails.length;
      app.now += passMs;
      await one.poll();
      await outbox.poll();
      assert.deepEqual(errors, []);
      return server.mails.slice(before).toSorted((a, b) => (a.to < b.to ? -1 : 1));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return house;
}

test("each step of a review notifies the people it concerns, except the one who took it", async () => {
  await using house = await openHouse();
  const { app, ann, bob, eve, olga } = house;
  const id = await house.draft("Tea");
  assert.deepEqual(await house.says(ann), [], "a draft is nobody's business");
  await articles.submitArticle(app, id, eve);
  for (const one of [ann, bob, olga]) assert.deepEqual(await house.says(one), ["Tea: Eve submitted this for review."]);
  await articles.requestChanges(app, id, "Say where it grows.", ann);
  assert.deepEqual(await house.says(eve), ["Tea: Ann requested changes."]);
  assert.equal((await house.inbox(eve))[0]?.detail.text, "Say where it grows.");
  assert.equal(await house.unread(bob), 0, "it does not wait for Bob any more");
  await articles.submitArticle(app, id, eve);
  app.now += 1;
  await articles.assignArticle(app, id, bob.id, ann);
  assert.deepEqual(await house.says(bob), [
    "Tea: Ann assigned this to you.",
    "Tea: Eve resubmitted this after changes.",
    "Tea: Eve submitted this for review.",
  ]);
  app.now += 1;
  await articles.approveArticle(app, id, bob);
  app.now += 1;
  assert.deepEqual((await house.says(eve))[0], "Tea: Bob approved this.");
  await articles.publishArticle(app, id, ann);
  assert.deepEqual((await house.says(eve)).slice(0, 2), ["Tea: Ann published this.", "Tea: Bob approved this."]);
  assert.equal(await house.unread(eve), 2, "the approval is no news any more");
  const own = await house.draft("Own", ann);
  await articles.submitArticle(app, own, ann);
  await articles.approveAndPublishArticle(app, own, ann);
  assert.ok(
    (await house.says(ann)).every((one) => !one.startsWith("Own")),
    "Ann did it herself",
  );
});

test("a single failure of a webhook is no plural", () => {
  for (const [failures, often] of [
    [1, "once"],
    [3, "3 times in a row"],
  ] as const) {
    const facts = { kind: "webhook_failing", count: 1, detail: { failures, disableAfter: 5 } } as const;
    assert.equal(describeNotification(facts, null), `Failed ${often}. After 5 times it is disabled.`);
  }
});

test("owners are told once of an access token that expires within 14 days, and not of one that was revoked", async () => {
  await using house = await openHouse();
  const { app, website, olga, ann } = house;
  const create = (name: string, days: number) => {
    const input = { name, scope: "draft", expiresAt: app.now + days * DAY } as const;
    return createToken(app, website.id, input, CLI_ORIGIN);
  };
  await create("Generator", 20);
  const { token: revoked } = await create("Old", 15);
  await revokeToken(app, revoked.id, CLI_ORIGIN);
  app.now += 6 * DAY - 1;
  await warnOfExpiry(app);
  assert.deepEqual(await house.says(olga), []);
  app.now++;
  await warnOfExpiry(app);
  await warnOfExpiry(app);
  const sentence = "Expires on 2026-02-04. Make another access token and give it to its machine before.";
  assert.deepEqual(await house.says(olga), [sentence]);
  assert.deepEqual(await house.says(ann), []);
  const [mail, ...more] = await house.mails(QUIET_MS);
  assert.deepEqual(more, []);
  assert.equal(mail?.subject, "Access token expires on 2026-02-04: Generator (Test)");
  assert.ok(
    mail.text.includes(`Access token Generator (Test)\n${sentence}\n${BASE}/dashboard/settings/access-tokens?`),
  );
});

test("of an article that a machine wrote its assignee is told", async () => {
  await using house = await openHouse();
  const { app, website, ann, eve } = house;
  const input = { name: "Generator", scope: "draft", expiresAt: null } as const;
  const { token } = await createToken(app, website.id, input, CLI_ORIGIN);
  const pushing = { kind: "generic", name: "Sender", secret: null };
  const { sender } = await createSender(app, website.id, pushing, CLI_ORIGIN);
  for (const { id: by, name } of [token, sender]) {
    const machine: Actor = { id: by, mayApprove: false, isMachine: true };
    const id = await house.draft(`Tea of ${name}`, machine);
    await articles.assignArticle(app, id, eve.id, machine);
    assert.equal((await house.says(eve))[0], `Tea of ${name}: ${name} assigned this to you.`);
    await articles.submitArticle(app, id, machine);
    assert.equal((await house.says(ann))[0], `Tea of ${name}: ${name} submitted this for review.`);
    await articles.requestChanges(app, id, "Say where it grows.", ann);
    assert.equal((await house.says(eve))[0], `Tea of ${name}: Ann requested changes.`);
  }
});

test("owners are told by e-mail of a sender that needs attention or has stopped", async () => {
  await using house = await openHouse();
  const { app, website, olga, ann } = house;
  const input = { kind: "generic", name: "Sender", secret: null };
  const { sender } = await createSender(app, website.id, input, CLI_ORIGIN);
  const told = { websiteId: website.id, targetId: sender.id, actor: "schedule", to: "everybody" } as const;
  const tell = (kind: NotificationKind, detail: NotificationDetail) =>
    app.store.write((db) => notify(db, app, { ...told, kind, eventId: kind, detail: { sender: "Sender", ...detail } }));
  const link = `${BASE}/dashboard/settings/senders/${sender.id}?website=${website.id}`;
  for (const [kind, detail, subject, text] of [
    [
      "sender_needs_attention",
      { text: "It has no title." },
      "Sender needs attention: Sender (Test)",
      `Sender Sender (Test)\nSent something that could not be saved.\n> It has no title.\n${link}`,
    ],
    [
      "sender_silent",
      { lastOn: "2026-01-31" },
      "Sender has stopped: Sender (Test)",
      `Sender Sender (Test)\nHas sent nothing since 2026-01-31.\n${link}`,
    ],
  ] as const) {
    await tell(kind, detail);
    const [mail, ...more] = await house.mails(QUIET_MS);
    assert.deepEqual(more, []);
    assert.equal(mail?.subject, subject);
    assert.ok(mail.text.includes(text), mail.text);
  }
  assert.equal((await house.says(olga)).length, 2);
  assert.deepEqual(await house.says(ann), []);
});

test("undone approvals and withdrawn articles leave no notification", async () => {
  await using house = await openHouse();
  const { app, ann, bob, eve } = house;
  const id = await house.draft("Tea");
  await articles.submitArticle(app, id, eve);
  await articles.withdrawArticle(app, id, eve);
  assert.equal(await house.unread(bob), 0);
  await articles.submitArticle(app, id, eve);
  await articles.approveArticle(app, id, ann);
  await articles.unapproveArticle(app, id, ann);
  assert.equal(await house.unread(eve), 0);
  assert.deepEqual(await house.mails(QUIET_MS), []);
});

test("a scheduled publication notifies when it happens, except the person who scheduled it", async () => {
  await using house = await openHouse();
  const { app, ann, eve, bob } = house;
  const [id, own] = [await house.draft("Tea"), await house.draft("Own", ann)];
  for (const one of [id, own]) {
    await articles.submitArticle(app, one, eve);
    await articles.approveAndScheduleArticle(app, one, app.now + HOUR, one === own ? ann : bob);
  }
  app.now += HOUR;
  assert.equal(await publishDueArticles(app, 10), 2);
  assert.equal((await house.says(eve))[0], "Tea: Published.");
  assert.ok(!(await house.says(ann)).includes("Own: Published."));
});

test("people who lost access to a website get neither entries nor e-mails about it", async () => {
  await using house = await openHouse();
  const { app, ann, bob, eve, website } = house;
  await articles.submitArticle(app, await house.draft("Tea"), eve);
  await app.store.write(async (db) => {
    await db.run("UPDATE memberships SET role = 'editor' WHERE account_id = ?", ann.id);
    await db.run("DELETE FROM memberships WHERE account_id = ?", bob.id);
  });
  for (const one of [ann, bob]) {
    assert.deepEqual(await house.says(one), []);
    assert.equal(await house.unread(one), 0);
  }
  assert.deepEqual(
    (await house.mails(QUIET_MS)).map(({ to }) => to),
    ["Olga@example.com"],
  );
  // A website may ask for a second factor.
  await articles.submitArticle(app, await house.draft("Coffee"), eve);
  await app.store.write((db) => db.run("UPDATE websites SET requires_second_factor = 1 WHERE id = ?", website.id));
  assert.deepEqual(await house.says(house.olga), []);
  assert.equal((await house.inbox(house.olga, { hasSecondFactor: true })).length, 2);
  assert.deepEqual(await house.mails(QUIET_MS), [], "she has none");
});

test("a burst is one e-mail with links to each place, once nothing has been added for a while", async () => {
  await using house = await openHouse();
  const { app, ann, eve, website } = house;
  const [tea, coffee] = [await house.draft("Tea"), await house.draft("Coffee\r\nBcc: x")];
  await articles.submitArticle(app, tea, eve);
  assert.deepEqual(await house.mails(QUIET_MS - 1), []);
  await articles.submitArticle(app, coffee, eve);
  const text = {
    kind: "mention",
    websiteId: website.id,
    targetId: tea,
    actor: eve.id,
    eventId: "c1",
    to: [ann.id],
  } as const;
  const detail = { text: "Is this so?\nhttps://evil.example.com", anchor: "comment-c1" };
  for (let time = 0; time < 2; time++) await app.store.write((db) => notify(db, app, { ...text, detail }));
  assert.deepEqual(await house.mails(QUIET_MS - 1), []);
  const [mail, ...others] = await house.mails(1);
  assert.deepEqual(
    others.map(({ to }) => to),
    ["Bob@example.com", "Olga@example.com"],
  );
  assert.equal(mail?.subject, "2 to review, 1 mentioning you (Test)");
  const page = (id: string, place = "") => `${BASE}/dashboard/articles/${id}?website=${website.id}${place}`;
  assert.equal(
    mail.text,
    `“Tea” (Test)\nEve submitted this for review.\nEve mentioned you in a comment.\n> Is this so? https://evil.example.com\n` +
      `${page(tea, "#comment-c1")}\n\n“Coffee Bcc: x” (Test)\nEve submitted this for review.\n${page(coffee)}\n\n` +
      `Choose what you get by e-mail, and how often:\n${BASE}/dashboard/settings/account#notifications\n\n` +
      `Turn e-mails like this off:\n${BASE}/dashboard/unsubscribe#${tokenOf(mail)}\n`,
  );
  assert.equal(mail.headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
  assert.deepEqual(openUnsubscribeToken(app, tokenOf(mail)).scope, ["to_review", "mention"]);
  assert.deepEqual(await house.mails(DAY), [], "once");
});

/** The token that turns e-mails like this one off. */
function tokenOf({ headers }: ReceivedMail): string {
  const start = `<${BASE}/dashboard/api/unsubscribe?token=`;
  const header = headers["list-unsubscribe"] ?? "";
  assert.ok(header.startsWith(start) && header.endsWith(">"), header);
  return header.slice(start.length, -1);
}

test("the link in an e-mail turns off exactly e-mails of its kinds, of its person, until they are turned on again", async () => {
  await using house = await openHouse();
  const { app, ann, bob, olga, eve } = house;
  const to = async () => (await house.mails(DAY)).map((mail) => mail.to.replace("@example.com", ""));
  const ask = async () => articles.submitArticle(app, await house.draft("Tea"), eve);
  await changeSettings(app, olga.id, { mail: "daily", muted: [], timeZone: "UTC" });
  await ask();
  const [ofAnn, , ofOlga] = (await house.mails(DAY)).map((mail) => openUnsubscribeToken(app, tokenOf(mail)));
  assert.ok(ofAnn !== undefined && ofOlga !== undefined);
  assert.deepEqual(ofAnn, { accountId: ann.id, email: "Ann@example.com", scope: ["to_review"] });
  assert.equal(ofOlga.scope, "daily");
  for (let time = 0; time < 2; time++) await unsubscribe(app, ofAnn);
  await ask();
  assert.deepEqual(await to(), [bob.id, olga.id]);
  assert.equal(await house.unread(ann), 2, "her inbox has everything");
  const id = await house.draft("Coffee", ann);
  await articles.submitArticle(app, id, ann);
  await articles.approveArticle(app, id, bob);
  assert.deepEqual(await to(), [ann.id], "she is told of an approval");
  await unsubscribe(app, ofOlga);
  await ask();
  assert.deepEqual(await to(), [bob.id]);
  for (const one of [ann, olga]) await changeSettings(app, one.id, { mail: "soon", muted: [], timeZone: "UTC" });
  await unsubscribe(app, ofOlga);
  await ask();
  assert.deepEqual(await to(), [ann.id, bob.id, olga.id], "there was no daily e-mail to turn off");
});

test("one person's unreadable entries do not keep others from their e-mail", async () => {
  await using house = await openHouse();
  const { app, ann, bob, olga, eve } = house;
  const { store } = app;
  for (const { id } of [ann, bob]) {
    await changeSettings(app, id, { mail: "daily", muted: [], timeZone: "UTC" });
  }
  const setTimeZone = (name: string, { id }: Actor) =>
    store.write((db) => db.run("UPDATE notification_settings SET time_zone = ? WHERE account_id = ?", name, id));
  await setTimeZone("Nowhere/Land", ann);
  const errors: string[] = [];
  const mailer = new NotificationMailer({ ...app, mail: house.mail }, (_error, message) => void errors.push(message));
  await articles.submitArticle(app, await house.draft("Tea"), eve);
  assert.deepEqual(
    (await house.mails(DAY, mailer)).map(({ to }) => to),
    [bob, olga].map(({ id }) => `${id}@example.com`),
  );
  assert.deepEqual(
    new Set(errors),
    new Set([`the notifications of account ${ann.id} could not be e-mailed; they will be retried`]),
  );
  await setTimeZone("UTC", ann);
  assert.deepEqual(
    (await house.mails(DAY, mailer)).map(({ to }) => to),
    [`${ann.id}@example.com`],
  );
});

test("an endless burst is e-mailed nevertheless", async () => {
  await using house = await openHouse();
  const { app, eve } = house;
  let sent = 0;
  for (let passedMs = 0; passedMs <= MAX_BURST_MS; passedMs += QUIET_MS / 2) {
    await articles.submitArticle(app, await house.draft("Tea"), eve);
    sent += (await house.mails(QUIET_MS / 2)).length;
  }
  assert.equal(sent, 3, "one for each who approves");
});

test("read and muted notifications are not e-mailed, and a digest comes in the morning", async () => {
  await using house = await openHouse();
  const { app, ann, bob, olga, eve, website } = house;
  const set = { muted: [], timeZone: "UTC" } as const;
  await changeSettings(app, ann.id, { ...set, mail: "daily", timeZone: "America/New_York" });
  await changeSettings(app, bob.id, { ...set, mail: "soon", muted: ["to_review"] });
  await changeSettings(app, olga.id, { ...set, mail: "never" });
  await assert.rejects(changeSettings(app, ann.id, { ...set, mail: "daily", timeZone: "Nowhere/Land" }), {
    code: "invalid",
  });
  await articles.submitArticle(app, await house.draft("Tea"), eve);
  // It is noon in London, and seven in New York.
  assert.deepEqual(await house.mails(HOUR - 1), []);
  assert.equal(await house.unread(bob), 1, "the inbox has it");
  const [digest, ...others] = await house.mails(1);
  assert.deepEqual(others, []);
  assert.deepEqual([digest?.to, digest?.subject], ["Ann@example.com", "Daily summary: 1 to review (Test)"]);

  const read = await house.draft("Read");
  await articles.submitArticle(app, read, eve);
  const [one] = await house.inbox(ann);
  await setRead(app, ann.id, [one?.id ?? ""], true);
  assert.deepEqual(await house.mails(2 * DAY), []);
  await setRead(app, ann.id, [one?.id ?? ""], false);
  assert.equal(await house.unread(ann), 2);
  await setRead(app, eve.id, [one?.id ?? ""], true);
  assert.equal(await house.unread(ann), 2, "nobody marks another's");
  const until = app.now;
  app.now += 1;
  await articles.submitArticle(app, await house.draft("Later"), eve);
  await setAllRead(app, ann.id, until);
  assert.equal(await house.unread(ann), 1, "what came since stays unread");
  assert.equal(website.id, one?.websiteId);
});

/** Seven articles, of which two are drafts. */
async function* items() {
  for (let number = 0; number < 7; number++) {
    const input = makeArticle({
      title: `Imported ${number}`,
      ...(number < 5 ? {} : { reviewState: "draft" as const }),
    });
    yield { kind: "draft" as const, source: `${number}.md`, ref: `${number}`, input };
  }
}

test("a bulk action and an import each cause one notification", async () => {
  await using house = await openHouse();
  const { app, ann, eve, website } = house;
  const ids = await Promise.all(Array.from({ length: 30 }, (_none, number) => house.draft(`Tea ${number}`)));
  for (const part of [ids.slice(0, 20), ids.slice(20)]) {
    const chosen = part.map((id) => ({ id }));
    const outcomes = await Array.fromAsync(
      changeEach(app, "submit", website.id, chosen, eve, { bulkId: "b1" }, assert.ifError),
    );
    assert.ok(outcomes.every(({ refusal }) => refusal === null));
  }
  assert.deepEqual(await house.says(ann), ["Eve submitted 30 articles for review."]);
  app.now += 1;
  const summary = await importArticles(app, website.id, items(), {
    events: true,
    dryRun: false,
    actor: eve,
    batchItems: 2,
  });
  assert.equal(summary.created, 7);
  assert.deepEqual((await house.says(ann))[0], "Eve imported 5 articles to review.");
  const mails = await house.mails(QUIET_MS);
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    Array.from({ length: 3 }, () => "35 to review (Test)"),
  );
});

test("only one of several processes sends the e-mail", async () => {
  await using house = await openHouse();
  const { app, eve } = house;
  await articles.submitArticle(app, await house.draft("Tea"), eve);
  app.now += QUIET_MS;
  const others = [await house.reopen(), await house.reopen()];
  for (const other of others) other.now = app.now;
  const written = await Promise.all([app, ...others].map((one) => house.mailer(one).poll()));
  assert.equal(
    written.reduce((sum, count) => sum + count, 0),
    3,
    "one for each of three people",
  );
  const mails = await house.mails(0);
  assert.deepEqual(
    mails.map(({ to }) => to),
    ["Ann@example.com", "Bob@example.com", "Olga@example.com"],
  );
});

test("people are notified of the articles of their own websites only", async () => {
  await using house = await openHouse();
  const { app, eve } = house;
  const other = await createWebsite(app, { name: "Other", url: "https://o.example.com", urlPattern: null }, CLI_ORIGIN);
  const zoe = await house.add("Zoe", "owner", other.id);
  await articles.submitArticle(app, await house.draft("Tea"), eve);
  assert.deepEqual(await house.says(zoe), []);
  await app.store.write((db) =>
    notify(db, app, {
      kind: "comment",
      websiteId: other.id,
      targetId: null,
      actor: eve.id,
      eventId: "e",
      to: NOTIFICATION_KINDS.map(() => "Ann"),
    }),
  );
  assert.ok((await house.says(house.ann)).every((one) => !one.includes("commented")));
});

const due = (timeZone: string, after: string) =>
  new Date(mailDueAt({ mail: "daily", muted: [], timeZone }, Date.parse(after), 0)).toISOString();

test("the daily e-mail is due at eight o'clock in the person's time zone, also when the clocks change", () => {
  assert.equal(due("UTC", "2026-01-15T07:59:59.999Z"), "2026-01-15T08:00:00.000Z");
  assert.equal(due("UTC", "2026-01-15T08:00:00.000Z"), "2026-01-16T08:00:00.000Z");
  assert.equal(due("Europe/Berlin", "2026-03-28T12:00:00.000Z"), "2026-03-29T06:00:00.000Z");
  assert.equal(due("Asia/Kathmandu", "2026-01-15T12:00:00.000Z"), "2026-01-16T02:15:00.000Z");
});
