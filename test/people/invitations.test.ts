import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeSetUpLink } from "../../src/operations/invitations.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { auditActions, type Browser, OWNER, PASSWORD, people, tokenOf } from "./dashboard.ts";

/** The membership of that e-mail address, as the owner sees it. */
async function memberOf(owner: Browser, email: string): Promise<Json> {
  const { members } = await owner.json("GET", "/members");
  return record(records(members).find((member) => member["email"] === email));
}

describe("the first owner", () => {
  test("sets e-mail address and password by a link that is good once; then there are no more such links", async () => {
    await using service = await startTestService();
    using all = people(service);
    const [token, another] = [await makeSetUpLink(service.app), await makeSetUpLink(service.app)];
    const browser = all.browser();
    assert.deepEqual(await browser.json("POST", "/welcome/link", { token: another }), {
      purpose: "set-up",
      email: null,
      name: null,
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

  test("is one, although two links are used at the same moment", async () => {
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

  test("has a day's time, and no token stands in the database", async () => {
    let now = Date.now();
    await using service = await startTestService({}, (app) => ({ ...app, clock: () => now }));
    using all = people(service);
    const token = await makeSetUpLink(service.app);
    const rows = await service.app.store.read((db) => db.all<object>("SELECT * FROM one_time_links"));
    assert.ok(!JSON.stringify(rows).includes(String(token)));
    now += 86_400_000;
    assert.equal((await all.browser().send("POST", "/welcome/link", { token })).status, 404);
  });
});

describe("an invitation", () => {
  test("gives the role it was made for; it is good once, and void when another is made", async () => {
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
    assert.deepEqual(actions, ["member.invited", "member.invited"]);
  });

  test("is good for seven days", async () => {
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

  test("of somebody who is removed again is void, and nothing is left of the account", async () => {
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

describe("members", () => {
  test("the last owner can be neither removed nor demoted nor disabled; the last but one can", async () => {
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

  test("of two owners who demote each other at the same moment, one stays", async () => {
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

  test("a person who is disabled is signed out at once, cannot come back, and is what they were when enabled", async () => {
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

  test("a person who is removed is signed out at once", async () => {
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

test("the audit log is read page by page, newest first, and says who, what and from where", async () => {
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
