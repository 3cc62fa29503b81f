/** Claims what is ready, under leases, of the endpoints that have room. */
import type { Millis } from "../../domain/articles/article.ts";
import { AppError } from "../../domain/system/errors.ts";
import { unlessItsFault } from "../../operations/webhooks/dead-letters.ts";
import { reserveTargets, type Target } from "../../operations/webhooks/record-attempts.ts";
import { setAsideUnclaimable } from "../../operations/webhooks/unclaimable.ts";
import { claim, type Claim, listWaiting, type WaitingEndpoint } from "../../store/webhooks/claims.ts";
import type { Reader, Writer } from "../../store/store.ts";
import type { Brake } from "./brake.ts";
import { type DispatcherOptions, LOG_AGAIN_AFTER_MS } from "./options.ts";
import type { LeaseRegistry } from "./lease-registry.ts";
import { QueueCursors } from "./queue-cursors.ts";

/** What was claimed of one endpoint. */
export interface Claimed {
  target: Target;
  claims: Claim[];
  /** The end of the lease. */
  until: Millis;
}

interface ClaimerParts {
  leases: LeaseRegistry;
  /** Asked before a delivery is given up that cannot be claimed. */
  brake: Brake;
  /** Whether anything may be claimed now. */
  mayClaim: () => boolean;
  /** How many deliveries of the endpoint may be claimed now. */
  room: (endpoint: WaitingEndpoint) => number;
  setWindow: (endpointId: string, window: number) => void;
  /** How many claimed deliveries are being sent, or wait for that. */
  load: () => number;
}

const LEASE_MS = 30_000;
/** Where attempts may take long, leases are longer: otherwise no result could be recorded. */
const LEASE_PER_TIMEOUT = 1.5;
/** A cycle waits some times for the database, whatever it claims; SQLite is locked for as long as it takes. */
export const MAX_CLAIMS = { sqlite: 128, postgres: 256 } as const;
/** Deliveries under way at once, over all endpoints. */
const MAX_UNDER_WAY = 512;
/** How often to ask the store at least. On PostgreSQL lease-reaper.ts finds what is ready, and this is only the fallback. */
const POLL_INTERVAL_MS = { sqlite: 2_000, postgres: 10_000 } as const;
/** While claims are held the lookout asks less. */
const POLL_WHILE_HOLDING_MS = 1_000;
const CLOSED_FOR_MS = 5_000;
/** What was ready and could not be claimed is tried again, first soon, then later. */
const RETRY_BACKOFF_MS = { min: 4, max: 16 } as const;

export class Claimer {
  readonly #options: DispatcherOptions;
  readonly #parts: ClaimerParts;
  readonly #starts = new QueueCursors();
  /** Endpoints that nothing is claimed of: when that was last logged, and when to try again. */
  readonly #closed = new Map<string, { loggedAt: Millis; until: Millis }>();
  #retryBackoffMs: number = RETRY_BACKOFF_MS.min;
  #nextDueAt: Millis = 0;

