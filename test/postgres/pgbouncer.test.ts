/** Behind PgBouncer in transaction mode: no named statements, no notifications, no sessions of our own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { openLog } from "../../src/process/log.ts";
import { revokeKey } from "../../src/operations/people/api-keys.ts";
import { createArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { startService } from "../../src/service/service.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { cliJson, runCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client } from "../helpers/http.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, OK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { NO_PGBOUNCER, startPgBouncer } from "./pgbouncer.ts";

test(
  "two nodes behind PgBouncer follow each other and deliver webhooks, of which none comes before both know",
  { skip: NO_PGBOUNCER },
  async () => {
    await using server = await startPostgres();
    await using bouncer = await startPgBouncer(server.port);
    const DATABASE_URL = bouncer.through(await server.createDatabase());
    await using service = await startTestService({ ...LOOPBACK, DATABASE_URL, ROSTRUM_DATABASE_PGBOUNCER: "1" });
    await using other = await openApp(service.app.config);
    await using second = await startService(other, openLog("silent"));
    using client = new Client(second.url);
    const ask = async (path: string) => {
      const reply = await client.send(path, { headers: { "X-API-Key": service.key } });
      return { status: reply.status, text: reply.text };
    };
    await using receiver = await ScriptedReceiver.start(OK);
    /** What each node answers about the article while its event arrives. */
    const seen: string[] = [];
    receiver.script = async ({ data }) => {
      const path = new URL(String(data["api_url"]), service.url).pathname;
      for (const { text } of [await service.get(path), await ask(path)]) {
        seen.push(text.includes(JSON.stringify(data["title"])) ? "new" : text);
      }
      return {};
    };
    await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);

    const titles = Array.from({ length: 8 }, (_none, turn) => `Title ${turn}`);
    const { article } = await createArticle(
      other,
      service.website.id,
      makeArticle({ title: "First", status: "published" }),
      CHIEF,
    );
    for (const [turn, title] of titles.entries()) {
      await ask(`${LIST}/${article.id}`);
      await updateArticle(turn % 2 === 0 ? service.app : other, article.id, { title }, CHIEF);
    }
    await receiver.arrival(1 + titles.length);
    assert.deepEqual(receiver.titles, ["First", ...titles]);
    await until("every answer is noted", () => seen.length === 2 * receiver.received.length);
    // The last state is never older than the webhook; it may be newer.
    assert.deepEqual(seen.slice(-2), ["new", "new"]);

    const { id, secret } = await service.newKey();
    const asked = async () => (await client.send(LIST, { headers: { "X-API-Key": secret } })).status;
    assert.equal(await asked(), 200);
    await revokeKey(service.app, id, CLI_ORIGIN);
    await until("the other node refuses it", async () => (await asked()) === 401);
    for (let times = 0; times < 10; times++) assert.equal(await asked(), 401);
    assert.deepEqual(service.log.failures, []);
  },
);

test("migrations and commands work behind PgBouncer, also with few connections", { skip: NO_PGBOUNCER }, async () => {
  await using server = await startPostgres();
  await using bouncer = await startPgBouncer(server.port, "default_pool_size = 3");
  await using folder = await tempFolder();
  const env = { DATABASE_URL: bouncer.through(await server.createDatabase()), ROSTRUM_DATABASE_PGBOUNCER: "1" };
  const options = { data: folder.path, env };
  assert.match((await runCli(["migrate"], options)).stdout, /^Applied: 001-first/);
  assert.equal((await runCli(["migrate"], options)).code, 0);
  assert.equal((await cliJson(["website", "create", "--name", "Site"], options))["name"], "Site");
});

test("without the setting, commands name it", { skip: NO_PGBOUNCER }, async () => {
  await using server = await startPostgres();
  const database = await server.createDatabase();
  for (const more of ["", "ignore_startup_parameters = statement_timeout,lock_timeout,extra_float_digits,options"]) {
    await using bouncer = await startPgBouncer(server.port, more);
    await using folder = await tempFolder();
    const env = { DATABASE_URL: bouncer.through(database) };
    const { code, stderr } = await runCli(["migrate"], { data: folder.path, env });
    assert.notEqual(code, 0);
    assert.match(stderr, /set ROSTRUM_DATABASE_PGBOUNCER=1/);
  }
});
