import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import type { TokenScope } from "../../src/domain/people/access-token.ts";
import { mintKey } from "../../src/domain/people/api-key.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { createToken, findMachine, listTokens, revokeToken } from "../../src/operations/people/access-tokens.ts";
import { deleteWebsite, removeDeletedWebsites } from "../../src/operations/website/website-deletion.ts";
import { removeOld } from "../../src/operations/website/retention.ts";
import { DAY_MS } from "../../src/domain/system/time.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";
import { CHIEF, FUTURE, makeArticle, withClock } from "../helpers/articles.ts";
import { assertRefusal, Client, record, records, type SendOptions } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { API, type Browser, type People, people } from "./dashboard.ts";

const MANAGEMENT = "/api/management";

describe("the management API", () => {
  let opened: AsyncDisposableStack;
  let service: TestService;
  let all: People;
  let owner: Browser;
  let article: string;

  before(async () => {
    opened = new AsyncDisposableStack();
    service = opened.use(await startTestService());
    all = opened.use(people(service));
    owner = await all.owner();
    article = (await createArticle(service.app, service.website.id, makeArticle(), CHIEF)).article.id;
  });
  after(() => opened[Symbol.asyncDispose]());

  const newToken = async (scope: TokenScope = "draft", name = "A machine") =>
    createToken(service.app, service.website.id, { name, scope, expiresAt: null }, CLI_ORIGIN);

  const send = async (secret: string | undefined, method: string, path: string, options: SendOptions = {}) => {
    using client = new Client(service.url);
    const json = options.body === undefined ? {} : { "Content-Type": "application/json" };
    const headers = { ...(secret !== undefined && { Authorization: `Bearer ${secret}` }), ...json, ...options.headers };
    return await client.send(path, { ...options, method, headers });
  };

  test("no response may be stored or read by another site, and Origin does not matter", async () => {
    const { secret } = await newToken();
    const headers = { Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" };
    const body = JSON.stringify({ text: "A comment", passage: null });
    const reply = await send(secret, "POST", `${MANAGEMENT}/articles/${article}/comments`, { body, headers });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.headers["cache-control"], "no-store");
    assert.deepEqual(
      Object.keys(reply.headers).filter((name) => name.startsWith("access-control") || name === "set-cookie"),
      [],
    );
  });

  test("a token opens neither the dashboard's API nor the read API, and an API key opens no management", async () => {
    const { secret } = await newToken("publish");
    for (const path of [`${API}/articles/${article}`, LIST, `${LIST}/${article}`]) {
      assert.equal((await send(secret, "GET", path)).status, 401, path);
      assert.equal((await send(undefined, "GET", path, { headers: { "X-API-Key": secret } })).status, 401, path);
    }
    const history = `${MANAGEMENT}/articles/${article}/history`;
    for (const headers of [{ "X-API-Key": secret }, { Authorization: `Bearer ${service.key}` }]) {
      assert.equal((await send(undefined, "GET", history, { headers })).status, 401);
    }
  });

  test("the website is the token's, and needs no name", async () => {
    const { secret } = await newToken();
    assert.equal((await send(secret, "GET", `${MANAGEMENT}/labels`)).status, 200);
    const other = await service.newWebsite();
    const foreign = await send(secret, "GET", `${MANAGEMENT}/labels?website_id=${other.id}`);
    assertRefusal(foreign, 403, {
      error: "Forbidden",
      message: "This access token belongs to another website.",
      code: "forbidden",
      param: "website_id",
    });
    const twice = `${MANAGEMENT}/labels?website_id=${service.website.id}&website_id=${other.id}`;
    assert.equal((await send(secret, "GET", twice)).status, 403);
  });

  test("a long body is answered by the dashboard's thread, with the same token", LONG_ONLY, async () => {
    const { secret } = await newToken();
    const changes = { markdown: `${"word ".repeat(20_000)}\n` };
    const path = `${MANAGEMENT}/articles/check`;
    const reply = await send(secret, "POST", path, { body: JSON.stringify({ changes }) });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(record(reply.json())["word_count"], 20_000);
    const other = await service.newWebsite();
    const body = JSON.stringify({ website_id: other.id, changes });
    assert.equal((await send(secret, "POST", path, { body })).status, 403);
  });

  test("a wrong token gets one kind of answer", async () => {
    const { secret, token } = await newToken();
    await revokeToken(service.app, token.id, CLI_ORIGIN);
    const path = `${MANAGEMENT}/labels`;
    for (const wrong of [secret, mintKey(service.app.randomBytes, "rm_"), "rm_", service.key]) {
      const reply = await send(wrong, "GET", path, { localAddress: "127.0.0.2" });
      assertRefusal(reply, 401, {
        error: "Unauthorized",
        code: "unauthenticated",
        message:
          "This access token is unknown, was revoked or has expired; owners make another in the dashboard, under Settings.",
      });
      assert.equal(reply.headers["www-authenticate"], "Bearer");
    }
    const none = await send(undefined, "GET", path, { localAddress: "127.0.0.2" });
    assertRefusal(none, 401, {
      error: "Unauthorized",
      code: "unauthenticated",
      message:
        "Send an access token, in the header Authorization: Bearer rm_…; owners make them in the dashboard, under Settings.",
    });
  });

  test("a scope that is too low is refused with the one that is needed, and audited under the token's name", async () => {
    const { secret, token } = await newToken("draft", "The generator");
    const body = JSON.stringify({ version: 1 });
    const reply = await send(secret, "POST", `${MANAGEMENT}/articles/${article}/publish`, { body });
    const message = "This requires an access token of the scope publish; the scope of this one is draft.";
    assertRefusal(reply, 403, { error: "Forbidden", message, code: "forbidden" });
    const { entries } = await owner.json("GET", `/audit?website_id=${service.website.id}&limit=1`);
    const [entry] = records(entries).map(({ action, target, actor, detail }) => ({ action, target, actor, detail }));
    assert.deepEqual(entry, {
      action: "access.refused",
      target: { kind: "token", id: token.id },
      actor: { id: token.id, name: "The generator", email: null },
      detail: { route: "POST /articles/:id/publish" },
    });
  });

  test("an address that sends a hundred wrong tokens is refused, and a right one from there is not", async () => {
    const { secret } = await newToken();
    const path = `${MANAGEMENT}/labels`;
    const options = { localAddress: "127.0.0.3" };
    const wrong = await Promise.all(
      Array.from({ length: 101 }, () => send(mintKey(service.app.randomBytes, "rm_"), "GET", path, options)),
    );
    const counts = Object.groupBy(wrong, ({ status }) => status);
    assert.deepEqual([counts[401]?.length, counts[429]?.length], [100, 1]);
    assert.match(String(counts[429]?.[0]?.headers["retry-after"]), /^\d+$/);
    assert.equal((await send(secret, "GET", path, options)).status, 200);
  });

  test("a token that sends more than forty requests at once has to wait", async () => {
    const [{ secret }, quiet] = [await newToken(), await newToken()];
    const path = `${MANAGEMENT}/labels`;
    const replies = await Promise.all(Array.from({ length: 120 }, () => send(secret, "GET", path)));
    const refused = replies.filter(({ status }) => status === 429);
    // Some more are admitted while these are answered.
    assert.ok(refused.length > 0 && refused.length <= 80, String(refused.length));
    assert.equal(refused[0]?.headers["retry-after"], "1");
    assert.equal((await send(quiet.secret, "GET", path)).status, 200);
  });
});

