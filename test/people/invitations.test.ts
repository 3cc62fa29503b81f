import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeSetUpLink } from "../../src/operations/people/invitations.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { auditActions, type Browser, OWNER, PASSWORD, people, tokenOf } from "./dashboard.ts";

/** The membership of that e-mail address, as the owner sees it. */
async function memberOf(owner: Browser, email: string): Promise<Json> {
  const { members } = await owner.json("GET", "/members");
  return record(records(members).find((member) => member["email"] === email));
}

describe("the first owner", () => {
  test("sets e-mail address and password by a link that works once", async () => {
    await using service = await startTestService();
    using all = people(service);
    const [token, another] = [await makeSetUpLink(service.app), await makeSetUpLink(service.app)];
    const browser = all.browser();
    assert.deepEqual(await browser.json("POST", "/welcome/link", { token: another }), {
      purpose: "set-up",
      email: null,
      name: null,
      has_password: false,
    });
    assert.equal((await browser.send("POST", "/welcome", { token, password: PASSWORD })).status, 400, "without e-mail");
    const welcome = { token, email: OWNER, name: "Olga", password: PASSWORD };
    assert.deepEqual(await browser.json("POST", "/welcome", welcome), { purpose: "set-up", signed_in: true });
    assert.equal(record((await browser.json("GET", "/session"))["everywhere"])["role"], "owner");
    const [member] = records((await browser.json("GET", "/members"))["members"]);
    assert.equal(typeof member?.["last_sign_in_at"], "string", "entering is signing in");
    for (const used of [token, another]) {
      const reply = await all.browser().send("POST", "/welcome", { ...welcome, token: used, email: "eve@example.com" });
      assert.equal(reply.status, 404);
    }
    assert.equal(await makeSetUpLink(service.app), null);
  });

  test("is created once, although two links are used at the same moment", async () => {
    await using service = await startTestService();
    using all = people(service);
    const tokens = [await makeSetUpLink(service.app), await makeSetUpLink(service.app)];
    const replies = await Promise.all(
      tokens.map((token, index) =>
        all.browser().send("POST", "/welcome", { token, email: `${index}@example.com`, password: PASSWORD }),
      ),
    );
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 404],
    );
  });

  test("has a day to use the link, and no token is in the database", async () => {
    let now = Date.now();
    await using service = await startTestService({}, (app) => ({ ...app, clock: () => now }));
    using all = people(service);
    const token = await makeSetUpLink(service.app);
    const rows = await service.app.store.read((db) => db.all("SELECT * FROM one_time_links"));
    assert.ok(!JSON.stringify(rows).includes(String(token)));
    now += 86_400_000;
    assert.equal((await all.browser().send("POST", "/welcome/link", { token })).status, 404);
  });
});

describe("an invitation", () => {
  test("grants its role, works once, and is replaced by a newer one", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const website_id = service.website.id;
    const input = { email: "Ed@Example.com", name: "Ed", role: "editor", website_id };
    const made = await owner.json("POST", "/members", input, 201);
    const member = record(made["member"]);
    assert.deepEqual([member["email"], member["role"], member["state"]], ["ed@example.com", "editor", "invited"]);
    const again = await owner.json("POST", `/members/${String(member["id"])}/invitation`, {});
    const [first, second] = [tokenOf(made["link"]), tokenOf(again["link"])];
    assert.ok(String(again["link"]).startsWith(`${service.url}/dashboard/welcome#`));
    const editor = all.browser();
    assert.equal((await editor.send("POST", "/welcome", { token: first, password: PASSWORD })).status, 404);
    assert.deepEqual(await editor.json("POST", "/welcome/link", { token: second }), {
      purpose: "invitation",
      email: "ed@example.com",
      name: "Ed",
      has_password: false,
    });
    await editor.json("POST", "/welcome", { token: second, name: "Eddie", password: PASSWORD });
    const me = await editor.json("GET", "/session");
    assert.deepEqual(
      [record(me["account"])["name"], records(me["websites"]).map(({ id, role }) => [id, role])],
      ["Eddie", [[website_id, "editor"]]],
    );
    assert.equal((await editor.send("POST", "/welcome", { token: second, password: PASSWORD })).status, 404);
    assert.equal((await owner.send("POST", "/members", input)).status, 409);
    const late = await owner.send("POST", `/members/${String(member["id"])}/invitation`, {});
    assert.equal(late.status, 409, "who has a password needs none");
    const actions = (await auditActions(owner)).filter((action) => action.startsWith("member."));
    assert.deepEqual(actions, ["member.invited", "member.invited", "member.accepted"]);
  });

  test("is created at most twenty times a day by one person or for one website, and five times for one address", async () => {
    let now = Date.now();
    await using service = await startTestService({}, (app) => ({ ...app, clock: () => now }));
    using all = people(service);
    const owner = await all.owner();
    const invitation = (email: string, website_id: string | null = null) =>
      owner.send("POST", "/members", { email, role: "viewer", website_id });
    const made = record((await invitation("0@example.com")).json());
    const again = `/members/${String(record(made["member"])["id"])}/invitation`;
    for (let count = 1; count < 5; count++) await owner.json("POST", again, {});
    const refused = await owner.send("POST", again, {});
    assert.deepEqual(
      [refused.status, record(refused.json())["message"]],
      [429, "0@example.com was invited 5 times within a day; try again tomorrow."],
    );
    const { id } = service.website;
    for (let count = 5; count < 20; count++) assert.equal((await invitation(`${count}@example.com`, id)).status, 201);
    assert.equal((await invitation("more@example.com", id)).status, 429);
    assert.equal((await invitation("more@example.com")).status, 429, "for another website, too");
    const other = await all.person("owner", id, "other@example.com");
    const byOther = (no: number) =>
      other.send("POST", "/members", { email: `other${no}@example.com`, role: "viewer", website_id: id });
    for (let count = 15; count < 20; count++) assert.equal((await byOther(count)).status, 201);
    assert.equal((await byOther(20)).status, 429);
    now += 86_400_000;
    assert.equal((await invitation("more@example.com", id)).status, 201);
  });

  test("is valid for seven days", async () => {
    let now = Date.now();
    await using service = await startTestService({}, (app) => ({ ...app, clock: () => now }));
    using all = people(service);
    const owner = await all.owner();
    const { link } = await owner.json("POST", "/members", { email: "ed@example.com", role: "editor" }, 201);
    now += 7 * 86_400_000 - 1;
    assert.equal((await all.browser().send("POST", "/welcome/link", { token: tokenOf(link) })).status, 200);
    now += 1;
    assert.equal((await all.browser().send("POST", "/welcome/link", { token: tokenOf(link) })).status, 404);
  });

  test("is void when the person is removed again, and nothing is left of the account", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const made = await owner.json("POST", "/members", { email: "ed@example.com", role: "editor" }, 201);
    assert.equal((await owner.send("DELETE", `/members/${String(record(made["member"])["id"])}`)).status, 204);
    const reply = await all.browser().send("POST", "/welcome", { token: tokenOf(made["link"]), password: PASSWORD });
    assert.equal(reply.status, 404);
    assert.deepEqual((await auditActions(owner)).slice(-2), ["member.removed", "account.removed"]);
  });
});

