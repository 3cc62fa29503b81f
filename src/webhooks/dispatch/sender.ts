/** Sends claimed deliveries, at most one window per endpoint at once. */
import { readReceiverResponse } from "../../domain/webhooks/webhook-message.ts";
import type { Millis } from "../../domain/system/time.ts";
import { makeAttempt, type UnsealedEndpoint } from "../../operations/webhooks/send-attempt.ts";
import type { AttemptRecord } from "../../operations/webhooks/record-attempts.ts";
import { setAsideDelivery } from "../../operations/webhooks/set-aside.ts";
import type { Claim, WaitingEndpoint } from "../../store/webhooks/claims.ts";
import type { DispatcherOptions } from "./options.ts";
import type { Brake, LeaseRegistry } from "./result-writer.ts";

interface SenderParts {
  leases: LeaseRegistry;
  /** Limits how many deliveries whose message cannot be built are given up. */
  brake: Brake;
  onAttempted: (record: AttemptRecord) => void;
  /** Called with claims that will not be sent. */
  onUnused: (claims: readonly Claim[]) => void;
  /** Called when nothing can be sent to the endpoint for now. */
  onUnsendable: (endpointId: string, error: unknown) => void;
  /** Called after an attempt, when its endpoint's next ones have started. `wasMade`: there is a result to record. */
  onEnded: (wasMade: boolean) => void;
}

/** Time after an attempt's timeout to read the rest of the body and record the result. */
const SLACK_MS = 2_000;
/** Above this number of buffers, those of idle endpoints are dropped. */
const MAX_BACKLOGS = 1_000;

export class Sender {
  readonly #options: DispatcherOptions;
  readonly #parts: SenderParts;
  readonly #buffers = new Map<string, EndpointBuffer>();
  readonly #spanIds: RandomPool;
  #underWay = 0;
  #sending = new AbortController();
  #isPaused = false;
  #pauses = 0;
  #isStopping = false;

