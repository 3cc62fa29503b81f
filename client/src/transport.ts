/** Sends requests to the read API, with time-outs, rate limiting, and retries when the service or the network fails. */
import { ResponseCache } from "./response-cache.ts";
import { parseAddress, reason, refusal, RETRIED, retryAfterMs } from "./answers.ts";
import { RostrumError } from "./errors.ts";
import { Pace, sleep } from "./pace.ts";

export interface TransportOptions {
  /** The service's URL, such as `https://articles.example.com`. */
  url: string;
  /** An API key (`rs_…`). Keep it secret on your server. */
  key: string;
  /** Time-out of one attempt in milliseconds, including its body. Default 10,000. */
  timeoutMs?: number | undefined;
  /** How long a failing request is retried, in milliseconds. Default 60,000. */
  giveUpAfterMs?: number | undefined;
  /** Maximum number of concurrent requests. Default 8. */
  maxConcurrent?: number | undefined;
  /**
   * Answers to cache in memory. Each is confirmed by the service before it is used (a 304 is cheap for both), except within
   * `maxAgeMs`; call `changed()` when a webhook arrives. Default 500 answers, of at most 32 million characters together, 0 ms. `false`
   * disables the cache.
   */
  cache?: { maxEntries?: number; maxAgeMs?: number } | false | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface RequestOptions {
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
  /**
   * A preview token: returns the article in any state, and caches nothing. Text that is no token counts as none, and for single articles so
   * does a token that has ended.
   */
  previewToken?: string | undefined;
}

/** For what is read only once, such as the pages of a copy: it is not cached. */
export interface ReadOptions extends RequestOptions {
  isReadOnce?: boolean;
}

export interface ApiResponse<Data> {
  data: Data;
  etag: string | null;
  /** The service's time of the answer, milliseconds since 1970, in whole seconds. */
  date: number;
}

type Text = Omit<ApiResponse<never>, "data"> & { text: string };

/** The characters of the service's preview tokens; others could not be in a header, or would end a cookie. */
export const PREVIEW_TOKEN = /^[\w.~-]+$/;
const FIRST_WAIT_MS = 250;
/** Short, so that a copy is up to date soon after an outage. */
const MAX_WAIT_MS = 1500;
/** How long to wait for the answer to another caller. */
const MAX_SHARED_WAIT_MS = 1000;

export class Transport {
  readonly #root: string;
  readonly #key: string;
  readonly #timeoutMs: number;
  readonly #giveUpAfterMs: number;
  readonly #pace: Pace;
  readonly #answers: ResponseCache | null;
  readonly #fetch: typeof fetch;
  /** By generation and path. */
  readonly #underWay = new Map<string, Promise<Text>>();

