import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { describe, test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { setMemberDisabled } from "../../src/operations/people/members.ts";
import { startService } from "../../src/service/service.ts";
import { record, records } from "../helpers/http.ts";
import { startTestService, withRealPasswords } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { auditActions, OWNER, PASSWORD, people } from "./dashboard.ts";

describe("signing in", () => {
  test("sets a cookie that scripts cannot read, and returns the account with its permissions", async () => {
    await using service = await startTestService();
    using all = people(service);
    await all.owner();
    const browser = all.browser();
    const reply = await browser.signIn(` ${OWNER.toUpperCase()} `);
    assert.deepEqual([reply.status, reply.json()], [200, { second_factor: null }]);
    assert.match(
      String(reply.headers["set-cookie"]?.[0]),
      /^rostrum=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/,
    );
    assert.match(
      String(reply.headers["set-cookie"]?.[1]),
      /^rostrum-device-[\da-f]{12}=[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/,
    );
    assert.equal(reply.headers["cache-control"], "no-store");
    assert.match(String(reply.headers["content-security-policy"]), /^default-src 'none'/);
    const me = await browser.json("GET", "/session");
    assert.equal(record(me["account"])["email"], OWNER);
    assert.deepEqual(
      records(me["websites"]).map(({ id, role }) => [id, role]),
      [[service.website.id, "owner"]],
    );
    assert.equal((await browser.send("DELETE", "/session")).status, 204);
    assert.equal(browser.cookie, undefined);
  });

  test("over TLS binds the cookie to this host, and ignores the other name", async () => {
    await using service = await startTestService({ ROSTRUM_PUBLIC_URL: "https://rostrum.example.com" });
    using all = people(service);
    const owner = await all.owner();
    assert.match(String(owner.cookie), /^__Host-rostrum=/);
    assert.equal((await owner.send("GET", "/session")).status, 200);
    owner.cookie = owner.cookie?.replace("__Host-", "");
    assert.equal((await owner.send("GET", "/session")).status, 401);
  });

  test("gets the same response for unknown, disabled and invited accounts and wrong passwords", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const disabled = await all.person("viewer", null, "disabled@example.com");
    await owner.json("POST", "/members", { email: "invited@example.com", role: "viewer" }, 201);
    const { members } = await owner.json("GET", "/members");
    const { id } = records(members).find(({ email }) => email === "disabled@example.com") ?? {};
    await setMemberDisabled(service.app, String(id), true, CLI_ORIGIN);
    assert.equal((await disabled.send("GET", "/session")).status, 401, "its sessions are over");
    const replies = await Promise.all([
      all.browser().signIn("nobody@example.com"),
      all.browser().signIn("disabled@example.com"),
      all.browser().signIn("invited@example.com"),
      all.browser().signIn(OWNER, "another password"),
      all.browser().signIn("not an address", ""),
    ]);
    for (const reply of replies) {
      assert.deepEqual(
        [reply.status, reply.json(), reply.headers["set-cookie"], reply.headers["www-authenticate"]],
        [
          401,
          { error: "Unauthorized", message: "The e-mail address, the password or the code is wrong." },
          undefined,
          undefined,
        ],
      );
    }
    await until("the refusals of people we know are in the audit log", async () => {
      return (await auditActions(owner)).filter((action) => action === "session.refused").length === 3;
    });
  });

  test("has to wait after ten failures of an e-mail address, known or not; other addresses do not", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    await all.person("viewer");
    for (const email of [OWNER, "nobody@example.com"]) {
      const browser = all.browser();
      const replies = [];
      for (let tries = 0; tries < 11; tries++) replies.push(await browser.signIn(email, "another password"));
      assert.deepEqual(
        replies.map(({ status }) => status),
        [...Array.from({ length: 10 }, () => 401), 429],
      );
      const last = replies.at(-1);
      assert.ok(Number(last?.headers["retry-after"]) > 0);
      assert.deepEqual(Object.keys(record(last?.json())), ["error", "message"]);
      assert.equal((await browser.signIn(email, PASSWORD)).status, 429, "the right one, too");
    }
    assert.equal((await all.browser().signIn("viewer@example.com")).status, 200);
    assert.equal((await owner.send("GET", "/session")).status, 200);
  });

  test("is not locked by wrong links from the same address: of guests and in e-mails", async () => {
    await using service = await startTestService();
    using all = people(service);
    await all.owner();
    const paths = ["guest-review", "welcome/link", "confirm-email", "undo-email"];
    for (const path of paths) {
      for (let no = 0; no < 60; no++) {
        const { status } = await all.browser().send("POST", `/${path}`, { token: "x" });
        assert.ok(status === 404 || status === 429, path);
      }
    }
    assert.equal((await all.browser().signIn(OWNER)).status, 200);
  });

  test("is possible from a known browser while strangers guess, with a limit of its own", async () => {
    await using service = await startTestService();
    using all = people(service);
    await all.owner();
    await all.person("viewer");
    const first = await all.browser().signIn(OWNER);
    const Cookie = first.headers["set-cookie"]?.[1]?.split(";")[0];
    const viewers = await all.browser().signIn("viewer@example.com");
    const other = viewers.headers["set-cookie"]?.[1]?.split(";")[0];
    const stranger = all.browser();
    for (let tries = 0; tries < 10; tries++) {
      assert.equal((await stranger.signIn(OWNER, "another password")).status, 401);
    }
    assert.equal((await stranger.signIn(OWNER)).status, 429);
    assert.equal((await all.browser({ Cookie: String(other) }).signIn(OWNER)).status, 429, "known, of somebody else");
    const known = all.browser({ Cookie: String(Cookie) });
    const again = await known.signIn(OWNER);
    assert.equal(again.status, 200);
    assert.equal(again.headers["set-cookie"]?.length, 1, "it is known already");
    for (let tries = 0; tries < 10; tries++) await known.signIn(OWNER, "another password");
    assert.equal((await known.signIn(OWNER)).status, 429, "the device's own");
  });

  test("does not count towards the limit when it succeeds", async () => {
    await using service = await startTestService();
    using all = people(service);
    await all.owner();
    for (let tries = 0; tries < 12; tries++) assert.equal((await all.browser().signIn(OWNER)).status, 200);
  });
});