  constructor(options: DispatcherOptions, parts: SenderParts) {
    this.#options = options;
    this.#parts = parts;
    this.#spanIds = new RandomPool(options.deps.randomBytes);
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Attempts in flight plus deliveries that wait for their endpoint's window. */
  get load(): number {
    let load = this.#underWay;
    for (const buffer of this.#buffers.values()) load += buffer.waiting;
    return load;
  }

  /** Whether new attempts may start. */
  get isSending(): boolean {
    return !this.#isPaused && !this.#isStopping;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Number of pauses so far. Claims from before a pause may belong to another process now. */
  get pauses(): number {
    return this.#pauses;
  }

  /** How many more deliveries of the endpoint may be claimed. */
  room(endpoint: Pick<WaitingEndpoint, "id" | "window">): number {
    return this.#buffers.get(endpoint.id)?.room(endpoint.window) ?? endpoint.window;
  }

  /** `window`: maximum attempts in flight to the endpoint. */
  setWindow(endpointId: string, window: number): void {
    this.#backlog(endpointId).window = window;
  }

  /** `until`: the end of the leases. */
  add(claims: readonly Claim[], endpoint: UnsealedEndpoint, until: Millis): void {
    for (const one of claims) this.#backlog(one.endpointId).add(one, endpoint, until);
  }

  /** Starts all attempts that the windows allow. */
  sendAll(): void {
    for (const id of this.#buffers.keys()) this.send(id);
  }

  /** Releases unsent claims and aborts attempts in flight; nothing is sent until `resume`. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#pauses++;
    this.clear();
    this.#sending.abort();
  }

  /** @returns whether it was paused. */
  resume(): boolean {
    if (!this.#isPaused) return false;
    this.#isPaused = false;
    if (!this.#isStopping) this.#sending = new AbortController();
    return true;
  }

  /** Starts no more attempts. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Aborts attempts in flight. */
  abort(): void {
    this.#sending.abort();
  }

  /** Releases the claims that were not sent yet. */
  clear(): void {
    for (const buffer of this.#buffers.values()) this.#parts.onUnused(buffer.clear());
  }

  /** Releases the endpoint's claims that were not sent yet. */
  clearEndpoint(endpointId: string): void {
    const buffer = this.#buffers.get(endpointId);
    if (buffer !== undefined) this.#parts.onUnused(buffer.clear());
  }

  #backlog(endpointId: string): EndpointBuffer {
    let buffer = this.#buffers.get(endpointId);
    if (buffer === undefined) {
      buffer = new EndpointBuffer();
      this.#buffers.set(endpointId, buffer);
    }
    return buffer;
  }

  /** Starts the attempts that the endpoint's window allows. */
  send(endpointId: string): void {
    const buffer = this.#buffers.get(endpointId);
    if (buffer === undefined) return;
    const { deps, policy, liveness } = this.#options;
    if (liveness?.isFenced() === true) this.pause();
    if (!this.isSending) this.#parts.onUnused(buffer.clear());
    // The receiver has become slow: the lease could expire during the attempt, and another worker would send the
    // delivery again.
    this.#parts.onUnused(buffer.clearLapsing(deps.clock() + policy.timeoutMs + SLACK_MS));
    for (let next = buffer.next(); next !== undefined; next = buffer.next()) {
      this.#underWay++;
      void this.#attempt(buffer, next.claim, next.endpoint);
    }
    if (buffer.isIdle && this.#buffers.size > MAX_BACKLOGS) this.#buffers.delete(endpointId);
  }

  /** One attempt, from message to result. A rejection is a bug, and ends the process (process/fatal-errors.ts). */
  async #attempt(buffer: EndpointBuffer, claim: Claim, endpoint: UnsealedEndpoint): Promise<void> {
    const { deps, traceOfEvent } = this.#options;
    const { signal } = this.#sending;
    const number = claim.attempts + 1;
    const traceparent = claim.traceparent ?? traceOfEvent?.(claim.eventId) ?? null;
    const made = await makeAttempt(
      deps,
      endpoint,
      { ...claim, traceparent },
      number,
      this.#spanIds.take(),
      signal,
    ).catch((error: unknown) => this.#setAside(claim, error));
    this.#underWay--;
    if (made === undefined) {
      buffer.ended(null);
    } else {
      this.#parts.brake.release();
      const { attempt, result } = made;
      buffer.ended(result.timings.total);
      if (signal.aborted && result.outcome !== "success") {
        // Aborted by this process, which says nothing about the receiver: the delivery is sent again.
        this.#parts.onUnused([claim]);
        this.#parts.onEnded(false);
        return;
      }
      this.#parts.onAttempted({
        claim,
        url: endpoint.url,
        attempt,
        answer: readReceiverResponse(result, deps.clock()),
      });
      // The buffered deliveries were claimed for a healthy receiver.
      if (result.outcome !== "success") this.#parts.onUnused(buffer.clear());
    }
    this.send(claim.endpointId);
    this.#parts.onEnded(made !== undefined);
  }

  /** Sets the delivery aside because its message cannot be built, which says nothing about the receiver. */
  async #setAside(claim: Claim, error: unknown): Promise<undefined> {
    const { deps, onError } = this.#options;
    if (!this.#parts.brake.allows(deps.clock())) {
      this.#parts.onUnsendable(claim.endpointId, error);
      this.#parts.onUnused([claim, ...this.#backlog(claim.endpointId).clear()]);
      return;
    }
    try {
      await setAsideDelivery(deps, claim, { state: "exhausted", wasSent: false, error }, onError);
      this.#parts.leases.end(claim);
    } catch {
      // The store is unavailable. The delivery fails again when it is next claimed.
      this.#parts.onUnused([claim]);
    }
  }
}

const POOL_BYTES = 4_096;
const ID_BYTES = 8;

/** Random ids of 8 bytes, generated in batches because each system call costs 7 µs. */
class RandomPool {
  readonly #randomBytes: (size: number) => Buffer;
  #pool: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(randomBytes: (size: number) => Buffer) {
    this.#randomBytes = randomBytes;
  }

  take(): Buffer {
    if (this.#at >= this.#pool.length) {
      this.#pool = this.#randomBytes(POOL_BYTES);
      this.#at = 0;
    }
    this.#at += ID_BYTES;
    return this.#pool.subarray(this.#at - ID_BYTES, this.#at);
  }
}

/** Time that claims ahead of the window cover for a fast receiver. */
const AHEAD_MS = 60;
const MAX_AHEAD = 8;

/** The deliveries of one endpoint that this process has claimed: in flight, or waiting for the window. */
export class EndpointBuffer {
  /** Maximum attempts in flight. */
  window = 1;
  #underWay = 0;
  /** Moving average of an attempt's duration, milliseconds; NaN before the first. */
  #usualMs = Number.NaN;
  readonly #waiting: { claim: Claim; endpoint: UnsealedEndpoint; until: Millis }[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** How many more may be claimed: the window of a slow receiver, or several windows of a fast one. */
  room(window: number): number {
    const ahead = window < 8 || Number.isNaN(this.#usualMs) ? 1 : Math.min(MAX_AHEAD, AHEAD_MS / this.#usualMs);
    return Math.floor(window * Math.max(1, ahead)) - this.#underWay - this.#waiting.length;
  }

  /** `until`: the end of the lease. */
  add(claim: Claim, endpoint: UnsealedEndpoint, until: Millis): void {
    this.#waiting.push({ claim, endpoint, until });
  }

  /** Removes the next delivery to send, if the window allows; it counts as in flight until `ended`. */
  next(): { claim: Claim; endpoint: UnsealedEndpoint } | undefined {
    if (this.#underWay >= this.window) return undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#underWay++;
    return next;
  }

  /** `ms`: the attempt's duration; null if nothing was sent. */
  ended(ms: number | null): void {
    this.#underWay--;
    if (ms === null) return;
    this.#usualMs = Number.isNaN(this.#usualMs) ? ms : this.#usualMs * 0.8 + ms * 0.2;
  }

  /** Removes and returns the claims that were not sent yet. */
  clear(): Claim[] {
    return this.#waiting.splice(0).map(({ claim }) => claim);
  }

  /** Removes and returns the unsent claims whose lease ends before `before`. */
  clearLapsing(before: Millis): Claim[] {
    const index = this.#waiting.findIndex(({ until }) => until >= before);
    if (index === 0) return [];
    return this.#waiting.splice(0, index === -1 ? this.#waiting.length : index).map(({ claim }) => claim);
  }
}
