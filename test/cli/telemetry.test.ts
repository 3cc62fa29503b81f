/** Traces and logs of the service as operators turn them on (docs/operate.md, "Traces"). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveCli } from "../helpers/cli.ts";
import { Collector } from "../helpers/collector.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client, record } from "../helpers/http.ts";
import { assertTracedOverRestart } from "../helpers/trace-over-restart.ts";
import { until } from "../helpers/until.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SAMPLED = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` };

test("lines of the log reach the collector with their trace, and the end of the process sends what waits", async () => {
  await using collector = await Collector.start();
  await using folder = await tempFolder();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%2Cb",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_SERVICE_NAME: "articles",
    ROSTRUM_DRAIN_SECONDS: "0",
  };
  await using server = await serveCli({ data: folder.path, env });
  using client = new Client(server.url);
  await client.send("/dashboard/api/inbox", { headers: SAMPLED });
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.deepEqual(collector.problems, []);
  const [span] = collector.spans;
  assert.deepEqual([collector.spans.length, span?.name, span?.traceId], [1, "GET /dashboard/api/inbox", TRACE]);
  const messages = collector.lines.map(({ message }) => message);
  assert.deepEqual(
    messages,
    server.lines.map((line) => record(JSON.parse(line))["msg"]),
  );
  assert.deepEqual([messages[0], messages.at(-1)], ["serving", "stopping"]);
  const refused = collector.lines.find(({ message }) => message === "request");
  assert.deepEqual([refused?.severity, refused?.attributes["status"]], [9, 401]);
  assert.deepEqual([refused?.traceId, refused?.spanId], [TRACE, span?.spanId]);
  const { resource = {} } = span ?? {};
  assert.deepEqual([resource["service.name"], resource["deployment.environment.name"]], ["articles", "test"]);
  assert.equal(collector.requests[0]?.["api-key"], "a,b");
});

test("a change before a restart and its delivery after it are one trace", () => assertTracedOverRestart());

test("a wrong address is one line of the log, and changes nothing else", async () => {
  await using folder = await tempFolder();
  await using server = await serveCli({
    data: folder.path,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:password@127.0.0.1:1/collect", ROSTRUM_DRAIN_SECONDS: "0" },
  });
  using client = new Client(server.url);
  for (let request = 0; request < 20; request++) await client.send("/dashboard/api/inbox", { headers: SAMPLED });
  const warnings = () => server.lines.filter((line) => line.includes("collector"));
  await until("it is logged", () => warnings().length > 0);
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  const [warning, ...more] = warnings().map((line) => record(JSON.parse(line)));
  assert.deepEqual(more, []);
  assert.deepEqual(
    [warning?.["level"], warning?.["url"], warning?.["reason"]],
    [40, "http://127.0.0.1:1/collect/v1/traces", "ECONNREFUSED"],
  );
});

test("/metrics counts what was exported and dropped, and has no such series without a collector", async () => {
  await using collector = await Collector.start();
  await using folder = await tempFolder();
  const assertSeries = async (env: Record<string, string>, expected: readonly string[]) => {
    await using server = await serveCli({ data: folder.path, env });
    using client = new Client(server.url);
    await client.send("/dashboard/api/inbox", { headers: SAMPLED });
    let series: string[] = [];
    await until("it is counted", async () => {
      const { text } = await client.send("/metrics");
      series = text.split("\n").filter((line) => line.startsWith("rostrum_telemetry"));
      return expected.every((line) => series.includes(line));
    });
    assert.deepEqual(series, expected);
  };
  await assertSeries({}, []);
  await assertSeries({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, [
    'rostrum_telemetry_total{signal="traces",result="exported"} 1',
    'rostrum_telemetry_total{signal="traces",result="dropped"} 0',
  ]);
  await assertSeries({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: "true" }, []);
});
