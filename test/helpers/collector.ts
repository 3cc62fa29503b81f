/** A collector of OpenTelemetry: it takes what OTLP/HTTP's JSON encoding allows, and refuses all else. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { type Json, record, records } from "./http.ts";
import { until } from "./until.ts";

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** "": the first of its trace. */
  parentSpanId: string;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, Value>;
  isError: boolean;
  resource: Record<string, Value>;
}

interface CollectedLine {
  severity: number;
  message: Value;
  traceId: string;
  spanId: string;
  attributes: Record<string, Value>;
  resource: Record<string, Value>;
}

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: object;
}

export class Collector implements AsyncDisposable {
  readonly spans: CollectedSpan[] = [];
  readonly lines: CollectedLine[] = [];
  /** The headers of each request. */
  readonly requests: IncomingHttpHeaders[] = [];
  /** What was wrong with requests, which were refused. */
  readonly problems: string[] = [];
  /** What the next requests are answered; what is not accepted is not collected. */
  answer: (request: number) => Answer | Promise<Answer> = () => ({});
  readonly #server = createServer((req, res) => void this.#handle(req.url ?? "", req.headers, buffer(req), res));

  static async start(port = 0): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.#server.listen(port, "127.0.0.1", resolve));
    return collector;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The spans of the trace once all that `names` lists have arrived. */
  async trace(id: string, names: readonly string[]): Promise<CollectedSpan[]> {
    const found = () => this.spans.filter(({ traceId }) => traceId === id);
    await until(
      `the trace has ${names.join(", ")}; it has ${found()
        .map(({ name }) => name)
        .join(", ")}; ${this.problems.join()}`,
      () => names.every((name) => found().some((span) => span.name === name)),
    );
    return found();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(url: string, headers: IncomingHttpHeaders, body: Promise<Buffer>, res: ServerResponse): Promise<void> {
    this.requests.push(headers);
    const bytes = await body;
    const { status = 200, headers: answered = {}, body: answer = {} } = await this.answer(this.requests.length);
    try {
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers["content-encoding"], "gzip");
      const json = record(JSON.parse(gunzipSync(bytes).toString("utf8")));
      const [spans, lines] = url === "/v1/traces" ? [readSpans(json), []] : [[], readLines(json, url)];
      if (status === 200) {
        this.spans.push(...spans);
        this.lines.push(...lines);
      }
      res.writeHead(status, { "Content-Type": "application/json", ...answered }).end(JSON.stringify(answer));
    } catch (error) {
      this.problems.push(String(error));
      res.writeHead(400).end();
    }
  }
}

/** One tree without gaps? @returns it, as the names of each span's ancestors and its own. */
export function toPaths(spans: readonly CollectedSpan[], root = ""): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  assert.equal(byId.size, spans.length, "two spans have one id");
  const path = ({ name, parentSpanId }: CollectedSpan): string => {
    if (parentSpanId === root) return name;
    const parent = byId.get(parentSpanId);
    assert.ok(parent !== undefined, `the parent of ${name} is missing`);
    return `${path(parent)} > ${name}`;
  };
  return spans.map(path).toSorted();
}

function readSpans(json: Json): CollectedSpan[] {
  assertFields(json, ["resourceSpans"]);
  return records(json["resourceSpans"]).flatMap((group) => {
    assertFields(group, ["resource", "scopeSpans"]);
    const resource = readResource(group);
    return records(group["scopeSpans"]).flatMap((scoped) => {
      assertFields(scoped, ["scope", "spans"]);
      return records(scoped["spans"]).map((span) => readSpan(span, resource));
    });
  });
}

