/** Sends requests to the management API. A repeated attempt has the `Idempotency-Key` of the first, so that nothing is done twice. */
import { parseAddress, readRefusal, reason, RETRIED, retryAfterMs } from "../answers.ts";
import { RostrumError } from "../errors.ts";
import { Pace, sleep } from "../pace.ts";

export interface ManagementOptions {
  /** The service's URL, such as `https://articles.example.com`. */
  url: string;
  /** An access token (`rm_…`). Keep it secret on your server. */
  token: string;
  /** How long an attempt may be silent, in milliseconds. Default 60,000. */
  timeoutMs?: number | undefined;
  /** How long a failing request is retried, in milliseconds. Default 60,000. */
  giveUpAfterMs?: number | undefined;
  /** Maximum number of concurrent requests. Default 4. */
  maxConcurrent?: number | undefined;
  /** Gets the failure of each request that is about to be sent again. */
  onRetry?: ((failure: ManagementError) => void) | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Of your own, 1 to 200 characters, so that a repeat after a restart does nothing twice. Default: a new one for each call. */
  idempotencyKey?: string | undefined;
}

/** The service refused, failed, or did not answer. */
export class ManagementError extends RostrumError {
  override readonly name = "ManagementError";
  /** `stale`: the present one. */
  readonly etag: string | null;
  /** `stale`: who changed the article, and when. */
  readonly changedBy: string | null;
  readonly changedAt: string | null;
  /** `conflict`: the state of the article, and what your token may do with it in this state. */
  readonly state: string | null;
  readonly allowed: readonly string[];

  constructor(
    status: number,
    message: string,
    options: ConstructorParameters<typeof RostrumError>[2] & { body?: Record<string, unknown> } = {},
  ) {
    const { body = {}, ...others } = options;
    super(status, message, others);
    this.etag = toText(body["etag"]);
    this.changedBy = toText(body["changed_by"]);
    this.changedAt = toText(body["changed_at"]);
    this.state = toText(body["state"]);
    this.allowed = Array.isArray(body["allowed"]) ? body["allowed"].map(String) : [];
  }
}

export interface ManagementRequest extends CallOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** Sent as JSON. */
  body?: object | undefined;
  /** Sent as it is. */
  content?: { type: string; bytes: string | Uint8Array | Blob } | undefined;
  etag?: string | undefined;
  idempotencyKey?: string | undefined;
}

interface ManagementAnswer<Data> {
  data: Data;
  /** When the service wants to be asked again; 0 if it does not say. */
  retryAfterMs: number;
}

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;

export class ManagementTransport {
  readonly #root: string;
  readonly #token: string;
  readonly #timeoutMs: number;
  readonly giveUpAfterMs: number;
  readonly #pace: Pace;
  readonly #onRetry: ManagementOptions["onRetry"];
  readonly #fetch: typeof fetch;

