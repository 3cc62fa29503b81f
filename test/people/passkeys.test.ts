import assert from "node:assert/strict";
import { test } from "node:test";
import { TOTP } from "otpauth";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { listMembers, setMemberDisabled } from "../../src/operations/people/members.ts";
import { addPasskey } from "../../src/operations/people/passkeys.ts";
import { confirmTotp } from "../../src/operations/people/second-factors.ts";
import { endSession } from "../../src/operations/people/sessions.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { Authenticator } from "./authenticator.ts";
import { auditActions, type Browser, OWNER, PASSWORD, people } from "./dashboard.ts";

const ORIGIN = "https://rostrum.example.com";

/** A service behind that address, and an owner with a passkey. The clock stands still. */
async function withPasskey() {
  await using opened = new AsyncDisposableStack();
  let now = Date.now();
  const settings = { ROSTRUM_PUBLIC_URL: ORIGIN };
  const service = opened.use(await startTestService(settings, (app) => ({ ...app, clock: () => now })));
  const all = opened.use(people(service));
  const owner = await all.owner();
  const device = new Authenticator();
  const added = await owner.send("POST", "/passkeys", {
    name: "Laptop",
    response: device.create(await creation(owner), ORIGIN),
  });
  assert.equal(added.status, 204, added.text);
  const owned = opened.move();
  return {
    service,
    all,
    owner,
    device,
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function creation(owner: Browser): Promise<Json> {
  return record((await owner.json("POST", "/passkeys/options", { current_password: PASSWORD }))["options"]);
}

async function request(browser: Browser): Promise<Json> {
  return record((await browser.json("POST", "/session/passkey/options", {}))["options"]);
}

test("a passkey signs in without a password, and without the authenticator's code", async () => {
  await using set = await withPasskey();
  const browser = set.all.browser();
  const options = await request(browser);
  assert.deepEqual([options["rpId"], options["userVerification"]], ["rostrum.example.com", "required"]);
  assert.equal(options["allowCredentials"], undefined, "nobody learns who has which passkey");
  const reply = await browser.send("POST", "/session/passkey", { response: set.device.get(options, ORIGIN) });
  assert.deepEqual([reply.status, reply.json()], [200, { second_factor: null }]);
  assert.equal(record((await browser.json("GET", "/session"))["account"])["email"], OWNER);
  const [listed] = records((await browser.json("GET", "/passkeys"))["passkeys"]);
  assert.equal(listed?.["name"], "Laptop");
  assert.equal(typeof listed?.["last_used_at"], "string");
  const actions = await auditActions(set.owner);
  assert.deepEqual(actions.slice(-2), ["passkey.added", "session.started"]);
});

test("a challenge works once, within five minutes, and for its purpose only", async () => {
  await using set = await withPasskey();
  const browser = set.all.browser();
  const status = async (response: Json) => (await browser.send("POST", "/session/passkey", { response })).status;
  const options = await request(browser);
  assert.equal(await status(set.device.get(options, ORIGIN)), 200);
  assert.equal(await status(set.device.get(options, ORIGIN)), 401, "again");
  const late = await request(browser);
  set.pass(5 * 60_000);
  assert.equal(await status(set.device.get(late, ORIGIN)), 401, "late");
  const made = { ...(await creation(set.owner)), rpId: "rostrum.example.com" };
  assert.equal(await status(set.device.get(made, ORIGIN)), 401, "another ceremony's");
  assert.equal(await status(set.device.get({ ...late, challenge: "bm9ib2R5IG1hZGUgdGhpcw" }, ORIGIN)), 401, "nobody's");
});

test("responses signed for another site, by another device, by a copy or without verifying the user are refused", async () => {
  await using set = await withPasskey();
  const browser = set.all.browser();
  const status = async (response: Json) => (await browser.send("POST", "/session/passkey", { response })).status;
  assert.equal(await status(set.device.get(await request(browser), "https://evil.example")), 401);
  assert.equal(await status(set.device.get({ ...(await request(browser)), rpId: "evil.example" }, ORIGIN)), 401);
  assert.equal(await status(new Authenticator().get(await request(browser), ORIGIN)), 401);
  const forged = new Authenticator().get(await request(browser), ORIGIN);
  const id = set.device.id.toString("base64url");
  assert.equal(await status({ ...forged, id, rawId: id }), 401);
  set.device.isUserVerified = false;
  assert.equal(await status(set.device.get(await request(browser), ORIGIN)), 401);
  set.device.isUserVerified = true;
  assert.equal(await status(set.device.get(await request(browser), ORIGIN)), 200);
  set.device.counter--;
  assert.equal(await status(set.device.get(await request(browser), ORIGIN)), 401, "the counter of a copy");
  for (const response of [{}, { id }, { id: 1, response: null }, { id, rawId: id, type: "public-key", response: {} }]) {
    assert.equal(await status(response), 401, JSON.stringify(response));
  }
  assert.deepEqual(set.service.log.failures, []);
});

test("a passkey that was removed, or whose account is disabled, opens nothing", async () => {
  await using set = await withPasskey();
  await set.all.person("owner", null, "other@example.com");
  const browser = set.all.browser();
  const status = async () =>
    (await browser.send("POST", "/session/passkey", { response: set.device.get(await request(browser), ORIGIN) }))
      .status;
  const member = (await listMembers(set.service.app, null)).find(({ email }) => email === OWNER);
  await setMemberDisabled(set.service.app, member?.id ?? "", true, CLI_ORIGIN);
  assert.equal(await status(), 401);
  await setMemberDisabled(set.service.app, member?.id ?? "", false, CLI_ORIGIN);
  assert.equal(await status(), 200);
  const path = `/passkeys/${set.device.id.toString("base64url")}`;
  const long = await set.all.owner();
  set.pass(10 * 60_000);
  const refused = await long.send("DELETE", path);
  assert.deepEqual([refused.status, record(refused.json())["param"]], [403, "current_password"]);
  assert.equal(await status(), 200);
  assert.equal((await set.all.browser().signIn("other@example.com")).status, 200);
  assert.equal((await browser.send("DELETE", path)).status, 204);
  assert.equal(await status(), 401);
});

test("factors added after a reset was requested for an unsafe account are gone once its link is used", async () => {
  await using set = await withPasskey();
  const signsIn = async (device: Authenticator) => {
    const browser = set.all.browser();
    const response = device.get(await request(browser), ORIGIN);
    return (await browser.send("POST", "/session/passkey", { response })).status === 200;
  };
  const addTotp = async (browser: Browser, password: string) => {
    const { secret } = await browser.json("POST", "/totp", { current_password: password });
    const totp = new TOTP({ secret: String(secret) });
    await browser.json("PUT", "/totp", { code: totp.generate({ timestamp: set.now() }) });
    return totp;
  };
  const reset = async (
    without: Parameters<typeof requestReset>[2],
    password: string,
    meanwhile: () => Promise<void>,
  ) => {
    const { token } = await requestReset(set.service.app, OWNER, without, CLI_ORIGIN);
    await meanwhile();
    const browser = set.all.browser();
    await browser.json("POST", "/welcome", { token, password });
    const reply = await browser.signIn(OWNER, password);
    assert.deepEqual(reply.json(), { second_factor: null }, "no authenticator is asked for");
    return browser;
  };
  let intruders = set.device;
  const first = await reset({ withoutPasskeys: true }, "nine new lanterns", async () => {
    intruders = await add(set.owner, PASSWORD);
    await addTotp(set.owner, PASSWORD);
  });
  assert.deepEqual([await signsIn(set.device), await signsIn(intruders)], [false, false]);
  const own = await add(first, "nine new lanterns");
  const second = await reset({ withoutTotp: true }, "ten newer lanterns", async () => {
    intruders = await add(first, "nine new lanterns");
    await addTotp(first, "nine new lanterns");
  });
  assert.deepEqual([await signsIn(own), await signsIn(intruders)], [true, false], "an earlier passkey stays");
  let later = own;
  await reset({}, "eleven lanterns now", async () => {
    later = await add(second, "ten newer lanterns");
  });
  assert.deepEqual([await signsIn(own), await signsIn(later)], [true, true], "a plain reset keeps all");
  const totp = await addTotp(await signedIn(set.all.browser(), "eleven lanterns now"), "eleven lanterns now");
  const { token } = await requestReset(set.service.app, OWNER, { withoutPasskeys: true }, CLI_ORIGIN);
  const browser = set.all.browser();
  await browser.json("POST", "/welcome", { token, password: PASSWORD });
  set.pass(30_000);
  assert.deepEqual((await browser.signIn(OWNER)).json(), { second_factor: "totp" }, "an earlier authenticator stays");
  const code = totp.generate({ timestamp: set.now() });
  assert.deepEqual((await browser.signIn(OWNER, PASSWORD, code)).json(), { second_factor: null });
  assert.deepEqual([await signsIn(own), await signsIn(later)], [false, false]);
});

async function add(browser: Browser, password: string): Promise<Authenticator> {
  const device = new Authenticator();
  const { options } = await browser.json("POST", "/passkeys/options", { current_password: password });
  await browser.json("POST", "/passkeys", { name: "", response: device.create(record(options), ORIGIN) }, 204);
  return device;
}

async function signedIn(browser: Browser, password: string): Promise<Browser> {
  assert.equal((await browser.signIn(OWNER, password)).status, 200);
  return browser;
}

test("a session that ends while it adds a passkey or an authenticator adds none", async () => {
  await using set = await withPasskey();
  const [session] = records((await set.owner.json("GET", "/sessions"))["sessions"]);
  const { id } = record((await set.owner.json("GET", "/session"))["account"]);
  const whose = { accountId: String(id), sessionId: String(session?.["id"]) };
  const origin = { actor: whose.accountId, address: null };
  const response = new Authenticator().create(await creation(set.owner), ORIGIN);
  const { secret } = await set.owner.json("POST", "/totp", { current_password: PASSWORD });
  const code = new TOTP({ secret: String(secret) }).generate({ timestamp: set.now() });
  await endSession(set.service.app, whose.accountId, whose.sessionId, CLI_ORIGIN);
  const party = { id: new URL(ORIGIN).hostname, origin: ORIGIN };
  const ended = { code: "unauthenticated" };
  await assert.rejects(addPasskey(set.service.app, whose, { name: "", response }, party, origin), ended);
  await assert.rejects(confirmTotp(set.service.app, whose, code, origin), ended);
  const again = await set.all.owner();
  assert.equal(records((await again.json("GET", "/passkeys"))["passkeys"]).length, 1);
});

test("adding a passkey needs the password and a response made for this challenge", async () => {
  await using set = await withPasskey();
  const add = async (response: Json) => (await set.owner.send("POST", "/passkeys", { name: "", response })).status;
  assert.equal((await set.owner.send("POST", "/passkeys/options", { current_password: "guessed it" })).status, 400);
  const options = await creation(set.owner);
  assert.equal(records(options["excludeCredentials"]).length, 1);
  assert.equal(await add(new Authenticator().create(options, "https://evil.example")), 400);
  assert.equal(await add({}), 400);
  const other = await set.all.person("viewer");
  const theirs = await creation(other);
  assert.equal(await add(new Authenticator().create(theirs, ORIGIN)), 400, "of another person's ceremony");
  assert.equal(await add(set.device.create(options, ORIGIN)), 409, "the same one again");
  const device = new Authenticator();
  assert.equal(await add(device.create(await creation(set.owner), ORIGIN)), 204);
  assert.equal(records((await set.owner.json("GET", "/passkeys"))["passkeys"]).length, 2);
});

test("without a public address passkeys work at localhost, and elsewhere the refusal says so", async () => {
  await using service = await startTestService();
  using all = people(service);
  await all.owner();
  const host = `localhost:${new URL(service.url).port}`;
  const browser = all.browser({ Host: host });
  await browser.signIn(OWNER);
  const device = new Authenticator();
  const response = device.create(await creation(browser), `http://${host}`);
  await browser.json("POST", "/passkeys", { name: "Key", response }, 204);
  const answer = device.get(await request(browser), `http://${host}`);
  await browser.json("POST", "/session/passkey", { response: answer });
  const elsewhere = await all.browser().send("POST", "/session/passkey/options", {});
  assert.equal(elsewhere.status, 409);
  assert.match(elsewhere.text, /ROSTRUM_PUBLIC_URL/);
});
