import assert from "node:assert/strict";
import { test } from "node:test";
import { Collector } from "../../test/helpers/collector.ts";
import { until } from "../../test/helpers/until.ts";
import { Exporter } from "./exporter.ts";
import { encodeSpans } from "./otlp.ts";
import type { Span } from "./span.ts";

const RESOURCE = { "service.name": "test" };

function spanOf(number: number): Span {
  return {
    traceId: "1".repeat(32),
    spanId: (number + 1).toString(16).padStart(16, "0"),
    parentSpanId: null,
    name: `span ${number}`,
    kind: 1,
    startMs: 1_795_250_082_000.25,
    endMs: 1_795_250_082_001.5,
    attributes: { number },
    isError: false,
  };
}

interface Opened extends AsyncDisposable {
  exporter: Exporter<Span>;
  /** What was logged. */
  log: string[];
}

function open(url: string, timeoutMs = 5_000): Opened {
  const log: string[] = [];
  const exporter = new Exporter<Span>({
    url: `${url}/v1/traces`,
    headers: { "api-key": "secret" },
    timeoutMs,
    encode: (batch) => encodeSpans(batch, RESOURCE),
    onDown: (reason) => log.push(reason),
    onUp: (dropped) => log.push(`up, ${dropped} dropped`),
  });
  return { exporter, log, [Symbol.asyncDispose]: () => exporter.stop(100) };
}

function addSpans({ exporter }: Opened, count: number): void {
  for (let number = 0; number < count; number++) exporter.add(spanOf(number));
}

test("spans arrive in batches, on one connection, with the headers that were set", async () => {
  await using collector = await Collector.start();
  await using opened = open(collector.url);
  addSpans(opened, 600);
  await until("all have arrived", () => opened.exporter.exported === 600);
  assert.equal(collector.spans.length, 600);
  assert.deepEqual(collector.problems, []);
  assert.equal(collector.requests.length, 2);
  assert.equal(collector.requests[0]?.["api-key"], "secret");
  const [first] = collector.spans;
  assert.deepEqual(first?.resource, RESOURCE);
  assert.deepEqual([first?.startMs, first?.endMs], [1_795_250_082_000.25, 1_795_250_082_001.5]);
  assert.deepEqual([opened.exporter.exported, opened.exporter.dropped, opened.log], [600, 0, []]);
});

test("a batch is sent again when the collector is busy, when it says so; the log has one line of each change", async () => {
  await using collector = await Collector.start();
  collector.answer = (request) => (request <= 2 ? { status: 429, headers: { "Retry-After": "0" } } : {});
  await using opened = open(collector.url);
  addSpans(opened, 512);
  await until("all have arrived", () => collector.spans.length === 512);
  await until("it is logged", () => opened.log.length === 2);
  assert.deepEqual(opened.log, ["it answers with status 429", "up, 0 dropped"]);
  assert.deepEqual([opened.exporter.exported, opened.exporter.dropped], [512, 0]);
});

test("what a collector refuses is dropped and counted, wholly or in part", async () => {
  await using collector = await Collector.start();
  collector.answer = (request) =>
    request === 1 ? { status: 401 } : { body: { partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } } };
  await using opened = open(collector.url);
  addSpans(opened, 512);
  await until("it was refused", () => opened.exporter.dropped === 512);
  addSpans(opened, 512);
  await until("some were taken", () => opened.exporter.exported === 510);
  assert.deepEqual([opened.exporter.dropped, opened.log], [514, ["it answers with status 401"]]);
});

test("a collector that is away costs a bounded queue; once it is back, what comes then arrives", async () => {
  const { port, url } = await closed(await Collector.start());
  await using opened = open(url);
  addSpans(opened, 10_000);
  await until("it is logged", () => opened.log.length === 1);
  addSpans(opened, 10_000);
  assert.ok(opened.exporter.dropped >= 20_000 - 2_048 - 512, String(opened.exporter.dropped));
  await using collector = await Collector.start(port);
  await until("what waited has arrived", () => collector.spans.length === 20_000 - opened.exporter.dropped);
  const [down, up] = opened.log;
  assert.deepEqual([down, opened.log.length], ["ECONNREFUSED", 2]);
  assert.match(String(up), /^up, \d+ dropped$/);
});

test("one that never answers fails after the timeout, and delays the end no longer than allowed", async () => {
  await using collector = await Collector.start();
  collector.answer = () => new Promise(() => undefined);
  await using opened = open(collector.url, 100);
  addSpans(opened, 512);
  await until("it is logged", () => opened.log.length === 1);
  assert.deepEqual(opened.log, ["it does not answer within 0.1 s"]);
  const before = performance.now();
  await opened.exporter.stop(50);
  assert.ok(performance.now() - before < 2_000);
  assert.equal(opened.exporter.dropped, 512);
});

test("what cannot be encoded is dropped and logged, and what comes next is sent", async () => {
  await using collector = await Collector.start();
  await using opened = open(collector.url);
  opened.exporter.add({ ...spanOf(1), startMs: 1n as unknown as number });
  addSpans(opened, 511);
  await until("it is logged", () => opened.log.length === 1);
  assert.match(String(opened.log[0]), /^they cannot be encoded: TypeError/);
  addSpans(opened, 512);
  await until("all have arrived", () => opened.exporter.exported === 512);
  assert.equal(opened.exporter.dropped, 512);
});

test("the end sends what waits, without a delay", async () => {
  await using collector = await Collector.start();
  await using opened = open(collector.url);
  addSpans(opened, 5);
  await opened.exporter.stop(5_000);
  assert.equal(collector.spans.length, 5);
  opened.exporter.add(spanOf(9));
  assert.deepEqual([opened.exporter.exported, opened.exporter.dropped], [5, 1]);
});

/** The address of a collector that was there. */
async function closed(collector: Collector): Promise<{ port: number; url: string }> {
  const { port, url } = collector;
  await collector[Symbol.asyncDispose]();
  return { port, url };
}
