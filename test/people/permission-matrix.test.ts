/**
 * Everybody at every route: each role of the website itself, of another one and of all of them, each access token, and whoever
 * is signed out, in several ways. The requests are real, and name things that exist. permission-matrix.ts says who may.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOTP } from "otpauth";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { ROLE_OF_SCOPE, TOKEN_SCOPES, type TokenScope } from "../../src/domain/people/access-token.ts";
import { mintKey } from "../../src/domain/people/api-key.ts";
import { ROLES, type Role } from "../../src/domain/people/permissions.ts";
import type { Arrival } from "../../src/domain/articles/senders/sender.ts";
import { insertArrival } from "../../src/store/articles/senders/arrivals.ts";
import { insertAsset } from "../../src/store/articles/assets.ts";
import { createArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { createToken, findMachine, revokeToken } from "../../src/operations/people/access-tokens.ts";
import { addMember, listMembers, setMemberDisabled } from "../../src/operations/people/members.ts";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { Client, type Json, record, records, type Reply } from "../helpers/http.ts";
import { buildInspectedAdmin } from "../helpers/inspected-admin.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { newSender } from "../senders/new-sender.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { API, type Browser, PASSWORD, type People, people } from "./dashboard.ts";
import { AGENTS, DESCRIPTION, DISABLE, MANAGED, type Row, ROWS, SENDERS, type Site } from "./permission-matrix.ts";

interface Persona {
  name: string;
  browser: Browser;
  /** null: signed out. */
  roles: { own: Role | null; other: Role | null; everywhere: Role | null } | null;
}

const NONE = { own: null, other: null, everywhere: null };

const MANAGEMENT = "/api/management";

let opened: AsyncDisposableStack;
let service: TestService;
let everybody: People;
/** Owns everything; takes part in no row. */
let owner: Browser;
let receiver: ScriptedReceiver;
let own: Site;
let other: Site;
let personas: Persona[];

before(async () => {
  opened = new AsyncDisposableStack();
  receiver = opened.use(await ScriptedReceiver.start());
  service = opened.use(await startTestService(LOOPBACK));
  everybody = opened.use(people(service));
  owner = await everybody.owner();
  own = await newSite("Own");
  other = await newSite("Other");
  personas = await everyPersona();
});
after(() => opened[Symbol.asyncDispose]());

test("nobody without permission gets in, and their attempts change nothing", async (context) => {
  const states = await Promise.all([stateOf(own), stateOf(other)]);
  for (const row of ROWS) {
    await context.test(nameOf(row), async () => {
      for (const persona of personas) {
        const expected = expectation(persona, row);
        if (expected === "in") continue;
        const { status, text } = await send(persona.browser, row, own);
        assert.ok(expected.includes(status), `${persona.name}: ${status} instead of ${expected.join(" or ")}: ${text}`);
      }
    });
  }
  assert.deepEqual(await Promise.all([stateOf(own), stateOf(other)]), states);
});

test("no access token gets further than its scope and its website", async (context) => {
  const machines = await newMachines();
  const states = await Promise.all([stateOf(own), stateOf(other)]);
  for (const row of MANAGED) {
    await context.test(row.route, async () => {
      for (const machine of machines) {
        const { name, scope, isForeign } = machine;
        if (scope !== null && mayByScope(scope, row) && !isForeign) continue;
        const { status, text, headers } = await sendByToken(machine, row, own);
        if (scope === null) {
          assert.equal(status, 401, `${name}: ${text}`);
          assert.equal(headers["www-authenticate"], "Bearer", name);
        } else if (!mayByScope(scope, row)) {
          const needed = TOKEN_SCOPES.find((one) => mayByScope(one, row));
          assert.equal(status, 403, `${name}: ${text}`);
          assert.match(text, new RegExp(`access token of the scope ${needed}; the scope of this one is ${scope}\\.`));
        } else {
          assert.equal(status, row.on === "website" ? 403 : 404, `${name}: ${text}`);
        }
      }
    });
  }
  assert.deepEqual(await Promise.all([stateOf(own), stateOf(other)]), states);
});

test("the agents' protocol is for access tokens alone", async () => {
  for (const { scope, name, headers, address } of await newMachines()) {
    for (const { route, status: allowed } of AGENTS) {
      const [method = "", path = ""] = route.split(" ");
      using client = new Client(service.url);
      const json = { ...headers, "Content-Type": "application/json" };
      const reply = await client.send(path, { method, localAddress: address, headers: json, body: "{}" });
      assert.equal(reply.status, scope === null ? 401 : allowed, `${route} with ${name}: ${reply.text}`);
      if (scope === null) assert.equal(reply.headers["www-authenticate"], "Bearer");
    }
  }
});

