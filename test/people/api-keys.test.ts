import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { DAY_MS, startOfDay, HOUR_MS, startOfHour, isoTime } from "../../src/domain/system/time.ts";
import { KeyUse } from "../../src/http/read-api/key-auth.ts";
import { createKey, recordKeyRequests, revokeKey } from "../../src/operations/people/api-keys.ts";
import { removeOld } from "../../src/operations/website/retention.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { startService } from "../../src/service/service.ts";
import { addKeyRequests, firstRequestAt, readsByHour, requestsByDay } from "../../src/store/people/key-requests.ts";
import type { Database } from "../../src/store/store.ts";
import { CHIEF, makeArticle, TODAY } from "../helpers/articles.ts";
import { openTestStore } from "../helpers/database.ts";
import { Client, type Json, record, records } from "../helpers/http.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { people } from "./dashboard.ts";

const KEY = { name: "Site", scope: "all", expiresAt: null, rateLimit: null } as const;

describe("keys", () => {
  test("the key is shown once, in a command line that works, and opens what its scope says", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    await createArticle(service.app, service.website.id, makeArticle({ status: "published", title: "Green" }), CHIEF);
    const expires_at = isoTime(Date.now() + DAY_MS);
    const settings = { website_id: service.website.id, name: " Site ", scope: "published", expires_at, rate_limit: 7 };
    const { key, secret, curl } = await owner.json("POST", "/api-keys", settings, 201);
    const { requests, created_at, id, ...shown } = record(key);
    assert.deepEqual(shown, {
      name: "Site",
      prefix: String(secret).slice(0, 7),
      last_four: String(secret).slice(-4),
      scope: "published",
      rate_limit: 7,
      state: "active",
      expires_at,
      last_used_at: null,
      revoked_at: null,
    });
    assert.equal(records(requests).length, 14);
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000);
    assert.equal(curl, `curl -H 'X-API-Key: ${String(secret)}' '${service.url}${LIST}?limit=3'`);
    const [option, header, address] = await wordsOf(curl);
    assert.deepEqual(
      [option, header, address],
      ["-H", `X-API-Key: ${String(secret)}`, `${service.url}${LIST}?limit=3`],
    );
    const read = await fetch(String(address), { headers: { "X-API-Key": String(secret) } });
    assert.match(await read.text(), /"title":"Green"/);
    assert.equal((await service.get(`${LIST}?status=pending`, { "X-API-Key": String(secret) })).status, 403);
    const list = await owner.send("GET", `/api-keys?website_id=${service.website.id}`);
    assert.ok(!list.text.includes(String(secret)), "shown once");
    const { entries } = await owner.json("GET", `/audit?website_id=${service.website.id}&limit=1`);
    assert.deepEqual(
      records(entries).map(({ action, target, detail, address }) => [action, target, detail, address]),
      [
        [
          "key.created",
          { kind: "key", id },
          { name: "Site", prefix: String(secret).slice(0, 7), scope: "published", expires_at },
          "127.0.0.1",
        ],
      ],
    );
  });

  test("the command line names the public address, and is one command whatever that is", async () => {
    await using service = await startTestService({ ROSTRUM_PUBLIC_URL: "https://articles.example.com/it's" });
    using all = people(service);
    const owner = await all.owner();
    const { curl } = await owner.json("POST", "/api-keys", { website_id: service.website.id, name: "Site" }, 201);
    assert.equal((await wordsOf(curl))[2], `https://articles.example.com/it's${LIST}?limit=3`);
  });

  test("a revoked key is refused at once and stays revoked", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const website = service.website.id;
    const list = async () => records((await owner.json("GET", `/api-keys?website_id=${website}`))["keys"]);
    const old = await service.newKey({ name: "old", expiresAt: Date.now() - 1 });
    const gone = await service.newKey({ name: "gone" });
    await service.newKey({ name: "new" });
    assert.equal((await service.get(LIST, { "X-API-Key": gone.secret })).status, 200);
    const revoked = await owner.json("POST", `/api-keys/${gone.id}/revoke`, {});
    assert.deepEqual([revoked["state"], revoked["name"]], ["revoked", "gone"]);
    assert.equal((await service.get(LIST, { "X-API-Key": gone.secret })).status, 401);
    const again = await owner.json("POST", `/api-keys/${gone.id}/revoke`, {});
    assert.deepEqual(again["revoked_at"], revoked["revoked_at"]);
    assert.deepEqual(
      (await list()).map(({ name, state }) => [name, state]),
      [
        ["new", "active"],
        ["test", "active"],
        ["gone", "revoked"],
        ["old", "expired"],
      ],
    );
    const { entries } = await owner.json("GET", `/audit?website_id=${website}`);
    const revocations = records(entries).filter(({ action }) => action === "key.revoked");
    assert.deepEqual(
      revocations.map(({ target }) => record(target)["id"]),
      [gone.id],
    );
    // By a command, beside the service.
    await revokeKey(service.app, old.id, CLI_ORIGIN);
    assert.equal((await list()).at(-1)?.["state"], "revoked");
  });

  test("invalid input is refused with the name of the field", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const wrong: [Json, string][] = [
      [{ name: "" }, "name"],
      [{ name: "x".repeat(201) }, "name"],
      [{ scope: "everything" }, "scope"],
      [{ expires_at: isoTime(Date.now() - 1) }, "expires_at"],
      [{ expires_at: "tomorrow" }, "expires_at"],
      [{ expires_at: "2030-02-30T00:00:00.000Z" }, "expires_at"],
      [{ rate_limit: -1 }, "rate_limit"],
      [{ rate_limit: 1.5 }, "rate_limit"],
    ];
    for (const [wish, param] of wrong) {
      const input = { website_id: service.website.id, name: "Site", ...wish };
      const reply = await owner.send("POST", "/api-keys", input);
      assert.deepEqual([reply.status, record(reply.json())["param"]], [400, param], JSON.stringify(wish));
    }
    const nowhere = { website_id: "01a1fdf4-0000-7000-8000-000000000000", name: "Site" };
    assert.equal((await owner.send("POST", "/api-keys", nowhere)).status, 404);
  });

  test("of another website can be neither seen nor revoked", async () => {
    await using service = await startTestService();
    using all = people(service);
    await all.owner();
    const other = await service.newWebsite({ name: "Other" });
    const stranger = await all.person("owner", other.id, "other@example.com");
    const { id, secret } = await service.newKey();
    assert.equal((await stranger.send("GET", `/api-keys?website_id=${service.website.id}`)).status, 403);
    const input = { website_id: service.website.id, name: "Mine" };
    assert.equal((await stranger.send("POST", "/api-keys", input)).status, 403);
    assert.equal((await stranger.send("POST", `/api-keys/${id}/revoke`, {})).status, 404);
    assert.equal((await service.get(LIST, { "X-API-Key": secret })).status, 200);
  });
});