const EMAIL = "new@example.com";

/** The owner of everything, and one of each of two websites. */
async function withOwners() {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startTestService());
  const all = opened.use(people(service));
  const [first, second] = [service.website.id, (await service.newWebsite()).id];
  const owner = await all.owner();
  const local = await all.person("owner", first, "first@example.com");
  const other = await all.person("owner", second, "second@example.com");
  const owned = opened.move();
  return {
    all,
    first,
    second,
    owner,
    local,
    other,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function invite(by: Browser, website_id: string | null, role: string): Promise<Json> {
  return by.json("POST", "/members", { email: EMAIL, role, website_id }, 201);
}

async function sites(browser: Browser) {
  const { everywhere, websites } = await browser.json("GET", "/session");
  return [record(everywhere)["role"], records(websites).map(({ id, role }) => [id, role])];
}

describe("an owner of one website", () => {
  test("is shown no link for a person invited by somebody who owns everything, in either order", async () => {
    await using set = await withOwners();
    await invite(set.owner, null, "owner");
    const mine = await invite(set.local, set.first, "viewer");
    assert.deepEqual([mine["link"], mine["mailed"], record(mine["member"])["state"]], [null, false, "invited"]);
    const again = await set.local.send("POST", `/members/${String(record(mine["member"])["id"])}/invitation`, {});
    assert.equal(again.status, 409);
    assert.match(String(record(again.json())["message"]), /Ask an owner of every website/);
    assert.equal((await set.owner.send("DELETE", `/members/${String(record(mine["member"])["id"])}`)).status, 204);
    const later = await invite(set.other, set.second, "viewer");
    assert.equal(later["link"], null);
  });

  test("gets nothing that others grant to an address whose invitation they were shown and accepted", async () => {
    await using set = await withOwners();
    const { link } = await invite(set.local, set.first, "viewer");
    const global = await invite(set.owner, null, "owner");
    const thief = set.all.browser();
    await thief.json("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
    assert.deepEqual(await sites(thief), [null, [[set.first, "viewer"]]]);
    // The other order: an account that somebody lesser has opened is not a member at once.
    assert.equal((await invite(set.other, set.second, "owner"))["link"], null);
    assert.deepEqual(await sites(thief), [null, [[set.first, "viewer"]]]);
    const person = set.all.browser();
    const read = await person.json("POST", "/welcome/link", { token: tokenOf(global["link"]) });
    assert.equal(read["has_password"], true);
    await person.json("POST", "/welcome", { token: tokenOf(global["link"]), password: "nine new lanterns" });
    assert.deepEqual((await sites(person))[0], "owner");
    assert.equal((await thief.send("GET", "/session")).status, 401);
    assert.equal((await set.all.browser().signIn(EMAIL)).status, 401, "the earlier password");
    const states = records((await set.owner.json("GET", "/members"))["members"])
      .filter(({ email }) => email === EMAIL)
      .map(({ state }) => state);
    assert.deepEqual(states, ["active", "active", "active"]);
  });

  test("can no longer use the links that they were shown once their rights are taken away", async () => {
    await using set = await withOwners();
    const { link } = await invite(set.local, set.first, "owner");
    const member = await memberOf(set.owner, "first@example.com");
    await set.owner.json("PATCH", `/members/${String(member["id"])}`, { role: "editor" });
    const reply = await set.local.send("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
    assert.equal(reply.status, 404);
  });

  test("adds a trusted person at once, and a membership that is removed takes its link with it", async () => {
    await using set = await withOwners();
    await set.all.person("viewer", set.second, EMAIL);
    assert.equal(record((await invite(set.local, set.first, "editor"))["member"])["state"], "active");
    const made = await set.local.json(
      "POST",
      "/members",
      { email: "gone@example.com", role: "viewer", website_id: set.first },
      201,
    );
    await set.owner.json("POST", "/members", { email: "gone@example.com", role: "viewer" }, 201);
    assert.equal((await set.local.send("DELETE", `/members/${String(record(made["member"])["id"])}`)).status, 204);
    const reply = await set.all.browser().send("POST", "/welcome/link", { token: tokenOf(made["link"]) });
    assert.equal(reply.status, 404);
  });
});

describe("members", () => {
  test("keep their last owner, who cannot be removed, demoted or disabled", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const path = `/members/${String((await memberOf(owner, OWNER))["id"])}`;
    await owner.json("POST", "/members", { email: "invited@example.com", role: "owner" }, 201);
    const statuses = async () => [
      (await owner.send("DELETE", path)).status,
      (await owner.send("PATCH", path, { role: "approver" })).status,
      (await owner.send("PATCH", path, { disabled: true })).status,
    ];
    assert.deepEqual(await statuses(), [409, 409, 409], "somebody who is only invited is nobody yet");
    const other = await all.person("owner", null, "other@example.com");
    assert.equal((await owner.send("PATCH", path, { role: "viewer" })).status, 200);
    assert.equal((await owner.send("GET", "/members")).status, 403, "from this moment on");
    const last = `/members/${String((await memberOf(other, "other@example.com"))["id"])}`;
    assert.equal((await other.send("DELETE", last)).status, 409);
  });

  test("keep one of two owners who demote each other at the same moment", async () => {
    await using service = await startTestService();
    using all = people(service);
    const one = await all.owner();
    const two = await all.person("owner", null, "two@example.com");
    const ids = await Promise.all([OWNER, "two@example.com"].map((email) => memberOf(one, email)));
    const replies = await Promise.all([
      one.send("PATCH", `/members/${String(ids[1]?.["id"])}`, { role: "viewer" }),
      two.send("PATCH", `/members/${String(ids[0]?.["id"])}`, { role: "viewer" }),
    ]);
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 403],
    );
  });

  test("are signed out at once when disabled, cannot sign in, and have their roles again when enabled", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const editor = await all.person("editor");
    const path = `/members/${String((await memberOf(owner, "editor@example.com"))["id"])}`;
    assert.equal((await owner.json("PATCH", path, { disabled: true }))["state"], "disabled");
    assert.equal((await editor.send("GET", "/session")).status, 401);
    assert.equal((await all.browser().signIn("editor@example.com")).status, 401);
    assert.equal((await owner.json("PATCH", path, { disabled: false }))["state"], "active");
    assert.equal((await editor.send("GET", "/session")).status, 401, "the earlier session stays over");
    assert.equal((await editor.signIn("editor@example.com")).status, 200);
  });

  test("are signed out at once when removed", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const editor = await all.person("editor");
    await owner.json(
      "DELETE",
      `/members/${String((await memberOf(owner, "editor@example.com"))["id"])}`,
      undefined,
      204,
    );
    assert.equal((await editor.send("GET", "/session")).status, 401);
    assert.equal((await all.browser().signIn("editor@example.com")).status, 401);
  });
});

test("read the audit log page by page, newest first, with who did what and from where", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  for (let index = 0; index < 7; index++) {
    await owner.json("POST", "/members", { email: `${index}@example.com`, role: "viewer" }, 201);
  }
  const seen: Json[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await owner.json("GET", `/audit?limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`);
    seen.push(...records(page["entries"]));
    cursor = page["next_cursor"] === null ? null : JSON.stringify(page["next_cursor"]).slice(1, -1);
  }
  assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length);
  assert.deepEqual(seen.map(({ action }) => action).toReversed(), [
    // By the test's own set-up.
    "website.created",
    "key.created",
    "password.set",
    "session.started",
    ...Array.from({ length: 7 }, () => "member.invited"),
  ]);
  const [newest] = seen;
  assert.equal(record(newest?.["actor"])["email"], OWNER);
  assert.deepEqual(
    [newest?.["address"], newest?.["detail"]],
    ["127.0.0.1", { email: "6@example.com", role: "viewer" }],
  );
  assert.equal((await owner.send("GET", "/audit?limit=0")).status, 400);
  assert.equal((await owner.send("GET", "/audit?cursor=nonsense")).status, 400);
});
