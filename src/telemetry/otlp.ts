/** Bodies of OTLP/HTTP in its JSON encoding (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
import type { Attributes, Span } from "./span.ts";

/** A line of the log, as pino has written it. */
export type LogLine = string;

const SCOPE = { name: "rostrum" };
const ERROR_STATUS = { code: 2 };
/** By pino's levels, each of which is the first of a range of four. */
const SEVERITIES: ReadonlyMap<unknown, [number: number, text: string]> = new Map([
  [10, [1, "TRACE"]],
  [20, [5, "DEBUG"]],
  [30, [9, "INFO"]],
  [40, [13, "WARN"]],
  [50, [17, "ERROR"]],
  [60, [21, "FATAL"]],
]);
const MAX_DEPTH = 5;

export function encodeSpans(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes: toKeyValues(resource) }, scopeSpans: [{ scope: SCOPE, spans: spans.map(toSpan) }] },
    ],
  });
}

export function encodeLogs(lines: readonly LogLine[], resource: Attributes): string {
  return JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: toKeyValues(resource) },
        scopeLogs: [{ scope: SCOPE, logRecords: lines.map(toRecord) }],
      },
    ],
  });
}

function toSpan({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, isError }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind,
    startTimeUnixNano: toNanos(startMs),
    // Clocks of two machines may differ.
    endTimeUnixNano: toNanos(Math.max(startMs, endMs)),
    attributes: toKeyValues(attributes),
    ...(isError && { status: ERROR_STATUS }),
  };
}

function toRecord(line: LogLine) {
  // Only pino writes lines.
  const {
    level,
    time,
    msg,
    trace_id: traceId,
    span_id: spanId,
    ...facts
  } = JSON.parse(line) as Record<string, unknown>;
  const [severityNumber, severityText] = SEVERITIES.get(level) ?? [0, ""];
  return {
    timeUnixNano: toNanos(Date.parse(String(time))),
    severityNumber,
    severityText,
    body: { stringValue: String(msg) },
    attributes: Object.entries(facts).map(([key, value]) => ({ key, value: toValue(value, 0) })),
    ...(traceId !== undefined && { traceId, spanId }),
  };
}

/** A number beyond 2^53, as text; microseconds are exact. */
function toNanos(ms: number): string {
  return `${Math.round(ms * 1_000)}000`;
}

function toKeyValues(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value, 0) }],
  );
}

function toValue(value: unknown, depth: number): object {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
  }
  if (value === null) return {};
  if (depth === MAX_DEPTH) return { stringValue: JSON.stringify(value) };
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one) => toValue(one, depth + 1)) } };
  return {
    // Whatever else JSON has is an object.
    kvlistValue: {
      values: Object.entries(value as object).map(([key, one]) => ({ key, value: toValue(one, depth + 1) })),
    },
  };
}
