/** What an article's page shows about its webhooks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { records } from "../helpers/http.ts";
import { openTeam } from "../helpers/team.ts";
import { until } from "../helpers/until.ts";
import { FAILS, LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";

test("an article's page says which webhooks have its newest text, and hosts only to those who manage webhooks", async () => {
  await using good = await ScriptedReceiver.start();
  await using bad = await ScriptedReceiver.start(FAILS);
  await using team = await openTeam(LOOPBACK);
  const { app, website } = team.service;
  const pending = await team.newArticle();
  await team.newArticle({ status: "published" });
  for (const { url } of [good, bad]) await createEndpoint(app, website.id, { url }, CLI_ORIGIN);
  const id = await team.newArticle({ status: "published" });
  const webhooks = async (of = id, browser = team.owner) =>
    records((await browser.json("GET", `/articles/${of}/deliveries`))["webhooks"]);
  assert.deepEqual(await webhooks(pending), []);
  await until("one is delivered and one is retried", async () => {
    const [one, other] = await webhooks();
    return one?.["state"] === "delivered" && other?.["state"] === "pending" && Number(other["attempts"]) > 0;
  });
  const [one, other] = await webhooks();
  assert.deepEqual([one?.["host"], other?.["host"]], [new URL(good.url).host, new URL(bad.url).host]);
  assert.notEqual(one?.["finished_at"], null);
  assert.notEqual(other?.["next_attempt_at"], null);
  const seen = await webhooks(id, team.viewer);
  assert.deepEqual(
    seen.map(({ id: webhook, host, state }) => [webhook, host, state]),
    [
      [null, null, "delivered"],
      [null, null, "pending"],
    ],
  );
});
