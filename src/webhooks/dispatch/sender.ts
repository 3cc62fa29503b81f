/** Sends what was claimed: of each endpoint at most its window at once. */
import { readAnswer } from "../../domain/webhooks/receiver-response.ts";
import type { Millis } from "../../domain/articles/article.ts";
import { makeAttempt } from "../../operations/webhooks/send-attempt.ts";
import type { AttemptRecord, Target } from "../../operations/webhooks/record-attempts.ts";
import { setAsideDelivery } from "../../operations/webhooks/set-aside-delivery.ts";
import type { Claim, WaitingEndpoint } from "../../store/webhooks/claims.ts";
import { EndpointBuffer } from "./endpoint-buffer.ts";
import type { Brake } from "./brake.ts";
import type { DispatcherOptions } from "./options.ts";
import type { LeaseRegistry } from "./lease-registry.ts";
import { RandomPool } from "../http/random-pool.ts";

interface SenderParts {
  leases: LeaseRegistry;
  /** Asked before a delivery is given up whose message cannot be made. */
  brake: Brake;
  onAttempted: (record: AttemptRecord) => void;
  /** They are not sent. */
  onUnused: (claims: readonly Claim[]) => void;
  /** Nothing can be sent to the endpoint for now. */
  onUnsendable: (endpointId: string, error: unknown) => void;
  /** An attempt has ended, and the next ones of its endpoint have begun. `wasMade`: its result is to be recorded. */
  onEnded: (wasMade: boolean) => void;
}

/** After its time-out an attempt still reads what came of the body, and is recorded. */
const SLACK_MS = 2_000;
/** Above so many, what is known of an idle endpoint is forgotten. */
const MAX_BACKLOGS = 1_000;

export class Sender {
  readonly #options: DispatcherOptions;
  readonly #parts: SenderParts;
  readonly #buffers = new Map<string, EndpointBuffer>();
  readonly #spanIds: RandomPool;
  #underWay = 0;
  /** Aborts what is under way. */
  #sending = new AbortController();
  #isPaused = false;
  #pauses = 0;
  #isStopping = false;

  constructor(options: DispatcherOptions, parts: SenderParts) {
    this.#options = options;
    this.#parts = parts;
    this.#spanIds = new RandomPool(options.deps.randomBytes);
  }

  /** Attempts under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Attempts under way, and deliveries that wait for their endpoint's window. */
  get load(): number {
    let load = this.#underWay;
    for (const buffer of this.#buffers.values()) load += buffer.waiting;
    return load;
  }

  /** Whether anything is sent now. */
  get isSending(): boolean {
    return !this.#isPaused && !this.#isStopping;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** How often it was paused: what was claimed before a pause may be another process's by now. */
  get pauses(): number {
    return this.#pauses;
  }

  /** How many more of the endpoint may be claimed. */
  room(endpoint: WaitingEndpoint): number {
    return this.#buffers.get(endpoint.id)?.room(endpoint.window) ?? endpoint.window;
  }

  /** `window`: attempts of the endpoint that may be under way at once. */
  setWindow(endpointId: string, window: number): void {
    this.#backlog(endpointId).window = window;
  }

  /** `until`: the end of the leases. */
  add(claims: readonly Claim[], target: Target, until: Millis): void {
    for (const one of claims) this.#backlog(one.endpointId).add(one, target, until);
  }

  /** Sends what the windows of all endpoints allow. */
  sendAll(): void {
    for (const id of this.#buffers.keys()) this.#sendReady(id);
  }

  /** Sends nothing of what is claimed, and aborts what is under way, until `resume`. */
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

  /** Begins no more attempts. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Aborts what is under way. */
  abort(): void {
    this.#sending.abort();
  }

  /** Gives back what was not sent yet. */
  clear(): void {
    for (const buffer of this.#buffers.values()) this.#parts.onUnused(buffer.clear());
  }

  /** Gives back what was not sent yet to the endpoint. */
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

  #sendReady(endpointId: string): void {
    const buffer = this.#buffers.get(endpointId);
    if (buffer === undefined) return;
    const { deps, policy, heartbeat } = this.#options;
    if (heartbeat?.isStale() === true) this.pause();
    if (!this.isSending) this.#parts.onUnused(buffer.clear());
    // The receiver has become slow. Sent now, it would be sent again by whoever has the lease next.
    this.#parts.onUnused(buffer.clearLapsing(deps.clock() + policy.timeoutMs + SLACK_MS));
    for (let next = buffer.next(); next !== undefined; next = buffer.next()) {
      this.#underWay++;
      void this.#attempt(buffer, next.claim, next.target);
    }
    if (buffer.isIdle && this.#buffers.size > MAX_BACKLOGS) this.#buffers.delete(endpointId);
  }

  /** One POST, from its message to its record. Never rejects. */
  async #attempt(buffer: EndpointBuffer, claim: Claim, target: Target): Promise<void> {
    const { deps } = this.#options;
    const sending = { ...claim, number: claim.attempts + 1 };
    const { signal } = this.#sending;
    const made = await makeAttempt(deps, target, sending, this.#spanIds.take(), signal).catch((error: unknown) =>
      this.#giveUp(claim, error),
    );
    this.#underWay--;
    if (made === undefined) {
      buffer.ended(null);
    } else {
      this.#parts.brake.release();
      const { attempt, result } = made;
      buffer.ended(result.timings.total);
      if (signal.aborted && result.outcome !== "success") {
        // Aborted here: that says nothing of the receiver, and it is sent again.
        this.#parts.onUnused([claim]);
        this.#parts.onEnded(false);
        return;
      }
      this.#parts.onAttempted({ claim, attempt, answer: readAnswer(result, deps.clock()) });
      // A receiver that fails is not sent what was claimed for a healthy one.
      if (result.outcome !== "success") this.#parts.onUnused(buffer.clear());
    }
    this.#sendReady(claim.endpointId);
    this.#parts.onEnded(made !== undefined);
  }

  /** Its message cannot be made. That says nothing of the receiver. */
  async #giveUp(claim: Claim, error: unknown): Promise<undefined> {
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
      // The store is away. It fails again when it is claimed again.
      this.#parts.onUnused([claim]);
    }
  }
}
