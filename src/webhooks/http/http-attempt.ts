/**
 * One attempt, from its start to its result:
 *
 *     waiting for a connection → (DNS, connect, TLS) → request sent → 1xx … → final headers → body → result
 *
 * Until the final headers one absolute deadline applies, however slowly bytes arrive. The headers decide the outcome,
 * and nothing in the body changes it: the body has a second, short deadline, and the connection is destroyed unless the
 * body ended by itself. `#finish` is the only way an attempt ends.
 */
import type { PostResult, Timings, Outcome } from "../../domain/webhooks/attempt.ts";
import { type ConnectionAttempt, codeOrName, ConnectError } from "./connector.ts";
import type { PooledConnection, PooledRequest } from "./connection-pool.ts";
import { UnreadableResponse } from "./response-parser.ts";

export interface HttpAttemptOptions {
  head: string;
  body: PooledRequest["body"];
  timeoutMs: number;
  signal: AbortSignal | undefined;
  onResult: (result: PostResult, attempt: HttpAttempt) => void;
}

export class HttpAttempt implements PooledRequest {
  readonly head: string;
  readonly body: PooledRequest["body"];
  isDone = false;
  readonly #timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly #onResult: HttpAttemptOptions["onResult"];
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout;
  #connection: PooledConnection | undefined;
  #opening: ConnectionAttempt | undefined;
  #isExpired = false;
  #firstByteAt: number | null = null;
  #interim = 0;
  #status: number | null = null;
  #headers: PostResult["responseHeaders"] = [];
  #chunks: Buffer[] = [];
  #size = 0;
  /** Whether the deadline is that of the body. */
  #isReadingBody = false;

  constructor({ head, body, timeoutMs, signal, onResult }: HttpAttemptOptions) {
    this.head = head;
    this.body = body;
    this.#timeoutMs = timeoutMs;
    this.signal = signal;
    this.#onResult = onResult;
    this.#timer = setTimeout(onDeadline, timeoutMs, this);
  }

  stop(): void {
    this.#fail(STOPPED);
  }

