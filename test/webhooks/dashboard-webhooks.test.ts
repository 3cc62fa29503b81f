import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { GOOD_HEALTH, type Health } from "../../src/domain/webhooks/endpoint.ts";
import { secretBox } from "../../src/domain/system/secret-box.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint, pauseEndpoint, rotateSecret } from "../../src/operations/webhooks/endpoints.ts";
import { saveHealth } from "../../src/store/webhooks/endpoints.ts";
import { AddressGuard } from "../../src/webhooks/net/ssrf-guard.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { makeAuthority } from "../helpers/certificates.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { eventually, FAILS, LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { type Browser, people } from "../people/dashboard.ts";

const URL = "https://192.0.2.1/hook";
/** Addresses that no receiver has, and that may be called. */
const NOBODY = { ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24" };
const UNKNOWN = "01a1fdf4-0000-7000-8000-000000000000";

/** A service, and its owner. */
async function owned(...args: Parameters<typeof startTestService>) {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startTestService(...args));
  const all = opened.use(people(service));
  const owner = await all.owner();
  const website = service.website.id;
  const make = async (input: Json = {}) => {
    const made = await owner.json("POST", "/webhooks", { website_id: website, url: URL, ...input }, 201);
    return { webhook: record(made["webhook"]), id: String(record(made["webhook"])["id"]), secret: made["secret"] };
  };
  const owning = opened.move();
  return {
    service,
    app: service.app,
    all,
    owner,
    website,
    make,
    publish: async (title: string) =>
      (await createArticle(service.app, website, makeArticle({ title, status: "published" }), CHIEF)).article.id,
    log: async () => records((await owner.json("GET", `/audit?website_id=${website}`))["entries"]),
    [Symbol.asyncDispose]: () => owning.disposeAsync(),
  };
}

async function refusedAs(owner: Browser, method: string, path: string, body: Json): Promise<[number, unknown]> {
  const reply = await owner.send(method, path, body);
  return [reply.status, record(reply.json())["param"]];
}

describe("a webhook", () => {
  test("is created with its settings, lists without a value of its headers, and shows its secret once", async () => {
    await using set = await owned(NOBODY);
    const ca = makeAuthority("private").cert;
    const input = {
      name: "  The\n site ",
      description: " Rebuilds it. ",
      events: ["article.deleted"],
      thin: true,
      coalesce_ms: 500,
      headers: { "X-Token": "t0psecret" },
      ca,
    };
    const { webhook, secret, id } = await set.make(input);
    assert.match(String(secret), /^whsec_/);
    const { created_at, secrets, ...rest } = webhook;
    assert.deepEqual(rest, {
      id,
      website_id: set.website,
      name: "The site",
      description: "Rebuilds it.",
      url: URL,
      events: ["article.deleted"],
      payload: "thin",
      thin: true,
      coalesce_ms: 500,
      header_names: ["X-Token"],
      has_ca: true,
      state: "enabled",
      disabled_reason: null,
      disabled_at: null,
      consecutive_failures: 0,
      disable_after: 10,
      warning: null,
      last_success_at: null,
      last_failure_at: null,
      last_error: null,
      next_attempt_at: null,
      waiting: 0,
      parked: 0,
      replaying: false,
    });
    assert.deepEqual(
      records(secrets).map(({ expires_at }) => expires_at),
      [null],
    );
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000);
    assert.deepEqual(await set.owner.json("GET", `/webhooks/${id}`), webhook);
    const list = await set.owner.send("GET", `/webhooks?website_id=${set.website}`);
    assert.deepEqual(record(list.json())["webhooks"], [webhook]);
    for (const shown of [list.text, JSON.stringify(await set.log())]) {
      assert.ok(!shown.includes("t0psecret") && !shown.includes(String(secret)), shown);
    }
  });

  test("changes only the given settings, and the audit log names them", async () => {
    await using set = await owned(NOBODY);
    const { id, webhook } = await set.make({ headers: { "X-Token": "t0psecret" } });
    const change = (body: Json) => set.owner.json("PATCH", `/webhooks/${id}`, body);
    assert.deepEqual(await change({ thin: true }), { ...webhook, thin: true, payload: "thin" });
    assert.deepEqual(await change({ payload: "thin" }), { ...webhook, thin: true, payload: "thin" }, "nothing changes");
    const url = "https://192.0.2.2/secret-path";
    const moved = await change({ url, events: ["article.deleted", "article.published"], coalesce_ms: 10 });
    assert.deepEqual(moved, {
      ...webhook,
      url,
      header_names: [],
      payload: "thin",
      thin: true,
      coalesce_ms: 10,
      events: ["article.published", "article.deleted"],
    });
    assert.deepEqual((await change({ headers: { "X-Other": "v" } }))["header_names"], ["X-Other"]);
    assert.deepEqual((await change({ headers: {} }))["header_names"], []);
    assert.equal((await change({ ca: makeAuthority("private").cert }))["has_ca"], true);
    assert.equal((await change({ ca: null }))["has_ca"], false);
    assert.equal((await change({ name: "Site" }))["name"], "Site");
    await set.owner.json("PATCH", `/webhooks/${id}`, { name: "n".repeat(101) }, 400);
    const changes = (await set.log()).filter(({ action }) => action === "webhook.changed");
    assert.deepEqual(changes.map(({ detail }) => detail).toReversed(), [
      { at: "192.0.2.1", fields: "payload" },
      { at: "192.0.2.2", fields: "url, events, coalesce_ms, headers" },
      { at: "192.0.2.2", fields: "headers" },
      { at: "192.0.2.2", fields: "headers" },
      { at: "192.0.2.2", fields: "ca" },
      { at: "192.0.2.2", fields: "ca" },
      { at: "192.0.2.2", fields: "name" },
    ]);
  });

  test("keeps its headers for another path, and loses them for another origin unless they are given again", async () => {
    await using set = await owned(NOBODY);
    const { id, webhook } = await set.make({ headers: { "X-Token": "t0psecret" } });
    const namesAfter = async (body: Json) => (await set.owner.json("PATCH", `/webhooks/${id}`, body))["header_names"];
    const { origin } = new globalThis.URL(String(webhook["url"]));
    assert.deepEqual(await namesAfter({ url: `${origin}/elsewhere?a=b` }), ["X-Token"]);
    assert.deepEqual(await namesAfter({ url: `${origin}:8443/`, headers: { "X-New": "v" } }), ["X-New"]);
    assert.deepEqual(await namesAfter({ url: `${origin}:8444/` }), []);
  });

  test("with an invalid setting is refused by the field, when created and when changed", async () => {
    await using set = await owned(NOBODY);
    const { id, webhook } = await set.make();
    const wrong: [Json, string][] = [
      [{ url: "http://192.0.2.1/" }, "url"],
      [{ url: "https://127.0.0.1/" }, "url"],
      [{ url: "https://user@192.0.2.1/" }, "url"],
      [{ url: "nonsense" }, "url"],
      [{ url: "" }, "url"],
      [{ events: [] }, "events"],
      [{ headers: { "content-type": "text/plain" } }, "headers"],
      [{ headers: { "X-A": "a\r\nX-B: b" } }, "headers"],
      [{ headers: { "X A": "a" } }, "headers"],
      [{ coalesce_ms: 3_600_001 }, "coalesce_ms"],
      [{ coalesce_ms: -1 }, "coalesce_ms"],
      [{ ca: "not PEM" }, "ca"],
      [{ secret: "whsec_mine" }, "secret"],
    ];
    for (const [wish, param] of wrong) {
      const made = { website_id: set.website, url: URL, ...wish };
      assert.deepEqual(await refusedAs(set.owner, "POST", "/webhooks", made), [400, param], JSON.stringify(wish));
      const changed = await refusedAs(set.owner, "PATCH", `/webhooks/${id}`, { thin: true, ...wish });
      assert.deepEqual(changed, [400, param], JSON.stringify(wish));
    }
    assert.equal((await set.owner.send("PATCH", `/webhooks/${id}`, {})).status, 400);
    assert.deepEqual(await set.owner.json("GET", `/webhooks?website_id=${set.website}`), { webhooks: [webhook] });
  });

  test("of another website is not found by owners of other websites", async () => {
    await using set = await owned(NOBODY);
    const { id } = await set.make();
    const other = await set.service.newWebsite({ name: "Other" });
    const stranger = await set.all.person("owner", other.id, "other@example.com");
    const editor = await set.all.person("editor", set.website);
    const routes: [string, string, Json?][] = [
      ["GET", ""],
      ["PATCH", "", { thin: true }],
      ["DELETE", ""],
      ["POST", "/test", {}],
      ["POST", "/pause", {}],
      ["POST", "/enable", { replay: "all" }],
      ["POST", "/rotate", {}],
      ["POST", "/replay", { since: "2026-01-01T00:00:00.000Z" }],
      ["GET", "/deliveries"],
    ];
    for (const [method, path, body] of routes) {
      const reply = await stranger.send(method, `/webhooks/${id}${path}`, body);
      const unknown = await stranger.send(method, `/webhooks/${UNKNOWN}${path}`, body);
      assert.deepEqual([reply.status, reply.text], [404, unknown.text], `${method} ${path}`);
      assert.equal((await editor.send(method, `/webhooks/${id}${path}`, body)).status, 403, `${method} ${path}`);
    }
    for (const [method, path, body] of [
      ["GET", `/webhooks?website_id=${set.website}`],
      ["POST", "/webhooks", { website_id: set.website, url: URL }],
      ["POST", "/webhooks/check", { website_id: set.website, url: URL }],
    ] as const) {
      assert.equal((await stranger.send(method, path, body)).status, 403, path);
    }
    assert.equal((await set.owner.json("GET", `/webhooks/${id}`))["state"], "enabled");
  });

  test("is paused, enabled, given a new secret and deleted; the audit log says by whom and from where", async () => {
    await using set = await owned(NOBODY);
    const { id, secret } = await set.make();
    const path = `/webhooks/${id}`;
    assert.equal((await set.owner.json("POST", `${path}/pause`, {}))["state"], "paused");
    await set.publish("One");
    await set.publish("Two");
    assert.equal((await set.owner.json("GET", path))["parked"], 2);
    const turned = await set.owner.json("POST", `${path}/rotate`, { overlap_hours: 1 });
    assert.notEqual(turned["secret"], secret);
    const [newest, earlier] = records(record(turned["webhook"])["secrets"]);
    assert.equal(newest?.["expires_at"], null);
    assert.equal(earlier?.["expires_at"], turned["previous_until"]);
    const lastsMs = Date.parse(String(turned["previous_until"])) - Date.now();
    assert.ok(lastsMs > 3_500_000 && lastsMs <= 3_600_000, String(lastsMs));
    const enabled = await set.owner.json("POST", `${path}/enable`, { replay: "none" });
    assert.deepEqual([enabled["state"], enabled["replaying"]], ["enabled", false]);
    assert.equal((await set.owner.send("POST", `${path}/enable`, { replay: "none" })).status, 409);
    await pauseEndpoint(set.app, id, CLI_ORIGIN);
    assert.equal((await set.owner.send("DELETE", path)).status, 204);
    assert.equal((await set.owner.send("GET", path)).status, 404);
    const entries = (await set.log()).filter(({ action }) => String(action).startsWith("webhook."));
    const [first] = records((await set.owner.json("GET", "/members"))["members"]);
    const me = first?.["account_id"];
    assert.deepEqual(
      entries
        .toReversed()
        .map(({ action, actor, address, detail }) => [action, record(actor)["id"], address, record(detail)]),
      [
        ["webhook.created", me, "127.0.0.1", { at: "192.0.2.1", payload: "full", events: EVENTS }],
        ["webhook.paused", me, "127.0.0.1", { at: "192.0.2.1" }],
        ["webhook.rotated", me, "127.0.0.1", { at: "192.0.2.1", previous_until: turned["previous_until"] }],
        ["webhook.enabled", me, "127.0.0.1", { at: "192.0.2.1", replay: "none", was: "paused" }],
        ["webhook.paused", "cli", null, { at: "192.0.2.1" }],
        ["webhook.deleted", me, "127.0.0.1", { at: "192.0.2.1" }],
      ],
    );
    assert.ok(entries.every(({ target }) => record(target)["id"] === id));
  });

  test("stops signing with the earlier secret at once without an overlap, and after a day by default", async () => {
    await using set = await owned(NOBODY);
    const { id } = await set.make();
    const day = await set.owner.json("POST", `/webhooks/${id}/rotate`, {});
    const lastsMs = Date.parse(String(day["previous_until"])) - Date.now();
    assert.ok(lastsMs > 86_300_000 && lastsMs <= 86_400_000, String(lastsMs));
    const none = await set.owner.json("POST", `/webhooks/${id}/rotate`, { overlap_hours: 0 });
    assert.equal(records(record(none["webhook"])["secrets"]).length, 1);
    assert.equal((await set.owner.send("POST", `/webhooks/${id}/rotate`, { overlap_hours: 169 })).status, 400);
  });
});

