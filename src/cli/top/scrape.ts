/** Reads /metrics of one process. */
import { getErrorCode } from "../../domain/system/errors.ts";

export interface Series {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** By name; `_bucket`, `_sum` and `_count` of a histogram are names of their own. */
export type Metrics = ReadonlyMap<string, readonly Series[]>;

export type Scrape = { metrics: Metrics } | { reason: string };

const TIMEOUT_MS = 3_000;
/** With series of a thousand websites it is a tenth of that. */
const MAX_BYTES = 8 * 1024 * 1024;
const SERIES = /^(\w+)(?:\{(.*)\})? (\S+)$/;
/** Sticky: one after the other, so that its time grows with the text only. */
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)",?/gy;

/** `reason`: why there are no metrics, as the end of a sentence. */
export async function scrape(address: URL, stop: AbortSignal): Promise<Scrape> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(address, { redirect: "manual", signal });
    if (response.status === 404) {
      await response.body?.cancel();
      return { reason: "there are no metrics at this address: name the port of ROSTRUM_METRICS_PORT" };
    }
    if (!response.ok) {
      await response.body?.cancel();
      return { reason: `it answers ${response.status}` };
    }
    const metrics = parseMetrics(await readText(response));
    return metrics.has("rostrum_build_info") ? { metrics } : { reason: "what answers there is not Rostrum" };
  } catch (error) {
    return { reason: describe(error) };
  }
}

/** Leaves out lines that are not in the format. */
export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, Series[]>();
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = SERIES.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) continue;
    const pairs = Array.from(labels.matchAll(LABEL), ([, label = "", content = ""]) => [label, unescape(content)]);
    const series = { labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    const known = metrics.get(name);
    if (known === undefined) metrics.set(name, [series]);
    else known.push(series);
  }
  return metrics;
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (_all, character: string) => (character === "n" ? "\n" : character));
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error("its answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1_000} s`;
  const cause = error.cause ?? error;
  const code = getErrorCode(cause);
  if (code === "ECONNREFUSED") return "nothing listens there";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "this name has no address";
  return cause instanceof Error ? cause.message : error.message;
}
