/** Leases ready deliveries of the endpoints that have capacity. */
import type { Millis } from "../../domain/system/time.ts";
import { AppError } from "../../domain/system/errors.ts";
import { catchFailure } from "../../operations/system/set-aside.ts";
import { reserveUnsealed, type UnsealedEndpoint, UnsealedEndpoints } from "../../operations/webhooks/send-attempt.ts";
import { setAsideUnclaimable } from "../../operations/webhooks/set-aside.ts";
import { claim, type Claim, listWaiting, type WaitingEndpoint } from "../../store/webhooks/claims.ts";
import { findExtensions } from "../../store/webhooks/events.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { type DispatcherOptions, LOG_AGAIN_AFTER_MS } from "./options.ts";
import type { Brake, LeaseRegistry } from "./result-writer.ts";

/** The deliveries claimed from one endpoint. */
export interface Claimed {
  endpoint: UnsealedEndpoint;
  claims: Claim[];
  /** When the lease ends. */
  until: Millis;
}

interface ClaimerParts {
  leases: LeaseRegistry;
  /** Limits how many deliveries that cannot be claimed are given up. */
  brake: Brake;
  /** Whether anything may be claimed now. */
  mayClaim: () => boolean;
  /** How many more deliveries of the endpoint may be claimed now. */
  room: (endpoint: Pick<WaitingEndpoint, "id" | "window">) => number;
  /** How many results of the endpoint are not recorded yet. */
  unrecorded: (endpointId: string) => number;
  setWindow: (endpointId: string, window: number) => void;
  /** Number of claimed deliveries that are in flight or buffered. */
  load: () => number;
}

/** Maximum claims of one transaction. A larger batch costs less per delivery, but locks SQLite for longer. */
const MAX_CLAIMS = 512;
/** Maximum deliveries in flight, over all endpoints. */
const MAX_UNDER_WAY = 512;
/** Endpoints without a backlog get half of the free attempts, and this many more. */
const FRESH_SLOTS = 64;
/** Longest time between two queries, where lease-reaper.ts does not find ready deliveries first, as on PostgreSQL. */
const POLL_INTERVAL_MS = { sqlite: 2_000, postgres: 10_000 } as const;
/** Shorter while claims are held, because lease-reaper.ts then does not look for ready deliveries. */
const POLL_WHILE_HOLDING_MS = 1_000;
const CLOSED_FOR_MS = 5_000;
/** Backoff after ready deliveries could not be claimed. */
const RETRY_BACKOFF_MS = { min: 4, max: 16 } as const;

const LEASE_MS = 30_000;
/** A lease outlasts the attempt's timeout by this factor, so that the result can still be recorded. */
const LEASE_PER_TIMEOUT = 1.5;

interface ClaimOptions {
  /** Claims from that endpoint alone. */
  only?: string;
  /** Claims from endpoints without a backlog alone. */
  onlyFresh?: boolean;
  /** Maximum claims. */
  most?: number;
}

/** How long a lease lasts. */
function toLeaseMs({ timeoutMs }: Pick<DispatcherOptions["policy"], "timeoutMs">): number {
  return Math.max(LEASE_MS, timeoutMs * LEASE_PER_TIMEOUT);
}

export class Claimer {
  readonly #options: DispatcherOptions;
  readonly #parts: ClaimerParts;
  readonly #starts = new QueueCursors();
  readonly #unsealed = new UnsealedEndpoints();
  /** Endpoints that are not claimed from for now: when that was last logged, and when to try again. */
  readonly #closed = new Map<string, { loggedAt: Millis; until: Millis }>();
  #retryBackoffMs: number = RETRY_BACKOFF_MS.min;
  #nextDueAt: Millis = 0;

