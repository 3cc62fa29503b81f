import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { TOTP } from "otpauth";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { secretBox } from "../../src/domain/system/secret-box.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { record } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { auditActions, type Browser, OWNER, PASSWORD, people } from "./dashboard.ts";

const STEP_MS = 30_000;

/** A service whose clock stands still, and an owner with an authenticator. */
async function withTotp() {
  await using opened = new AsyncDisposableStack();
  let now = Date.now();
  const service = opened.use(await startTestService({}, (app) => ({ ...app, clock: () => now })));
  const all = opened.use(people(service));
  const owner = await all.owner();
  const { secret, code } = await begin(owner, () => now);
  const { recovery_codes: codes } = await owner.json("PUT", "/totp", { code: code() });
  assert.ok(Array.isArray(codes));
  const owned = opened.move();
  return {
    service,
    all,
    owner,
    secret,
    code,
    recoveryCodes: codes.map(String),
    pass: (ms: number) => {
      now += ms;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function begin(owner: Browser, clock: () => number) {
  const { secret, uri } = await owner.json("POST", "/totp", { current_password: PASSWORD });
  // As an authenticator reads it from the QR code.
  const { searchParams } = new URL(String(uri));
  assert.equal(searchParams.get("secret"), secret);
  const totp = new TOTP({ secret: String(searchParams.get("secret")) });
  return { secret: String(secret), code: (offsetMs = 0) => totp.generate({ timestamp: clock() + offsetMs }) };
}

describe("an authenticator", () => {
  test("is required from its first code on; the password alone is no longer enough", async () => {
    await using set = await withTotp();
    set.pass(STEP_MS);
    const browser = set.all.browser();
    const half = await browser.signIn(OWNER);
    assert.deepEqual([half.status, half.json()], [200, { second_factor: "totp" }]);
    assert.equal(browser.cookie, undefined);
    const other = set.code() === "000000" ? "000001" : "000000";
    assert.equal((await browser.signIn(OWNER, PASSWORD, other)).status, 401);
    assert.equal((await browser.signIn(OWNER, "another password", set.code())).status, 401);
    const full = await browser.signIn(OWNER, PASSWORD, set.code());
    assert.deepEqual([full.status, full.json()], [200, { second_factor: null }]);
    assert.deepEqual(await browser.json("GET", "/totp"), { enabled: true, recovery_codes_left: 10 });
  });

  test("accepts a code once, and at most one step early or late", async () => {
    await using set = await withTotp();
    const status = async (code: string) => (await set.all.browser().signIn(OWNER, PASSWORD, code)).status;
    assert.equal(await status(set.code()), 401, "it was used to confirm");
    set.pass(3 * STEP_MS);
    assert.equal(await status(set.code(-2 * STEP_MS)), 401);
    assert.equal(await status(set.code(2 * STEP_MS)), 401);
    const late = set.code(-STEP_MS);
    const typed = `${late.slice(0, 3)} ${late.slice(3)}`;
    assert.equal(await status(typed), 200);
    assert.equal(await status(late), 401, "again");
    assert.equal(await status(set.code(STEP_MS)), 200, "a fast clock");
  });

  test("admits only one of two people who show the same code at once", async () => {
    await using set = await withTotp();
    set.pass(STEP_MS);
    const code = set.code();
    const replies = await Promise.all([1, 2].map(() => set.all.browser().signIn(OWNER, PASSWORD, code)));
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 401],
    );
  });

  test("allows guessing only five codes, even with the right password", async () => {
    await using set = await withTotp();
    set.pass(STEP_MS);
    const wrong = set.code() === "000000" ? "000001" : "000000";
    const browser = set.all.browser();
    for (let tries = 0; tries < 5; tries++) assert.equal((await browser.signIn(OWNER, PASSWORD, wrong)).status, 401);
    const reply = await browser.signIn(OWNER, PASSWORD, set.code());
    assert.equal(reply.status, 429);
    assert.ok(Number(reply.headers["retry-after"]) > 60);
    await until("the refusals are in the audit log", async () => {
      return (await auditActions(set.owner)).filter((action) => action === "session.refused").length === 5;
    });
  });

  test("cannot be locked by somebody without the password", async () => {
    await using set = await withTotp();
    set.pass(STEP_MS);
    const stranger = set.all.browser();
    for (let tries = 0; tries < 6; tries++) {
      assert.equal((await stranger.signIn(OWNER, "another password", "123456")).status, 401);
    }
    assert.equal((await set.all.browser().signIn(OWNER, PASSWORD, set.code())).status, 200);
  });

  test("has recovery codes that work once each, and that new ones replace", async () => {
    await using set = await withTotp();
    const [first = "", second = ""] = set.recoveryCodes;
    assert.equal(new Set(set.recoveryCodes).size, 10);
    assert.match(first, /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/);
    const status = async (code: string) => (await set.all.browser().signIn(OWNER, PASSWORD, code)).status;
    assert.equal(await status(first.toLowerCase().replaceAll("-", " ")), 200);
    assert.equal(await status(first), 401);
    assert.deepEqual(await set.owner.json("GET", "/totp"), { enabled: true, recovery_codes_left: 9 });
    await set.owner.json("POST", "/totp/recovery-codes", { current_password: PASSWORD });
    assert.equal(await status(second), 401);
    assert.ok((await auditActions(set.owner)).includes("recovery_code.used"));
    const rows = await set.service.app.store.read(async (db) => [
      await db.all("SELECT * FROM totp"),
      await db.all("SELECT * FROM recovery_codes"),
      await db.all("SELECT * FROM audit_log"),
    ]);
    const text = JSON.stringify(rows);
    for (const secret of [set.secret, second, second.replaceAll("-", "")]) assert.ok(!text.includes(secret));
  });

  test("is turned off with the password; being signed in is not enough", async () => {
    await using set = await withTotp();
    const refused = await set.owner.send("DELETE", "/totp", { current_password: "another password" });
    assert.equal(refused.status, 400);
    assert.equal((await set.owner.send("POST", "/totp", { current_password: PASSWORD })).status, 409, "in use");
    assert.equal((await set.owner.send("DELETE", "/totp", { current_password: PASSWORD })).status, 204);
    assert.deepEqual((await set.all.browser().signIn(OWNER)).json(), { second_factor: null });
  });

  test("is not required if it was never confirmed", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    await begin(owner, Date.now);
    assert.equal((await owner.send("PUT", "/totp", { code: "12" })).status, 400);
    assert.deepEqual((await all.browser().signIn(OWNER)).json(), { second_factor: null });
  });

  test("stays after a password reset, unless the command says otherwise", async () => {
    await using set = await withTotp();
    const browser = set.all.browser();
    const reset = async (withoutTotp: boolean) => {
      const { token } = await requestReset(set.service.app, OWNER, { withoutTotp }, CLI_ORIGIN);
      return browser.json("POST", "/welcome", { token, password: "nine new lanterns" });
    };
    assert.deepEqual(await reset(false), { purpose: "reset", signed_in: false });
    assert.equal((await set.owner.send("GET", "/session")).status, 401, "all sessions are over");
    assert.deepEqual((await browser.signIn(OWNER, "nine new lanterns")).json(), { second_factor: "totp" });
    await reset(true);
    assert.deepEqual((await browser.signIn(OWNER, "nine new lanterns")).json(), { second_factor: null });
  });

  test("that another secret key sealed says so, and what to do; a recovery code still works, and no new authenticator can be set up", async () => {
    let key = 1;
    const box = () => secretBox(Buffer.alloc(32, key), randomBytes);
    await using service = await startTestService({}, (app) => ({ ...app, secrets: box }));
    using all = people(service);
    const owner = await all.owner();
    const { code } = await begin(owner, Date.now);
    const { recovery_codes: codes } = await owner.json("PUT", "/totp", { code: code() });
    assert.ok(Array.isArray(codes));
    const viewer = await all.person("viewer");
    key = 2;
    const browser = all.browser();
    const reply = await browser.signIn(OWNER, PASSWORD, code());
    assert.equal(reply.status, 503);
    const { error, message } = record(reply.json());
    assert.equal(error, "Service Unavailable");
    assert.match(String(message), /encrypted with another key; a recovery code still works\. .*ROSTRUM_SECRET_KEY/);
    assert.equal((await viewer.send("POST", "/totp", { current_password: PASSWORD })).status, 503);
    assert.equal((await all.browser().signIn(OWNER, PASSWORD, String(codes[0]))).status, 200);
    key = 1;
    assert.equal((await viewer.send("POST", "/totp", { current_password: PASSWORD })).status, 200);
  });
});