const broken = () => Promise.reject(new TypeError("a bug"));

const EVENTS = "article.published, article.updated, article.deleted";

describe("what needs attention", () => {
  test("is reported from the third consecutive failure on, when it is disabled, and when its receiver is down", async () => {
    await using set = await owned(NOBODY);
    const { id } = await set.make();
    const warning = async (health: Partial<Health>) => {
      await set.app.store.write((db) => saveHealth(db, id, { ...GOOD_HEALTH, ...health }));
      return (await set.owner.json("GET", `/webhooks/${id}`))["warning"];
    };
    const lastError = "The receiver answered 500.";
    assert.equal(await warning({}), null);
    assert.equal(await warning({ consecutiveFailures: 2, failedAttempts: 4, lastError }), null);
    assert.match(String(await warning({ failedAttempts: 5, lastError })), /last 5 attempts failed.*answered 500/);
    for (const consecutiveFailures of [3, 4, 5, 9]) {
      const said = String(await warning({ consecutiveFailures, failedAttempts: 12, lastError }));
      assert.match(said, new RegExp(`failed ${consecutiveFailures} times in a row; after 10 it is disabled.*500`));
    }
    const disabled = { state: "disabled", disabledReason: "The receiver answered 410: the address is gone." } as const;
    assert.match(String(await warning({ ...disabled, disabledAt: 1 })), /^It is disabled\. The receiver answered 410/);
    assert.equal(await warning({ state: "paused", consecutiveFailures: 5 }), null);
  });

  test("a private certificate authority that expires soon or has expired is reported", async () => {
    let days = 0;
    await using set = await owned(NOBODY, (app) => ({ ...app, clock: () => Date.now() + days * 86_400_000 }));
    const { id } = await set.make({ ca: makeAuthority("private").cert });
    const warning = async () => (await set.owner.json("GET", `/webhooks/${id}`))["warning"];
    assert.equal(await warning(), null);
    // Somebody who is away for a fortnight is signed out.
    days = 13;
    assert.equal(await warning(), null);
    days = 17;
    assert.match(
      String(await warning()),
      /authority that it trusts ends on \d+ [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC: give it a new one/,
    );
    days = 30;
    assert.match(String(await warning()), /authority that it trusts ended on/);
  });

  test("says so when the secret key is another one, keeps what is stored, and seals nothing with the new key", async () => {
    let box = secretBox(Buffer.alloc(32, 1), (size) => Buffer.alloc(size, 7));
    await using set = await owned(NOBODY, (app) => ({ ...app, secrets: () => box }));
    const { id } = await set.make({ headers: { "X-Token": "t0psecret" } });
    box = secretBox(Buffer.alloc(32, 2), (size) => Buffer.alloc(size, 8));
    const [webhook] = records((await set.owner.json("GET", `/webhooks?website_id=${set.website}`))["webhooks"]);
    assert.deepEqual(webhook?.["header_names"], []);
    assert.match(String(webhook?.["warning"]), /^Nothing can be sent: .*ROSTRUM_SECRET_KEY/);
    for (const [method, path, body] of [
      ["POST", "/webhooks", { website_id: set.website, url: URL }],
      ["PATCH", `/webhooks/${id}`, { headers: { "X-Other": "v" } }],
      ["POST", `/webhooks/${id}/rotate`, {}],
      ["POST", `/webhooks/${id}/test`, {}],
    ] as const) {
      const reply = await set.owner.send(method, path, body);
      assert.equal(reply.status, 503, reply.text);
      assert.match(String(record(reply.json())["message"]), /encrypted with another key: set ROSTRUM_SECRET_KEY/);
    }
    assert.equal((await set.owner.json("PATCH", `/webhooks/${id}`, { thin: true }))["thin"], true);
    box = secretBox(Buffer.alloc(32, 1), (size) => Buffer.alloc(size, 9));
    const again = await set.owner.json("GET", `/webhooks/${id}`);
    assert.deepEqual([again["header_names"], again["warning"]], [["X-Token"], null]);
  });
});

describe("the check of a URL", () => {
  const unresolved = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  const lookup = (name: string) =>
    name === "good.example.com"
      ? Promise.resolve([{ address: "93.184.216.34", family: 4 }])
      : Promise.reject(unresolved);
  test("says why the URL cannot be called, what is missing, and warns about one that can", async () => {
    const guard = new AddressGuard({ allowHttp: false, allowCidrs: [], lookup });
    await using set = await owned({}, (app) => ({ ...app, checkAddress: (url) => guard.check(url) }));
    const check = (url: string) => set.owner.json("POST", "/webhooks/check", { website_id: set.website, url });
    const good = "https://good.example.com/hook";
    assert.deepEqual(await check(good), { ok: true, message: null });
    assert.deepEqual(await check(` ${good} `), { ok: true, message: null });
    await set.make({ url: good });
    assert.match(String((await check(good))["message"]), /Another webhook of this website sends there already/);
    for (const [url, expected] of [
      ["good.example.com/hook", /^Begin the address with https:\/\/, as in https:\/\/good\.example\.com\/hook\.$/],
      ["good.example.com:8443", /Begin the address with https:\/\//],
      ["127.0.0.1/hook", /Begin the address with https:\/\//],
      ["http://good.example.com/hook", /must begin with https:\/\//],
      ["https://missing.example.com", /has no address \(ENOTFOUND\)/],
      ["https://127.0.0.1/", /not public/],
      ["https://[::1]/", /not public/],
      ["https://2130706433/", /not public/],
      ["https://169.254.169.254/latest/meta-data", /not public/],
      ["https://user:pw@good.example.com", /user name or a password/],
      ["https://good.example.com/#x", /fragment/],
      ["https://good.example.com:0/", /port 0/],
      [`https://good.example.com/${"a".repeat(3_000)}`, /too long/],
      ["javascript:alert(1)", /must begin with https/],
      ["file:///etc/passwd", /must begin with https/],
      ["", /cannot be read/],
      ["   ", /cannot be read/],
      ["https://", /cannot be read/],
      ["https://\0", /cannot be read/],
      ["https://a\ud800.example.com", /./],
      ["https://%00", /cannot be read/],
      ["<script>alert(1)</script>", /cannot be read/],
    ] as const) {
      const { ok, message } = await check(url);
      assert.equal(ok, false, url);
      assert.match(String(message), expected, url);
    }
  });

  test("explains the risk where http is allowed", async () => {
    await using set = await owned(LOOPBACK);
    const url = "http://127.0.0.1:9/hook";
    const said = await set.owner.json("POST", "/webhooks/check", { website_id: set.website, url });
    assert.equal(said["ok"], true);
    assert.match(String(said["message"]), /not encrypted.*Use https:\/\//);
  });

  test("says to try again after an internal error, which is logged", async () => {
    await using set = await owned({}, (app) => ({ ...app, checkAddress: broken }));
    const said = await set.owner.json("POST", "/webhooks/check", { website_id: set.website, url: URL });
    assert.deepEqual(said, { ok: false, message: "The address cannot be checked now; try again in a minute." });
    assert.equal(set.service.log.failures.length, 1);
  });
});

test("waiting deliveries are sent to the new URL at once, with the new headers and secrets", async () => {
  await using set = await owned({ ...LOOPBACK, ROSTRUM_WEBHOOK_RETRY_SECONDS: "600" });
  await using broken = await ScriptedReceiver.start(FAILS);
  await using mended = await ScriptedReceiver.start();
  const { id } = await set.make({ url: broken.url });
  await set.publish("One");
  await broken.arrival(1);
  const shown = () => set.owner.json("GET", `/webhooks/${id}`);
  await until("the retry is planned", async () => (await shown())["last_failure_at"] !== null);
  const waiting = await shown();
  assert.deepEqual([waiting["waiting"], waiting["consecutive_failures"]], [1, 0]);
  const dueInMs = Date.parse(String(waiting["next_attempt_at"])) - Date.now();
  assert.ok(dueInMs > 400_000 && dueInMs < 800_000, String(dueInMs));
  const changed = await set.owner.json("PATCH", `/webhooks/${id}`, { url: mended.url, headers: { "X-Token": "new" } });
  assert.equal(changed["url"], mended.url);
  const received = await mended.arrival(1);
  assert.equal(received.headers["x-token"], "new");
  assert.equal(received.headers["webhook-attempt"], "2");
  await eventually(async () => (await shown())["waiting"], 0);
  assert.equal(broken.received.length, 1);
  assert.equal((await shown())["last_success_at"] === null, false);
});

test("waiting retries are sent at once on request", async () => {
  await using set = await owned({ ...LOOPBACK, ROSTRUM_WEBHOOK_RETRY_SECONDS: "600" });
  await using receiver = await ScriptedReceiver.start(FAILS);
  const { id } = await set.make({ url: receiver.url });
  await set.publish("One");
  await receiver.arrival(1);
  const shown = () => set.owner.json("GET", `/webhooks/${id}`);
  await until("the retry is planned", async () => (await shown())["last_failure_at"] !== null);
  receiver.script = () => ({ status: 200 });
  await set.owner.json("POST", `/webhooks/${id}/retry`, {});
  assert.equal((await receiver.arrival(2)).headers["webhook-attempt"], "2");
  await eventually(async () => (await shown())["waiting"], 0);
  assert.equal((await set.log())[0]?.["action"], "webhook.retried");
  await pauseEndpoint(set.app, id, CLI_ORIGIN);
  assert.equal((await set.owner.send("POST", `/webhooks/${id}/retry`, {})).status, 409);
});

test("a replay sends the events since a time again, and a test sends one message", async () => {
  await using set = await owned(LOOPBACK);
  await using receiver = await ScriptedReceiver.start();
  await set.publish("Before");
  const { id, secret } = await set.make({ url: receiver.url });
  assert.ok(String(secret).startsWith("whsec_"));
  await set.publish("One");
  await receiver.arrival(1);
  const path = `/webhooks/${id}/replay`;
  const count = async (since: string) => set.owner.json("GET", `${path}?since=${since}`);
  assert.deepEqual(await count("2999-01-01T00:00:00.000Z"), { events: 0 });
  assert.deepEqual(await count("2000-01-01T00:00:00.000Z"), { events: 2 });
  assert.equal((await set.owner.send("GET", `${path}?since=yesterday`)).status, 400);
  assert.deepEqual(await set.owner.json("POST", path, { since: "2999-01-01T00:00:00.000Z" }), { events: 0 });
  assert.deepEqual(await set.owner.json("POST", path, { since: "2000-01-01T00:00:00.000Z" }), { events: 2 });
  await receiver.arrival(3);
  assert.deepEqual(receiver.titles.slice(1).toSorted(), ["Before", "One"]);
  assert.equal((await set.owner.send("POST", path, { since: "yesterday" })).status, 400);

  receiver.script = () => ({ status: 200, body: "thank you" });
  const tested = await set.owner.json("POST", `/webhooks/${id}/test`, {});
  const { delivery, payload } = tested;
  const { state, origin, article_title, attempts } = record(delivery);
  assert.deepEqual([state, origin, article_title], ["delivered", "test", "One"]);
  assert.equal(payload, receiver.received.at(-1)?.body);
  assert.equal(records(attempts)[0]?.["response_body"], "thank you");
  const actions = (await set.log()).map(({ action, detail }) => [
    action,
    record(detail)["events"] ?? record(detail)["outcome"],
  ]);
  assert.deepEqual(actions.slice(0, 2), [
    ["webhook.tested", "success"],
    ["webhook.replayed", 2],
  ]);
  await pauseEndpoint(set.app, id, CLI_ORIGIN);
  const refused = await set.owner.send("POST", path, { since: "2000-01-01T00:00:00.000Z" });
  assert.equal(refused.status, 409);
});

test("a website has at most a hundred webhooks, and all are listed", async () => {
  await using set = await owned(NOBODY);
  for (let count = 0; count < 100; count++) {
    const { endpoint } = await createEndpoint(set.app, set.website, { url: URL, headers: { a: "b" } }, CLI_ORIGIN);
    if (count % 10 === 0) await rotateSecret(set.app, endpoint.id, 60_000, CLI_ORIGIN);
  }
  const list = await set.owner.json("GET", `/webhooks?website_id=${set.website}`);
  assert.equal(records(list["webhooks"]).length, 100);
  const refused = await set.owner.send("POST", "/webhooks", { website_id: set.website, url: URL });
  assert.equal(refused.status, 409);
});
