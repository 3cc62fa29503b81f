/**
 * Takes deliveries from the store to their receivers and writes down what became of them.
 *
 *     turn:    one transaction = results of the attempts that have ended + claims of what is ready
 *     backlog: what was claimed of one endpoint; at most its window is under way at once
 *
 * A turn follows a wake-up, which is only a hint: the store is looked at again every two seconds whatever happens (on
 * PostgreSQL by lookout.ts), and when anybody has committed. No transaction is open during a POST. An attempt that cannot be
 * written down stays here and is written by the next turn that succeeds; after a crash its lease is taken back and it is
 * sent again.
 */
import { readAnswer } from "../domain/answer.ts";
import type { Millis } from "../domain/article.ts";
import type { RetryPolicy } from "../domain/delivery.ts";
import { AppError } from "../domain/errors.ts";
import {
  type AttemptRecord,
  type Recorded,
  recordAttempts,
  reserveTargets,
  type Target,
} from "../operations/delivering.ts";
import { makeAttempt } from "../operations/attempts.ts";
import type { Deps } from "../operations/deps.ts";
import { claim, type Claim, listWaiting, type WaitingEndpoint } from "../store/claims.ts";
import { releaseLeases, releaseUnused } from "../store/delivery-queue.ts";
import type { Reader, Writer } from "../store/store.ts";
import { Backlog } from "./backlog.ts";
import type { Heart } from "./heart.ts";
import { HeldClaims } from "./held-claims.ts";
import { LineStarts } from "./line-starts.ts";
import { RandomPool } from "./random-pool.ts";

export interface DispatcherOptions {
  deps: Pick<Deps, "store" | "clock" | "newId" | "secrets" | "post" | "randomBytes" | "mail">;
  /** `timeoutMs`: how long an attempt may take. */
  policy: RetryPolicy & { timeoutMs: number };
  random: () => number;
  /** Names this process among those that hold leases. */
  worker: string;
  /** Where it notes what it holds. */
  held?: HeldClaims;
  /** Of those that share a PostgreSQL; absent: somebody else says that it lives. */
  heart?: Pick<Heart, "ready" | "isWeak">;
  onRecorded: (results: readonly Recorded[]) => void;
  onError: (error: unknown, message: string) => void;
}

const LEASE_MS = 30_000;
/** Where attempts may take long, leases are longer: else none of them could be written down. */
const LEASE_PER_TIMEOUT = 1.5;
/** After its time-out an attempt still reads what came of the body, and is written down. */
const SLACK_MS = 2_000;
/** A turn costs some waits for the database's answers, whatever is in it; SQLite's is locked for as long as it takes. */
const CLAIMS_PER_TURN = { sqlite: 128, postgres: 256 } as const;
const RECORDS_PER_TURN = 256;
/** So many at once over all endpoints. */
const MOST_UNDER_WAY = 512;
/** Above so many, what is known of an idle endpoint is forgotten. */
const MOST_BACKLOGS = 1_000;
/** Ended attempts wait so long for company. */
const FLUSH_AFTER_MS = 5;
/**
 * After a turn the next one waits for so many times its time. SQLite: a third of the time is the most that other writers
 * find the store locked. Larger batches make up for it, and where cores are scarce it is readers who get the time.
 */
const REST_PER_TURN = { sqlite: 2, postgres: 0.5 } as const;
const MOST_REST_MS = 50;
/** The store is asked again at least so often, whoever said what. On PostgreSQL it is the lookout who must not miss anything. */
const POLL_EVERY_MS = { sqlite: 2_000, postgres: 10_000 } as const;
/** For one that holds something the lookout does not look for more. */
const POLL_WHILE_HOLDING_MS = 1_000;
/** Whether anybody has committed is asked so often; it is no query. */
const GLANCE_EVERY_MS = 20;
const TELL_AGAIN_AFTER_MS = 60_000;
const CLOSED_FOR_MS = 5_000;
const WAIT_AFTER_ERROR_MS = 500;
/** What was ready and could not be claimed is looked at again, first soon, then later. */
const LOOK_AGAIN_MS = { first: 4, most: 16 } as const;

