/** While the database is unavailable, clients are asked to retry (docs/specification.md, section 7). */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { after, afterEach, before, describe, test } from "node:test";
import { ContentPool } from "../../src/content-processes/pool.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { type SecretBox, secretBox } from "../../src/domain/system/secret-box.ts";
import { createEndpoint, deleteEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { ENGINE } from "../helpers/database.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { randomBytes } from "node:crypto";
import { AppError } from "../../src/domain/system/errors.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { assertRefusal, record, type Reply } from "../helpers/http.ts";
import { people } from "../people/dashboard.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { changeStore } from "../helpers/wrap-store.ts";

const SECRET = "PostgreSQL cannot be reached (10.0.0.7): check DATABASE_URL.";

let service: TestService;
let id: string;
let isAway = false;
/** Processes texts instead of the service's own pool. */
let content: ContentPool | undefined;
/** Encrypts and decrypts instead of the service's own box. */
let box: SecretBox | undefined;

before(async () => {
  const change = changeStore((store) => ({
    read: (work) => (isAway ? refuse() : store.read(work)),
    write: (work, options) => (isAway ? refuse() : store.write(work, options)),
    // Nothing is certain any more.
    changeToken: (websiteId, now) => (isAway ? Number.NaN : store.changeToken(websiteId, now)),
  }));
  service = await startTestService(LOOPBACK, (app) => ({
    ...change(app),
    secrets: () => box ?? app.secrets(),
    deriveContent: (...args) => (content === undefined ? app.deriveContent(...args) : content.deriveContent(...args)),
  }));
  id = (await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF)).article.id;
});
afterEach(() => {
  isAway = false;
  content = undefined;
  box = undefined;
});
after(() => service[Symbol.asyncDispose]());

function refuse(): Promise<never> {
  return Promise.reject(new AppError("unavailable", SECRET));
}

function assertUnavailable(reply: Reply): void {
  assertRefusal(reply, 503, {
    error: "Service Unavailable",
    message: "The database cannot be used at the moment; try again in a second.",
  });
  assert.equal(reply.headers["retry-after"], "1");
}

test("every route of the read API responds with 503 and Retry-After, and as before once the database is back", async () => {
  const paths = [LIST, `${LIST}/${id}`, `${LIST}?q=tea`, "/api/public/events"];
  for (const path of paths) assert.equal((await service.get(path)).status, 200, path);
  isAway = true;
  for (const path of paths) assertUnavailable(await service.get(path));
  isAway = false;
  for (const path of paths) assert.equal((await service.get(path)).status, 200, path);
});

test("the dashboard's API does the same, whether it reads or writes", async () => {
  isAway = true;
  const cookie = { Cookie: "rostrum=abc" };
  assertUnavailable(await service.get("/dashboard/api/session", cookie));
  const signIn = { email: "a@example.com", password: "a password that nobody has" };
  const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" };
  assertUnavailable(
    await service.send("/dashboard/api/session", { method: "POST", headers, body: JSON.stringify(signIn) }),
  );
});

test("the detailed cause is in the log, and in no response", async () => {
  isAway = true;
  const before = service.log.failures.length;
  const { text } = await service.get(LIST);
  assert.ok(!text.includes("10.0.0.7"));
  assert.match(String(service.log.failures[before]?.error), /10\.0\.0\.7/);
});

test("a text that cannot be processed now is a 503 with the true reason, and the system's error is in the log", async () => {
  using everybody = people(service);
  const owner = await everybody.owner();
  const ask = () =>
    owner.send("POST", "/articles/preview", { website_id: service.website.id, changes: { title: "x", markdown: "x" } });
  await using pool = new ContentPool();
  content = pool;
  const { execPath } = process;
  process.execPath = "/nowhere/node";
  try {
    assertPassing(
      await ask(),
      "The server cannot start the process that checks texts: nothing was saved. Try again in a few seconds.",
    );
  } finally {
    process.execPath = execPath;
  }
  assert.match(inspect(service.log.failures.at(-1)?.error), /ENOENT/);
  await pool[Symbol.asyncDispose]();
  assertPassing(await ask(), "The service is stopping: nothing was saved. Try again in a few seconds.");
});

function assertPassing(reply: Reply, message: string): void {
  assertRefusal(reply, 503, { error: "Service Unavailable", message });
  assert.equal(reply.headers["retry-after"], "5");
}

/** What /readyz lists, while it is ready. */
const problems = async () => {
  const reply = await service.get("/readyz");
  assert.equal(reply.status, 200);
  return record(reply.json())["problems"];
};

describe("/readyz says in words what is wrong, while reads are answered", () => {
  test("it names a secret key that has changed", async () => {
    assert.deepEqual(await problems(), []);
    const url = "http://127.0.0.1:9/";
    const { endpoint } = await createEndpoint(service.app, service.website.id, { url }, CLI_ORIGIN);
    assert.deepEqual(await problems(), []);
    box = secretBox(randomBytes(32), randomBytes);
    const [sentence, ...others] = (await problems()) as string[];
    assert.match(sentence ?? "", /^The secret key is missing, or is not the one that encrypted what is stored/);
    assert.deepEqual(others, []);
    box = undefined;
    await deleteEndpoint(service.app, endpoint.id, CLI_ORIGIN);
  });

  test(
    "it names a full disk",
    { skip: ENGINE === "sqlite" ? false : "a file of PostgreSQL cannot be limited" },
    async () => {
      using everybody = people(service);
      const owner = await everybody.owner();
      const pages = (most: number) => service.app.store.write((db) => db.get(`PRAGMA max_page_count = ${most}`));
      await pages(1);
      const change = () => owner.send("POST", "/api-keys", { website_id: service.website.id, name: "k".repeat(100) });
      // Until the last page is full.
      await until("it is refused", async () => (await change()).status === 503);
      assert.deepEqual(await problems(), [
        "The disk of the database is full: nothing can be saved until there is room.",
      ]);
      assert.equal((await service.get(LIST)).status, 200);
      await pages(1_000_000);
    },
  );
});
