/** A machine takes an article down in one process, which stops; another one delivers the event: one trace, whatever the database. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { cliJson, serveCli } from "./cli.ts";
import { Collector, toPaths } from "./collector.ts";
import { tempFolder } from "./folder.ts";
import { Client } from "./http.ts";
import { until } from "./until.ts";
import { LOOPBACK, ScriptedReceiver } from "./webhooks.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

export async function assertTracedOverRestart(settings: Record<string, string> = {}): Promise<void> {
  await using folder = await tempFolder();
  await using collector = await Collector.start();
  let isUp = false;
  await using receiver = await ScriptedReceiver.start(() => (isUp ? {} : { status: 503 }));
  const env = {
    ...LOOPBACK,
    ...settings,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ROSTRUM_DRAIN_SECONDS: "0",
    ROSTRUM_WEBHOOK_RETRY_SECONDS: "1,1,1,1,1,1,1,1,1,1",
  };
  const options = { data: folder.path, env };
  const website = String((await cliJson(["website", "create", "--name", "W"], options))["id"]);
  await writeFile(folder.at("a.json"), JSON.stringify({ title: "A", content: "<p>A</p>", status: "published" }));
  const { id } = await cliJson(["article", "create", "--website", website, "--file", folder.at("a.json")], options);
  await cliJson(["webhook", "create", "--website", website, "--url", receiver.url], options);
  const token = await cliJson(["token", "create", "--website", website, "--name", "M", "--scope", "publish"], options);
  {
    await using first = await serveCli(options);
    using client = new Client(first.url);
    const reply = await client.send(`/api/management/articles/${String(id)}/unpublish`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${String(token["token"])}`,
        "Content-Type": "application/json",
        "If-Match": "*",
        traceparent: `00-${TRACE}-${SPAN}-01`,
      },
      body: "{}",
    });
    assert.equal(reply.status, 200, reply.text);
    await receiver.arrival(1);
    first.child.kill("SIGTERM");
    assert.deepEqual(await first.ended, { code: 0, signal: null });
  }
  isUp = true;
  await using second = await serveCli(options);
  const isDelivered = () =>
    collector.spans.some(({ attributes }) => attributes["rostrum.delivery.result"] === "delivered");
  await until("the second has delivered it", isDelivered);
  second.child.kill("SIGTERM");
  assert.deepEqual(await second.ended, { code: 0, signal: null });
  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const event = "POST /api/management/articles/:id/unpublish > transaction > create article.deleted";
  const paths = new Set(toPaths(spans, SPAN));
  assert.deepEqual(
    [...paths].filter((path) => path.startsWith(event)),
    [event, `${event} > POST`, `${event} > POST > receipt`],
  );
  const instances = new Set(spans.map(({ resource }) => resource["service.instance.id"]));
  assert.equal(instances.size, 2);
  assert.deepEqual(collector.problems, []);
}
