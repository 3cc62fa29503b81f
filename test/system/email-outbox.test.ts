/** Mails are written down with what they tell of, and each is sent once, however long the server of mails is away. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Mail } from "../../src/domain/system/email.ts";
import { secretBox } from "../../src/domain/system/secret-box.ts";
import { DAY_MS } from "../../src/domain/system/time.ts";
import type { MailDeps } from "../../src/operations/system/deps.ts";
import { Outbox, writeMails } from "../../src/operations/system/email-outbox.ts";
import { recordRestoration } from "../../src/operations/website/post-restore.ts";
import { SmtpSender } from "../../src/email/smtp.ts";
import { claimMail, nextMails } from "../../src/store/system/email-outbox.ts";
import type { Database } from "../../src/store/store.ts";
import { TODAY } from "../helpers/articles.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { openTestStore } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import { MailServer } from "../helpers/mail-server.ts";
import { wrapStore } from "../helpers/wrap-store.ts";

const random = (size: number) => Buffer.alloc(size, 7);
const box = secretBox(Buffer.alloc(32, 1), random);

/** A store, a mail server, and an outbox that sends on request. */
async function openPost() {
  await using opened = new AsyncDisposableStack();
  const opening = opened.use(await openTestStore());
  const { store } = opening;
  const server = opened.use(await MailServer.start());
  let [made, stack] = [0, opened];
  const told: string[] = [];
  const sender = (url: string): MailDeps => {
    const smtp = stack.use(new SmtpSender({ url, from: "Rostrum <rostrum@example.com>" }));
    return { base: "https://example.com", send: (mail, id, signal) => smtp.send(mail, id, signal) };
  };
  const post = {
    now: TODAY,
    store,
    another: () => opening.another(),
    server,
    told,
    sender,
    deps: {
      store,
      clock: () => post.now,
      newId: () => `mail-${++made}`,
      secrets: () => box,
      mail: sender(server.url),
    },
    outbox: (deps: Partial<{ store: Database; mail: MailDeps }> = {}) =>
      new Outbox({
        deps: { ...post.deps, ...deps },
        onError: (error, message) => told.push(`${message}: ${String(error)}`),
      }),
    write: (...mails: Partial<Mail>[]) =>
      store.write((db) =>
        writeMails(
          db,
          post.deps,
          mails.map(({ to = "ann@example.com", subject = "Subject", text = "Text\n" }) => ({ to, subject, text })),
          { websiteId: null },
        ),
      ),
    left: async () => (await store.read((db) => nextMails(db, 100))).map(({ id }) => id),
  };
  stack = opened.move();
  return Object.assign(post, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}

test("a mail arrives as it was written, and is deleted", async () => {
  await using post = await openPost();
  const text = "A line, and “quotes”.\n\n.\n.hidden\nhttps://example.com/dashboard/welcome#" + "x".repeat(90) + "\n";
  assert.equal(await post.write({ subject: "Grüße, 世界", text }), true);
  await post.outbox().poll();
  const [mail] = post.server.mails;
  assert.equal(mail?.subject, "Grüße, 世界");
  assert.equal(mail.text, text);
  assert.deepEqual([mail.from, mail.to], ["rostrum@example.com", "ann@example.com"]);
  assert.equal(mail.headers["from"], "Rostrum <rostrum@example.com>");
  assert.equal(mail.headers["to"], "ann@example.com");
  assert.equal(mail.headers["auto-submitted"], "auto-generated");
  assert.equal(mail.headers["message-id"], "<mail-1@example.com>");
  assert.deepEqual(await post.left(), []);
  assert.deepEqual(post.told, []);
});

test("an address stays one address, whatever characters it has", async () => {
  await using post = await openPost();
  await post.write({ to: "ann,bob@example.com" });
  await post.outbox().poll();
  assert.deepEqual(
    post.server.mails.map(({ to }) => to),
    ['"ann,bob"@example.com'],
  );
});

test("a mail is committed together with the change that it reports, and is encrypted in the database", async () => {
  await using post = await openPost();
  const change = post.store.write(async (db) => {
    const mail = { to: "ann@example.com", subject: "Never", text: "" };
    await writeMails(db, post.deps, [mail], { websiteId: null });
    throw new Error("on purpose");
  });
  await assert.rejects(change);
  await post.write({ text: "a link that works once" });
  const rows = await post.store.read((db) => db.all("SELECT * FROM mails"));
  assert.equal(rows.length, 1);
  assert.doesNotMatch(JSON.stringify(rows), /link|ann@/);
  await post.outbox().poll();
  assert.deepEqual(post.server.subjectsTo("ann@example.com"), ["Subject"]);
});

test("while the mail server is unavailable mails are kept, and then each is sent once", async () => {
  await using post = await openPost();
  const { port } = post.server;
  await post.server[Symbol.asyncDispose]();
  await post.write({ subject: "One" }, { subject: "Two" });
  const outbox = post.outbox();
  await outbox.poll();
  assert.equal((await post.left()).length, 2);
  assert.match(post.told.join(), /the mail server accepts no mails; they are kept/);
  await post.write({ subject: "Three" });
  await outbox.poll();
  assert.equal(post.told.length, 1, "it is left alone for a while, and told of once");

  await using back = await MailServer.start(port);
  post.now += 10_000;
  await outbox.poll();
  await outbox.poll();
  assert.deepEqual(back.subjectsTo("ann@example.com").toSorted(), ["One", "Three", "Two"]);
  assert.deepEqual(await post.left(), []);
});

test("a mail server that refuses the login counts as unavailable, and no mail is lost", async () => {
  await using post = await openPost();
  await post.write({});
  const url = `smtp://ann:secret@127.0.0.1:${post.server.port}`;
  const outbox = post.outbox({ mail: post.sender(url) });
  post.server.script = (command) => (command === "AUTH" ? "535 5.7.8 wrong" : undefined);
  await outbox.poll();
  assert.deepEqual(await post.left(), ["mail-1"]);
  assert.doesNotMatch(post.told.join(), /secret/);
  post.server.script = () => undefined;
  post.now += 10_000;
  await outbox.poll();
  assert.equal(post.server.mails.length, 1);
  assert.ok(post.server.commands.includes(`AUTH PLAIN ${Buffer.from("\0ann\0secret").toString("base64")}`));
});

test("doctor connects to the server and sends nothing", async () => {
  await using server = await MailServer.start();
  await using folder = await tempFolder();
  const look = async (url: string) => {
    const options = { cwd: folder.path, data: folder.path, env: { SMTP_URL: url } };
    const { code, stdout } = await runCli(["doctor"], options);
    return { code, line: stdout.split("\n").find((one) => one.includes("  mail ")) };
  };
  const from = "Rostrum <rostrum@localhost>";
  const well = await look(server.url);
  assert.deepEqual(well, { code: 0, line: `ok    mail      127.0.0.1:${server.port} takes mails, from ${from}` });
  server.script = (command) => (command === "AUTH" ? "535 5.7.8 wrong" : undefined);
  const wrong = await look(`smtp://ann:secret@127.0.0.1:${server.port}`);
  assert.equal(wrong.code, 1);
  assert.match(String(wrong.line), /^FAIL {2}mail {6}127\.0\.0\.1:\d+ refuses mails \(.*535.*\): check SMTP_URL\.$/);
  assert.ok(!wrong.line?.includes("secret"));
  assert.deepEqual(server.mails, []);
});

test("one failing mail does not stop the others: it is retried later, or given up", async () => {
  await using post = await openPost();
  post.server.script = (command, argument) => {
    if (command === "RCPT TO" && argument.includes("nobody@")) return "550 5.1.1 no such mailbox";
    if (command === "RCPT TO" && argument.includes("grey@")) return "450 4.7.1 come again";
    if (command === "RCPT TO" && argument.includes("relay@")) return "554 5.7.1 relay access denied";
    return undefined;
  };
  const to = ["nobody@example.com", "grey@example.com", "relay@example.com", "ann@example.com"];
  await post.write(...to.map((one) => ({ to: one })));
  const outbox = post.outbox();
  await outbox.poll();
  assert.deepEqual(
    post.server.mails.map((mail) => mail.to),
    ["ann@example.com"],
  );
  assert.deepEqual(await post.left(), ["mail-2", "mail-3"]);
  assert.equal(post.told.filter((one) => one.startsWith("mail mail-1 was given up")).length, 1);
  assert.equal(post.told.filter((one) => one.includes("was not accepted; it is retried")).length, 2);
  post.server.script = () => undefined;
  post.now += 9_999;
  await outbox.poll();
  assert.equal(post.server.mails.length, 1);
  post.now += 1;
  await outbox.poll();
  assert.deepEqual(
    post.server.mails
      .slice(1)
      .map((mail) => mail.to)
      .toSorted(),
    ["grey@example.com", "relay@example.com"],
  );
});

test("several processes send each mail once", async () => {
  await using post = await openPost();
  await post.write(...Array.from({ length: 12 }, (_none, number) => ({ subject: `Mail ${number}` })));
  const [one, two] = [post.outbox(), post.outbox({ store: post.another() })];
  await Promise.all([one.poll(), two.poll()]);
  await Promise.all([one.poll(), two.poll()]);
  assert.equal(new Set(post.server.subjectsTo("ann@example.com")).size, 12);
  assert.equal(post.server.mails.length, 12);
});

test("a mail of a process that died while sending is sent by another, under the same id", async () => {
  await using post = await openPost();
  await post.write({});
  const [mail] = await post.store.read((db) => nextMails(db, 1));
  assert.ok(mail !== undefined);
  await post.store.write((db) => claimMail(db, mail, post.now + 120_000));
  const outbox = post.outbox();
  await outbox.poll();
  assert.equal(post.server.mails.length, 0, "somebody has it");
  post.now += 120_000;
  await outbox.poll();
  assert.equal(post.server.mails[0]?.headers["message-id"], "<mail-1@example.com>");
  assert.deepEqual(await post.left(), []);
});

test("a mail is given up after some days", async () => {
  await using post = await openPost();
  await post.write({});
  post.now += 3 * DAY_MS;
  await post.outbox().poll();
  assert.deepEqual(post.server.mails, []);
  assert.deepEqual(await post.left(), []);
  assert.match(post.told.join(), /was given up/);
});

test("a mail sealed with another key waits for a process that has that key", async () => {
  await using post = await openPost();
  await post.write({});
  const wrong = secretBox(Buffer.alloc(32, 2), random);
  const outbox = new Outbox({
    deps: { ...post.deps, secrets: () => wrong },
    onError: (error, message) => post.told.push(`${message}: ${String(error)}`),
  });
  await outbox.poll();
  assert.match(post.told.join(), /encrypted with another key/);
  post.now += 10_000;
  await post.outbox().poll();
  assert.equal(post.server.mails.length, 1);
});

test("a restored backup sends no earlier mail", async () => {
  await using post = await openPost();
  await post.write({});
  await recordRestoration({ store: post.store, randomBytes: random }, new Map());
  await post.outbox().poll();
  assert.deepEqual(post.server.mails, []);
});

describe("an outbox that is idle", () => {
  let post: Awaited<ReturnType<typeof openPost>>;
  before(async () => {
    post = await openPost();
  });
  after(() => post[Symbol.asyncDispose]());

  test("does not query the store before a commit, or before a minute has passed", async () => {
    let reads = 0;
    const { store } = post;
    const read: typeof store.read = (work) => {
      reads++;
      return store.read(work);
    };
    const outbox = post.outbox({ store: wrapStore(store, { read }) });
    for (let turn = 0; turn < 5; turn++) await outbox.poll();
    assert.equal(reads, 1);
    post.now += 60_000;
    await outbox.poll();
    assert.equal(reads, 2);
    await post.write({});
    await outbox.poll();
    assert.equal(post.server.mails.length, 1);
    outbox.stop();
    await post.write({});
    await outbox.poll();
    assert.equal(post.server.mails.length, 1, "it has stopped");
  });
});