test("no other site's page gets in with the cookie of an owner of everything", async () => {
  const states = await Promise.all([stateOf(own), stateOf(other)]);
  for (const row of ROWS.filter(({ route, fromAnywhere }) => !route.startsWith("GET ") && fromAnywhere !== true)) {
    const right = row.isFile === true ? "application/octet-stream" : "application/json";
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site", "Content-Type": right },
      { "Sec-Fetch-Site": undefined, Origin: "https://elsewhere.example", "Content-Type": right },
      { "Content-Type": "text/plain" },
      { "Content-Type": "application/x-www-form-urlencoded" },
    ]) {
      const { status, text } = await send(owner, { ...row, body: row.body ?? (() => ({})) }, own, headers);
      assert.equal(status, 403, `${nameOf(row)} with ${JSON.stringify(headers)}: ${text}`);
    }
  }
  assert.deepEqual(await Promise.all([stateOf(own), stateOf(other)]), states);
});

test("HEAD needs the same permission as GET", async () => {
  const nobody = everybody.browser();
  for (const row of ROWS.filter(({ route, least }) => route.startsWith("GET ") && least !== "anyone")) {
    const { status } = await send(nobody, { ...row, route: row.route.replace("GET", "HEAD") }, own);
    assert.ok(status === 401 || status === 404, `${nameOf(row)}: ${status}`);
  }
});

test("rights on one website give no access to another website's resources", async () => {
  const local = personas.find(({ name }) => name === "owner of the other");
  assert.ok(local !== undefined);
  const { browser } = local;
  const foreign = [{ id: own.article }];
  for (const action of ["approve", "publish", "approve-and-publish", "unpublish", "delete", "restore", "set-author"]) {
    const answer = await browser.json("POST", `/articles/bulk/${action}`, {
      website_id: other.website,
      articles: foreign,
    });
    assert.equal(answer["done"], 0, action);
    assert.match(String(records(answer["results"])[0]?.["message"]), /^There is no article/, action);
  }
  const preview = { website_id: other.website, id: own.article, changes: { title: "x" } };
  assert.equal((await browser.send("POST", "/articles/preview", preview)).status, 404);
  const place = `/articles/place?website_id=${other.website}&view=pending&id=${own.article}`;
  assert.equal((await browser.json("GET", place))["index"], null);
  const revision = `/articles/${other.article}/revisions/${own.revision}`;
  assert.equal((await browser.send("GET", revision)).status, 404);
  assert.equal((await browser.send("POST", `${revision}/restore`, { version: 2 })).status, 404);
  const victim = await everybody.person("viewer", own.website, "victim@example.com");
  const { id } = record((await victim.json("GET", "/session"))["session"]);
  assert.equal((await browser.send("DELETE", `/sessions/${String(id)}`)).status, 404);
  assert.equal((await victim.send("GET", "/session")).status, 200);
});

test("a website that requires a second factor admits nobody without one, whatever the role", async (context) => {
  await requireFactor(true);
  for (const row of ROWS.filter(({ on }) => on !== undefined)) {
    await context.test(nameOf(row), async () => {
      for (const persona of personas) {
        const expected = expectation(persona, row);
        const { status, text } = await send(persona.browser, row, own);
        assert.ok(
          (expected === "in" ? [403] : [...expected, 403]).includes(status),
          `${persona.name}: ${status} ${text}`,
        );
        if (expected === "in" && row.isStream !== true) assert.match(text, /requires a second factor/);
      }
    });
  }
  await requireFactor(false);
});

test("everybody with permission gets in", async (context) => {
  for (const row of ROWS) {
    await context.test(nameOf(row), async () => {
      for (const persona of personas) {
        if (expectation(persona, row) !== "in") continue;
        const site = row.usesUp === true ? { ...own, ...(await newThings(own.website)) } : own;
        const { status, text } = await send(persona.browser, row, site);
        assert.equal(status, row.status ?? 200, `${persona.name}: ${text}`);
      }
    });
  }
});