test("replaces a hash with outdated parameters, which then keeps working", async () => {
  await using service = await startTestService({}, withRealPasswords);
  using all = people(service);
  await all.owner();
  const salt = Buffer.from("sixteen bytes ok");
  const cost = { memory: 8_192, passes: 1, parallelism: 1, tagLength: 32 };
  const bytes = argon2Sync("argon2id", { message: PASSWORD, nonce: salt, ...cost });
  const [saltText, hashText] = [salt, bytes].map((part) => part.toString("base64").replaceAll("=", ""));
  const older = `$argon2id$v=19$m=8192,t=1,p=1$${saltText}$${hashText}`;
  await service.app.store.write((db) => db.run("UPDATE accounts SET password_hash = ?", older));
  assert.equal((await all.browser().signIn(OWNER)).status, 200);
  const row = await service.app.store.read((db) => db.get("SELECT password_hash FROM accounts"));
  assert.match(row?.password_hash ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal((await all.browser().signIn(OWNER)).status, 200);
});

describe("sessions", () => {
  test("are listed with where they are from, and each can be ended from another", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const phone = all.browser({ "User-Agent": "A phone" });
    await phone.signIn(OWNER);
    const sessions = records((await owner.json("GET", "/sessions"))["sessions"]);
    assert.deepEqual(
      sessions.map(({ address, user_agent, current }) => JSON.stringify([address, user_agent, current])).toSorted(),
      [`["127.0.0.1","",true]`, `["127.0.0.1","A phone",false]`],
    );
    const other = sessions.find(({ current }) => current === false);
    assert.equal((await owner.send("DELETE", `/sessions/${String(other?.["id"])}`)).status, 204);
    assert.equal((await phone.send("GET", "/session")).status, 401);
    assert.equal((await owner.send("DELETE", `/sessions/${String(other?.["id"])}`)).status, 404);
  });

  test("of another person can be neither seen nor ended", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const viewer = await all.person("viewer");
    const [mine] = records((await owner.json("GET", "/sessions"))["sessions"]);
    assert.equal(records((await viewer.json("GET", "/sessions"))["sessions"]).length, 1);
    assert.equal((await viewer.send("DELETE", `/sessions/${String(mine?.["id"])}`)).status, 404);
    assert.equal((await owner.send("GET", "/session")).status, 200);
  });

  test("of others can be ended if the password was entered within ten minutes; one's own at any time", async () => {
    let now = Date.now();
    await using service = await startTestService({}, (app) => ({ ...app, clock: () => now }));
    using all = people(service);
    const owner = await all.owner();
    const other = await all.owner();
    const sessions = records((await owner.json("GET", "/sessions"))["sessions"]);
    const [theirs, mine] = [false, true].map((is) => String(sessions.find(({ current }) => current === is)?.["id"]));
    now += 10 * 60_000;
    const refused = await owner.send("DELETE", `/sessions/${theirs}`);
    assert.deepEqual([refused.status, record(refused.json())["param"]], [403, "current_password"]);
    assert.equal((await owner.send("POST", "/session/confirm", { current_password: "another one" })).status, 400);
    assert.equal((await owner.send("DELETE", `/sessions/${theirs}`)).status, 403);
    assert.equal((await owner.send("POST", "/session/confirm", { current_password: PASSWORD })).status, 204);
    assert.equal((await owner.send("DELETE", `/sessions/${theirs}`)).status, 204);
    assert.equal((await other.send("GET", "/session")).status, 401);
    now += 10 * 60_000;
    assert.equal((await owner.send("DELETE", `/sessions/${mine}`)).status, 204);
  });

  test("end after fourteen unused days and ninety days at most", async () => {
    let now = Date.now();
    const day = 86_400_000;
    await using service = await startTestService({}, (app) => ({ ...app, clock: () => now }));
    using all = people(service);
    const owner = await all.owner();
    for (let days = 0; days < 78; days += 13) {
      now += 13 * day;
      assert.equal((await owner.send("GET", "/session")).status, 200, `day ${days + 13}`);
    }
    now += 12 * day;
    assert.equal((await owner.send("GET", "/session")).status, 401, "day 90");
    const again = await all.owner();
    now += 14 * day;
    assert.equal((await again.send("GET", "/session")).status, 401);
  });

  test("are valid on every node, and end on every node at once", async () => {
    await using service = await startTestService();
    await using other = await openApp({ ...service.app.config, port: 0 });
    await using node = await startService(other, service.log);
    using all = people(service);
    using elsewhere = people({ url: node.url, app: other });
    const owner = await all.owner();
    const editor = await all.person("editor");
    const [there, editorThere] = [elsewhere.browser(), elsewhere.browser()];
    for (const [browser, cookie] of [
      [there, owner.cookie],
      [editorThere, editor.cookie],
    ] as const) {
      browser.cookie = cookie;
      assert.equal((await browser.send("GET", "/session")).status, 200);
    }
    const member = records((await there.json("GET", "/members"))["members"]).find(({ role }) => role === "editor");
    await there.json("PATCH", `/members/${String(member?.["id"])}`, { disabled: true });
    assert.equal((await editor.send("GET", "/session")).status, 401);
    assert.equal((await owner.send("DELETE", "/session")).status, 204);
    assert.equal((await there.send("GET", "/session")).status, 401);
  });

  test("have tokens, which are not stored in the database", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const rows = await service.app.store.read((db) => db.all("SELECT * FROM sessions"));
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes(String(owner.cookie?.split("=")[1])));
  });
});