  constructor(options: DispatcherOptions, parts: ClaimerParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** When to query the store again. */
  get nextDueAt(): Millis {
    return this.#nextDueAt;
  }

  /** Queries the store at `time` at the latest. */
  wakeAt(time: Millis): void {
    this.#nextDueAt = Math.min(this.#nextDueAt, time);
  }

  /** Forgets the queue cursor of the endpoint after a release; without an id, of all endpoints. */
  onLeasesReclaimed(endpointId?: string): void {
    if (endpointId === undefined) this.#starts.forget(performance.now());
    else this.#starts.onLeasesReclaimed(endpointId);
  }

  /** Whether a claim may find deliveries. PostgreSQL is not asked: there a claim that finds none locks nothing. */
  async mayFindAny(onlyFresh = false): Promise<boolean> {
    if (!this.#parts.mayClaim()) return false;
    const { deps, liveness } = this.#options;
    if (deps.store.engine === "postgres" && liveness?.isFenced() !== true) return true;
    const now = deps.clock();
    const waiting = await deps.store.read((db) => this.#listWaiting(db, now));
    return waiting.some((endpoint) => this.#isClaimable(endpoint, now, onlyFresh));
  }

  /** Runs the transaction and registers the claims that it made. `waitsForDisk`: it does more than claim or release. */
  async write<T extends { claimed: Claimed[] }>(work: (db: Writer) => Promise<T>, waitsForDisk: boolean): Promise<T> {
    let made: Claim[] = [];
    try {
      const result = await this.#options.deps.store.write(work, { notify: false, waitsForDisk });
      made = result.claimed.flatMap(({ claims }) => claims);
      return result;
    } finally {
      this.#parts.leases.made(made);
    }
  }

  /**
   * Claims from endpoints without a backlog first, then from those that lag behind by a moment, each the longest unserved first. In the
   * transaction of `write`.
   */
  async claim(db: Writer, { only, onlyFresh = false, most = MAX_CLAIMS }: ClaimOptions = {}): Promise<Claimed[]> {
    if (!this.#parts.mayClaim()) return [];
    const { deps, policy, worker } = this.#options;
    const now = deps.clock();
    const waiting = await this.#listWaiting(db, now);
    const free = MAX_UNDER_WAY - this.#parts.load();
    const claimable = waiting.filter(
      (endpoint) => (only ?? endpoint.id) === endpoint.id && this.#isClaimable(endpoint, now, onlyFresh),
    );
    const mostFresh = Math.max(0, Math.min(Math.floor(free / 2) + FRESH_SLOTS, most));
    const mostOthers = Math.max(0, Math.min(free, most));
    const ready = [
      ...claimable.filter(({ isFresh }) => isFresh).slice(0, mostFresh),
      ...claimable
        .filter(({ isFresh }) => !isFresh)
        .toSorted((a, b) => Number(b.isRecent) - Number(a.isRecent))
        .slice(0, mostOthers),
    ];
    const ids = ready.map(({ id }) => id);
    const endpoints = await this.#reserve(db, ids, now);
    const wanted = ready.filter(({ id }) => endpoints.has(id));
    if (wanted.length < ready.length) this.#retrySoon(now);
    if (wanted.length === 0) return [];
    for (const { id, window } of wanted) this.#parts.setWindow(id, window);
    // An attempt that ended meanwhile may have reduced the capacity.
    const requestsOf = (isFresh: boolean) =>
      wanted
        .filter((endpoint) => endpoint.isFresh === isFresh)
        .map((endpoint) => ({ endpointId: endpoint.id, most: this.#parts.room(endpoint), head: endpoint.head }))
        .filter((request) => request.most > 0);
    const until = now + toLeaseMs(policy);
    const token = deps.randomBytes(12).toString("base64url");
    this.#parts.leases.begin(token);
    const lease = { token, until, worker };
    const first = await claim(db, requestsOf(true), mostFresh, now, lease);
    const left = Math.min(mostOthers, most - first.length);
    const second = await claim(db, requestsOf(false), left, now, lease);
    const claims = [...first, ...second];
    const byEndpoint = Map.groupBy(claims, ({ endpointId }) => endpointId);
    const claimed = [];
    for (const { id } of wanted) {
      const [endpoint, own] = [endpoints.get(id), byEndpoint.get(id)];
      if (endpoint === undefined || own === undefined) continue;
      if (endpoint.payload === "extended") await addExtensions(db, own);
      claimed.push({ endpoint, claims: own, until });
    }
    const isFull = first.length >= mostFresh || second.length >= left;
    if (claimed.length < wanted.length && !isFull) this.#retrySoon(now);
    if (claims.length > 0) this.#retryBackoffMs = RETRY_BACKOFF_MS.min;
    return claimed;
  }

  /** Another process has reserved or claimed what is ready, or has not seen the change yet. Both pass soon. */
  #retrySoon(now: Millis): void {
    this.wakeAt(now + this.#retryBackoffMs);
    this.#retryBackoffMs = Math.min(this.#retryBackoffMs * 2, RETRY_BACKOFF_MS.max);
  }

  /**
   * Claims from one endpoint after the other, each in its own transaction. If an endpoint fails, its deliveries that
   * cannot be claimed are set aside.
   *
   * @param onStep called before each endpoint. @param onLost called with the claims made so far when the store fails.
   */
  async claimAlone(onStep: () => void, onLost: (claims: Claim[]) => void): Promise<Claimed[]> {
    const { deps, onError } = this.#options;
    const waiting = await deps.store.read((db) => this.#listWaiting(db, deps.clock()));
    const all: Claimed[] = [];
    let count = 0;
    let dueAt = Number.POSITIVE_INFINITY;
    const claimFrom = async (id: string) => {
      const { claimed } = await this.write(async (db) => ({ claimed: await this.claim(db, { only: id }) }), false);
      dueAt = Math.min(dueAt, this.#nextDueAt);
      all.push(...claimed);
      for (const { claims } of claimed) count += claims.length;
    };
    try {
      for (const { id } of waiting) {
        if (count >= MAX_CLAIMS) break;
        onStep();
        await catchFailure(
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
    } finally {
      // Each endpoint has set it anew.
      this.wakeAt(dueAt);
    }
    return all;
  }

  /** Claims nothing from the endpoint for a while. `reason` is for the log. */
  close(id: string, error: unknown, reason = "cannot be sent to"): void {
    const now = this.#options.deps.clock();
    const { loggedAt = Number.NEGATIVE_INFINITY } = this.#closed.get(id) ?? {};
    const isNews = now - loggedAt >= LOG_AGAIN_AFTER_MS;
    this.#closed.set(id, { loggedAt: isNews ? now : loggedAt, until: now + CLOSED_FOR_MS });
    if (isNews) this.#options.onError(error, `webhook ${id} ${reason}; its deliveries wait`);
  }

  /** Updates `nextDueAt`. @returns endpoints with queued deliveries. */
  async #listWaiting(db: Snapshot, now: Millis): Promise<WaitingEndpoint[]> {
    const waiting = await listWaiting(db, this.#options.worker, now, this.#starts.known(performance.now()));
    this.#starts.found(waiting, now);
    // Ready deliveries without capacity are claimed when an attempt ends.
    const later = waiting.filter(({ readyAt }) => readyAt > now).map(({ readyAt }) => readyAt);
    const pollMs = this.#parts.leases.isEmpty
      ? POLL_INTERVAL_MS[this.#options.deps.store.engine]
      : POLL_WHILE_HOLDING_MS;
    this.#nextDueAt = Math.min(...later, now + pollMs);
    return waiting;
  }

  #isClaimable(endpoint: WaitingEndpoint, now: Millis, onlyFresh: boolean): boolean {
    // Results decide the window; a cycle records them before it claims.
    if (onlyFresh && !(endpoint.isFresh && this.#parts.unrecorded(endpoint.id) < endpoint.window)) return false;
    return endpoint.readyAt <= now && !this.#isClosed(endpoint.id, now) && this.#parts.room(endpoint) > 0;
  }

  #isClosed(endpointId: string, now: Millis): boolean {
    return now < (this.#closed.get(endpointId)?.until ?? 0);
  }

  /** An endpoint whose secrets cannot be decrypted is skipped for now, and does not block the others. */
  async #reserve(db: Writer, endpointIds: readonly string[], now: Millis): Promise<Map<string, UnsealedEndpoint>> {
    const endpoints = new Map<string, UnsealedEndpoint>();
    for (const [id, endpoint] of await reserveUnsealed(db, this.#options.deps, endpointIds, now, this.#unsealed)) {
      if (endpoint instanceof AppError) {
        this.close(id, endpoint);
        continue;
      }
      endpoints.set(id, endpoint);
      this.#closed.delete(id);
    }
    return endpoints;
  }
}

async function addExtensions(db: Snapshot, claims: readonly Claim[]): Promise<void> {
  const extensions = await findExtensions(
    db,
    claims.map(({ eventId }) => eventId),
  );
  for (const claim of claims) claim.extension = extensions.get(claim.eventId) ?? null;
}

/** A transaction takes a while, and clocks differ by some milliseconds. */
const MARGIN_MS = 2_000;
/** Maximum delay to find a delivery whose ready time lies further back than the margin. */
const FORGET_EVERY_MS = 1_000;
/** Enough for the few busy endpoints that benefit. */
const MOST = 256;

/** Earliest time of queued deliveries: a hint that spares queries from skipping removed index entries (claims.ts). */
export class QueueCursors {
  readonly #starts = new Map<string, Millis>();
  /** `performance.now()`. */
  #forgottenAt = Number.NEGATIVE_INFINITY;

  /** The cursors for a query at `at` (`performance.now()`); periodically empty. */
  known(at: number): ReadonlyMap<string, Millis> {
    if (at - this.#forgottenAt >= FORGET_EVERY_MS || this.#starts.size > MOST) this.forget(at);
    return this.#starts;
  }

  /** Updates the cursors from the result of a query at `now`. */
  found(waiting: readonly WaitingEndpoint[], now: Millis): void {
    for (const { id, head, isRetry } of waiting) {
      // Earlier deliveries may wait before a retry that has its turn, or behind one that is not due yet.
      if (!isRetry && head.readyAt <= now) this.#starts.set(id, head.readyAt - MARGIN_MS);
      else this.#starts.delete(id);
    }
  }

  /** Forgets the endpoint's cursor after a release. */
  onLeasesReclaimed(endpointId: string): void {
    this.#starts.delete(endpointId);
  }

  forget(at: number): void {
    this.#starts.clear();
    this.#forgottenAt = at;
  }
}
