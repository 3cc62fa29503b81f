/**
 * Sends spans, or lines of the log, to a collector in batches. A collector that is slow or away costs bounded memory and no
 * time: what finds the queue full is dropped, and so is a batch that was refused or has failed too often. Both are counted.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { getErrorCode } from "../domain/system/errors.ts";
import { readRetryAfter } from "../domain/webhooks/webhook-message.ts";

const { promisify } = process.getBuiltinModule("node:util");
const compress = promisify(process.getBuiltinModule("node:zlib").gzip);

const MAX_QUEUED = 2_048;
const MAX_BATCH = 512;
const BATCH_AFTER_MS = 1_000;
/** Waits before the second and later tries of a batch, unless the collector names one. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000] as const;
const MAX_WAIT_MS = 30_000;
/** As OTLP says; others are final. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Of an answer: it says at most how many were rejected, and why. */
const MAX_ANSWER_BYTES = 16_384;

export interface ExporterOptions<T> {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** Makes the JSON of a request. */
  encode: (batch: readonly T[]) => string;
  /** Called when the collector stops taking them, with the reason, for the log. */
  onDown: (reason: string) => void;
  /** Called when it takes them again, with how many were lost meanwhile. */
  onUp: (dropped: number) => void;
}

export class Exporter<T> {
  readonly #options: ExporterOptions<T>;
  readonly #collector: Collector;
  readonly #stopping = new AbortController();
  readonly #queue: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  /** How many were dropped before the collector went away; null: it answers. */
  #droppedBefore: number | null = null;
  exported = 0;
  dropped = 0;

  constructor(options: ExporterOptions<T>) {
    this.#options = options;
    this.#collector = new Collector(options);
  }

