/** Who gets which e-mail, and that a broken mail server does not harm the service. */
import assert from "node:assert/strict";
import { TOTP } from "otpauth";
import { after, before, describe, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { NotificationMailer } from "../../src/operations/people/notification-mails.ts";
import { Outbox } from "../../src/operations/system/email-outbox.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { MailServer, type ReceivedMail } from "../helpers/mail-server.ts";
import { closedPort } from "../helpers/receivers.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { finishes, until } from "../helpers/until.ts";
import { FAILS, LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { type Browser, OWNER, PASSWORD, type People, people, tokenOf } from "../people/dashboard.ts";

/** A webhook fails at once, and is tried once more. */
const SETTINGS = {
  ...LOOPBACK,
  ROSTRUM_WEBHOOK_RETRY_SECONDS: "0",
  ROSTRUM_PUBLIC_URL: "https://articles.example.com",
};
const BASE = "https://articles.example.com";

let server: MailServer;
let service: TestService;
let all: People;
let owner: Browser;

before(async () => {
  server = await MailServer.start();
  service = await startTestService({ ...SETTINGS, SMTP_URL: server.url });
  all = people(service);
  owner = await all.owner();
});
after(async () => {
  all[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const publish = (websiteId: string, { app } = service) =>
  createArticle(app, websiteId, makeArticle({ status: "published" }), CHIEF);

/** Mails about webhooks. */
function notices(): ReceivedMail[] {
  return server.mails.filter(({ subject }) => subject.startsWith("Webhook "));
}

describe("a webhook that keeps failing", () => {
  test("is reported to the website's owners at 3 and 5 failures, and when it is disabled", async () => {
    const { id } = await service.newWebsite({ name: "Tea & \r\nmore" });
    const own = "own@example.com";
    await all.person("owner", id, own);
    await all.person("approver", id, "approver@example.com");
    await all.person("owner", service.website.id, "elsewhere@example.com");
    await using receiver = await ScriptedReceiver.start(FAILS);
    const { endpoint } = await createEndpoint(service.app, id, { url: receiver.url }, CLI_ORIGIN);
    const page = `${BASE}/dashboard/settings/webhooks/${endpoint.id}?website=${id}`;
    const host = new URL(receiver.url).host;
    let told = 0;
    const { app } = service;
    /** Sends what is due an hour from now. */
    const sendLater = async () => {
      const { mail } = app;
      assert.ok(mail !== null);
      const deps = { ...app, mail, clock: () => app.clock() + 3_600_000 };
      await new NotificationMailer(deps, assert.ifError).poll();
      await new Outbox({ deps, onError: assert.ifError }).poll();
    };
    /** Publishes this many articles. @returns the e-mails that the owners then get. */
    const failAgain = async (times: number) => {
      for (let number = 0; number < times; number++) await publish(id);
      told += 2;
      await until("the owners are told", async () => {
        await sendLater();
        return notices().length >= told;
      });
      const news = notices().slice(told - 2);
      assert.deepEqual(news.map(({ to }) => to).toSorted(), [OWNER, own].toSorted());
      for (const { text } of news) assert.ok(text.includes(page), text);
      return news;
    };
    for (const [failures, times] of [
      [3, 3],
      [5, 2],
    ] as const) {
      for (const { subject, text } of await failAgain(times)) {
        assert.equal(subject, `Webhook failing: ${host} (Tea & more)`);
        assert.ok(text.includes(`Failed ${failures} times in a row. After 10 times it is disabled.`), text);
        assert.ok(text.includes("> The receiver answered 500."), text);
      }
    }
    for (const { subject, text } of await failAgain(5)) {
      assert.equal(subject, `Webhook disabled: ${host} (Tea & more)`);
      assert.match(text, /> 10 deliveries in a row failed\. The last error: The receiver answered 500\./);
    }
    assert.equal(notices().length, told);

    const { entries } = await owner.json("GET", `/audit?website_id=${id}`);
    const noted = records(entries).filter(({ actor }) => record(actor)["id"] === "delivery");
    assert.deepEqual(
      noted.map(({ action }) => action),
      ["webhook.disabled", "webhook.warned", "webhook.warned"],
    );
  });
});

describe("a link that works once", () => {
  test("goes to the invited person, and is shown, too", async () => {
    const { id } = await service.newWebsite({ name: "Invited to" });
    const person = { email: "new@example.com", role: "editor", website_id: id };
    const made = await owner.json("POST", "/members", person, 201);
    assert.equal(made["mailed"], true);
    await until("the mail comes", () => server.subjectsTo("new@example.com").length === 1);
    const mail = server.mails.find(({ to }) => to === "new@example.com");
    assert.equal(mail?.subject, "Your invitation to “Invited to”");
    assert.ok(mail.text.includes("the website “Invited to”"));
    const [first] = /https:\S+/.exec(mail.text) ?? [];
    assert.ok(first?.startsWith(`${BASE}/dashboard/welcome#`), mail.text);
    assert.notEqual(tokenOf(first), tokenOf(made["link"]), "the one in the mail proves more");

    const member = String(records((await owner.json("GET", `/members?website_id=${id}`))["members"]).at(-1)?.["id"]);
    const again = await owner.json("POST", `/members/${member}/invitation`, {});
    await until("the second mail comes", () => server.subjectsTo("new@example.com").length === 2);
    const link = /https:\S+/.exec(server.mails.findLast(({ to }) => to === "new@example.com")?.text ?? "")?.[0];
    for (const token of [first, made["link"]].map(tokenOf)) {
      assert.equal((await all.browser().send("POST", "/welcome/link", { token })).status, 404, "they are void");
    }
    await all.browser().json("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
    const shown = await all.browser().send("POST", "/welcome/link", { token: tokenOf(again["link"]) });
    assert.equal(shown.status, 404, "one of the two was used");
    // Whoever has an account is a member at once.
    const other = await service.newWebsite({ name: "Another" });
    const added = await owner.json("POST", "/members", { ...person, website_id: other.id }, 201);
    assert.deepEqual([added["link"], added["mailed"]], [null, false]);
  });

  test("goes to the person who sets a new password", async () => {
    const { token, isMailed } = await requestReset(service.app, OWNER, {}, CLI_ORIGIN);
    assert.equal(isMailed, true);
    await until("the mail comes", () => server.subjectsTo(OWNER).includes("Set a new password"));
    const mail = server.mails.findLast(({ to }) => to === OWNER);
    assert.ok(mail?.text.includes(`${BASE}/dashboard/welcome#${token}`));
  });

  test("is followed by mails about a sign-in from a new browser, and a changed password and authenticator", async () => {
    const email = "told@example.com";
    const person = await all.person("viewer", null, email);
    const subjects = () => server.subjectsTo(email).filter((one) => !one.startsWith("Your invitation"));
    const phone = all.browser({ "User-Agent": "A phone" });
    const first = await phone.signIn(email);
    await until("the sign-in is told of", () => subjects().includes("New sign-in to Rostrum"));
    const mail = server.mails.findLast(({ to }) => to === email);
    assert.ok(mail?.text.includes("From: 127.0.0.1\nBrowser: A phone\n"));
    assert.ok(mail?.text.includes(`${BASE}/dashboard/settings/account`));
    const device = String(first.headers["set-cookie"]?.[1]?.split(";")[0]);
    assert.equal((await all.browser({ Cookie: device }).signIn(email)).status, 200, "it is known now");
    const { secret } = await person.json("POST", "/totp", { current_password: PASSWORD });
    const code = new TOTP({ secret: String(secret) }).generate();
    await person.json("PUT", "/totp", { code });
    await person.json("POST", "/totp/recovery-codes", { current_password: PASSWORD });
    await person.json("DELETE", "/totp", { current_password: PASSWORD }, 204);
    const change = { current_password: PASSWORD, password: "nine new lanterns" };
    await person.json("PUT", "/password", change, 204);
    await until("the changes are told of", () => subjects().length >= 5);
    assert.deepEqual(subjects().toSorted(), [
      "An authenticator was added to your account",
      "New recovery codes were made for your account",
      "New sign-in to Rostrum",
      "The authenticator was removed from your account",
      "Your password was changed",
    ]);
    assert.deepEqual(
      server.mails.filter(({ text }) => /\dT\d\d:/.test(text)),
      [],
      "times are in words",
    );
  });

  test("is shown if the service sends no e-mails", async () => {
    await using without = await startTestService();
    using them = people(without);
    const someone = await them.owner();
    const made = await someone.json("POST", "/members", { email: "new@example.com", role: "viewer" }, 201);
    assert.equal(made["mailed"], false);
    tokenOf(made["link"]);
    const rows = await without.app.store.read((db) => db.all("SELECT 1 FROM mails"));
    assert.deepEqual(rows, []);
  });
});

test("a broken mail server delays neither deliveries nor invitations nor the end of the service", async () => {
  const nobody = new URL(await closedPort()).host;
  await using receiver = await ScriptedReceiver.start();
  await using broken = await ScriptedReceiver.start(FAILS);
  const alone = await startTestService({ ...SETTINGS, SMTP_URL: `smtp://${nobody}` });
  try {
    using them = people(alone);
    const someone = await them.owner();
    const { id } = alone.website;
    await createEndpoint(alone.app, id, { url: broken.url }, CLI_ORIGIN);
    await createEndpoint(alone.app, id, { url: receiver.url }, CLI_ORIGIN);
    const made = await someone.json("POST", "/members", { email: "new@example.com", role: "viewer" }, 201);
    tokenOf(made["link"]);
    for (let number = 0; number < 4; number++) await publish(id, alone);
    await receiver.arrival(4);
    const rows = (table: string) => alone.app.store.read((db) => db.all(`SELECT 1 AS found FROM ${table}`));
    await until("the warning is written down", async () => (await rows("notifications")).length === 1);
    assert.equal((await rows("mails")).length, 1);
    await until("the failure is told", () => alone.log.failures.length > 0);
  } finally {
    await finishes("the service stops", alone[Symbol.asyncDispose]());
  }
});