function readSpan(span: Json, resource: CollectedSpan["resource"]): CollectedSpan {
  assertFields(
    span,
    ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes"],
    ["parentSpanId", "status"],
  );
  const { kind, name } = span;
  assert.ok(typeof kind === "number" && kind >= 1 && kind <= 5, "an enum is a number");
  assert.ok(typeof name === "string" && name !== "");
  const [startMs, endMs] = [readNanos(span["startTimeUnixNano"]), readNanos(span["endTimeUnixNano"])];
  assert.ok(startMs <= endMs);
  const status = span["status"] === undefined ? {} : record(span["status"]);
  assert.ok([undefined, 0, 1, 2].includes(status["code"] as number | undefined));
  return {
    traceId: readId(span["traceId"], 32),
    spanId: readId(span["spanId"], 16),
    parentSpanId: span["parentSpanId"] === undefined ? "" : readId(span["parentSpanId"], 16),
    name,
    kind,
    startMs,
    endMs,
    attributes: readKeyValues(span["attributes"]),
    isError: status["code"] === 2,
    resource,
  };
}

function readLines(json: Json, url: string): CollectedLine[] {
  assert.equal(url, "/v1/logs");
  assertFields(json, ["resourceLogs"]);
  return records(json["resourceLogs"]).flatMap((group) => {
    assertFields(group, ["resource", "scopeLogs"]);
    const resource = readResource(group);
    return records(group["scopeLogs"]).flatMap((scoped) => {
      assertFields(scoped, ["scope", "logRecords"]);
      return records(scoped["logRecords"]).map((line) => readLine(line, resource));
    });
  });
}

function readLine(line: Json, resource: CollectedLine["resource"]): CollectedLine {
  assertFields(line, ["timeUnixNano", "severityNumber", "severityText", "body", "attributes"], ["traceId", "spanId"]);
  const severity = line["severityNumber"];
  assert.ok(typeof severity === "number" && severity >= 1 && severity <= 24);
  readNanos(line["timeUnixNano"]);
  return {
    severity,
    message: readValue(line["body"]),
    traceId: line["traceId"] === undefined ? "" : readId(line["traceId"], 32),
    spanId: line["spanId"] === undefined ? "" : readId(line["spanId"], 16),
    attributes: readKeyValues(line["attributes"]),
    resource,
  };
}

function readResource(group: Json): Record<string, Value> {
  const resource = record(group["resource"]);
  assertFields(resource, ["attributes"]);
  const attributes = readKeyValues(resource["attributes"]);
  assert.equal(typeof attributes["service.name"], "string");
  return attributes;
}

function readKeyValues(list: unknown): Record<string, Value> {
  const found = records(list).map((pair): [string, Value] => {
    assertFields(pair, ["key", "value"]);
    assert.equal(typeof pair["key"], "string");
    return [String(pair["key"]), readValue(pair["value"])];
  });
  assert.equal(new Set(found.map(([key]) => key)).size, found.length, "a key is there twice");
  return Object.fromEntries(found);
}

/** `AnyValue`: one field at most. 64-bit integers are strings. */
function readValue(json: unknown): Value {
  const [entry, more] = Object.entries(record(json));
  assert.equal(more, undefined);
  if (entry === undefined) return null;
  const [kind, value] = entry;
  if (kind === "arrayValue") return records(record(value)["values"]).map(readValue);
  if (kind === "kvlistValue") return readKeyValues(record(value)["values"]);
  if (kind === "intValue") {
    assert.match(String(value), /^-?\d+$/);
    assert.equal(typeof value, "string");
    return Number(value);
  }
  assert.equal(typeof value, { stringValue: "string", boolValue: "boolean", doubleValue: "number" }[kind], kind);
  return value as Value;
}

/** Ids are hex, unlike other bytes of the JSON mapping. */
function readId(value: unknown, digits: number): string {
  assert.match(String(value), new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));
  return String(value);
}

/** 64 bits, as text. */
function readNanos(value: unknown): number {
  assert.equal(typeof value, "string");
  assert.match(String(value), /^\d{19}$/);
  return Number(value) / 1e6;
}

function assertFields(json: Json, required: readonly string[], optional: readonly string[] = []): void {
  for (const name of required) assert.ok(name in json, `${name} is missing`);
  for (const name of Object.keys(json)) assert.ok([...required, ...optional].includes(name), `there is no ${name}`);
}
