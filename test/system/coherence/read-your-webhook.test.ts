/** A receiver that reads the API when a webhook arrives never sees less than the webhook told it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { createArticle, unpublishArticle, updateArticle } from "../../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../../helpers/articles.ts";
import { startTestService } from "../../helpers/service.ts";
import { until } from "../../helpers/until.ts";
import { LOOPBACK, type Received, ScriptedReceiver } from "../../helpers/webhooks.ts";

const ARTICLES = 5;
const CHANGES = 200;

test("when a webhook arrives, api_url and the list already show its change", async () => {
  await using service = await startTestService(LOOPBACK);
  const stale: string[] = [];
  let answered = 0;
  const readBack = async ({ event, data }: Received) => {
    const { articles } = await service.list("?limit=100");
    const listed = articles.find(({ id }) => id === data["article_id"]);
    if (event["event"] === "article.deleted") {
      if (listed !== undefined) stale.push("what was taken down is still listed");
    } else {
      const told = versionOf(data["title"]);
      const seen = versionOf((await service.detail(String(data["article_id"])))["title"]);
      const inList = versionOf(listed?.["title"]);
      if (!(seen >= told && inList >= told)) stale.push(`told ${told}, seen ${seen}, in the list ${inList}`);
    }
    answered++;
    return {};
  };
  await using receiver = await ScriptedReceiver.start(readBack);
  await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);
  const ids: string[] = [];
  for (let version = 1; version <= CHANGES; version++) {
    const title = `Version ${version}`;
    if (version <= ARTICLES) {
      const input = makeArticle({ title, status: "published" });
      ids.push((await createArticle(service.app, service.website.id, input, CHIEF)).article.id);
    } else {
      await updateArticle(service.app, ids[version % ARTICLES] ?? "", { title }, CHIEF);
    }
    // Neither all in one heap nor one at a time.
    if (version % 3 === 0) await until("the webhooks follow", () => answered >= version - 10);
  }
  await until("every webhook has arrived", () => answered === CHANGES);
  for (const id of ids) await unpublishArticle(service.app, id, CHIEF);
  await until("every deletion has arrived", () => answered === CHANGES + ARTICLES);
  assert.deepEqual(stale, []);
});

function versionOf(title: unknown): number {
  return Number(String(title).split(" ")[1]);
}