test("a session that has not shown the person's factor may do only what needs none", async (context) => {
  const email = "halfway@example.com";
  const shown = await everybody.person("owner", null, email);
  const session = everybody.browser();
  await session.signIn(email);
  const { secret } = await shown.json("POST", "/totp", { current_password: PASSWORD });
  await shown.json("PUT", "/totp", { code: new TOTP({ secret: String(secret) }).generate() });
  await requireFactor(true);
  // Of the other website, which asks for none.
  for (const row of [DISABLE, ...ROWS].filter(({ on }) => on !== "everywhere")) {
    await context.test(row.route, async () => {
      const isOwn = row.on === undefined;
      const site = row.usesUp === true ? { ...other, ...(await newThings(other.website)) } : other;
      const { status, text } = await send(session, row, site);
      if (row.factors === undefined && row.opensAccount === undefined) assert.notEqual(status, 403, text);
      else {
        assert.equal(status, 403, text);
        assert.match(text, isOwn ? /sign in with it before you remove it/ : /requires a second factor/);
      }
    });
  }
  await requireFactor(false);
});

test("an access token may do what its scope says, on its own website", async (context) => {
  const machines = (await newMachines()).filter(({ scope, isForeign }) => scope !== null && !isForeign);
  for (const row of MANAGED) {
    await context.test(row.route, async () => {
      for (const machine of machines) {
        if (machine.scope === null || !mayByScope(machine.scope, row)) continue;
        const { status, text } = await sendByToken(machine, row, own);
        assert.equal(status, row.status ?? 200, `${machine.name}: ${text}`);
      }
    });
  }
});

test("every route has a row, and every row a route", async () => {
  const admin = await buildInspectedAdmin(service.app);
  const others = [...AGENTS.map(({ route }) => route), ...SENDERS, DESCRIPTION.replace(" ", ` ${MANAGEMENT}`)];
  const rows = toPatterns(ROWS, API).union(toPatterns(MANAGED, MANAGEMENT)).union(new Set(others));
  const missing = [...rows].filter((route) => {
    const [method = "", url = ""] = route.split(" ");
    return !admin.hasRoute({ method, url });
  });
  assert.deepEqual(missing, []);
  const tree = admin.printRoutes({ commonPrefix: false });
  const routes = [...tree.matchAll(/\(([A-Z, ]+)\)/g)].flatMap(([, methods = ""]) => methods.split(", "));
  assert.equal(routes.filter((method) => method !== "HEAD").length, rows.size, tree);
  await admin.close();
});

function toPatterns(rows: readonly Row[], prefix: string): Set<string> {
  return new Set(rows.map(({ route }) => route.replace(" ", ` ${prefix}`).replace(/\/[0-9a-f-]{36}(?=\/|$)/, "/:id")));
}

async function requireFactor(requiresSecondFactor: boolean): Promise<void> {
  await updateWebsite(service.app, own.website, { requiresSecondFactor }, CLI_ORIGIN);
}

/** Every way of being signed out, each role on each website, and a disabled account. */
async function everyPersona(): Promise<Persona[]> {
  const all: Persona[] = [
    { name: "nobody", browser: everybody.browser(), roles: null },
    { name: "a forged session", browser: everybody.browser(), roles: null },
    { name: "a session that was ended", browser: everybody.browser(), roles: null },
    { name: "a disabled account", browser: await everybody.person("owner", null, "disabled@example.com"), roles: null },
  ];
  const [, forged, ended] = all;
  if (forged !== undefined) forged.browser.cookie = `rostrum=${"A".repeat(43)}`;
  const left = await everybody.person("owner", null, "left@example.com");
  if (ended !== undefined) ended.browser.cookie = left.cookie;
  await left.json("DELETE", "/session", {}, 204);
  const disabled = (await listMembers(service.app, null)).find(({ email }) => email === "disabled@example.com");
  await setMemberDisabled(service.app, disabled?.id ?? "", true, CLI_ORIGIN);
  for (const role of ROLES) {
    const browser = (websiteId: string | null, at: string) =>
      everybody.person(role, websiteId, `${role}.${at}@example.com`);
    all.push(
      { name: `${role} of it`, browser: await browser(own.website, "own"), roles: { ...NONE, own: role } },
      { name: `${role} of the other`, browser: await browser(other.website, "other"), roles: { ...NONE, other: role } },
      {
        name: `${role} of all`,
        browser: await browser(null, "all"),
        roles: { own: role, other: role, everywhere: role },
      },
    );
  }
  return all;
}