  constructor(options: ManagementOptions) {
    const { url, token, timeoutMs = 60_000, giveUpAfterMs = 60_000, maxConcurrent = 4 } = options;
    this.#root = `${parseAddress(url)}/api/management`;
    this.#token = parseToken(token);
    this.#timeoutMs = timeoutMs;
    this.giveUpAfterMs = giveUpAfterMs;
    this.#pace = new Pace(maxConcurrent, timeoutMs);
    this.#onRetry = options.onRetry;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** @throws ManagementError */
  async json<Answer>(request: ManagementRequest): Promise<Answer> {
    return (await this.answer<Answer>(request)).data;
  }

  /** @throws ManagementError */
  async answer<Data>(request: ManagementRequest): Promise<ManagementAnswer<Data>> {
    const { response, text } = await this.#send(request, false);
    try {
      return { data: JSON.parse(text) as Data, retryAfterMs: retryAfterMs(response) };
    } catch (cause) {
      const message = "The answer is not the management API's: is this the address of a Rostrum service?";
      throw new ManagementError(response.status, message, { cause });
    }
  }

  /** Yields the value of each line of the answer as it arrives. An answer that breaks off is not asked for again. @throws ManagementError */
  async *lines(request: ManagementRequest): AsyncGenerator<unknown, void, undefined> {
    const { response, watch } = await this.#send(request, true);
    try {
      yield* readLines(response, watch);
    } catch (error) {
      throw this.#explain(request, error);
    } finally {
      watch.end();
    }
  }

  /** Retries until there is a conclusive answer. */
  async #send(request: ManagementRequest, isStreamed: boolean): Promise<Sent> {
    const { method = "GET", signal, idempotencyKey } = request;
    const takesKey = (method === "POST" || method === "PATCH") && request.content === undefined;
    const key = takesKey ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    const end = performance.now() + this.giveUpAfterMs;
    for (let attempt = 0; ; attempt++) {
      const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
      let failure: unknown;
      let pauseMs = 0;
      try {
        const sent = await this.#pace.run(() => this.#attempt(request, key, isStreamed), signal);
        if (sent.response.ok) return sent;
        const body = readRefusal(sent.text);
        failure = toError(this.#root + request.path, sent.response, body);
        if (!RETRIED.has(sent.response.status) && body["code"] !== "under_way") throw failure;
        pauseMs = retryAfterMs(sent.response);
        // The rate is the token's, so other requests would be refused as well.
        if (sent.response.status === 429) this.#pace.pause(pauseMs);
      } catch (error) {
        if (error instanceof ManagementError) throw error;
        signal?.throwIfAborted();
        failure = this.#explain(request, error);
        // It may have been done, and a repeat would find nothing to delete.
        if (method === "DELETE") throw failure;
      }
      if (performance.now() + Math.max(pauseMs, wait) > end) throw failure;
      if (failure instanceof ManagementError) this.#onRetry?.(failure);
      await sleep(Math.max(pauseMs, wait), signal);
    }
  }

  async #attempt(
    { method = "GET", path, body, content, etag, signal }: ManagementRequest,
    key: string | undefined,
    isStreamed: boolean,
  ): Promise<Sent> {
    const stop = new AbortController();
    const watch = this.#watch(stop, signal);
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}`, Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (content !== undefined) headers["Content-Type"] = content.type;
    if (etag !== undefined) headers["If-Match"] = etag === "*" ? "*" : `"${etag}"`;
    if (key !== undefined) headers["Idempotency-Key"] = key;
    // The standard takes all of these; its types want buffers that are not shared.
    const bytes = (content?.bytes ?? (body === undefined ? null : JSON.stringify(body))) as string | Blob | null;
    let isOpen = false;
    try {
      watch.restart();
      const response = await this.#fetch(this.#root + path, { method, headers, body: bytes, signal: stop.signal });
      watch.restart();
      isOpen = isStreamed && response.ok;
      return { response, text: isOpen ? "" : await response.text(), watch };
    } finally {
      if (!isOpen) watch.end();
    }
  }

  #watch(stop: AbortController, signal: AbortSignal | undefined): Watch {
    // Not AbortSignal.any, which Vercel's edge runtime lacks.
    const abort = () => stop.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    let timer: ReturnType<typeof setTimeout> | undefined;
    return {
      restart: () => {
        clearTimeout(timer);
        const late = () => stop.abort(new Error(`no answer within ${this.#timeoutMs} ms`));
        timer = setTimeout(late, this.#timeoutMs);
      },
      end: () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      },
    };
  }

  #explain({ path, signal }: ManagementRequest, error: unknown): unknown {
    if (error instanceof ManagementError || signal?.aborted === true) return error;
    return new ManagementError(0, `${this.#root}${path} did not answer: ${reason(error)}`, { cause: error });
  }
}

/** Aborts a request that is silent for too long. */
interface Watch {
  restart(): void;
  end(): void;
}

interface Sent {
  response: Response;
  /** Empty where the answer is read line by line. */
  text: string;
  watch: Watch;
}

/** The values of an answer with one on each line. */
async function* readLines(response: Response, watch: Watch): AsyncGenerator<unknown, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      watch.restart();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) if (line !== "") yield JSON.parse(line) as unknown;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** @throws TypeError, which does not repeat what may be a secret. */
function parseToken(token: string | undefined): string {
  const trimmed = token?.trim() ?? "";
  if (trimmed === "") throw new TypeError("The access token is missing: pass it as token.");
  if (!/^rm_\w+$/.test(trimmed)) {
    throw new TypeError('An access token begins with "rm_", and letters and digits follow.');
  }
  return trimmed;
}

function toError(url: string, response: Response, body: Record<string, unknown>): ManagementError {
  const code = toText(body["code"]);
  const explanation = toText(body["message"]) ?? response.statusText;
  const source = code === null ? ` (${url} is not answered by Rostrum itself; is the address right?)` : "";
  return new ManagementError(response.status, `${response.status}: ${explanation}${source}`, {
    code,
    param: toText(body["param"]),
    requestId: response.headers.get("X-Request-Id"),
    body,
  });
}

function toText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