interface Claimed {
  target: Target;
  claims: Claim[];
  /** The end of the lease. */
  until: Millis;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #backlogs = new Map<string, Backlog>();
  /** Endpoints whose secrets do not open: when that was last told, and when to try again. */
  readonly #closed = new Map<string, { toldAt: Millis; until: Millis }>();
  #records: AttemptRecord[] = [];
  /** Claims that will not be used. */
  #unused: Claim[] = [];
  readonly #held: HeldClaims;
  readonly #starts = new LineStarts();
  readonly #spanIds: RandomPool;
  #underWay = 0;
  #isStopping = false;
  #isAwake = false;
  #wakeUp: (() => void) | undefined;
  #nextDueAt: Millis = 0;
  #lookAgainMs: number = LOOK_AGAIN_MS.first;
  #seenActivity = Number.NaN;
  /** `performance.now()` when a turn's failure was told, until one succeeds. */
  #failureToldAt = Number.NEGATIVE_INFINITY;
  /** How long the last transaction took. */
  #turnMs = 0;
  #loop: Promise<void> = Promise.resolve();
  /** Ends what is under way. */
  #sending = new AbortController();
  #isHeld = false;
  /** How often it was. */
  #holds = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#held = options.held ?? new HeldClaims();
    this.#spanIds = new RandomPool(options.deps.randomBytes);
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Something may be ready: look at once. */
  wake(): void {
    this.#isAwake = true;
    this.#wakeUp?.();
  }

  /** Something that was claimed may be claimed again: look at once, and from the beginning. */
  takenBack(): void {
    this.#starts.forget(performance.now());
    this.wake();
  }