/** The expected outcome of a request to the website `own`: `in`, or the statuses of a refusal. */
function expectation({ roles }: Persona, { route, least, on }: Row): "in" | number[] {
  if (least === "anyone") return "in";
  if (roles === null) return [401];
  if (least === "self") return "in";
  const mayOn = (role: Role | null) => role !== null && ROLES.indexOf(role) >= ROLES.indexOf(least);
  if (on === "everywhere") return mayOn(roles.everywhere) ? "in" : [403];
  if (mayOn(roles.own)) return "in";
  // To whoever is no member of the website a thing of it does not exist; one that may nothing of the kind anywhere is not
  // even asked which thing.
  const isThing = on !== "website" || route.includes(":id");
  if (!isThing || roles.own !== null || !mayOn(roles.other)) return [403];
  return on === "member" ? [403, 404] : [404];
}

interface Machine {
  name: string;
  /** Null: it must be asked for a token. */
  scope: TokenScope | null;
  /** Whether it belongs to the other website. */
  isForeign: boolean;
  headers: Record<string, string>;
  /** Wrong tokens are limited by address. */
  address: string;
}

/** Other ones at each call, as a token may send only 40 requests at once. */
async function newMachines(): Promise<Machine[]> {
  const { app } = service;
  const make = async (scope: TokenScope, { website }: Site) => {
    const { secret, token } = await createToken(
      app,
      website,
      { name: "A machine", scope, expiresAt: null },
      CLI_ORIGIN,
    );
    // The last use is saved now, and not while states are compared.
    await findMachine(app, secret);
    return { id: token.id, headers: bearer(secret) };
  };
  const [revoked, expired] = [await make("publish", own), await make("publish", own)];
  await revokeToken(app, revoked.id, CLI_ORIGIN);
  await app.store.write((db) =>
    db.run("UPDATE access_tokens SET expires_at = ? WHERE id = ?", app.clock(), expired.id),
  );
  const wrong = {
    "no token": {},
    "a forged token": bearer(mintKey(randomBytes, "rm_")),
    "an API key": bearer((await service.newKey({}, own.website)).secret),
    "an owner's cookie": { Cookie: owner.cookie ?? "", "Sec-Fetch-Site": "same-origin" },
    "a revoked token": revoked.headers,
    "an expired token": expired.headers,
  };
  const all: Omit<Machine, "address">[] = Object.entries(wrong).map(([name, headers]) => {
    return { name, scope: null, isForeign: false, headers };
  });
  for (const scope of TOKEN_SCOPES) {
    all.push({ name: scope, scope, isForeign: false, headers: (await make(scope, own)).headers });
    all.push({ name: `${scope} of the other`, scope, isForeign: true, headers: (await make(scope, other)).headers });
  }
  return all.map((machine, index) => Object.assign(machine, { address: `127.0.0.${index + 2}` }));
}

function bearer(secret: string): Record<string, string> {
  return { Authorization: `Bearer ${secret}` };
}

function mayByScope(scope: TokenScope, { least }: Row): boolean {
  return least !== "anyone" && least !== "self" && ROLES.indexOf(ROLE_OF_SCOPE[scope]) >= ROLES.indexOf(least);
}