  constructor(options: DispatcherOptions, parts: ClaimerParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** When to ask the store again. */
  get nextDueAt(): Millis {
    return this.#nextDueAt;
  }

  /** Something may be ready then. */
  wakeAt(time: Millis): void {
    this.#nextDueAt = Math.min(this.#nextDueAt, time);
  }

  /** Something of the endpoint was given back; without an id, of any. */
  givenBack(endpointId?: string): void {
    if (endpointId === undefined) this.#starts.forget(performance.now());
    else this.#starts.givenBack(endpointId);
  }

  async isAnythingReady(): Promise<boolean> {
    if (!this.#parts.mayClaim()) return false;
    const { deps, heartbeat } = this.#options;
    const now = deps.clock();
    const [waiting] = await Promise.all([deps.store.read((db) => this.#listWaiting(db, now)), heartbeat?.ready()]);
    return waiting.some((endpoint) => this.#isClaimable(endpoint, now));
  }

  /** Runs the transaction, and registers what was claimed in it. */
  async write<T extends { claimed: Claimed[] }>(work: (db: Writer) => Promise<T>): Promise<T> {
    let made: Claim[] = [];
    try {
      const result = await this.#options.deps.store.write(work, { isQuiet: true });
      made = result.claimed.flatMap(({ claims }) => claims);
      return result;
    } finally {
      this.#parts.leases.made(made);
    }
  }

  /** Claims of the endpoint served longest ago first; in the transaction of `write`. `only`: of that endpoint. */
  async claim(db: Writer, only?: string): Promise<Claimed[]> {
    if (!this.#parts.mayClaim()) return [];
    const { deps, policy, worker } = this.#options;
    const now = deps.clock();
    const waiting = await this.#listWaiting(db, now);
    const total = Math.min(MAX_CLAIMS[deps.store.engine], MAX_UNDER_WAY - this.#parts.load());
    const ready = waiting
      .filter((endpoint) => (only ?? endpoint.id) === endpoint.id && this.#isClaimable(endpoint, now))
      .slice(0, Math.max(0, total));
    const ids = ready.map(({ id }) => id);
    const targets = await this.#targets(db, ids, now);
    const wanted = ready.filter(({ id }) => targets.has(id));
    if (wanted.length === 0) return [];
    for (const { id, window } of wanted) this.#parts.setWindow(id, window);
    // A slow answer that came meanwhile takes room away.
    const requests = wanted
      .map((endpoint) => ({ endpointId: endpoint.id, most: this.#parts.room(endpoint), head: endpoint.head }))
      .filter(({ most }) => most > 0);
    const until = now + Math.max(LEASE_MS, policy.timeoutMs * LEASE_PER_TIMEOUT);
    const token = deps.randomBytes(12).toString("base64url");
    this.#parts.leases.begin(token);
    const claims = await claim(db, requests, total, now, { token, until, worker });
    const claimed = [];
    for (const [id, target] of targets) {
      const own = claims.filter(({ endpointId }) => endpointId === id);
      if (own.length > 0) claimed.push({ target, claims: own, until });
    }
    // Another process has some of it, or not every process has heard of the change yet: that is soon over.
    if (claimed.length < wanted.length && claims.length < total) {
      this.#nextDueAt = now + this.#retryBackoffMs;
      this.#retryBackoffMs = Math.min(this.#retryBackoffMs * 2, RETRY_BACKOFF_MS.max);
    }
    if (claims.length > 0) this.#retryBackoffMs = RETRY_BACKOFF_MS.min;
    return claimed;
  }

  /**
   * Claims of one endpoint after the other, each in a transaction of its own. Of an endpoint that fails, what cannot be claimed
   * is set aside.
   *
   * @param onStep called before each endpoint. @param onLost called with what was claimed when the store fails meanwhile.
   */
  async claimAlone(onStep: () => void, onLost: (claims: Claim[]) => void): Promise<Claimed[]> {
    const { deps, onError } = this.#options;
    const waiting = await deps.store.read((db) => this.#listWaiting(db, deps.clock()));
    const all: Claimed[] = [];
    let count = 0;
    const claimFrom = async (id: string) => {
      const { claimed } = await this.write(async (db) => ({ claimed: await this.claim(db, id) }));
      all.push(...claimed);
      for (const { claims } of claimed) count += claims.length;
    };
    try {
      for (const { id } of waiting) {
        if (count >= MAX_CLAIMS[deps.store.engine]) break;
        onStep();
        await unlessItsFault(
          () => claimFrom(id),
          async (error) => {
            const mayGiveUp = () => this.#parts.brake.allows(deps.clock());
            if (!(await setAsideUnclaimable(deps, id, onError, mayGiveUp))) this.close(id, error);
          },
        );
      }
    } catch (error) {
      onLost(all.flatMap(({ claims }) => claims));
      throw error;
    }
    return all;
  }

  /** Claims nothing of the endpoint for a while. `reason`: for the log. */
  close(id: string, error: unknown, reason = "cannot be sent to"): void {
    const now = this.#options.deps.clock();
    const { loggedAt = Number.NEGATIVE_INFINITY } = this.#closed.get(id) ?? {};
    const isNews = now - loggedAt >= LOG_AGAIN_AFTER_MS;
    this.#closed.set(id, { loggedAt: isNews ? now : loggedAt, until: now + CLOSED_FOR_MS });
    if (isNews) this.#options.onError(error, `webhook ${id} ${reason}; what is for it waits`);
  }

  /** @returns endpoints with something waiting. Also sets when to ask again. */
  async #listWaiting(db: Reader, now: Millis): Promise<WaitingEndpoint[]> {
    const waiting = await listWaiting(db, this.#options.worker, this.#starts.known(performance.now()));
    this.#starts.found(waiting, now);
    // What is ready but has no room is claimed when an attempt ends.
    const later = waiting.filter(({ readyAt }) => readyAt > now).map(({ readyAt }) => readyAt);
    const pollMs = this.#parts.leases.isEmpty
      ? POLL_INTERVAL_MS[this.#options.deps.store.engine]
      : POLL_WHILE_HOLDING_MS;
    this.#nextDueAt = Math.min(...later, now + pollMs);
    return waiting;
  }

  #isClaimable(endpoint: WaitingEndpoint, now: Millis): boolean {
    const isClosed = now < (this.#closed.get(endpoint.id)?.until ?? 0);
    return endpoint.readyAt <= now && !isClosed && this.#parts.room(endpoint) > 0;
  }

  /** Where to send, of the endpoints that are free. One whose secrets cannot be decrypted waits, and does not stop the others. */
  async #targets(db: Writer, endpointIds: readonly string[], now: Millis): Promise<Map<string, Target>> {
    const targets = new Map<string, Target>();
    for (const [id, target] of await reserveTargets(db, this.#options.deps, endpointIds, now)) {
      if (target instanceof AppError) {
        this.close(id, target);
        continue;
      }
      targets.set(id, target);
      this.#closed.delete(id);
    }
    return targets;
  }
}
