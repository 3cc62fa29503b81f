/** Who may use which route. A route that is added must be added to the table, or the last test fails. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ACTIONS, type Action, can, ROLES, type Role } from "../../src/domain/permissions.ts";
import { Catalog } from "../../src/operations/catalog.ts";
import { buildAdmin } from "../../src/http/admin/admin.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { API, type Browser, OWNER, people } from "./dashboard.ts";

type Who = "nobody" | Role;
const SIGNED_IN: readonly Who[] = ROLES;
const EVERYBODY: readonly Who[] = ["nobody", ...ROLES];
const EDITORS: readonly Who[] = ["editor", "approver", "owner"];
const APPROVERS: readonly Who[] = ["approver", "owner"];
const OWNERS: readonly Who[] = ["owner"];
const NEVER = "1970-01-01T00:00:00.000Z";

interface Row {
  route: string;
  may: readonly Who[];
  body?: Json;
  /** Of the body, if it is not JSON. */
  type?: string;
}

/** What is sent changes nothing: allowed, it is answered by something other than 401 and 403. */
const TABLE: readonly Row[] = [
  { route: "GET /session", may: SIGNED_IN },
  { route: "DELETE /session", may: SIGNED_IN },
  { route: "GET /sessions", may: SIGNED_IN },
  { route: "DELETE /sessions/:id", may: SIGNED_IN },
  { route: "PUT /password", may: SIGNED_IN, body: { current_password: "", password: "" } },
  { route: "GET /totp", may: SIGNED_IN },
  { route: "POST /totp", may: SIGNED_IN, body: { current_password: "" } },
  { route: "PUT /totp", may: SIGNED_IN, body: { code: "000000" } },
  { route: "DELETE /totp", may: SIGNED_IN, body: { current_password: "" } },
  { route: "POST /totp/recovery-codes", may: SIGNED_IN, body: { current_password: "" } },
  { route: "GET /passkeys", may: SIGNED_IN },
  { route: "POST /passkeys", may: SIGNED_IN, body: { name: "", response: {} } },
  { route: "POST /passkeys/options", may: SIGNED_IN, body: { current_password: "" } },
  { route: "DELETE /passkeys/:id", may: SIGNED_IN },
  { route: "POST /session/passkey", may: EVERYBODY, body: {} },
  { route: "POST /session/passkey/options", may: EVERYBODY, body: {} },
  { route: "GET /members", may: OWNERS },
  { route: "POST /members", may: OWNERS, body: { email: "nonsense", role: "viewer" } },
  { route: "POST /members/:id/invitation", may: OWNERS, body: {} },
  { route: "PATCH /members/:id", may: OWNERS, body: { role: "viewer" } },
  { route: "DELETE /members/:id", may: OWNERS },
  { route: "GET /audit", may: OWNERS },
  { route: "GET /articles", may: SIGNED_IN },
  { route: "GET /articles/counts", may: SIGNED_IN },
  { route: "GET /articles/place", may: SIGNED_IN },
  { route: "GET /articles/labels", may: SIGNED_IN },
  { route: "POST /articles/bulk/approve", may: APPROVERS, body: { website_id: "", articles: [] } },
  { route: "POST /articles/bulk/publish", may: APPROVERS, body: { website_id: "", articles: [] } },
  { route: "POST /articles/bulk/approve-and-publish", may: APPROVERS, body: { website_id: "", articles: [] } },
  { route: "POST /articles/bulk/unpublish", may: APPROVERS, body: { website_id: "", articles: [] } },
  { route: "POST /articles/bulk/delete", may: APPROVERS, body: { website_id: "", articles: [] } },
  { route: "POST /articles/bulk/restore", may: APPROVERS, body: { website_id: "", articles: [] } },
  { route: "POST /imports", may: EDITORS, body: {}, type: "application/octet-stream" },
  { route: "GET /exports", may: SIGNED_IN },
  { route: "POST /articles", may: EDITORS, body: { website_id: "", title: "" } },
  { route: "POST /articles/preview", may: EDITORS, body: { website_id: "", changes: { title: "x" } } },
  { route: "GET /articles/:id", may: SIGNED_IN },
  { route: "PATCH /articles/:id", may: EDITORS, body: { version: 1, changes: { title: "x" } } },
  { route: "DELETE /articles/:id/draft", may: EDITORS },
  { route: "POST /articles/:id/draft/publish", may: APPROVERS, body: { version: 1, draft_saved_at: NEVER } },
  { route: "POST /articles/:id/approve", may: APPROVERS, body: { version: 1 } },
  { route: "POST /articles/:id/request-changes", may: APPROVERS, body: { version: 1, reason: "x" } },
  { route: "POST /articles/:id/publish", may: APPROVERS, body: { version: 1 } },
  { route: "POST /articles/:id/approve-and-publish", may: APPROVERS, body: { version: 1 } },
  { route: "POST /articles/:id/schedule", may: APPROVERS, body: { version: 1, publish_at: null } },
  { route: "POST /articles/:id/unpublish", may: APPROVERS, body: { version: 1 } },
  { route: "POST /articles/:id/delete", may: APPROVERS, body: { version: 1 } },
  { route: "POST /articles/:id/restore", may: APPROVERS, body: { version: 1 } },
  { route: "GET /articles/:id/history", may: SIGNED_IN },
  { route: "GET /articles/:id/comparison", may: SIGNED_IN },
  { route: "GET /articles/:id/revisions/:revision", may: SIGNED_IN },
  { route: "POST /articles/:id/revisions/:revision/restore", may: EDITORS, body: { version: 1 } },
  { route: "GET /overview", may: SIGNED_IN },
  { route: "GET /getting-started", may: SIGNED_IN },
  { route: "GET /live", may: SIGNED_IN },
  { route: "POST /websites", may: OWNERS, body: { name: "" } },
  { route: "GET /websites/:id", may: SIGNED_IN },
  { route: "PATCH /websites/:id", may: OWNERS, body: { name: "" } },
  { route: "GET /api-keys", may: OWNERS },
  { route: "POST /api-keys", may: OWNERS, body: { website_id: "", name: "" } },
  { route: "POST /api-keys/:id/revoke", may: OWNERS, body: {} },
  { route: "GET /webhooks", may: OWNERS },
  { route: "POST /webhooks", may: OWNERS, body: { website_id: "", url: "" } },
  { route: "POST /webhooks/check", may: OWNERS, body: { website_id: "", url: "" } },
  { route: "GET /webhooks/:id", may: OWNERS },
  { route: "PATCH /webhooks/:id", may: OWNERS, body: { thin: true } },
  { route: "DELETE /webhooks/:id", may: OWNERS },
  { route: "POST /webhooks/:id/test", may: OWNERS, body: {} },
  { route: "POST /webhooks/:id/pause", may: OWNERS, body: {} },
  { route: "POST /webhooks/:id/enable", may: OWNERS, body: { replay: "none" } },
  { route: "POST /webhooks/:id/rotate", may: OWNERS, body: {} },
  { route: "POST /webhooks/:id/replay", may: OWNERS, body: { since: "2026-01-01T00:00:00.000Z" } },
  { route: "GET /webhooks/:id/deliveries", may: OWNERS },
  { route: "GET /deliveries/:id", may: OWNERS },
  { route: "POST /deliveries/:id/redeliver", may: OWNERS, body: {} },
  { route: "POST /welcome", may: EVERYBODY, body: { token: "", password: "" } },
  { route: "POST /welcome/link", may: EVERYBODY, body: { token: "" } },
  { route: "POST /session", may: EVERYBODY, body: { email: "" } },
];