describe("changing the password", () => {
  test("needs the current one, ends the other sessions, and invalidates the earlier one", async () => {
    await using service = await startTestService({}, withRealPasswords);
    using all = people(service);
    const owner = await all.owner();
    const other = await all.owner();
    const change = (current_password: string, password: string) =>
      owner.send("PUT", "/password", { current_password, password });
    const wrong = await change("another password", "nine new lanterns");
    assert.deepEqual([wrong.status, record(wrong.json())["param"]], [400, "current_password"]);
    for (const weak of ["short", "password123", OWNER, "aaaaaaaaaaaa", "x1y2".repeat(300)]) {
      const reply = await change(PASSWORD, weak);
      assert.deepEqual([reply.status, record(reply.json())["param"]], [400, "password"], weak);
    }
    assert.equal((await other.send("GET", "/session")).status, 200);
    const taken = owner.cookie;
    assert.equal((await change(PASSWORD, "nine new lanterns")).status, 204);
    const thief = all.browser();
    thief.cookie = taken;
    assert.equal((await thief.send("GET", "/session")).status, 401, "the session goes on under another token");
    assert.equal((await other.send("GET", "/session")).status, 401);
    assert.equal((await owner.send("GET", "/session")).status, 200);
    assert.equal((await all.browser().signIn(OWNER)).status, 401);
    assert.equal((await all.browser().signIn(OWNER, "nine new lanterns")).status, 200);
  });
});

test("forgets the browsers that were known before, except the one in use", async () => {
  await using service = await startTestService();
  using all = people(service);
  await all.owner();
  const knownBrowser = async (password: string) => {
    const reply = await all.browser().signIn(OWNER, password);
    assert.equal(reply.status, 200);
    const [Cookie = ""] = String(reply.headers["set-cookie"]?.[1]).split(";");
    const isKnown = async (newest: string) => {
      const again = await all.browser({ Cookie }).signIn(OWNER, newest);
      assert.equal(again.status, 200);
      return again.headers["set-cookie"]?.length === 1;
    };
    return { isKnown, session: String(reply.headers["set-cookie"]?.[0]).split(";")[0], device: Cookie };
  };
  const [one, other] = [await knownBrowser(PASSWORD), await knownBrowser(PASSWORD)];
  const browser = all.browser({ Cookie: `${one.session}; ${one.device}` });
  await browser.json("PUT", "/password", { current_password: PASSWORD, password: "nine new lanterns" }, 204);
  assert.deepEqual([await one.isKnown("nine new lanterns"), await other.isKnown("nine new lanterns")], [true, false]);
  const { token } = await requestReset(service.app, OWNER, {}, CLI_ORIGIN);
  await all.browser().json("POST", "/welcome", { token, password: PASSWORD });
  assert.equal(await one.isKnown(PASSWORD), false, "after a reset none is known");
});
