/**
 * Takes deliveries from the store to their receivers and records what became of them.
 *
 *     cycle          one transaction = results of the attempts that have ended + claims of what is ready
 *     claimer        what is claimed, and of which endpoints
 *     sender         what was claimed of each endpoint; at most its window is under way at once
 *     result-writer  what is recorded and given back
 *
 * A cycle follows a wake-up, which is only a hint: the store is asked again every two seconds whatever happens (on
 * PostgreSQL by lease-reaper.ts), and when anybody has committed. No transaction is open during a POST. An attempt that cannot be
 * recorded because the store is away stays here and is recorded by the next cycle that succeeds; after a crash its lease is
 * taken back and it is sent again. A cycle that fails for any other reason is done piece by piece, and what fails alone is set
 * aside (operations/dead-letters.ts): one delivery or endpoint never stops the others.
 */
import type { Millis } from "../../domain/articles/article.ts";
import type { AttemptRecord, Recorded } from "../../operations/webhooks/record-attempts.ts";
import { releaseLeases } from "../../store/webhooks/delivery-queue.ts";
import { isOutage } from "../../store/system/outage.ts";
import { Brake } from "./brake.ts";
import { Claimer, type Claimed, MAX_CLAIMS } from "./claimer.ts";
import { type DispatcherOptions, LOG_AGAIN_AFTER_MS } from "./options.ts";
import { LeaseRegistry } from "./lease-registry.ts";
import { type ResultBatch, ResultWriter } from "./result-writer.ts";
import { Sender } from "./sender.ts";

/** Results wait so long for others to be recorded with them. */
const FLUSH_AFTER_MS = 5;
/**
 * After a cycle the next one waits for so many times its time. SQLite: a third of the time is the most that other writers
 * find the store locked. Larger batches make up for it, and where cores are scarce it is readers who get the time.
 */
