/**
 * Sends queued deliveries to their receivers and records the results.
 *
 *     cycle          one transaction = results of finished attempts + new claims
 *     claimer        chooses what to claim, and from which endpoints
 *     sender         sends the claims, at most one window per endpoint at once
 *     result-writer  records results and releases unused claims
 *     WakeUp         decides when the next cycle starts
 *
 * Between the parts of a cycle, what was published meanwhile is claimed and sent by itself, unless its endpoint has a
 * backlog: it does not wait for the backlogs of others.
 *
 * A wake-up, a commit in the database or the polling interval starts a cycle. A wake-up is only a hint: the store is
 * queried every two seconds anyway (on PostgreSQL by lease-reaper.ts). No transaction is open during a POST. If the
 * store is unavailable, a result stays in memory until a cycle succeeds; after a crash the lease is reclaimed and the
 * delivery is sent again. A cycle that fails for any other reason is repeated item by item, and an item that fails
 * alone is set aside (operations/system/set-aside.ts): one delivery or endpoint never blocks the others.
 */
import type { Writer } from "../../store/store.ts";
import type { Millis } from "../../domain/system/time.ts";
import type { AttemptRecord, Recorded } from "../../operations/webhooks/record-attempts.ts";
import type { Claim } from "../../store/webhooks/claims.ts";
import { releaseLeases } from "../../store/webhooks/leases.ts";
import { isOutage } from "../../store/system/outage.ts";
import { type ResultBatch, ResultWriter, Brake, LeaseRegistry } from "./result-writer.ts";
import { type DispatcherOptions, LOG_AGAIN_AFTER_MS } from "./options.ts";
import { Claimer, type Claimed } from "./claimer.ts";
import { Sender } from "./sender.ts";

/**
 * Pause after a cycle, as a multiple of the cycle's transaction time. On SQLite the store is then locked for half of
 * the time, and for more only while a transaction takes longer than `MAX_REST_MS`. Larger batches make up for the
 * pause, and where cores are scarce the time goes to readers.
 */