const CREATED = { name: "A machine", scope: "draft", expiresAt: null } as const;

describe("access tokens", () => {
  test("a token that another process has revoked is refused at the very next request", async () => {
    await using service = await startTestService();
    const { secret, token } = await createToken(service.app, service.website.id, CREATED, CLI_ORIGIN);
    await using elsewhere = await openApp(service.app.config);
    using client = new Client(service.url);
    const get = () => client.send(`${MANAGEMENT}/labels`, { headers: { Authorization: `Bearer ${secret}` } });
    assert.equal((await get()).status, 200);
    await revokeToken(elsewhere, token.id, CLI_ORIGIN);
    assert.equal((await get()).status, 401);
  });

  test("a token is accepted until the moment that it expires, and its last use is saved every five minutes", async () => {
    await using service = await startTestService();
    const { app } = service;
    const deps = withClock(app, FUTURE);
    const { secret, token } = await createToken(deps, service.website.id, CREATED, CLI_ORIGIN);
    assert.equal(token.expiresAt, deps.now + 365 * DAY_MS);
    const lastUse = async () => (await listTokens(deps, service.website.id)).map(({ lastUsedAt }) => lastUsedAt);
    assert.deepEqual(await lastUse(), [null]);
    const first = deps.now;
    assert.ok((await findMachine(deps, secret)) !== undefined);
    deps.now += 299_999;
    assert.ok((await findMachine(deps, secret)) !== undefined);
    assert.deepEqual(await lastUse(), [first]);
    deps.now++;
    assert.ok((await findMachine(deps, secret)) !== undefined);
    assert.deepEqual(await lastUse(), [first + 300_000]);
    deps.now = token.expiresAt - 1;
    assert.ok((await findMachine(deps, secret)) !== undefined);
    deps.now++;
    assert.equal(await findMachine(deps, secret), undefined);
  });

  test("a token ends with its website, and its row goes a long time after its expiry", async () => {
    await using service = await startTestService();
    const { app } = service;
    const deps = withClock(app, FUTURE);
    const { id, name } = await service.newWebsite({ name: "Doomed" });
    const [gone, kept] = [
      await createToken(deps, id, CREATED, CLI_ORIGIN),
      await createToken(deps, service.website.id, CREATED, CLI_ORIGIN),
    ];
    await deleteWebsite(deps, id, name, CLI_ORIGIN);
    assert.equal(await findMachine(deps, gone.secret), undefined);
    await removeDeletedWebsites(deps);
    const rows = () => app.store.read((db) => db.all("SELECT id FROM access_tokens"));
    assert.deepEqual(await rows(), [{ id: kept.token.id }]);
    const limits = { trashMs: null, auditMs: null, arrivalMs: null };
    deps.now = kept.token.expiresAt + 400 * DAY_MS;
    await removeOld(deps, limits, DAY_MS);
    assert.equal((await rows()).length, 1);
    deps.now++;
    await removeOld(deps, limits, DAY_MS);
    assert.deepEqual(await rows(), []);
  });
});
