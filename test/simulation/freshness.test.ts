/** Reads that begin after a write was acknowledged, or after its webhook arrived, never show an older state. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF } from "../helpers/articles.ts";
import { cases, IS_THOROUGH } from "../helpers/properties.ts";
import { startTestService } from "../helpers/service.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { type FreshnessTask, KNOWN, READS as READ_COUNT, STALE } from "./freshness-task.ts";

/** Some hundred writes are made meanwhile. A million by hand, with ROSTRUM_TEST_THOROUGH=1. */
const READS = IS_THOROUGH ? 1_000_000 : cases(20_000);
const CONNECTIONS = 16;

test(`none of ${READS} reads is older than what was written, or received, before it`, async () => {
  await using service = await startTestService({ ROSTRUM_LOG_LEVEL: "silent", ...LOOPBACK });
  const { app, website, key } = service;
  const counters = new Int32Array(new SharedArrayBuffer(12));
  const know = (title: number) => {
    if (title > Atomics.load(counters, KNOWN)) Atomics.store(counters, KNOWN, title);
  };
  const { article } = await createArticle(
    app,
    website.id,
    { title: "0", content: "<p>x</p>", status: "published" },
    CHIEF,
  );
  await using receiver = await ScriptedReceiver.start(({ data }) => {
    // It may arrive before the write has returned.
    know(Number(data["title"]));
    return {};
  });
  await createEndpoint(app, website.id, { url: receiver.url, events: ["article.updated"] }, CLI_ORIGIN);
  await updateArticle(app, article.id, { title: "1" }, CHIEF);
  await receiver.arrival(1);
  const task: FreshnessTask = {
    url: service.url,
    key,
    paths: [`/api/public/articles/${article.id}`, "/api/public/articles?limit=1"],
    connections: CONNECTIONS,
    counters,
    reads: READS,
  };
  const thread = new Worker(new URL("freshness-reader.ts", import.meta.url), { workerData: task });
  const ended = once(thread, "exit");
  for (let title = 2; Atomics.load(counters, READ_COUNT) < READS; title++) {
    await updateArticle(app, article.id, { title: String(title) }, CHIEF);
    know(title);
  }
  assert.deepEqual(await ended, [0]);
  assert.ok(Atomics.load(counters, KNOWN) > 10 && receiver.received.length > 1);
  assert.equal(Atomics.load(counters, STALE), 0);
});
