/** One's own e-mail address, and a forgotten password: what is proved, what is undone, and what nobody learns. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { MailServer } from "../helpers/mail-server.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { type Browser, PASSWORD, type People, people } from "./dashboard.ts";

const BASE = "https://articles.example.com";
let server: MailServer;
let service: TestService;
let all: People;
let owner: Browser;

before(async () => {
  server = await MailServer.start();
  service = await startTestService({ SMTP_URL: server.url, ROSTRUM_PUBLIC_URL: BASE });
  all = people(service);
  owner = await all.owner();
});
after(async () => {
  all[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** The token in the newest e-mail of that subject to the address, of which there are `count`. */
async function tokenIn(subject: string, to: string, page: string, count = 1): Promise<string> {
  const found = () => server.mails.filter((mail) => mail.to === to && mail.subject === subject);
  await until(`${subject} comes to ${to}`, () => found().length >= count);
  const [, token] = new RegExp(`${BASE}/dashboard/${page}#([\\w-]{43})`).exec(found().at(-1)?.text ?? "") ?? [];
  assert.ok(token !== undefined);
  return token;
}

const confirmation = (to: string, count = 1) => tokenIn("Confirm your e-mail address", to, "confirm-email", count);
const ask = (person: Browser, email: string, status = 204, current_password = PASSWORD) =>
  person.json("PUT", "/account/email", { email, current_password }, status);

test("a new address is used once it is confirmed, and the earlier address can undo the change", async () => {
  const [earlier, next] = ["ann@example.com", "ann@new.example.com"];
  const person = await all.person("editor", service.website.id, earlier);
  const other = all.browser();
  await other.signIn(earlier);
  await ask(person, next, 400, "not the password");
  await ask(person, "nowhere", 400);
  await ask(person, earlier, 400);
  await ask(person, ` ${next.toUpperCase()}`);
  assert.equal((await person.json("GET", "/account/email"))["pending"], next);
  const token = await confirmation(next);
  assert.equal((await all.browser().signIn(next)).status, 401, "not before it is confirmed");
  assert.deepEqual(await all.browser().json("POST", "/confirm-email", { token }), { email: next });
  assert.equal((await all.browser().send("POST", "/confirm-email", { token })).status, 404, "once");
  assert.equal((await all.browser().signIn(next)).status, 200);
  assert.equal((await all.browser().signIn(earlier)).status, 401);
  assert.equal((await person.send("GET", "/session")).status, 200, "the session that asked goes on");
  assert.equal((await other.send("GET", "/session")).status, 401, "others end");

  const undo = await tokenIn("Your e-mail address was changed", earlier, "undo-email");
  assert.equal((await all.browser().send("POST", "/confirm-email", { token: undo })).status, 404, "it is another link");
  const undone = await all.browser().json("POST", "/undo-email", { token: undo });
  assert.equal(undone["email"], earlier);
  assert.equal((await person.send("GET", "/session")).status, 401, "nobody stays signed in");
  await all.browser().json("POST", "/welcome", { token: undone["token"], password: "nine new lanterns" });
  assert.equal((await all.browser().signIn(earlier, "nine new lanterns")).status, 200);
  assert.equal((await all.browser().send("POST", "/undo-email", { token: undo })).status, 404, "once");
});

test("the response does not reveal whether an address belongs to an account", async () => {
  const person = await all.person("editor", service.website.id, "bob@example.com");
  await all.person("editor", service.website.id, "taken@example.com");
  await ask(person, "taken@example.com");
  assert.equal((await person.json("GET", "/account/email"))["pending"], "taken@example.com");
  await ask(person, "free@example.com");
  const token = await confirmation("free@example.com");
  assert.ok(!server.subjectsTo("taken@example.com").includes("Confirm your e-mail address"));
  // Somebody gets it meanwhile.
  await addMember(service.app, { email: "free@example.com", name: "", role: "viewer", websiteId: null }, CLI_ORIGIN);
  assert.equal((await all.browser().send("POST", "/confirm-email", { token })).status, 404);
});

test("a later request, a new password or the person's own decision makes the link void", async () => {
  const person = await all.person("editor", service.website.id, "carl@example.com");
  await ask(person, "carl1@example.com");
  const first = await confirmation("carl1@example.com");
  await ask(person, "carl2@example.com");
  const second = await confirmation("carl2@example.com");
  await person.json("PUT", "/password", { current_password: PASSWORD, password: "nine new lanterns" }, 204);
  await ask(person, "carl3@example.com", 204, "nine new lanterns");
  const third = await confirmation("carl3@example.com");
  await person.json("DELETE", "/account/email", {}, 204);
  for (const token of [first, second, third]) {
    assert.equal((await all.browser().send("POST", "/confirm-email", { token })).status, 404);
  }
  await ask(person, "carl4@example.com", 429, "nine new lanterns");
});

test("a forgotten password is reset by an e-mailed link, with the same response for any address", async () => {
  const email = "dora@example.com";
  await all.person("viewer", service.website.id, email);
  const forgot = (who: string) => all.browser().json("POST", "/forgotten-password", { email: who });
  const invited = { email: "invited@example.com", role: "viewer", website_id: service.website.id };
  await owner.json("POST", "/members", invited, 201);
  for (const who of [email, "nobody@example.com", "invited@example.com"]) {
    assert.deepEqual(await forgot(who), { mailed: true });
  }
  const token = await tokenIn("Set a new password", email, "welcome");
  assert.equal((await all.browser().json("POST", "/welcome/link", { token }))["purpose"], "reset");
  await all.browser().json("POST", "/welcome", { token, password: "nine new lanterns" });
  assert.equal((await all.browser().signIn(email, "nine new lanterns")).status, 200);
  assert.equal((await all.browser().send("POST", "/welcome", { token, password: PASSWORD })).status, 404, "once");
  assert.deepEqual(server.subjectsTo("nobody@example.com"), []);
  assert.deepEqual(server.subjectsTo("invited@example.com"), ["Your invitation to “Test”"]);
  const recovery = await requestReset(service.app, email, { withoutTotp: true }, CLI_ORIGIN);
  await forgot(email);
  const unused = await tokenIn("Set a new password", email, "welcome", 3);
  assert.equal((await all.browser().json("POST", "/welcome/link", { token: unused }))["purpose"], "reset");
  await forgot(email);
  const limited = await all.browser().send("POST", "/forgotten-password", { email: ` ${email.toUpperCase()}` });
  assert.equal(limited.status, 429);
  const person = all.browser();
  await person.signIn(email, "nine new lanterns");
  const next = { current_password: "nine new lanterns", password: "ten newer lanterns" };
  await person.json("PUT", "/password", next, 204);
  const late = await all.browser().send("POST", "/welcome", { token: unused, password: PASSWORD });
  assert.equal(late.status, 404, "a link from before a new password");
  const recovered = await all.browser().send("POST", "/welcome", { token: recovery.token, password: PASSWORD });
  assert.equal(recovered.status, 200, "an operator's link takes the account back");
});

test("neither is offered if the service sends no e-mails", async () => {
  await using without = await startTestService();
  using them = people(without);
  const someone = await them.owner();
  assert.deepEqual(await them.browser().json("GET", "/forgotten-password"), { mailed: false });
  assert.equal((await someone.json("GET", "/account/email"))["available"], false);
  await ask(someone, "new@example.com", 409);
});