test("each route lets those in who may, and refuses everybody else", async (context) => {
  await using service = await startTestService();
  using all = people(service);
  const browsers = new Map<Who, () => Promise<Browser>>([["nobody", async () => all.browser()]]);
  const owner = await all.owner();
  browsers.set("owner", async () => owner);
  for (const role of ROLES.filter((one) => one !== "owner")) {
    const person = await all.person(role);
    browsers.set(role, async () => person);
  }
  // Signing out is last: whoever may has done it then.
  const rows = TABLE.toSorted((a, b) => Number(a.route === "DELETE /session") - Number(b.route === "DELETE /session"));
  for (const { route, may, body, type } of rows) {
    await context.test(route, async () => {
      const [method = "", path = ""] = route.split(" ");
      for (const who of EVERYBODY) {
        const browser = await browsers.get(who)?.();
        const address = path.replace(":id", "01a1fdf4-0000-7000-8000-000000000000");
        const reply = await browser?.send(method, address, body, type === undefined ? {} : { "Content-Type": type });
        const isIn = reply?.status !== 401 && reply?.status !== 403;
        assert.equal(isIn, may.includes(who), `${who}: ${reply?.status} ${reply?.text}`);
        assert.ok((reply?.status ?? 500) < 500, `${who}: ${reply?.text}`);
        if (!isIn) assert.equal(reply?.status, who === "nobody" ? 401 : 403, who);
      }
    });
  }
});

test("the table has every route there is", async () => {
  await using service = await startTestService();
  const admin = await buildAdmin({
    deps: service.app,
    catalog: new Catalog({ store: service.app.store, cacheBytes: 1_000, onChange: () => {} }),
    disableAfter: 10,
    publicUrl: null,
    readImport: async function* () {},
    uploads: new WeakSet(),
    log: service.log,
    onError: (error) => service.log.failures.push({ error }),
  });
  await admin.ready();
  const missing = TABLE.filter(({ route }) => {
    const [method = "", path = ""] = route.split(" ");
    return !admin.hasRoute({ method, url: API + path });
  });
  assert.deepEqual(missing, []);
  const tree = admin.printRoutes({ commonPrefix: false });
  const routes = [...tree.matchAll(/\(([A-Z, ]+)\)/g)].flatMap(([, methods = ""]) => methods.split(", "));
  assert.equal(routes.filter((method) => method !== "HEAD").length, TABLE.length, tree);
  await admin.close();
});

describe("the role of one website", () => {
  test("says nothing of another, and does not reach every website", async () => {
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

  test("the strongest of several counts", async () => {
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

test("a higher role may all that a lower one may; and only owners have keys, webhooks, members and the log", () => {
  const added: Record<Role, Action[]> = {
    viewer: ["articles.read"],
    editor: ["articles.edit", "articles.import"],
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
