/** A PostgreSQL that is stopped, or goes silent: every address says so soon, and goes on when it is back. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record, type Reply } from "../helpers/http.ts";
import { startPostgres } from "../helpers/postgres.ts";
import type { PostgresServer } from "../helpers/postgres-server.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { type Browser, people } from "../people/dashboard.ts";
import { statusWithin } from "./coherence/world.ts";

/** Far more than the 0.2 s of docs/operate.md, and less than any time-out of the connection. */
const ANSWERED_MS = 3_000;

let opened: AsyncDisposableStack;
let server: PostgresServer;
let service: TestService;
let owner: Browser;

before(async () => {
  opened = new AsyncDisposableStack();
  server = opened.use(await startPostgres());
  service = opened.use(await startTestService({ DATABASE_URL: await server.createDatabase() }));
  owner = await opened.use(people(service)).owner();
  await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
});
after(() => opened[Symbol.asyncDispose]());

const named = () => ({ website_id: service.website.id });
const REQUESTS: Record<string, () => Promise<Reply>> = {
  "a list": () => service.get(LIST),
  "a dashboard's list": () => owner.send("GET", `/articles?view=pending&website_id=${service.website.id}`),
  "a change": () => owner.send("POST", "/articles", { ...named(), title: "Tea", markdown: "x" }),
  "a sign-in": () => owner.signIn("nobody@example.com"),
};

const readyz = async () => record((await service.get("/readyz")).json());

for (const [how, { breaks, mends }] of Object.entries({
  "is stopped": { breaks: () => server.stop("immediate"), mends: () => server.start() },
  "goes silent": { breaks: () => server.pause(), mends: () => server.resume() },
})) {
  describe(`a database that ${how}`, () => {
    before(async () => {
      await breaks();
      await until("it is known", async () => (await readyz())["status"] === "not ready");
    });

    for (const [what, send] of Object.entries(REQUESTS)) {
      test(`${what} is 503 with Retry-After, at once`, async () => {
        const reply = send();
        assert.equal(await statusWithin(ANSWERED_MS, reply), 503);
        assert.equal((await reply).headers["retry-after"], "1");
      });
    }

    test("/readyz reports it, and /metrics leaves out the database's metrics", async () => {
      assert.equal((await readyz())["reason"], "database unavailable");
      const { status, text } = await service.get("/metrics");
      assert.equal(status, 200);
      assert.match(text, /^rostrum_database_up 0$/m);
      assert.match(text, /^rostrum_reads_total/m);
      assert.doesNotMatch(text, /^rostrum_(?:webhook_queue_depth|webhook_endpoints|dead_letters)[ {]/m);
    });

    test("everything answers again when it is back", async () => {
      await mends();
      await until("it is ready", async () => (await readyz())["status"] === "ready");
      assert.equal((await service.get(LIST)).status, 200);
      assert.equal((await REQUESTS["a change"]?.())?.status, 201);
      const { text } = await service.get("/metrics");
      assert.match(text, /^rostrum_database_up 1$/m);
      assert.match(text, /^rostrum_webhook_queue_depth 0$/m);
    });
  });
}
