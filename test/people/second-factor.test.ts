/** A website may require a second factor of its members. permission-matrix.test.ts tries every route without one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TOTP } from "otpauth";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { createWebsite, updateWebsite } from "../../src/operations/website/websites.ts";
import { Listening } from "../system/event-source.ts";
import { cliJson } from "../helpers/cli-in-process.ts";
import { record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { Authenticator } from "./authenticator.ts";
import { type Browser, OWNER, PASSWORD, people } from "./dashboard.ts";

const ORIGIN = "https://rostrum.example.com";

async function open() {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startTestService({ ROSTRUM_PUBLIC_URL: ORIGIN }));
  const all = opened.use(people(service));
  const owner = await all.owner();
  const { id } = service.website;
  const owned = opened.move();
  return {
    service,
    all,
    owner,
    id,
    require: () => updateWebsite(service.app, id, { requiresSecondFactor: true }, CLI_ORIGIN),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function addTotp(browser: Browser): Promise<TOTP> {
  const { secret } = await browser.json("POST", "/totp", { current_password: PASSWORD });
  const totp = new TOTP({ secret: String(secret) });
  await browser.json("PUT", "/totp", { code: totp.generate() });
  return totp;
}

async function addPasskey(browser: Browser): Promise<Authenticator> {
  const device = new Authenticator();
  const { options } = await browser.json("POST", "/passkeys/options", { current_password: PASSWORD });
  const response = device.create(record(options), ORIGIN);
  await browser.json("POST", "/passkeys", { name: "Laptop", response }, 204);
  return device;
}

async function signInWith(device: Authenticator, browser: Browser): Promise<void> {
  const { options } = await browser.json("POST", "/session/passkey/options", {});
  await browser.json("POST", "/session/passkey", { response: device.get(record(options), ORIGIN) });
}

test("setting up an authenticator opens the website at once; turning it off closes it in every session", async () => {
  await using set = await open();
  await set.require();
  const path = `/overview?website_id=${set.id}`;
  const editor = await set.all.person("editor", set.id);
  const other = set.all.browser();
  await other.signIn("editor@example.com");
  const before = records((await editor.json("GET", "/session"))["websites"])[0];
  assert.deepEqual([before?.["needs_second_factor"], before?.["permissions"]], [true, []]);
  const { message } = await editor.json("GET", path, undefined, 403);
  assert.match(String(message), /set up an authenticator or a passkey under Account/);
  await addTotp(editor);
  await editor.json("GET", path);
  assert.equal((await other.send("GET", path)).status, 403, "another session has shown none");
  await editor.json("DELETE", "/totp", { current_password: PASSWORD }, 204);
  assert.equal((await editor.send("GET", path)).status, 403);
});

test("a code at sign-in opens the website", async () => {
  await using set = await open();
  const totp = await addTotp(set.owner);
  await set.require();
  const again = set.all.browser();
  const later = totp.generate({ timestamp: Date.now() + 30_000 });
  assert.equal((await again.signIn(OWNER, PASSWORD, later)).status, 200);
  await again.json("GET", `/websites/${set.id}`);
});

test("a passkey opens it; the password of somebody who has one does not, and cannot replace the factor", async () => {
  await using set = await open();
  const editor = await set.all.person("editor", set.id);
  const device = await addPasskey(editor);
  await set.require();
  const path = `/articles?view=pending&website_id=${set.id}`;
  await editor.json("GET", path);
  const stolen = set.all.browser();
  await stolen.signIn("editor@example.com");
  await stolen.json("GET", path, undefined, 403);
  const [passkey] = records((await stolen.json("GET", "/passkeys"))["passkeys"]);
  const { message } = await stolen.json("DELETE", `/passkeys/${String(passkey?.["id"])}`, {}, 403);
  assert.match(String(message), /sign in with it before you remove it/);
  const proof = { current_password: PASSWORD };
  await stolen.json("POST", "/totp", proof, 403);
  await stolen.json("POST", "/passkeys/options", proof, 403);
  const rightful = set.all.browser();
  await signInWith(device, rightful);
  await rightful.json("GET", path);
  await addTotp(rightful);
});

test("a session from before the authenticator, by password, gets no recovery codes and adds no factor", async () => {
  await using set = await open();
  const editor = await set.all.person("editor", set.id);
  const earlier = set.all.browser();
  await earlier.signIn("editor@example.com");
  await addTotp(editor);
  await set.require();
  const proof = { current_password: PASSWORD };
  await earlier.json("POST", "/totp/recovery-codes", proof, 403);
  await earlier.json("POST", "/passkeys/options", proof, 403);
  await editor.json("POST", "/totp/recovery-codes", proof);
});

test("an owner who has shown no factor gets no link on another website that would open this one", async () => {
  await using set = await open();
  const device = await addPasskey(set.owner);
  await set.require();
  const other = await createWebsite(set.service.app, { name: "Other", url: null, urlPattern: null }, CLI_ORIGIN);
  const invitee = { email: "ida@example.com", role: "editor" };
  await set.owner.json("POST", "/members", { ...invitee, website_id: set.id }, 201);
  const stolen = set.all.browser();
  await stolen.signIn(OWNER);
  const { message } = await stolen.json("POST", "/members", { ...invitee, website_id: other.id }, 403);
  assert.match(String(message), /requires a second factor/);
  const shown = set.all.browser();
  await signInWith(device, shown);
  const { member } = await shown.json("POST", "/members", { ...invitee, website_id: other.id }, 201);
  const path = `/members/${String(record(member)["id"])}`;
  await stolen.json("POST", `${path}/invitation`, {}, 403);
  await stolen.json("PATCH", path, { disabled: true }, 403);
  await stolen.json("PATCH", path, { role: "viewer" });
});

test("an operator's reset keeps passkeys, and removes them when the command says so", async () => {
  await using set = await open();
  const planted = await addPasskey(set.owner);
  const somebody = set.all.browser();
  await requestReset(set.service.app, OWNER, {}, CLI_ORIGIN);
  await signInWith(planted, somebody);
  await requestReset(set.service.app, OWNER, { withoutPasskeys: true }, CLI_ORIGIN);
  const { options } = await somebody.json("POST", "/session/passkey/options", {});
  await somebody.json("POST", "/session/passkey", { response: planted.get(record(options), ORIGIN) }, 401);
});

test("requiring a factor needs one's own, is in the audit log, and disconnects people without one", async () => {
  await using set = await open();
  const viewer = await set.all.person("viewer", set.id);
  const change = { requires_second_factor: true };
  const { message } = await set.owner.json("PATCH", `/websites/${set.id}`, change, 409);
  assert.match(String(message), /you would lock yourself out/);
  await addTotp(set.owner);
  using listening = await Listening.to(set.service.url, viewer, set.id);
  const answer = await set.owner.json("PATCH", `/websites/${set.id}`, change);
  assert.equal(answer["requires_second_factor"], true);
  await until("the viewer is sent away", () => listening.isOver);
  const { entries } = await set.owner.json("GET", `/audit?website_id=${set.id}&about=websites`);
  assert.deepEqual(records(entries)[0]?.["detail"], { second_factor: "required" });
  // A request about every website is also about this one.
  const all = await set.all.person("owner", null, "second@example.com");
  await all.json("GET", "/members", undefined, 403);
  await all.json("POST", "/websites", { name: "Another" }, 403);
});

test("a command stops requiring it for everybody", async () => {
  await using set = await open();
  await set.require();
  await set.owner.json("GET", `/websites/${set.id}`, undefined, 403);
  const { dataDir: data, database } = set.service.app.config;
  const env = database.kind === "postgres" ? { DATABASE_URL: database.url } : {};
  const options = { data, cwd: import.meta.dirname, env };
  const told = await cliJson(["website", "second-factor", set.id, "optional"], options);
  assert.equal(record(told)["requires_second_factor"], false);
  await set.owner.json("GET", `/websites/${set.id}`);
});