  constructor(options: TransportOptions) {
    const { url, key, timeoutMs = 10_000, giveUpAfterMs = 60_000, maxConcurrent = 8, cache = {} } = options;
    this.#root = `${parseAddress(url)}/api/public`;
    this.#key = parseKey(key);
    this.#timeoutMs = timeoutMs;
    this.#giveUpAfterMs = giveUpAfterMs;
    this.#pace = new Pace(maxConcurrent, timeoutMs);
    this.#answers = cache === false ? null : new ResponseCache({ maxEntries: 500, maxAgeMs: 0, ...cache });
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** @throws RostrumError when the service refuses, or still fails when the time for retries is over. */
  async get<Data>(path: string, options: ReadOptions = {}): Promise<ApiResponse<Data>> {
    const { signal, isReadOnce } = options;
    const previewToken = PREVIEW_TOKEN.test(options.previewToken ?? "") ? options.previewToken : undefined;
    const answers = previewToken === undefined && isReadOnce !== true ? this.#answers : null;
    const kept = answers?.find(path);
    if (kept?.isFresh === true) return toResponse(kept.text, kept.etag, Date.now());
    if (answers === null || !answers.areReused || signal !== undefined) {
      const { text, etag, date } = await this.#read(path, answers, { signal, previewToken });
      return toResponse(text, etag, date);
    }
    // An answer to another caller is as good, unless something has changed since that request was sent.
    const request = `${answers.generation} ${path}`;
    const other = this.#underWay.get(request);
    const shared = other === undefined ? null : await within(other, MAX_SHARED_WAIT_MS);
    const { text, etag, date } = shared ?? (await this.#readShared(request, path, answers, other));
    return toResponse(text, etag, date);
  }

  /** @param late a request that was not answered in time: the edge function that sent it may have been stopped. */
  async #readShared(
    request: string,
    path: string,
    answers: ResponseCache,
    late: Promise<Text> | undefined,
  ): Promise<Text> {
    const newer = this.#underWay.get(request);
    if (newer !== undefined && newer !== late) return await newer;
    const reading = this.#read(path, answers, {});
    this.#underWay.set(request, reading);
    try {
      return await reading;
    } finally {
      if (this.#underWay.get(request) === reading) this.#underWay.delete(request);
    }
  }

  async #read(path: string, answers: ResponseCache | null, { signal, previewToken }: RequestOptions): Promise<Text> {
    const kept = answers?.find(path);
    const generation = answers?.generation ?? 0;
    const headers: Record<string, string> = { "X-API-Key": this.#key, Accept: "application/json" };
    if (kept !== undefined) headers["If-None-Match"] = kept.etag;
    if (previewToken !== undefined) headers["X-Preview-Token"] = previewToken;
    const { response, text } = await this.#send(path, headers, signal);
    const etag = response.headers.get("ETag");
    const date = Date.parse(response.headers.get("Date") ?? "") || Date.now();
    const body = response.status === 304 && kept !== undefined ? kept.text : text;
    if (etag !== null) answers?.keep(path, etag, body, generation);
    return { text: body, etag, date };
  }

  expire(): void {
    this.#answers?.expire();
  }

  /** Retries until there is a conclusive answer. */
  async #send(path: string, headers: Record<string, string>, signal: AbortSignal | undefined) {
    const end = performance.now() + this.#giveUpAfterMs;
    for (let attempt = 0; ; attempt++) {
      const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
      let failure: RostrumError;
      try {
        const { response, text } = await this.#pace.run(() => this.#attempt(path, headers, signal), signal);
        if (response.ok || response.status === 304) return { response, text };
        failure = refusal(this.#root + path, response, text);
        if (!RETRIED.has(response.status)) throw failure;
        const retryAfter = retryAfterMs(response);
        // The limit belongs to the key, so other requests would be refused as well.
        if (response.status === 429) this.#pace.pause(retryAfter);
        if (performance.now() + Math.max(retryAfter, wait) > end) throw failure;
        await sleep(Math.max(retryAfter, wait), signal);
      } catch (error) {
        if (error instanceof RostrumError) throw error;
        signal?.throwIfAborted();
        failure = new RostrumError(0, `${this.#root}${path} did not answer: ${reason(error)}`, { cause: error });
        if (performance.now() + wait > end) throw failure;
        await sleep(wait, signal);
      }
    }
  }

  /** The time-out includes the body. A signal also keeps frameworks from sharing a failed answer with the next attempt. */
  async #attempt(path: string, headers: Record<string, string>, signal: AbortSignal | undefined) {
    // Not AbortSignal.any, which Vercel's edge runtime lacks.
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    const timer = setTimeout(() => stop.abort(new Error(`no answer within ${this.#timeoutMs} ms`)), this.#timeoutMs);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const response = await this.#fetch(this.#root + path, {
        headers,
        signal: stop.signal,
        ...(headers["X-Preview-Token"] === undefined ? {} : { cache: "no-store" as const }),
      });
      const text = await response.text();
      this.#pace.learn(response.headers.get("RateLimit"));
      return { response, text };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}

/** @returns null if it takes longer. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, milliseconds, null)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function toResponse<Data>(text: string, etag: string | null, date: number): ApiResponse<Data> {
  let cause: unknown;
  try {
    const { data } = JSON.parse(text) as { data?: Data };
    if (data != null) return { data, etag, date };
  } catch (error) {
    cause = error;
  }
  throw new RostrumError(200, "The answer is not the read API's: is this the address of a Rostrum service?", { cause });
}

/** @throws TypeError, which does not repeat what may be a secret. */
function parseKey(key: string | undefined): string {
  const trimmed = key?.trim() ?? "";
  if (trimmed === "") throw new TypeError("The API key is missing: pass it as key.");
  if (!/^rs_\w+$/.test(trimmed)) throw new TypeError('An API key begins with "rs_", and letters and digits follow.');
  return trimmed;
}
