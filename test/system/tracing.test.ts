/** Traces as a collector of OpenTelemetry gets them (docs/operate.md, "Traces"). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { Collector, toPaths } from "../helpers/collector.ts";
import { startTestService } from "../helpers/service.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { newSender } from "../senders/new-sender.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const SAMPLED = { traceparent: `00-${TRACE}-${SPAN}-01` };
const UNSAMPLED = { traceparent: `00-${TRACE}-${SPAN}-00` };

interface Traced extends AsyncDisposable {
  team: Team;
  collector: Collector;
  receiver: ScriptedReceiver;
  /** An approved article, which nobody has published. */
  id: string;
  publish(headers?: Record<string, string>): Promise<void>;
}

/** A website with a webhook, whose service sends its traces to a collector. */
async function openTraced(
  settings: Record<string, string> = {},
  script: Parameters<typeof ScriptedReceiver.start>[0] = () => ({}),
): Promise<Traced> {
  await using opened = new AsyncDisposableStack();
  const collector = opened.use(await Collector.start());
  const receiver = opened.use(await ScriptedReceiver.start(script));
  const team = opened.use(await openTeam({ ...LOOPBACK, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings }));
  const { app, website } = team.service;
  const url = `${receiver.url}secret/path?token=secret`;
  await createEndpoint(app, website.id, { url }, CLI_ORIGIN);
  const id = await team.newArticle({ title: "A title that nobody may see", status: "approved" });
  const owned = opened.move();
  return {
    team,
    collector,
    receiver,
    id,
    publish: async (headers = {}) => {
      const { version } = await team.page(id);
      const reply = await team.owner.send("POST", `/articles/${id}/publish`, { version }, headers);
      assert.equal(reply.status, 200, reply.text);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const PUBLISH = "POST /dashboard/api/articles/:id/publish";
const WHOLE = [PUBLISH, "transaction", "create article.published", "POST", "receipt"];

test("a request, its transaction, its event, the attempts and the receipt are one tree below the client's span", async () => {
  await using traced = await openTraced({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "0.1" }, (_, index) =>
    index === 0 ? { status: 503 } : {},
  );
  const { collector, receiver } = traced;
  await traced.publish(SAMPLED);
  await receiver.arrival(2);
  await until("both receipts are there", () => collector.spans.filter(({ name }) => name === "receipt").length === 2);
  const spans = await collector.trace(TRACE, WHOLE);
  const event = `${PUBLISH} > transaction > create article.published`;
  const paths = toPaths(spans, SPAN);
  assert.deepEqual(
    paths.filter((path) => path.startsWith(event)),
    [event, `${event} > POST`, `${event} > POST`, `${event} > POST > receipt`, `${event} > POST > receipt`],
  );
  assert.equal(paths[0], PUBLISH);
  const request = spans.find(({ name }) => name === PUBLISH);
  assert.deepEqual([request?.kind, request?.isError], [2, false]);
  assert.deepEqual(request?.attributes, {
    "http.request.method": "POST",
    "http.route": "/dashboard/api/articles/:id/publish",
    "http.response.status_code": 200,
    "url.path": "/dashboard/api/articles/:id/publish",
    "url.scheme": "http",
  });
  const attempts = spans.filter(({ name }) => name === "POST").toSorted((a, b) => a.startMs - b.startMs);
  assert.deepEqual(
    attempts.map(({ isError, attributes }) => [
      isError,
      attributes["http.response.status_code"],
      attributes["error.type"],
      attributes["http.request.resend_count"],
    ]),
    [
      [true, 503, "503", undefined],
      [false, 204, undefined, 1],
    ],
  );
  // The receiver continues the spans of the attempts.
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["traceparent"]),
    attempts.map(({ spanId }) => `00-${TRACE}-${spanId}-01`),
  );
  assert.deepEqual(
    spans.filter(({ name }) => name === "receipt").map(({ attributes }) => attributes["rostrum.delivery.result"]),
    ["retried", "delivered"],
  );
  assert.equal(JSON.stringify(collector.spans).includes("secret"), false);
  assert.equal(JSON.stringify(collector.spans).includes("nobody may see"), false);
  assert.deepEqual(collector.problems, []);
});

test("whoever began a trace decides whether it is recorded; what receivers get says so", async () => {
  await using traced = await openTraced();
  await traced.publish(UNSAMPLED);
  await traced.receiver.arrival(1);
  assert.match(String(traced.receiver.received[0]?.headers["traceparent"]), new RegExp(`^00-${TRACE}-\\w{16}-00$`));
  const { team, collector } = traced;
  await team.owner.send("GET", `/articles/${traced.id}`, undefined, SAMPLED);
  const spans = await collector.trace(TRACE, ["GET /dashboard/api/articles/:id"]);
  assert.deepEqual(
    spans.filter(({ name }) => name !== "transaction").map(({ name }) => name),
    ["GET /dashboard/api/articles/:id"],
  );
});

test("with a share of 0 no trace begins here, but those of others are continued", async () => {
  await using traced = await openTraced({
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0",
  });
  const { collector, receiver, team, id } = traced;
  await traced.publish();
  await receiver.arrival(1);
  assert.match(String(receiver.received[0]?.headers["traceparent"]), /-00$/);
  await team.owner.send("GET", `/articles/${id}`, undefined, SAMPLED);
  await collector.trace(TRACE, ["GET /dashboard/api/articles/:id"]);
  assert.deepEqual([...new Set(collector.spans.map(({ traceId }) => traceId))], [TRACE]);
});

test("an event that no request caused begins a trace with its id", async () => {
  await using traced = await openTraced();
  const { collector, receiver, team } = traced;
  await team.newArticle({ status: "published" });
  const [message] = await receiver.arrival(1).then(() => receiver.received);
  const trace = String(message?.headers["webhook-id"]).replace("msg_", "").replaceAll("-", "");
  assert.deepEqual(toPaths(await collector.trace(trace, ["receipt"])), [
    "create article.published",
    "create article.published > POST",
    "create article.published > POST > receipt",
  ]);
});

test("the body of a long edit and a bulk action, which another thread takes, belong to the trace of their request", async () => {
  await using traced = await openTraced();
  const { collector, receiver, team, id } = traced;
  await traced.publish();
  const { version } = await team.page(id);
  const changes = { content: `<p>${"long ".repeat(10_000)}</p>` };
  const edit = { version, as_draft: false, draft_saved_at: null, changes };
  assert.equal((await team.owner.send("PATCH", `/articles/${id}`, edit, SAMPLED)).status, 200);
  await receiver.arrival(2);
  const patch = "PATCH /dashboard/api/articles/:id";
  const spans = await collector.trace(TRACE, [patch, "create article.updated", "receipt"]);
  const event = `${patch} > transaction > create article.updated`;
  assert.ok(toPaths(spans, SPAN).includes(`${event} > POST > receipt`), toPaths(spans, SPAN).join("\n"));

  const other = TRACE.replace("0", "1");
  const matching = { website_id: team.service.website.id, view: "published" };
  const bulk = await team.owner.send("POST", "/articles/bulk/unpublish/matching", matching, {
    traceparent: `00-${other}-${SPAN}-01`,
  });
  assert.equal(bulk.status, 200, bulk.text);
  await receiver.arrival(3);
  const route = "POST /dashboard/api/articles/bulk/unpublish/matching";
  const paths = toPaths(await collector.trace(other, [route, "receipt"]), SPAN);
  assert.ok(paths.includes(`${route} > transaction > create article.deleted > POST > receipt`), paths.join("\n"));
});

test("a sender's request, which another thread answers, and its transactions are one trace", async () => {
  await using traced = await openTraced();
  const { collector, team } = traced;
  const { path, secret } = await newSender(team.service);
  const body = '{"id": "1", "title": "One", "content": "<p>Text.</p>"}';
  const headers = { "X-API-Key": undefined, Authorization: `Bearer ${secret}`, ...SAMPLED };
  assert.equal((await team.service.send(path, { method: "POST", headers, body })).status, 200);
  const route = "POST /senders/:sender";
  const paths = toPaths(await collector.trace(TRACE, [route, "transaction"]), SPAN);
  assert.ok(paths.includes(`${route} > transaction`), paths.join("\n"));
});

test("reads join a trace that is recorded, and never begin one; nor do pages and the stream of live updates", async () => {
  await using collector = await Collector.start();
  await using service = await startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await service.get("/api/public/articles");
  await service.get("/docs");
  await service.get("/api/public/articles/by-slug/a-title", UNSAMPLED);
  await service.get("/api/public/articles/by-slug/a-title", SAMPLED);
  await service.get("/api/public/articles?status=published", SAMPLED);
  const [slug, list] = [`GET /api/public/articles/by-slug/:slug`, "GET /api/public/articles"];
  const spans = await collector.trace(TRACE, [slug, list]);
  assert.deepEqual(collector.spans.length, 2);
  const status = (name: string) => spans.find((span) => span.name === name)?.attributes["http.response.status_code"];
  assert.deepEqual([status(slug), status(list)], [404, 200]);
});

test("clients have at most a hundred requests recorded at once, and traces that begin here are none of them", async () => {
  await using traced = await openTraced();
  const { collector, team } = traced;
  const { service } = team;
  for (let count = 0; count < 300; count++) await service.get("/api/public/articles", SAMPLED);
  await traced.publish();
  await until("the publication is there", () => collector.spans.some(({ name }) => name === PUBLISH));
  const joined = collector.spans.filter(({ traceId }) => traceId === TRACE).length;
  // Ten more for each second that it takes.
  assert.ok(joined >= 100 && joined < 300, `${joined}`);
});

test("what is refused is no error of the service, and its transaction's span has the refusal's code", async () => {
  await using traced = await openTraced();
  const { collector, team, id } = traced;
  const reply = await team.owner.send("POST", `/articles/${id}/publish`, { version: 99 }, SAMPLED);
  assert.equal(reply.status, 409, reply.text);
  const spans = await collector.trace(TRACE, [PUBLISH, "transaction"]);
  const request = spans.find(({ name }) => name === PUBLISH);
  assert.deepEqual([request?.isError, request?.attributes["http.response.status_code"]], [false, 409]);
  assert.ok(spans.some(({ name, attributes }) => name === "transaction" && attributes["error.type"] === "conflict"));
  assert.deepEqual(
    spans.filter(({ isError }) => isError),
    [],
  );
});