  add(item: T): void {
    if (this.#queue.length >= MAX_QUEUED || this.#stopping.signal.aborted) {
      this.dropped++;
      return;
    }
    this.#queue.push(item);
    if (this.#sending === undefined) this.#plan();
  }

  /** Sends what waits, once and within this time; what is left is dropped. */
  async stop(withinMs: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    const deadline = AbortSignal.timeout(withinMs);
    deadline.addEventListener("abort", () => this.#collector.close());
    await this.#sending;
    while (this.#queue.length > 0 && !deadline.aborted) await this.#send(this.#queue.splice(0, MAX_BATCH));
    this.dropped += this.#queue.splice(0).length;
    this.#collector.close();
  }

  #plan(): void {
    const { length } = this.#queue;
    // A batch that has just become full is sent at once.
    if (this.#timer !== undefined && length !== MAX_BATCH) return;
    clearTimeout(this.#timer);
    const start = () => {
      this.#sending = this.#sendAll();
    };
    this.#timer = setTimeout(start, length >= MAX_BATCH ? 0 : BATCH_AFTER_MS).unref();
  }

  async #sendAll(): Promise<void> {
    this.#timer = undefined;
    const batch = this.#queue.splice(0, MAX_BATCH);
    for (const waitMs of [...WAITS_MS, null]) {
      const retryAfterMs = await this.#send(batch, waitMs);
      if (retryAfterMs === null) break;
      const isStopping = await sleep(retryAfterMs, false, { signal: this.#stopping.signal, ref: false }).catch(
        () => true,
      );
      if (!isStopping) continue;
      this.#queue.unshift(...batch);
      break;
    }
    this.#sending = undefined;
    if (this.#queue.length > 0 && !this.#stopping.signal.aborted) this.#plan();
  }

  /** `waitMs`: before the next try; null: there is none. @returns when to try again; null: never. */
  async #send(batch: readonly T[], waitMs: number | null = null): Promise<number | null> {
    const answer = await this.#collector.send(() => this.#options.encode(batch));
    const { rejected, reason, canRetry, retryAfterMs } = answer;
    if (reason !== null && this.#droppedBefore === null) {
      this.#droppedBefore = this.dropped;
      this.#options.onDown(reason);
    }
    if (canRetry && waitMs !== null) return Math.min(retryAfterMs ?? waitMs, MAX_WAIT_MS);
    const lost = Math.min(rejected ?? batch.length, batch.length);
    this.dropped += lost;
    this.exported += batch.length - lost;
    if (reason === null && this.#droppedBefore !== null) {
      this.#options.onUp(this.dropped - this.#droppedBefore);
      this.#droppedBefore = null;
    }
    return null;
  }
}

interface Answer {
  /** Null: the batch was taken. For the log, a sentence without its full stop. */
  reason: string | null;
  /** How many of the batch were not taken; null: none was. */
  rejected: number | null;
  canRetry: boolean;
  /** What the collector asks for. */
  retryAfterMs: number | null;
}

class Collector {
  readonly #url: URL;
  readonly #options: RequestOptions;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
  readonly #request: (url: URL, options: RequestOptions) => ClientRequest;
  readonly #close: () => void;

  constructor({ url, headers, timeoutMs }: Pick<ExporterOptions<never>, "url" | "headers" | "timeoutMs">) {
    this.#url = new URL(url);
    const { Agent, request } = process.getBuiltinModule(this.#url.protocol === "https:" ? "node:https" : "node:http");
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.#request = request;
    this.#timeoutMs = timeoutMs;
    this.#close = () => agent.destroy();
    const own = { "Content-Type": "application/json", "Content-Encoding": "gzip", "User-Agent": "Rostrum" };
    this.#headers = { ...headers, ...own };
    this.#options = { agent, method: "POST" };
  }

  close(): void {
    this.#close();
  }

  /** Never rejects. @param encode makes the JSON. */
  async send(encode: () => string): Promise<Answer> {
    try {
      return await this.#post(await compress(encode()));
    } catch (error) {
      return {
        reason: `they cannot be encoded: ${String(error)}`,
        rejected: null,
        canRetry: false,
        retryAfterMs: null,
      };
    }
  }

  async #post(body: Buffer): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const headers = { ...this.#headers, "Content-Length": body.length };
    try {
      this.#request(this.#url, { ...this.#options, headers, signal })
        .once("response", resolve)
        .once("error", reject)
        .end(body);
      const response = await promise;
      return readAnswer(response, await readStart(response));
    } catch (error) {
      const reason = signal.aborted
        ? `it does not answer within ${this.#timeoutMs / 1_000} s`
        : (getErrorCode(error) ?? String(error));
      return { reason, rejected: null, canRetry: true, retryAfterMs: null };
    }
  }
}

function readAnswer({ statusCode = 0, headers }: IncomingMessage, body: string): Answer {
  if (statusCode >= 200 && statusCode < 300) {
    const { rejected, message } = readPartialSuccess(body);
    const reason = rejected === 0 ? null : `it rejects some of them: ${message}`;
    return { reason, rejected, canRetry: false, retryAfterMs: null };
  }
  const retryAfterMs = readRetryAfter(headers["retry-after"] ?? "", Date.now());
  return {
    reason: `it answers with status ${statusCode}`,
    rejected: null,
    canRetry: RETRYABLE.has(statusCode),
    retryAfterMs,
  };
}

const MAX_MESSAGE = 300;

/** What of an accepted batch was not accepted. */
function readPartialSuccess(body: string): { rejected: number; message: string } {
  try {
    const { partialSuccess } = JSON.parse(body) as {
      partialSuccess?: { rejectedSpans?: unknown; rejectedLogRecords?: unknown; errorMessage?: unknown };
    };
    const { rejectedSpans, rejectedLogRecords, errorMessage } = partialSuccess ?? {};
    const rejected = Number(rejectedSpans ?? rejectedLogRecords ?? 0);
    const message = typeof errorMessage === "string" ? errorMessage.slice(0, MAX_MESSAGE) : "";
    return { rejected: rejected > 0 ? rejected : 0, message };
  } catch {
    // Some answer with nothing, or in another encoding.
    return { rejected: 0, message: "" };
  }
}

/** Reads the whole body, so that the connection can be used again, and returns its beginning. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < MAX_ANSWER_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).toString("utf8");
}
