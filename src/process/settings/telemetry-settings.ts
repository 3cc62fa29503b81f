/** OpenTelemetry's own settings. */
import type { TelemetryConfig } from "../../telemetry/telemetry-config.ts";
import type { SettingReader } from "./environment.ts";
import { filled, headers, httpUrl, oneOf, otelFlag, pairs, share, wholeNumber } from "./setting-values.ts";

const COLLECTOR = "http://collector.example.com:4318";
const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Values that OpenTelemetry's libraries would not stop for do not stop the service. @returns null if nothing is exported. */
export function readTelemetrySettings(
  read: SettingReader,
  readOrDefault: SettingReader,
  problems: string[],
): TelemetryConfig | null {
  const base = read("OTEL_EXPORTER_OTLP_ENDPOINT", null, httpUrl(COLLECTOR));
  const at = (path: string) => (base === null ? null : `${base}/v1/${path}`);
  const tracesUrl = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", at("traces"), httpUrl(`${COLLECTOR}/v1/traces`));
  const logsUrl = read("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", at("logs"), httpUrl(`${COLLECTOR}/v1/logs`));
  const hasTraces = readOrDefault("OTEL_TRACES_EXPORTER", "otlp", oneOf("otlp", "none")) === "otlp";
  const hasLogs = readOrDefault("OTEL_LOGS_EXPORTER", "console", oneOf("console", "otlp", "none")) === "otlp";
  readOrDefault("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", oneOf("http/json", "http/protobuf"));
  const name = readOrDefault("OTEL_SERVICE_NAME", null, filled("a name"));
  const attributes = readOrDefault("OTEL_RESOURCE_ATTRIBUTES", {}, pairs("deployment.environment.name=production"));
  const sampler = readOrDefault("OTEL_TRACES_SAMPLER", "parentbased_always_on", oneOf(...SAMPLERS));
  const ratio = readOrDefault("OTEL_TRACES_SAMPLER_ARG", 1, share);
  const telemetry = {
    tracesUrl: hasTraces ? tracesUrl : null,
    logsUrl: hasLogs ? logsUrl : null,
    headers: read("OTEL_EXPORTER_OTLP_HEADERS", {}, headers),
    timeoutMs: readOrDefault("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000, wholeNumber(1, 600_000)),
    resource: { "service.name": "rostrum", ...attributes, ...(name !== null && { "service.name": name }) },
    sampler: {
      isParentBased: sampler.startsWith("parentbased_"),
      ratio: sampler.endsWith("always_off") ? 0 : sampler.endsWith("traceidratio") ? ratio : 1,
    },
  };
  if (hasLogs && logsUrl === null)
    problems.push("OTEL_LOGS_EXPORTER is otlp; OTEL_EXPORTER_OTLP_ENDPOINT must say where the collector is.");
  const isDisabled = readOrDefault("OTEL_SDK_DISABLED", false, otelFlag);
  return isDisabled || (telemetry.tracesUrl === null && telemetry.logsUrl === null) ? null : telemetry;
}