  /** Handles the deadline; after the headers, that of the body. */
  expire(): void {
    if (this.isDone) return;
    if (this.#status !== null) return this.#finish(outcomeFromStatus(this.#status), false);
    if (this.#isExpired) return this.#fail({ outcome: "timeout", error: this.#lateness() });
    // If this process was suspended, the response may have arrived in time and is read in this turn of the event loop.
    this.#isExpired = true;
    setImmediate(onDeadline, this);
  }

  onConnection(connection: PooledConnection): void {
    this.#connection = connection;
  }

  onOpening(opening: ConnectionAttempt): void {
    this.#opening = opening;
  }

  onFirstByte(): void {
    this.#firstByteAt ??= performance.now();
  }

  onInterim(status: number): void {
    if (this.isDone) return;
    if (status === 101 || status < 100) {
      this.#fail({ outcome: "protocol", error: `The receiver answered ${status}, which nobody asked for.` });
    } else if (++this.#interim > MAX_INTERIM) {
      this.#fail({ outcome: "protocol", error: `The receiver sent more than ${MAX_INTERIM} interim answers (1xx).` });
    }
  }

  onHead(status: number, headers: PostResult["responseHeaders"]): void {
    if (this.isDone) return;
    this.#status = status;
    this.#headers = headers;
  }

  onBody(bytes: Buffer): void {
    if (this.isDone) return;
    this.#chunks.push(Buffer.from(bytes));
    this.#size += bytes.length;
    if (this.#size >= MAX_BODY_BYTES) this.expire();
  }

  onPart(): void {
    if (this.isDone || this.#status === null || this.#isReadingBody) return;
    this.#isReadingBody = true;
    clearTimeout(this.#timer);
    const leftMs = this.#timeoutMs + BODY_GRACE_MS - (performance.now() - this.#startedAt);
    this.#timer = setTimeout(onDeadline, Math.max(1, Math.min(BODY_MS, leftMs)), this);
  }

  onEnd(isReusable: boolean): void {
    if (this.#status !== null) this.#finish(outcomeFromStatus(this.#status), isReusable);
  }

  onError(error: Error): void {
    if (this.isDone) return;
    if (this.#status !== null) this.#finish(outcomeFromStatus(this.#status), false);
    else if (this.#mayResend(error)) this.#resend();
    else this.#fail(outcomeFromError(error));
  }

  /** An idle connection may close as it is reused (RFC 9112, 9.3.1). Once: a repeat has a new one, and the same id. */
  #mayResend(error: Error): boolean {
    return this.#opening === undefined && this.#firstByteAt === null && isConnectionReset(error);
  }

  #resend(): void {
    const broken = this.#connection;
    broken?.pool.runFresh(this);
    broken?.close();
  }

  #lateness(): string {
    const within = `within ${this.#timeoutMs / 1000} s`;
    if (this.#connection === undefined) return `No connection to the receiver was free ${within}.`;
    if (this.#opening?.resolvedAt === null) return `The name was not resolved ${within}.`;
    if (this.#opening?.connectedAt === null) return `The connection was not ready ${within}.`;
    if (this.#interim > 0) return `Only interim answers (1xx) came ${within}.`;
    return `No answer ${within}.`;
  }

  #fail(verdict: AttemptOutcome): void {
    // Headers that have arrived decide the outcome.
    if (this.#status === null) this.#finish(verdict, false);
    else this.#finish(outcomeFromStatus(this.#status), false);
  }

  #finish({ outcome, error }: AttemptOutcome, isReusable: boolean): void {
    if (this.isDone) return;
    this.isDone = true;
    clearTimeout(this.#timer);
    this.#connection?.release(isReusable);
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    const responseBody = body.subarray(0, MAX_BODY_BYTES);
    const timings = this.#timings();
    this.#onResult(
      { outcome, status: this.#status, error, responseHeaders: this.#headers, responseBody, timings },
      this,
    );
  }

  #timings(): Timings {
    return {
      dns: this.#since(this.#opening?.resolvedAt ?? null),
      connect: this.#since(this.#opening?.connectedAt ?? null),
      firstByte: this.#since(this.#firstByteAt),
      total: tenths(performance.now() - this.#startedAt),
    };
  }

  #since(at: number | null): number | null {
    return at === null ? null : tenths(at - this.#startedAt);
  }
}

/** The result of an attempt that this side stopped before a response. */
export const STOPPED: AttemptOutcome = { outcome: "reset", error: "The attempt was stopped before an answer came." };

const MAX_BODY_BYTES = 64 * 1024;
const BODY_MS = 1_000;

/** However late the headers arrive, the attempt ends within this time after its deadline. */
const BODY_GRACE_MS = 300;

/** Interim responses are fine, but not a flood that would keep a core busy until the deadline. */
const MAX_INTERIM = 1_000;

function onDeadline(attempt: HttpAttempt): void {
  attempt.expire();
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

export interface AttemptOutcome {
  outcome: Outcome;
  /** Null on success. */
  error: string | null;
}

/** @param status a final status, 200 to 999. Above 599 it counts as 5xx (RFC 9110, section 15). */
function outcomeFromStatus(status: number): AttemptOutcome {
  if (status < 300) return { outcome: "success", error: null };
  if (status < 400) {
    const error = `The receiver answered ${status}, a redirect. Redirects are not followed: enter the final URL.`;
    return { outcome: "redirect", error };
  }
  const outcome = status < 500 ? "client_error" : "server_error";
  return { outcome, error: `The receiver answered ${status}.` };
}

/** For errors before the response headers were complete. */
function outcomeFromError(error: Error): AttemptOutcome {
  if (error instanceof ConnectError) return { outcome: error.outcome, error: error.message };
  if (error instanceof UnreadableResponse) return { outcome: "protocol", error: error.message };
  const code = codeOrName(error);
  if (isConnectionReset(error)) {
    return { outcome: "reset", error: `The connection broke before the answer (${code}).` };
  }
  // With TLS 1.3 a receiver that requires a client certificate says so only after the handshake.
  if (/^ERR_SSL_|^ERR_TLS_|^EPROTO$/.test(code)) {
    return { outcome: "tls", error: `TLS failed (${code}): ${error.message}` };
  }
  return { outcome: "protocol", error: `The connection failed (${code}): ${error.message}` };
}

/** Whether the connection ended during the request; false if an unreadable response arrived. */
function isConnectionReset(error: Error): boolean {
  return error instanceof ConnectError ? error.outcome === "reset" : BREAKS.has(codeOrName(error));
}

const BREAKS: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
]);