const REST_PER_CYCLE = { sqlite: 1, postgres: 0.5 } as const;
const MAX_REST_MS = 50;
/** Maximum results, and maximum claims, of one cycle. On SQLite fewer while others write: they wait for all of it. */
const MAX_BATCH = 512;
const MAX_BATCH_BESIDE_WRITERS = { sqlite: 128, postgres: MAX_BATCH } as const;
/** How long others count as writing after a commit. */
const OTHERS_WRITE_FOR_MS = 250;
const WAIT_AFTER_ERROR_MS = 500;
/** Endpoints to which attempts start, a window each, before anything else is done: a millisecond's work. */
const ENDPOINTS_PER_SLICE = 4;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #claimer: Claimer;
  readonly #sender: Sender;
  readonly #results: ResultWriter;
  #isStopping = false;
  readonly #wakeUp: WakeUp;
  /** `performance.now()` when a failed cycle was last logged; reset by a cycle that succeeds. */
  #failureLoggedAt = Number.NEGATIVE_INFINITY;
  /** Duration of the last transaction. */
  #transactionMs = 0;
  /** Whether the last cycle claimed news instead of writing its batch, which is still to be written. */
  #hasPutOff = false;
  /** `performance.now()`; infinity before the loop starts and after it has ended. */
  #stepStartedAt = Number.POSITIVE_INFINITY;
  #loop: Promise<void> = Promise.resolve();

  /** `leases`: those held here, if others look at them, too. */
  constructor(options: DispatcherOptions, leases = new LeaseRegistry()) {
    this.#options = options;
    const brake = new Brake();
    this.#results = new ResultWriter(options, {
      leases,
      onRecorded: (recorded) => this.#onRecorded(recorded),
      onHeldBack: (endpointId, error) => {
        this.#claimer.close(endpointId, error, "has results that cannot be recorded");
        this.#sender.clearEndpoint(endpointId);
      },
    });
    this.#sender = new Sender(options, {
      leases,
      brake,
      onAttempted: (record: AttemptRecord) => this.#results.add(record),
      onUnused: (claims) => this.#results.release(claims),
      onUnsendable: (endpointId, error) => this.#claimer.close(endpointId, error),
      onEnded: (wasMade) => this.#onEnded(wasMade),
    });
    this.#claimer = new Claimer(options, {
      leases,
      brake,
      mayClaim: () => this.#sender.isSending,
      room: (endpoint) => (this.#results.isHoldingBack(endpoint.id) ? 0 : this.#sender.room(endpoint)),
      unrecorded: (endpointId) => this.#results.unrecorded(endpointId),
      setWindow: (endpointId, window) => this.#sender.setWindow(endpointId, window),
      load: () => this.#sender.load,
    });
    const { deps } = options;
    this.#wakeUp = new WakeUp({
      clock: deps.clock,
      commitCounter: () => deps.store.commitCounter(),
      hasResults: () => this.#results.waiting > 0,
      isSending: () => this.#sender.isSending,
      nextDueAt: () => this.#claimer.nextDueAt,
      onStep: () => this.#beginStep(),
      onNews: () => this.#sendFresh(),
    });
  }

  start(): void {
    this.#loop = this.#run().finally(() => {
      this.#stepStartedAt = Number.POSITIVE_INFINITY;
    });
  }

  /** Duration of the current step: a transaction or a wait of some milliseconds. Sending is not a step. */
  get stepMs(): number {
    return Math.max(0, performance.now() - this.#stepStartedAt);
  }

  /** Starts a cycle at once: something may be ready. */
  wake(): void {
    this.#wakeUp.wakeForNews();
  }

  /** Starts a cycle at once, without queue cursors: reclaimed deliveries may be claimed again. */
  onLeasesReclaimed(): void {
    this.#claimer.onLeasesReclaimed();
    this.wake();
  }

  /** Starts a cycle at `readyAt` at the latest. */
  expect(readyAt: Millis): void {
    this.#claimer.wakeAt(readyAt);
    if (readyAt <= this.#options.deps.clock()) this.wake();
  }

  /** Aborts attempts and sends nothing until `resume`, because other processes may reclaim the leases held here. */
  pause(): void {
    this.#sender.pause();
  }

  resume(): void {
    if (this.#sender.resume()) this.wake();
  }

  /** Stops claiming, waits up to `graceMs` for attempts, records their results and releases other leases. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#sender.stop();
    const timer = setTimeout(() => this.#sender.abort(), graceMs);
    this.wake();
    await this.#loop;
    clearTimeout(timer);
    const { store } = this.#options.deps;
    await store.write((db) => releaseLeases(db, this.#options.worker), { notify: false });
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#wakeUp.reset();
      this.#beginStep();
      try {
        await this.#cycle();
        this.#failureLoggedAt = Number.NEGATIVE_INFINITY;
      } catch (error) {
        this.#logFailure(error);
        if (this.#isStopping && this.#sender.underWay === 0) return;
        await this.#wakeUp.sleep(WAIT_AFTER_ERROR_MS);
        continue;
      }
      if (this.#isStopping && this.#sender.underWay === 0 && this.#results.waiting === 0) return;
      await this.#wakeUp.waitForWork(this.#restMs());
    }
  }

  #beginStep(): void {
    this.#stepStartedAt = performance.now();
  }

  #logFailure(error: unknown): void {
    const now = performance.now();
    if (now - this.#failureLoggedAt < LOG_AGAIN_AFTER_MS) return;
    this.#failureLoggedAt = now;
    this.#options.onError(error, "deliveries could not be claimed or recorded; trying again");
  }

  /** Records results and claims ready deliveries in one transaction, or does nothing if there are none of either. */
  async #cycle(): Promise<void> {
    const { deps, liveness } = this.#options;
    this.#wakeUp.noteCommits();
    if (this.#isStopping) this.#sender.clear();
    const maxBatch = this.#maxBatch();
    const batch = this.#results.nextBatch(maxBatch);
    this.#transactionMs = 0;
    const { pauses } = this.#sender;
    const isEmpty = batch.records.length + batch.unused.length === 0;
    if (isEmpty && !(await this.#claimer.mayFindAny())) return;
    const mayClaim = liveness?.isFenced() !== true;
    for (const { endpointId } of batch.unused) this.#claimer.onLeasesReclaimed(endpointId);
    const startedAt = performance.now();
    const claimed = await this.#writeTogether(batch, mayClaim ? maxBatch : 0);
    this.#transactionMs = performance.now() - startedAt;
    this.#wakeUp.noteOwnCommit();
    if (isEmpty && mayClaim && claimed.length === 0) return;
    this.#claimer.wakeAt(deps.clock() + (mayClaim ? CHECK_INTERVAL_MS : WAIT_AFTER_ERROR_MS));
    this.#add(claimed, pauses);
    for (const [index, { claims }] of claimed.entries()) {
      this.#sendFor(claims);
      if (index % ENDPOINTS_PER_SLICE < ENDPOINTS_PER_SLICE - 1) continue;
      await new Promise(setImmediate);
      await this.#wakeUp.serveNews();
    }
    this.#sender.sendAll();
  }

  #add(claimed: readonly Claimed[], pauses: number): void {
    for (const { endpoint, claims, until } of claimed) {
      // After a pause another process may hold these leases.
      if (pauses === this.#sender.pauses) this.#sender.add(claims, endpoint, until);
      else this.#results.release(claims);
    }
  }

  /** Starts the attempts that the window of the claims' endpoint allows. */
  #sendFor([claim]: readonly Claim[]): void {
    if (claim !== undefined) this.#sender.send(claim.endpointId);
  }

  /** Claims and sends for endpoints without a backlog. If it fails, so does the next cycle, which logs why. */
  async #sendFresh(): Promise<void> {
    const { pauses } = this.#sender;
    if (this.#isStopping || this.#options.liveness?.isFenced() === true) return;
    this.#wakeUp.noteCommits();
    try {
      if (!(await this.#claimer.mayFindAny(true))) return;
      const work = async (db: Writer) => ({ claimed: await this.#claimer.claim(db, { onlyFresh: true }) });
      const { claimed } = await this.#claimer.write(work, false);
      this.#wakeUp.noteOwnCommit();
      this.#add(claimed, pauses);
      for (const { claims } of claimed) this.#sendFor(claims);
    } catch {
      // The leases of what was claimed expire.
    }
  }

  /** Writes all in one transaction; if that fails, but for an outage, each alone. @returns the claims. */
  async #writeTogether(batch: ResultBatch, maxClaims: number): Promise<Claimed[]> {
    try {
      // A power failure ends the leases of this machine anyway, so that only results must be on the disk.
      const { recorded, claimed } = await this.#claimer.write(async (db) => {
        const news = maxClaims > 0 ? await this.#claimNews(db, maxClaims) : [];
        if (news.length > 0) return { recorded: null, claimed: news };
        return {
          recorded: await this.#results.write(db, batch),
          claimed: maxClaims > 0 ? await this.#claimer.claim(db, { most: maxClaims }) : [],
        };
      }, batch.records.length > 0);
      this.#hasPutOff = recorded === null;
      if (recorded === null) this.#wakeUp.wake();
      else this.#results.settle(batch, recorded);
      return claimed;
    } catch (error) {
      if (isOutage(error)) throw error;
      const onStep = () => this.#beginStep();
      await this.#results.writeAlone(batch, error, onStep);
      return maxClaims > 0 ? await this.#claimer.claimAlone(onStep, (claims) => this.#results.release(claims)) : [];
    }
  }

  /**
   * Claims what others have committed while this cycle waited for their lock, as far as its endpoints have no backlog. It would wait
   * for the whole batch otherwise. The next cycle claims none, so that the batch waits for one such transaction only.
   */
  async #claimNews(db: Writer, most: number): Promise<Claimed[]> {
    if (db.engine === "postgres" || this.#hasPutOff || !this.#wakeUp.hasUnseenCommits()) return [];
    this.#wakeUp.noteCommits();
    return this.#claimer.claim(db, { onlyFresh: true, most });
  }

  #onRecorded(recorded: readonly Recorded[]): void {
    for (const { record, health } of recorded) {
      if (health !== null) this.#sender.setWindow(record.claim.endpointId, health.window);
    }
    this.#options.onRecorded(recorded);
  }

  #onEnded(wasMade: boolean): void {
    const isBatchFull = this.#results.waiting >= this.#maxBatch();
    if (!wasMade || isBatchFull || this.#sender.underWay === 0) this.#wakeUp.wake();
    // The wait becomes shorter with the first result.
    else if (this.#results.waiting === 1) this.#wakeUp.checkNow();
  }

  #maxBatch(): number {
    const { engine } = this.#options.deps.store;
    return this.#wakeUp.othersWrote(OTHERS_WRITE_FOR_MS) ? MAX_BATCH_BESIDE_WRITERS[engine] : MAX_BATCH;
  }

  #restMs(): number {
    if (this.#isStopping) return 0;
    return Math.min(MAX_REST_MS, this.#transactionMs * REST_PER_CYCLE[this.#options.deps.store.engine]);
  }
}

/** Time that results wait to be recorded in one batch. */
const FLUSH_AFTER_MS = 5;
/** How often to check the commit counter (no query); more often while there is work. */
const CHECK_INTERVAL_MS = 20;
const CHECK_WHILE_RESTING_MS = 4;

interface WakeConditions {
  clock: () => Millis;
  /** Changes with every commit. */
  commitCounter: () => number;
  hasResults: () => boolean;
  /** Whether new attempts may start; otherwise only results and wake-ups count. */
  isSending: () => boolean;
  nextDueAt: () => Millis;
  /** Called with each check. */
  onStep: () => void;
  /** Called when something may have become ready during a cycle. */
  onNews: () => Promise<void>;
}

/** When the next cycle starts: at a wake-up, a commit in the database, a due time, or for results to record. */
class WakeUp {
  readonly #conditions: WakeConditions;
  #isAwake = false;
  #hasNews = false;
  #endSleep: (() => void) | undefined;
  #seenCommits = Number.NaN;
  /** `performance.now()`. */
  #othersWroteAt = Number.NEGATIVE_INFINITY;

  constructor(conditions: WakeConditions) {
    this.#conditions = conditions;
  }

  /** Starts a cycle at once: something may be ready. */
  wake(): void {
    this.#isAwake = true;
    this.checkNow();
  }

  /** As `wake`; during a rest also serves endpoints without a backlog at once. */
  wakeForNews(): void {
    this.#hasNews = true;
    this.wake();
  }

  /** Calls `onNews` if there was a commit, or a wake-up for news. The next cycle looks for the rest of it. */
  async serveNews(): Promise<void> {
    const { isSending, onNews, onStep } = this.#conditions;
    if (!isSending() || !(this.#hasNews || this.hasUnseenCommits())) return;
    onStep();
    await onNews();
    this.#hasNews = false;
    this.#isAwake = true;
  }

  /** Ends the current sleep, because the next one may be shorter. */
  checkNow(): void {
    this.#endSleep?.();
  }

  /** Forgets earlier wake-ups: a cycle begins. */
  reset(): void {
    this.#isAwake = false;
    this.#hasNews = false;
  }

  hasUnseenCommits(): boolean {
    return this.#conditions.commitCounter() !== this.#seenCommits;
  }

  /** What follows sees every commit so far. */
  noteCommits(): void {
    const seen = this.#conditions.commitCounter();
    const hasChanged = seen !== this.#seenCommits && !Number.isNaN(this.#seenCommits);
    if (hasChanged) this.#othersWroteAt = performance.now();
    this.#seenCommits = seen;
  }

  /** Most likely the counter changed by that commit. If another followed, the next check finds it soon. */
  noteOwnCommit(): void {
    this.#seenCommits = this.#conditions.commitCounter();
  }

  /** Whether there was a commit of others within the last `ms`. */
  othersWrote(ms: number): boolean {
    return performance.now() - this.#othersWroteAt < ms;
  }

  async waitForWork(restMs: number): Promise<void> {
    const { clock, commitCounter, hasResults, isSending, nextDueAt, onStep } = this.#conditions;
    const startedAt = performance.now();
    // Yields to the event loop at least once; otherwise no attempt in flight could finish.
    await new Promise(setImmediate);
    for (let left = restMs; left > 0; left = restMs - (performance.now() - startedAt)) {
      await this.serveNews();
      await this.sleep(Math.min(left, CHECK_WHILE_RESTING_MS));
    }
    for (;;) {
      onStep();
      if (this.#isAwake) return;
      if (hasResults() && performance.now() - startedAt >= FLUSH_AFTER_MS) return;
      if (isSending() && (clock() >= nextDueAt() || commitCounter() !== this.#seenCommits)) return;
      const untilDue = isSending() ? Math.max(1, nextDueAt() - clock()) : CHECK_INTERVAL_MS;
      await this.sleep(Math.min(hasResults() ? FLUSH_AFTER_MS : CHECK_INTERVAL_MS, untilDue));
    }
  }

  /** Waits `ms`, or until woken. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#endSleep = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#endSleep = done;
    });
  }
}