describe("requests of a key", () => {
  test("count each response, whatever it is, and add those of other processes", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const key = await service.newKey({ rateLimit: 3 });
    const shown = async () => {
      const keys = records((await owner.json("GET", `/api-keys?website_id=${service.website.id}`))["keys"]);
      return records(keys.find(({ id }) => id === key.id)?.["requests"]).map(({ count }) => Number(count));
    };
    const nodes = [await startService(service.app, service.log), await startService(service.app, service.log)];
    for (const node of nodes) {
      using client = new Client(node.url);
      const get = (path: string, headers = {}) =>
        client.send(path, { headers: { "X-API-Key": key.secret, ...headers } });
      const first = await get(LIST);
      const etag = String(first.headers.etag);
      const statuses = [first.status];
      for (const [path, headers] of [
        [LIST, { "If-None-Match": etag }],
        [LIST, { "If-None-Match": etag }],
        [`${LIST}?limit=nonsense`, {}],
        [`${LIST}/01a1fdf4-0000-7000-8000-000000000000`, {}],
      ] as const) {
        statuses.push((await get(path, headers)).status);
      }
      assert.deepEqual(statuses, [200, 304, 304, 400, 404]);
      // Until there are too many: those are answered, too.
      let more = 1;
      while ((await get(LIST)).status !== 429) more++;
      assert.equal((await client.send(LIST, { method: "HEAD", headers: { "X-API-Key": key.secret } })).status, 429);
      assert.equal((await get(LIST, { "X-API-Key": `${key.secret}x` })).status, 401);
      assert.ok(more > 1);
      const before = (await shown()).at(-1) ?? 0;
      await node[Symbol.asyncDispose]();
      // At its end a process writes down what it has counted. Only a day that has just begun makes this another row.
      const counts = await shown();
      assert.equal((counts.at(-1) ?? 0) + (counts.at(-2) ?? 0) - before, 6 + more);
    }
    const at = await service.app.store.read((db) => firstRequestAt(db, service.website.id));
    assert.ok(at !== null && Math.abs(at - Date.now()) < 2 * HOUR_MS);
  });

  test("show the first use within seconds", async () => {
    await using service = await startTestService();
    const read = () => service.app.store.read((db) => firstRequestAt(db, service.website.id));
    assert.equal(await read(), null);
    await service.get(LIST);
    await until("it is written down", async () => (await read()) !== null);
  });

  test("count in the hour of the request, and are kept until they could be saved", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    let isAway = false;
    let now = TODAY + HOUR_MS - 1;
    const failing = wrapStore(store, {
      write: (work, options) => (isAway ? Promise.reject(new Error("away")) : store.write(work, options)),
    });
    const deps = { store: failing, clock: () => now };
    const use = new KeyUse({ deps, onError: () => assert.fail() });
    const counter = { keyId: "k", websiteId: "w", requests: 0, hour: 0 };
    // The same key, looked up anew.
    const other = { ...counter };
    for (let times = 0; times < 3; times++) use.count(counter);
    use.count(other);
    isAway = true;
    await assert.rejects(use.flush());
    now += 1;
    use.count(counter);
    await assert.rejects(use.flush());
    isAway = false;
    use.count(other);
    await use.flush();
    await use.flush();
    assert.deepEqual(await reads(store, "w", 0), [
      [TODAY, 4],
      [TODAY + HOUR_MS, 2],
    ]);
    assert.deepEqual(await reads(store, "w", TODAY + 1), [[TODAY + HOUR_MS, 2]]);
    assert.deepEqual(await reads(store, "another", 0), []);
  });

  test("are shown for the last 14 days, with no day left out, and deleted after 90", async () => {
    await using service = await startTestService();
    using all = people(service);
    const owner = await all.owner();
    const { app, website } = service;
    const { key } = await createKey(app, website.id, KEY, CLI_ORIGIN);
    const today = startOfDay(Date.now());
    const ago = (days: number, requests: number, hours = 0) => ({
      websiteId: website.id,
      keyId: key.id,
      hour: today - days * DAY_MS + hours * HOUR_MS,
      requests,
    });
    const add = (...counts: Parameters<typeof addKeyRequests>[1][number][]) =>
      app.store.write((db) => addKeyRequests(db, counts));
    await add(ago(92, 1), ago(14, 1, 23), ago(13, 5), ago(13, 6, 23), ago(2, 7, 4));
    await add(ago(2, 1, 4));
    const keys = records((await owner.json("GET", `/api-keys?website_id=${website.id}`))["keys"]);
    const days = records(keys.find(({ id }) => id === key.id)?.["requests"]);
    assert.deepEqual(
      days.map(({ count }) => count),
      [11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0],
    );
    assert.equal(days.at(-1)?.["day"], isoTime(today).slice(0, 10));
    assert.equal(days[0]?.["day"], isoTime(today - 13 * DAY_MS).slice(0, 10));
    // A day may have begun since.
    await recordKeyRequests(app, [{ ...ago(0, 1), hour: startOfHour(Date.now()) }]);
    await removeOld(app, { trashMs: null, auditMs: null, arrivalMs: null }, 30 * DAY_MS);
    const left = await app.store.read((db) => requestsByDay(db, website.id, 0));
    assert.equal(left[0]?.day, today - 14 * DAY_MS);
  });

  test("are counted by concurrent processes without a deadlock", async () => {
    await using opened = await openTestStore();
    const stores = [opened.store, opened.another(), opened.another()];
    const ids = Array.from({ length: 70 }, (_, index) => `k${index}`);
    const counts = (websiteId: string) => ids.map((keyId) => ({ websiteId, keyId, hour: TODAY, requests: 1 }));
    const deps = stores.map((store) => ({ store, clock: () => TODAY }));
    await Promise.all(
      Array.from({ length: 12 }, (_, turn) => {
        const all = [...counts("a"), ...counts("b")];
        return recordKeyRequests(
          deps[turn % 3] ?? { store: opened.store, clock: () => TODAY },
          turn % 2 ? all : all.toReversed(),
        );
      }),
    );
    assert.deepEqual(await reads(opened.store, "b", 0), [[TODAY, 12 * 70]]);
  });
});

/** What a shell gives curl for the command line. */
async function wordsOf(line: unknown): Promise<string[]> {
  const { stdout } = await promisify(execFile)("sh", ["-c", `curl() { printf '%s\\n' "$@"; }\n${String(line)}`]);
  return stdout.trimEnd().split("\n");
}

async function reads(store: Database, websiteId: string, since: number): Promise<[hour: number, requests: number][]> {
  const found = await store.read((db) => readsByHour(db, websiteId, since));
  return found.map(({ hour, requests }) => [hour, requests]);
}