const REST_PER_CYCLE = { sqlite: 2, postgres: 0.5 } as const;
const MAX_REST_MS = 50;
/** How often to check the commit counter, which is no query. */
const CHECK_INTERVAL_MS = 20;
const WAIT_AFTER_ERROR_MS = 500;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #claimer: Claimer;
  readonly #sender: Sender;
  readonly #results: ResultWriter;
  #isStopping = false;
  #isAwake = false;
  #wakeUp: (() => void) | undefined;
  #seenActivity = Number.NaN;
  /** `performance.now()` when a cycle's failure was logged, until one succeeds. */
  #failureLoggedAt = Number.NEGATIVE_INFINITY;
  /** How long the last transaction took. */
  #transactionMs = 0;
  /** `performance.now()`; infinite before the loop begins and after it has ended. */
  #stepStartedAt = Number.POSITIVE_INFINITY;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { leases = new LeaseRegistry() } = options;
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
      setWindow: (endpointId, window) => this.#sender.setWindow(endpointId, window),
      load: () => this.#sender.load,
    });
  }

  start(): void {
    this.#loop = this.#run().finally(() => {
      this.#stepStartedAt = Number.POSITIVE_INFINITY;
    });
  }

  /** How long the step under way has taken: a transaction, or a wait of milliseconds. Sending is no step. */
  get stepMs(): number {
    return Math.max(0, performance.now() - this.#stepStartedAt);
  }

  /** Something may be ready: look at once. */
  wake(): void {
    this.#isAwake = true;
    this.#wakeUp?.();
  }

  /** Something that was claimed may be claimed again: look at once, and from the beginning. */
  takenBack(): void {
    this.#claimer.givenBack();
    this.wake();
  }

  /** Something is ready then. */
  expect(readyAt: Millis): void {
    this.#claimer.wakeAt(readyAt);
    if (readyAt <= this.#options.deps.clock()) this.wake();
  }

  /** Other processes may take over what is claimed here: nothing of it is sent, and what is under way is aborted, until `goOn`. */
  hold(): void {
    this.#sender.pause();
  }

  goOn(): void {
    if (this.#sender.resume()) this.wake();
  }

  /** Claims no more, waits up to `graceMs` for what is under way, records it, and gives the rest back. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#sender.stop();
    const timer = setTimeout(() => this.#sender.abort(), graceMs);
    this.wake();
    await this.#loop;
    clearTimeout(timer);
    const { store } = this.#options.deps;
    await store.write((db) => releaseLeases(db, this.#options.worker), { isQuiet: true });
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#isAwake = false;
      this.#beginStep();
      try {
        await this.#cycle();
        this.#failureLoggedAt = Number.NEGATIVE_INFINITY;
      } catch (error) {
        this.#logFailure(error);
        if (this.#isStopping && this.#sender.underWay === 0) return;
        await this.#pause(WAIT_AFTER_ERROR_MS);
        continue;
      }
      if (this.#isStopping && this.#sender.underWay === 0 && this.#results.waiting === 0) return;
      await this.#waitForWork();
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

  /** Records what has ended and claims what is ready, in one transaction if there is any of it. */
  async #cycle(): Promise<void> {
    const { deps, heartbeat } = this.#options;
    this.#seenActivity = deps.store.activity();
    if (this.#isStopping) this.#sender.clear();
    const batch = this.#results.nextBatch();
    this.#transactionMs = 0;
    const { pauses } = this.#sender;
    if (batch.records.length + batch.unused.length === 0 && !(await this.#claimer.isAnythingReady())) return;
    const mayClaim = (await heartbeat?.ready()) ?? true;
    for (const { endpointId } of batch.unused) this.#claimer.givenBack(endpointId);
    const startedAt = performance.now();
    const claimed = await this.#writeTogether(batch, mayClaim);
    this.#transactionMs = performance.now() - startedAt;
    // Most likely that commit alone is what has changed; should another have come right behind it, it is seen soon.
    this.#seenActivity = deps.store.activity();
    this.#claimer.wakeAt(deps.clock() + (mayClaim ? CHECK_INTERVAL_MS : WAIT_AFTER_ERROR_MS));
    for (const { target, claims, until } of claimed) {
      // After a pause it may be another process's by now.
      if (pauses === this.#sender.pauses) this.#sender.add(claims, target, until);
      else this.#results.release(claims);
    }
    this.#sender.sendAll();
  }

  /** One transaction for all of it or, where one thing fails by itself, one for each. @returns what was claimed. */
  async #writeTogether(batch: ResultBatch, mayClaim: boolean): Promise<Claimed[]> {
    try {
      const { recorded, claimed } = await this.#claimer.write(async (db) => ({
        recorded: await this.#results.write(db, batch),
        claimed: mayClaim ? await this.#claimer.claim(db) : [],
      }));
      this.#results.settle(batch, recorded);
      return claimed;
    } catch (error) {
      if (isOutage(error)) throw error;
      const onStep = () => this.#beginStep();
      await this.#results.writeAlone(batch, error, onStep);
      return mayClaim ? await this.#claimer.claimAlone(onStep, (claims) => this.#results.release(claims)) : [];
    }
  }

  #onRecorded(recorded: readonly Recorded[]): void {
    for (const { record, health } of recorded) {
      if (health !== null) this.#sender.setWindow(record.claim.endpointId, health.window);
    }
    this.#options.onRecorded(recorded);
  }

  #onEnded(wasMade: boolean): void {
    const isBatchFull = this.#results.waiting >= MAX_CLAIMS[this.#options.deps.store.engine];
    if (!wasMade || isBatchFull || this.#sender.underWay === 0) this.wake();
    else this.#wakeUp?.();
  }

  async #waitForWork(): Promise<void> {
    const startedAt = performance.now();
    const { deps } = this.#options;
    const restMs = this.#isStopping
      ? 0
      : Math.min(MAX_REST_MS, this.#transactionMs * REST_PER_CYCLE[deps.store.engine]);
    // At least one turn of the event loop, whatever is to be done: else nothing under way could ever end.
    await new Promise((resolve) => (restMs > 0 ? setTimeout(resolve, restMs) : setImmediate(resolve)));
    for (;;) {
      this.#beginStep();
      if (this.#isAwake) return;
      const waited = performance.now() - startedAt;
      const hasResults = this.#results.waiting > 0;
      if (hasResults && waited >= FLUSH_AFTER_MS) return;
      const { isSending } = this.#sender;
      if (isSending) {
        if (deps.clock() >= this.#claimer.nextDueAt) return;
        if (deps.store.activity() !== this.#seenActivity) return;
      }
      const untilDue = isSending ? Math.max(1, this.#claimer.nextDueAt - deps.clock()) : CHECK_INTERVAL_MS;
      await this.#pause(Math.min(hasResults ? FLUSH_AFTER_MS : CHECK_INTERVAL_MS, untilDue));
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