async function sendByToken({ headers, address }: Machine, row: Row, site: Site): Promise<Reply> {
  const { method, path, body, type } = toRequest(row, site);
  using client = new Client(service.url);
  return await client.send(MANAGEMENT + path, {
    method,
    localAddress: address,
    headers: { ...headers, "Content-Type": type, "If-Match": row.etag },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function nameOf({ route, on }: Row): string {
  return on === "everywhere" ? `${route} on every website` : route;
}

async function send(browser: Browser, row: Row, site: Site, headers: Record<string, string | undefined> = {}) {
  const { method, path, body, type } = toRequest(row, site);
  if (row.isStream === true) return head(browser, path);
  return browser.send(method, path, body, { ...(row.isFile === true && { "Content-Type": type }), ...headers });
}

function toRequest(row: Row, site: Site) {
  const [method = "", pattern = ""] = row.route.split(" ");
  const { on = "everywhere" } = row;
  const id = on === "everywhere" ? "" : site[on];
  const isInAddress = pattern.includes(":id");
  const address = pattern.replace(":id", id).replace(":revision", site.revision).replace(":external_id", "mine");
  const names =
    on === "website" && !isInAddress && (method === "GET" || method === "DELETE" || row.isFile !== undefined);
  const query = [names ? `website_id=${id}` : "", row.query ?? ""].filter((part) => part !== "").join("&");
  const body = row.isFile === undefined ? row.body?.(site) : {};
  const type = body === undefined ? undefined : "application/json";
  return {
    method,
    path: query === "" ? address : `${address}?${query}`,
    body,
    type: row.isFile === true ? "application/octet-stream" : (row.isFile ?? type),
  };
}

/** The beginning of a response that may be endless. */
async function head({ cookie }: Browser, path: string): Promise<Pick<Reply, "status" | "text">> {
  const asked = request(`${service.url}${API}${path}`, {
    agent: false,
    headers: { "Sec-Fetch-Site": "same-origin", ...(cookie !== undefined && { Cookie: cookie }) },
  });
  asked.end();
  const [response] = await once(asked, "response");
  asked.on("error", () => undefined);
  asked.destroy();
  return { status: response.statusCode, text: "" };
}

async function newSite(name: string): Promise<Site> {
  const { app } = service;
  const website = (await service.newWebsite({ name })).id;
  const { article } = await createArticle(app, website, makeArticle(), CHIEF);
  await updateArticle(app, article.id, { title: "Second title" }, CHIEF);
  const { entries } = await owner.json("GET", `/articles/${article.id}/history`);
  const revision = records(entries).find((entry) => entry["revision"] !== null)?.["revision"];
  const things = await newThings(website);
  await createArticle(app, website, makeArticle({ status: "published" }), CHIEF);
  const path = `/webhooks/${things.webhook}/deliveries`;
  const deliveries = async () => records((await owner.json("GET", path))["deliveries"]);
  await until("the delivery arrived", async () => (await deliveries())[0]?.["state"] === "delivered");
  const delivery = String((await deliveries())[0]?.["id"]);
  const arrival = await newArrival(website, things.sender);
  return {
    website,
    article: article.id,
    revision: String(revision),
    ...things,
    delivery,
    arrival,
    receiver: receiver.url,
  };
}

async function newArrival(websiteId: string, senderId: string): Promise<string> {
  const { app } = service;
  const request = { method: "POST", path: "", query: {}, headers: { "content-type": "application/json" } };
  const arrival: Arrival = {
    id: app.newId(),
    senderId,
    websiteId,
    at: app.clock(),
    state: "needs_attention",
    request,
    bytes: 2,
    outcome: { kind: "article", event: null, problem: "No article was found.", articles: [] },
  };
  await app.store.write((db) => insertArrival(db, arrival, { body: "{}", claimedUntil: 0 }));
  return arrival.id;
}

/** Things that a request may use up. */
async function newThings(
  website: string,
): Promise<Pick<Site, "key" | "token" | "sender" | "webhook" | "member" | "picture">> {
  const { app } = service;
  const email = `member.${app.newId()}@example.com`;
  const { member } = await addMember(app, { email, name: "", role: "viewer", websiteId: website }, CLI_ORIGIN);
  return {
    key: (await service.newKey({}, website)).id,
    token: (await createToken(app, website, { name: "A token", scope: "draft", expiresAt: null }, CLI_ORIGIN)).token.id,
    sender: (await newSender({ app, website: { id: website } })).sender.id,
    webhook: (await createEndpoint(app, website, { url: receiver.url }, CLI_ORIGIN)).endpoint.id,
    member: member.id,
    picture: await newPicture(website),
  };
}

async function newPicture(website: string): Promise<string> {
  const { app } = service;
  const asset = { name: "a.png", type: "image/png", bytes: 1, width: 1, height: 1, alt: "", sourceUrl: null } as const;
  const id = app.newId();
  const hash = randomBytes(32).toString("hex");
  const row = { ...asset, id, websiteId: website, hash, createdBy: "cli", createdAt: app.clock() };
  await app.store.write((db) => insertAsset(db, row));
  return id;
}

/** All of it that a request could have changed. */
async function stateOf({ website, article }: Site): Promise<Json> {
  const of = `website_id=${website}`;
  const paths = [
    `/websites/${website}`,
    `/articles/${article}`,
    ...["pending", "approved", "published", "trash"].map((view) => `/articles?view=${view}&${of}`),
    `/api-keys?${of}`,
    `/access-tokens?${of}`,
    `/senders?${of}`,
    `/webhooks?${of}`,
    `/members?${of}`,
    `/assets?${of}`,
    // Without refusals, which are about accounts.
    ...["articles", "keys", "webhooks", "members", "websites"].map((about) => `/audit?limit=200&about=${about}&${of}`),
  ];
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await owner.json("GET", path)] as const)),
  );
}
