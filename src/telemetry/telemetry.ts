/** Exports the traces and logs of this process. Loaded only if the settings name a collector. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Exporter } from "./exporter.ts";
import { encodeLogs, encodeSpans, type LogLine } from "./otlp.ts";
import type { Attributes, Span } from "./span.ts";
import type { TelemetryConfig } from "./telemetry-config.ts";

/** How long the end of the process may wait for the collector. */
const FLUSH_TIMEOUT_MS = 3_000;

export interface SignalStats {
  exported: number;
  dropped: number;
}

interface TelemetryOptions {
  config: TelemetryConfig;
  /** Of this program. */
  version: string;
  /** For the log. */
  onDown: (facts: { url: string; reason: string }, message: string) => void;
  onUp: (facts: { url: string; dropped: number }, message: string) => void;
}

export class Telemetry implements AsyncDisposable {
  readonly #spans: Exporter<Span> | null;
  readonly #lines: Exporter<LogLine> | null;

  constructor({ config, version, onDown, onUp }: TelemetryOptions) {
    const { tracesUrl, logsUrl, headers, timeoutMs } = config;
    const resource = { ...describeProcess(version), ...config.resource };
    const open = <T>(
      url: string | null,
      what: string,
      encode: (batch: readonly T[], resource: Attributes) => string,
    ) => {
      if (url === null) return null;
      const { origin, pathname } = new URL(url);
      const shown = origin + pathname;
      return new Exporter<T>({
        url,
        headers,
        timeoutMs,
        encode: (batch) => encode(batch, resource),
        onDown: (reason) =>
          onDown(
            { url: shown, reason },
            `${what} do not reach the collector, and what it does not take is dropped: check the OTEL_ settings`,
          ),
        onUp: (dropped) => onUp({ url: shown, dropped }, `${what} reach the collector again`),
      });
    };
    this.#spans = open(tracesUrl, "traces", encodeSpans);
    this.#lines = open(logsUrl, "logs", encodeLogs);
  }

  /** @param span that has ended, of this thread or another. */
  addSpan(span: Span): void {
    this.#spans?.add(span);
  }

  addLine(line: LogLine): void {
    this.#lines?.add(line);
  }

  /** By signal, those that are exported. */
  stats(): ReadonlyMap<string, SignalStats> {
    return new Map(
      Object.entries({ traces: this.#spans, logs: this.#lines }).flatMap(([signal, exporter]) =>
        exporter === null ? [] : [[signal, exporter]],
      ),
    );
  }

  /** Sends what waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#spans?.stop(FLUSH_TIMEOUT_MS), this.#lines?.stop(FLUSH_TIMEOUT_MS)]);
  }
}

/** What tells one process from another. */
function describeProcess(version: string): Attributes {
  return {
    "service.version": version,
    "service.instance.id": randomUUID(),
    "host.name": hostname(),
    "process.pid": process.pid,
    "telemetry.sdk.name": "rostrum",
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.version": version,
  };
}