  /** Something is ready then. */
  expect(readyAt: Millis): void {
    this.#nextDueAt = Math.min(this.#nextDueAt, readyAt);
    if (readyAt <= this.#options.deps.clock()) this.wake();
  }

  /**
   * Others may take what is claimed here for theirs: nothing of it is sent, and what is under way is given up, until
   * `goOn`.
   */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#holds++;
    for (const backlog of this.#backlogs.values()) this.#unused.push(...backlog.clear());
    this.#sending.abort();
  }

  goOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (!this.#isStopping) this.#sending = new AbortController();
    this.wake();
  }

  /** Claims no more, waits up to `graceMs` for what is under way, writes it down, and gives the rest back. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#sending.abort(), graceMs);
    this.wake();
    await this.#loop;
    clearTimeout(timer);
    const { store } = this.#options.deps;
    await store.write((db) => releaseLeases(db, this.#options.worker), { isQuiet: true });
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#isAwake = false;
      try {
        await this.#turn();
        this.#failureToldAt = Number.NEGATIVE_INFINITY;
      } catch (error) {
        this.#tell(error);
        if (this.#isStopping && this.#underWay === 0) return;
        await this.#pause(WAIT_AFTER_ERROR_MS);
        continue;
      }
      if (this.#isStopping && this.#underWay === 0 && this.#records.length === 0) return;
      await this.#waitForWork();
    }
  }

  #tell(error: unknown): void {
    const now = performance.now();
    if (now - this.#failureToldAt < TELL_AGAIN_AFTER_MS) return;
    this.#failureToldAt = now;
    this.#options.onError(error, "deliveries could not be claimed or written down; trying again");
  }

  /** Writes down what has ended and claims what is ready, in one transaction if there is any of it. */
  async #turn(): Promise<void> {
    const { deps, policy, random, worker, heart } = this.#options;
    this.#seenActivity = deps.store.activity();
    if (this.#isStopping) for (const backlog of this.#backlogs.values()) this.#unused.push(...backlog.clear());
    const records = this.#records.slice(0, RECORDS_PER_TURN);
    const unused = this.#unused.slice();
    this.#turnMs = 0;
    const holds = this.#holds;
    if (records.length + unused.length === 0 && !(await this.#isAnythingReady())) return;
    const mayClaim = (await heart?.ready()) ?? true;
    for (const { endpointId } of unused) this.#starts.givenBack(endpointId);
    const startedAt = performance.now();
    const { recorded, claimed } = await this.#write(async (db) => {
      const results = records.length === 0 ? [] : await recordAttempts(db, deps, records, { policy, random, worker });
      await releaseUnused(db, unused);
      return { recorded: results, claimed: mayClaim ? await this.#claim(db) : [] };
    });
    this.#turnMs = performance.now() - startedAt;
    for (const claim of records.map((record) => record.claim).concat(unused)) this.#held.end(claim);
    // Most likely that commit alone is what has changed; should another have come right behind it, it is seen soon.
    this.#seenActivity = deps.store.activity();
    this.#nextDueAt = Math.min(this.#nextDueAt, deps.clock() + (mayClaim ? GLANCE_EVERY_MS : WAIT_AFTER_ERROR_MS));
    this.#records.splice(0, records.length);
    this.#unused.splice(0, unused.length);
    for (const { record, health } of recorded) {
      const backlog = this.#backlogs.get(record.claim.endpointId);
      if (backlog !== undefined && health !== null) backlog.window = health.window;
    }
    if (recorded.length > 0) this.#options.onRecorded(recorded);
    for (const { target, claims, until } of claimed) {
      // Held meanwhile, it may be somebody else's by now.
      if (holds !== this.#holds) this.#unused.push(...claims);
      else for (const one of claims) this.#backlogOf(one.endpointId).add(one, target, until);
    }
    for (const id of this.#backlogs.keys()) this.#pump(id);
  }

  async #write<T extends { claimed: Claimed[] }>(work: (db: Writer) => Promise<T>): Promise<T> {
    let made: Claim[] = [];
    try {
      const result = await this.#options.deps.store.write(work, { isQuiet: true });
      made = result.claimed.flatMap(({ claims }) => claims);
      return result;
    } finally {
      this.#held.made(made);
    }
  }

  async #isAnythingReady(): Promise<boolean> {
    if (this.#isStopping || this.#isHeld) return false;
    const { deps, heart } = this.#options;
    const now = deps.clock();
    const [waiting] = await Promise.all([deps.store.read((db) => this.#listWaiting(db, now)), heart?.ready()]);
    return waiting.some((endpoint) => this.#isClaimable(endpoint, now));
  }

  /** @returns endpoints with something waiting. Notes when to look again. */
  async #listWaiting(db: Reader, now: Millis): Promise<WaitingEndpoint[]> {
    const waiting = await listWaiting(db, this.#options.worker, this.#starts.known(performance.now()));
    this.#starts.found(waiting, now);
    this.#noteDue(waiting, now);
    return waiting;
  }

  /** What is ready of each endpoint that has room, the one served longest ago first. */
  async #claim(db: Writer): Promise<Claimed[]> {
    if (this.#isStopping || this.#isHeld) return [];
    const { deps, policy, worker } = this.#options;
    const now = deps.clock();
    const waiting = await this.#listWaiting(db, now);
    const total = Math.min(CLAIMS_PER_TURN[deps.store.engine], MOST_UNDER_WAY - this.#load());
    const ready = waiting.filter((endpoint) => this.#isClaimable(endpoint, now)).slice(0, Math.max(0, total));
    const targets = await this.#targetsOf(
      db,
      ready.map(({ id }) => id),
      now,
    );
    const wanted = ready.filter(({ id }) => targets.has(id));
    if (wanted.length === 0) return [];
    for (const { id, window } of wanted) this.#backlogOf(id).window = window;
    // A slow answer that came meanwhile takes room away.
    const wishes = wanted
      .map((endpoint) => ({ endpointId: endpoint.id, most: this.#roomOf(endpoint), head: endpoint.head }))
      .filter(({ most }) => most > 0);
    const until = now + Math.max(LEASE_MS, policy.timeoutMs * LEASE_PER_TIMEOUT);
    const token = deps.randomBytes(12).toString("base64url");
    this.#held.begin(token);
    const claims = await claim(db, wishes, total, now, { token, until, worker });
    const claimed = [];
    for (const [id, target] of targets) {
      const own = claims.filter(({ endpointId }) => endpointId === id);
      if (own.length > 0) claimed.push({ target, claims: own, until });
    }
    // Another process has some of it, or not every process has heard of the change yet: that is soon over.
    if (claimed.length < wanted.length && claims.length < total) {
      this.#nextDueAt = now + this.#lookAgainMs;
      this.#lookAgainMs = Math.min(this.#lookAgainMs * 2, LOOK_AGAIN_MS.most);
    }
    if (claims.length > 0) this.#lookAgainMs = LOOK_AGAIN_MS.first;
    return claimed;
  }

  #isClaimable(endpoint: WaitingEndpoint, now: Millis): boolean {
    const isClosed = now < (this.#closed.get(endpoint.id)?.until ?? 0);
    return endpoint.readyAt <= now && !isClosed && this.#roomOf(endpoint) > 0;
  }

  /** Of those that are free and can be sent to. One whose secrets do not open waits, and must not stop the others. */
  async #targetsOf(db: Writer, endpointIds: readonly string[], now: Millis): Promise<Map<string, Target>> {
    const targets = new Map<string, Target>();
    for (const [id, target] of await reserveTargets(db, this.#options.deps, endpointIds, now)) {
      if (!(target instanceof AppError)) {
        targets.set(id, target);
        this.#closed.delete(id);
        continue;
      }
      const { toldAt = Number.NEGATIVE_INFINITY } = this.#closed.get(id) ?? {};
      const isNews = now - toldAt >= TELL_AGAIN_AFTER_MS;
      this.#closed.set(id, { toldAt: isNews ? now : toldAt, until: now + CLOSED_FOR_MS });
      if (isNews) this.#options.onError(target, `webhook ${id} cannot be sent to; what is for it waits`);
    }
    return targets;
  }

  #backlogOf(endpointId: string): Backlog {
    let backlog = this.#backlogs.get(endpointId);
    if (backlog === undefined) {
      backlog = new Backlog();
      this.#backlogs.set(endpointId, backlog);
    }
    return backlog;
  }

  #roomOf(endpoint: WaitingEndpoint): number {
    return this.#backlogs.get(endpoint.id)?.room(endpoint.window) ?? endpoint.window;
  }

  /** Deliveries under way, or waiting for their window. */
  #load(): number {
    let held = this.#underWay;
    for (const backlog of this.#backlogs.values()) held += backlog.waiting;
    return held;
  }

  /** When the next one is due that is not ready yet; what has no room is looked at when an attempt ends. */
  #noteDue(waiting: readonly WaitingEndpoint[], now: Millis): void {
    const later = waiting.filter(({ readyAt }) => readyAt > now).map(({ readyAt }) => readyAt);
    const mostMs = this.#held.isEmpty ? POLL_EVERY_MS[this.#options.deps.store.engine] : POLL_WHILE_HOLDING_MS;
    this.#nextDueAt = Math.min(...later, now + mostMs);
  }

  /** Sends what the window allows. */
  #pump(endpointId: string): void {
    const backlog = this.#backlogs.get(endpointId);
    if (backlog === undefined) return;
    const { deps, policy, heart } = this.#options;
    if (heart?.isWeak() === true) this.hold();
    if (this.#isStopping || this.#isHeld) this.#unused.push(...backlog.clear());
    // The receiver has become slow. Sent now, it would be sent again by whoever has the lease next.
    this.#unused.push(...backlog.clearLapsing(deps.clock() + policy.timeoutMs + SLACK_MS));
    for (let next = backlog.next(); next !== undefined; next = backlog.next()) {
      this.#underWay++;
      void this.#attempt(backlog, next.claim, next.target);
    }
    if (backlog.isIdle && this.#backlogs.size > MOST_BACKLOGS) this.#backlogs.delete(endpointId);
  }

  /** One POST, from its message to its record. Never rejects. */
  async #attempt(backlog: Backlog, claim: Claim, target: Target): Promise<void> {
    const { deps } = this.#options;
    const sending = { ...claim, number: claim.attempts + 1 };
    const { signal } = this.#sending;
    const { attempt, result } = await makeAttempt(deps, target, sending, this.#spanIds.take(), signal);
    this.#underWay--;
    backlog.ended(result.timings.total);
    if (signal.aborted && result.outcome !== "success") {
      // Ended by us: that says nothing of the receiver, and it is sent again.
      this.#unused.push(claim);
      this.wake();
      return;
    }
    this.#records.push({ claim, attempt, answer: readAnswer(result, deps.clock()) });
    // A receiver that fails is not sent what was claimed for a healthy one.
    if (result.outcome !== "success") this.#unused.push(...backlog.clear());
    this.#pump(claim.endpointId);
    if (this.#records.length >= CLAIMS_PER_TURN[deps.store.engine] || this.#underWay === 0) this.wake();
    else this.#wakeUp?.();
  }

  async #waitForWork(): Promise<void> {
    const startedAt = performance.now();
    const { deps } = this.#options;
    const restMs = this.#isStopping ? 0 : Math.min(MOST_REST_MS, this.#turnMs * REST_PER_TURN[deps.store.engine]);
    // At least one turn of the event loop, whatever is to be done: else nothing under way could ever end.
    await new Promise((resolve) => (restMs > 0 ? setTimeout(resolve, restMs) : setImmediate(resolve)));
    for (;;) {
      if (this.#isAwake) return;
      const waited = performance.now() - startedAt;
      const hasRecords = this.#records.length > 0;
      if (hasRecords && waited >= FLUSH_AFTER_MS) return;
      if (!this.#isStopping && !this.#isHeld) {
        if (deps.clock() >= this.#nextDueAt) return;
        if (deps.store.activity() !== this.#seenActivity) return;
      }
      const untilDue = this.#isStopping || this.#isHeld ? GLANCE_EVERY_MS : Math.max(1, this.#nextDueAt - deps.clock());
      await this.#pause(Math.min(hasRecords ? FLUSH_AFTER_MS : GLANCE_EVERY_MS, untilDue));
    }
  }

  /** Waits so long, or until something happens. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wakeUp = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wakeUp = done;
    });
  }
}
