/** /metrics, and its documents: docs/reference/metrics.md, docs/operate.md, the alert rules and the Grafana dashboard in deploy/. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parse } from "yaml";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, scheduleArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { newSender } from "../senders/new-sender.ts";
import { Agent } from "../helpers/agent.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { eventually, FAILS, LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const GUIDE = read("docs/operate.md");
const REFERENCE = read("docs/reference/metrics.md");
const RULES = "deploy/prometheus-rules.yaml";

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function all(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([whole, found]) => found ?? whole);
}

let service: TestService;
let receiver: ScriptedReceiver;
let paused: string;
/** By metric, the names of the labels of its series; of a histogram without `le`. */
let exposed: Map<string, Set<string>>;

before(async () => {
  // No retry falls into a slow run.
  service = await startTestService({
    ...LOOPBACK,
    ROSTRUM_METRICS_LABELS: "1",
    ROSTRUM_WEBHOOK_RETRY_SECONDS: "3600",
  });
  receiver = await ScriptedReceiver.start(FAILS);
  const { id: other } = await service.newWebsite();
  const { secret } = await service.newKey({}, other);
  for (let count = 0; count < 3; count++) await service.get(LIST);
  await service.get(LIST, { "X-API-Key": secret });
  await service.get("/dashboard/api/articles/some-id/history");
  await service.get("/dashboard/api/nowhere");
  await service.get("/api/management/labels");
  await using agent = await Agent.start(service);
  await agent.call("list_articles", {});
  const { path, secret: ofSender } = await newSender(service);
  const asked = { method: "POST", headers: { Authorization: `Bearer ${ofSender}` }, body: "{}" };
  assert.notEqual((await service.send(path, asked)).status, 401);
  // On a busy machine it is answered before it is read.
  await eventually(async () => (await sum("rostrum_arrivals_total")) > 0, true);
  const endpoints = [other, other].map((id) => createEndpoint(service.app, id, { url: receiver.url }, CLI_ORIGIN));
  const [first, second] = await Promise.all(endpoints);
  paused = first?.endpoint.id ?? "";
  await createArticle(service.app, other, makeArticle({ status: "published" }), CHIEF);
  await eventually(async () => (await sum("rostrum_webhook_endpoint_attempts_total")) === 2, true);
  await pauseEndpoint(service.app, paused, CLI_ORIGIN);
  assert.ok(second !== undefined);
  writeFileSync(join(service.app.config.dataDir, "last-backup"), "");
  const { text } = await service.get("/metrics");
  exposed = new Map(all(text, /^# TYPE (\w+)/gm).map((name) => [name, new Set()]));
  for (const [, series = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? [\d.e+-]+$/gim)) {
    const name = exposed.has(series) ? series : series.replace(/_(?:bucket|sum|count)$/, "");
    const names = exposed.get(name);
    assert.ok(names !== undefined, series);
    names.add("");
    for (const label of all(labels, /(\w+)="/g)) if (label !== "le") names.add(label);
  }
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Of the series whose name and labels begin so. */
async function sum(start: string): Promise<number> {
  const { text } = await service.get("/metrics");
  const values = text.split("\n").filter((line) => line.startsWith(start));
  return values.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" "))), 0);
}

/** Only with a collector: test/cli/telemetry.test.ts has its series. */
const TELEMETRY = "rostrum_telemetry_total";
/** Without labels, and only with a continuous backup: test/backup/replication.test.ts has its series. */
const BACKUP_LAG = "rostrum_backup_lag_seconds";

test("the reference has every metric with its labels, and no other", () => {
  const told = Array.from(REFERENCE.matchAll(/^\| `(rostrum_\w+)(?:\{([\w, ]+)\})?`/gm), ([, name, labels = ""]) => [
    name,
    labels.split(", ").filter(Boolean).toSorted(),
  ]);
  const found = [...exposed]
    .filter(([name]) => name.startsWith("rostrum_"))
    // A metric without a series would hide its labels.
    .map(([name, labels]) => [
      name,
      labels.size === 0 && name !== BACKUP_LAG ? "no series" : [...labels].filter(Boolean).toSorted(),
    ]);
  const expected = told.filter(([name]) => name !== TELEMETRY);
  assert.equal(expected.length, told.length - 1);
  assert.deepEqual(Object.fromEntries(expected), Object.fromEntries(found));
  assert.equal(expected.length, found.length);
  for (const name of all(REFERENCE, /`((?:process|nodejs)_\w+)`/g)) assert.ok(exposed.has(name), name);
});

describe("the alert rules and the Grafana dashboard", () => {
  const rules = records(record(records(record(parse(read(RULES)))["groups"])[0])["rules"]);
  const panels = records(record(JSON.parse(read("deploy/grafana-dashboard.json")))["panels"]);
  const expressions = [
    ...rules.map(({ alert, expr }) => [String(alert), String(expr)] as const),
    ...panels.flatMap(({ title, targets = [] }) =>
      records(targets).map(({ expr }) => [String(title), String(expr)] as const),
    ),
  ];

  test("use only existing metrics and labels", () => {
    assert.ok(expressions.length > 40);
    for (const [where, expression] of expressions) {
      const used = all(expression, /\b((?:rostrum|process|nodejs)_\w+|up\b)/g);
      assert.ok(used.length > 0, where);
      const labels = new Set(["job", "instance"]);
      for (const series of used) {
        const name = exposed.has(series) ? series : series.replace(/_(?:bucket|sum|count)$/, "");
        const known = exposed.get(name);
        assert.ok(series === "up" || known !== undefined, `${where}: ${series}`);
        if (series !== name) labels.add("le");
        for (const label of known ?? []) labels.add(label);
      }
      const grouped = all(expression, /\bby \(([^)]*)\)/g).flatMap((list) => list.split(", "));
      for (const label of [...grouped, ...all(expression, /(\w+)=~?"/g)]) {
        assert.ok(labels.has(label), `${where}: ${label}`);
      }
    }
  });

  test("show every metric", () => {
    const shown = expressions.map(([, expression]) => expression).join(" ");
    const left = [...exposed.keys()].filter((name) => name.startsWith("rostrum_") && !shown.includes(name));
    assert.deepEqual(left, []);
  });

  test("each alert has its section in the guide, and each section its alert", () => {
    const names = rules.map(({ alert }) => String(alert));
    assert.deepEqual(all(GUIDE, /^#### (Rostrum\w+)\n\nMeans: .+\.\nTo do: .+\.$/gm), names);
    for (const { alert, annotations } of rules) {
      assert.equal(record(annotations)["runbook"], `docs/operate.md#${String(alert).toLowerCase()}`);
    }
  });

  const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;
  test(
    "promtool finds no fault in the rules, and each fires when it should",
    {
      skip: hasPromtool ? false : "there is no promtool (Debian: apt-get install prometheus)",
    },
    () => {
      for (const args of [
        ["check", "rules", join(ROOT, RULES)],
        ["test", "rules", join(import.meta.dirname, "..", "deploy", "prometheus-rules.yaml")],
      ]) {
        const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
        assert.equal(status, 0, stdout + stderr);
      }
    },
  );
});

test("reads are counted by whether their answer was ready in memory", async () => {
  assert.deepEqual(
    [await sum('rostrum_read_cache_total{result="hit"}'), await sum('rostrum_read_cache_total{result="miss"}')],
    [1, 3],
  );
  assert.ok((await sum("rostrum_read_cache_bytes")) > 0);
});

test("the dashboard's requests are counted by the pattern of their route", async () => {
  assert.equal(
    await sum('rostrum_dashboard_requests_total{method="GET",route="/articles/:id/history",status="401"}'),
    1,
  );
  assert.equal(await sum('rostrum_dashboard_requests_total{method="other",route="other",status="404"}'), 1);
  assert.equal(await sum('rostrum_dashboard_request_duration_seconds_count{route="/articles/:id/history"}'), 1);
});

test("no more websites and webhooks than ROSTRUM_METRICS_LABELS have series of their own, and the others share one", async () => {
  assert.equal(await sum(`rostrum_website_reads_total{website="${service.website.id}"}`), 3);
  assert.equal(await sum('rostrum_website_reads_total{website="other"}'), 1);
  assert.equal(await sum('rostrum_webhook_endpoint_attempts_total{webhook="other",result="failed"}'), 1);
  assert.equal(await sum('rostrum_webhook_endpoint_attempts_total{webhook="other",result="succeeded"}'), 0);
  const { text } = await service.get("/metrics");
  for (const [name, count] of [
    ["rostrum_website_reads_total", 2],
    ["rostrum_webhook_endpoint_attempts_total", 4],
    ["rostrum_webhook_endpoint_queue_depth", 1],
  ] as const) {
    assert.equal(all(text, new RegExp(`^${name}\\{`, "gm")).length, count, name);
  }
});

test("without ROSTRUM_METRICS_LABELS nothing in /metrics names a website or a webhook", async () => {
  await using plain = await startTestService();
  await plain.get(LIST);
  const { text } = await plain.get("/metrics");
  assert.ok(!text.includes(plain.website.id));
  assert.doesNotMatch(text, /website=|webhook=/);
});

test("events that a paused webhook misses are counted as parked", async () => {
  await eventually(() => sum("rostrum_webhook_parked "), 1);
});

test("an overdue scheduled article shows in the metrics until it is published, and then its delay", async () => {
  const { app } = service;
  const { article } = await createArticle(app, service.website.id, makeArticle({ status: "approved" }), CHIEF);
  await scheduleArticle(app, article.id, Date.now() + 50, CHIEF);
  await eventually(() => sum("rostrum_schedule_delay_seconds_count"), 1);
  await eventually(() => sum("rostrum_schedule_lag_seconds"), 0);
});

test("the metrics of the database show its connections, and that the process serves", async () => {
  assert.equal(await sum("rostrum_ready "), 1);
  assert.equal(await sum("rostrum_draining "), 0);
  assert.equal(await sum("rostrum_nodes "), 1);
  const { inUse, idle, max } = service.app.store.pool();
  assert.ok(inUse + idle <= max);
  await eventually(() => service.app.store.pool().waiting, 0);
  const held = Promise.withResolvers<void>();
  const reads = Array.from({ length: max + 2 }, () => service.app.store.read(() => held.promise));
  await eventually(() => service.app.store.pool().waiting > 0, true);
  held.resolve();
  await Promise.all(reads);
  await eventually(() => service.app.store.pool().waiting, 0);
});
