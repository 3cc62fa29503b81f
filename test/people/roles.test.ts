/** What a role reaches. permission-matrix.test.ts has every route. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ACTIONS, type Action, can, ROLES, type Role } from "../../src/domain/people/permissions.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { OWNER, people } from "./dashboard.ts";

describe("the role of one website", () => {
  test("gives no right on another website", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const mine = service.website.id;
    const other = (await service.newWebsite({ name: "Other" })).id;
    const local = await all.person("owner", mine, "local@example.com");
    const me = await local.json("GET", "/session");
    assert.deepEqual(me["everywhere"], { role: null, permissions: [] });
    assert.deepEqual(
      records(me["websites"]).map(({ id, role }) => [id, role]),
      [[mine, "owner"]],
    );
    const status = async (method: string, path: string, body?: Json) => (await local.send(method, path, body)).status;
    assert.equal(await status("GET", `/members?website_id=${mine}`), 200);
    assert.equal(await status("GET", `/members?website_id=${other}`), 403);
    assert.equal(await status("GET", "/members"), 403);
    assert.equal(await status("GET", "/audit"), 403);
    const person = { email: "new@example.com", role: "owner" };
    const invitation = (website_id: string | null) => Object.assign({ website_id }, person);
    assert.equal(await status("POST", "/members", invitation(other)), 403);
    assert.equal(await status("POST", "/members", invitation(null)), 403);
    assert.equal(
      await status("POST", `/members?website_id=${mine}`, invitation(null)),
      403,
      "the query does not count",
    );
    assert.equal(await status("POST", "/members", invitation(mine)), 201);
    const [everywhere] = records((await owner.json("GET", "/members"))["members"]);
    assert.equal(everywhere?.["email"], OWNER);
    assert.equal(await status("PATCH", `/members/${String(everywhere?.["id"])}`, { role: "viewer" }), 403);
    assert.equal(await status("DELETE", `/members/${String(everywhere?.["id"])}`), 403);
    const { entries } = await local.json("GET", `/audit?website_id=${mine}`);
    assert.ok(records(entries).every((entry) => entry["website_id"] === mine));
    const invited = records(entries).filter(({ action }) => action === "member.invited");
    assert.equal(invited.length, 2);
  });

  test("is the strongest of several", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const both = await all.person("viewer", null, "both@example.com");
    const added = { email: "both@example.com", role: "approver", website_id: service.website.id };
    assert.equal((await owner.json("POST", "/members", added, 201))["link"], null);
    const me = await both.json("GET", "/session");
    assert.equal(record(me["everywhere"])["role"], "viewer");
    assert.equal(records(me["websites"])[0]?.["role"], "approver");
  });
});

test("allows all that a lower role does; only owners have keys, webhooks, members and the audit log", () => {
  const added: Record<Role, Action[]> = {
    viewer: ["articles.read"],
    editor: ["articles.comment", "articles.edit", "articles.import"],
    approver: ["articles.approve", "articles.publish", "articles.delete"],
    owner: ["keys.manage", "webhooks.manage", "website.manage", "members.manage", "audit.read"],
  };
  const all: Action[] = [];
  for (const role of ROLES) {
    all.push(...added[role]);
    assert.deepEqual(
      ACTIONS.filter((action) => can(role, action)),
      ACTIONS.filter((action) => all.includes(action)),
      role,
    );
  }
  assert.equal(can(null, "articles.read"), false);
});
