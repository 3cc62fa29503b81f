/** Where traces and logs go, as the settings of OpenTelemetry say: plain data, so that threads can have it. */
export interface TelemetryConfig {
  /** Null: not exported. */
  tracesUrl: string | null;
  logsUrl: string | null;
  /** Of every request: often with a key, not for logs. */
  headers: Record<string, string>;
  timeoutMs: number;
  /** What the collector is told of this service, besides what it says by itself. */
  resource: Record<string, string>;
  sampler: SamplerConfig;
}

export interface SamplerConfig {
  /** Whether a trace that began elsewhere is recorded if it is recorded there. */
  isParentBased: boolean;
  /** Share of the other traces, from 0 to 1. */
  ratio: number;
}
