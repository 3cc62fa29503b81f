/**
 * Follows the commits of other processes, for a process that answers from memory.
 *
 * Each process has a row in `workers`. Its heartbeat is one statement that renews this row, records there the snapshot
 * up to which the process has seen all changes, and fetches the changes since; it also renews the row of the process's
 * dispatcher. Correctness rests on this polling; a notification only makes the next heartbeat come sooner. The row
 * gives two guarantees, whatever breaks:
 *
 * - a webhook is sent only when every live process has seen its change (store/webhooks/claims.ts): a receiver that then
 *   reads the article gets that version or a newer one, from every node;
 * - a process that could not send a heartbeat answers nothing from memory after NODE_FENCED_AFTER_MS, and others count
 *   it as dead only after NODE_DEAD_AFTER_MS. The time in between covers commits that a server may lose because nothing
 *   waited for them, and the difference between the clocks of two servers at a failover. The clocks of processes do not
 *   matter (clock.ts).
 */
import type { Client, QueryConfig } from "pg";
import type { HostPools } from "./host-pools.ts";
import { SERVER_TIME } from "./clock.ts";
import type { LocalDispatcher } from "../../store.ts";
import { DedicatedPostgresConnection } from "./dedicated-connection.ts";
import {
  ALIVE,
  CLEANUP_INTERVAL_MS,
  DISPATCHER_BEAT_INTERVAL_MS,
  MAX_ANSWER_INTERVAL_MS,
  NODE_BEAT_INTERVAL_MS,
  NODE_BEAT_INTERVAL_POOLED_MS,
  NODE_BEAT_TIMEOUT_MS,
  NODE_FENCED_AFTER_MS,
  NODE_MAX_BEAT_INTERVAL_MS,
  NODE_MIN_BEAT_INTERVAL_MS,
  NODE_RETRY_INTERVAL_MS,
} from "../../system/liveness.ts";

export const CHANNEL = "rostrum";

const MAX_KNOWN = 20_000;
const MAX_ANSWER_INTERVAL_NS = BigInt(MAX_ANSWER_INTERVAL_MS) * 1_000_000n;

/**
 * $5: own commits, which are applied. If nothing else has changed since the last snapshot, the node has seen that of
 * this statement, and no second heartbeat needs to say so.
 */
const BEAT = {
  name: "beat",
  text: `WITH changes AS MATERIALIZED (
    SELECT website_id, xid FROM website_changes
    WHERE xid >= pg_snapshot_xmin(CAST($2 AS pg_snapshot))
      AND NOT pg_visible_in_snapshot(xid, CAST($2 AS pg_snapshot))
  ), beat AS (
    UPDATE workers SET seen_at = clock_timestamp(),
      applied_snapshot = CASE WHEN EXISTS (SELECT 1 FROM changes WHERE xid <> ALL (CAST($5 AS xid8[])))
        THEN CAST($2 AS pg_snapshot) ELSE pg_current_snapshot() END
    WHERE id = $1 AND seen_at = CAST($3 AS TIMESTAMPTZ) RETURNING seen_at
  ), dispatcher AS (
    INSERT INTO workers (id, kind, seen_at)
    SELECT CAST($4 AS TEXT), 'dispatcher', clock_timestamp() WHERE CAST($4 AS TEXT) IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
  )
  SELECT set_config('synchronous_commit', 'off', true) AS commits,
    (SELECT CAST(seen_at AS TEXT) FROM beat) AS seen_at, ${SERVER_TIME} AS server_ms,
    CAST(pg_current_snapshot() AS TEXT) AS snapshot,
    NOT EXISTS (SELECT 1 FROM workers WHERE kind = 'node' AND id < $1 AND ${ALIVE}) AS has_duty,
    (SELECT json_agg(json_build_array(website_id, CAST(xid AS TEXT))) FROM changes) AS changes`,
} as const;

/** A new node has nothing cached: all changes count as seen. It answers from memory after its first heartbeat. */
const REGISTER = `INSERT INTO workers (id, kind, seen_at, applied_snapshot) VALUES ($1, 'node', clock_timestamp(), pg_current_snapshot())
  ON CONFLICT (id) DO UPDATE SET applied_snapshot = excluded.applied_snapshot, seen_at = excluded.seen_at
  RETURNING CAST(seen_at AS TEXT) AS seen_at, CAST(applied_snapshot AS TEXT) AS snapshot`;

interface Registration {
  seen_at: string;
  snapshot: string;
}

interface Beat {
  /** Null if the row no longer holds the last heartbeat. */
  seen_at: string | null;
  server_ms: number;
  snapshot: string;
  has_duty: boolean;
  /** Changes that are visible in this snapshot and were not in the last one. */
  changes: [websiteId: string, xid: string][] | null;
}

export interface NodeSyncOptions {
  pools: HostPools;
  isPooled: boolean;
  id: string;
  dispatcher: () => LocalDispatcher | undefined;
  onCommit: () => void;
  onError: (error: unknown, message: string) => void;
}

export class NodeSync implements AsyncDisposable {
  readonly #options: NodeSyncOptions;
  readonly #connection: DedicatedPostgresConnection;
  isLeader = false;
  /** `performance.now()` at the start of the last answered heartbeat, and of the last one that answers may rely on. */
  #beganAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The last number given out; none is used twice. */
  #counter = 0;
  #numbers = new Map<string, number>();
  /** The number given to websites that are not in the map. */
  #others = 0;
  /** The last known transaction of each website. */
  #xids = new Map<string, string>();
  /** Own transactions that no heartbeat has reported yet. */
  #ownXids = new Set<string>();
  /** The snapshot up to which all changes were seen, and the time of the last heartbeat, as the database wrote them. */
  #last: Registration | undefined;
  #isNew = true;
  #hasLaterChanges = false;
  /** Whether the heartbeat that confirms them need not wait: the one before the last was a while ago. */
  #mayConfirmAtOnce = false;
  /** `performance.now()` when the last heartbeat that renewed the dispatcher's row was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** When the last heartbeat was answered, and since when answers have come steadily (system/shared-liveness.ts). */
  #answeredAt: bigint | undefined;
  #steadySince = 0n;
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #isAwake = false;
  #wakeUp: (() => void) | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: NodeSyncOptions) {
    this.#options = options;
    this.#connection = new DedicatedPostgresConnection(options.pools, (client) => this.#register(client));
  }

  /** Resolves after the first heartbeat, or when the database could not be reached for it. */
  async start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#loop = this.#run(first.resolve);
    await first.promise;
  }

  changeToken(websiteId: string, now: number): number {
    if (now - this.#confirmedAt > NODE_FENCED_AFTER_MS) return Number.NaN;
    return this.#numbers.get(websiteId) ?? this.#others;
  }

  /** Applies own commits (transactions by website) at once; the heartbeat that reports them follows. */
  recordOwn(xids: ReadonlyMap<string, string>): void {
    for (const [id, xid] of xids) {
      this.#record(id, xid);
      this.#ownXids.add(xid);
    }
    if (xids.size > 0) this.#wake();
  }

  /** Treats the websites as changed, as the commit that changes them may have succeeded. */
  onUnknownCommit(websiteIds: Iterable<string>): void {
    for (const id of websiteIds) this.#change(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#loop;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    const { id, dispatcher } = this.#options;
    await this.#connection.end({
      text: "DELETE FROM workers WHERE id IN ($1, $2)",
      values: [id, dispatcher()?.id ?? id],
    });
  }

  async #run(onFirst: () => void): Promise<void> {
    let isBroken = false;
    while (!this.#isStopped) {
      try {
        const startedAt = performance.now();
        this.#isAwake = false;
        await this.#beat();
        isBroken = false;
        onFirst();
        await this.#waitForNext(startedAt);
      } catch (error) {
        if (!isBroken) this.#options.onError(error, "the database cannot be reached; trying again");
        isBroken = true;
        onFirst();
        if (!this.#isStopped) await this.#pause(NODE_RETRY_INTERVAL_MS);
      }
    }
  }

  async #register(client: Client): Promise<void> {
    client.on("notification", () => {
      this.#options.onCommit();
      this.#wake();
    });
    if (!this.#options.isPooled) await client.query(`LISTEN ${CHANNEL}`);
    // Another server may have taken over, which counts transactions from the last one that it had received.
    this.#forgetAll();
    this.#beganAt = performance.now();
    const { rows } = await client.query<Registration>(REGISTER, [this.#options.id]);
    [this.#last] = rows;
  }

  async #beat(): Promise<void> {
    let startedAt = Number.NaN;
    let sentAt = 0n;
    const dispatcher = this.#dispatcherToRenew();
    let own: string[] = [];
    // A new connection registers the node first: only then are the values of the heartbeat known.
    const [beat] = await this.#connection.ask<Beat>(() => {
      startedAt = performance.now();
      sentAt = process.hrtime.bigint();
      own = [...this.#ownXids];
      return this.#nextBeat(dispatcher?.id ?? null, own);
    }, NODE_BEAT_TIMEOUT_MS);
    // If the server lost it in a crash or failover, transactions are counted from an earlier one again.
    if (beat === undefined || beat.seen_at === null) {
      this.#connection.discard();
      throw new Error("the last heartbeat of this process is lost");
    }
    this.#options.pools.clock.measured(beat.server_ms, startedAt, performance.now());
    if (dispatcher !== undefined) {
      this.#renewedAt = startedAt;
      dispatcher.liveness.onRenewed(sentAt);
    }
    this.#recordAnswer(process.hrtime.bigint());
    this.isLeader = beat.has_duty;
    const changes = beat.changes ?? [];
    for (const [websiteId, xid] of changes) this.#record(websiteId, xid);
    const isConfirmed = this.#hasLaterChanges;
    const isAllOwn = changes.every(([, xid]) => own.includes(xid));
    // These had committed before this heartbeat, so that the next one does not report them.
    for (const xid of own) this.#ownXids.delete(xid);
    this.#last = { seen_at: beat.seen_at, snapshot: beat.snapshot };
    // The node may have counted as dead, so that nothing waited for it: only the next heartbeat surely shows all.
    const mayHaveBeenGone = performance.now() - this.#beganAt > NODE_MAX_BEAT_INTERVAL_MS;
    if (!mayHaveBeenGone) this.#confirmedAt = startedAt;
    this.#hasLaterChanges = !isAllOwn || mayHaveBeenGone || this.#isNew;
    this.#mayConfirmAtOnce = startedAt - this.#beganAt > 2 * NODE_MIN_BEAT_INTERVAL_MS;
    this.#beganAt = startedAt;
    this.#isNew = false;
    // This may have been the last node that a webhook waited for.
    if (this.#hasLaterChanges || changes.length > 0 || isConfirmed) this.#options.onCommit();
    if (this.isLeader && startedAt - this.#cleanedAt > CLEANUP_INTERVAL_MS) {
      this.#cleanedAt = startedAt;
      const text = "DELETE FROM workers WHERE seen_at < clock_timestamp() - interval '1 minute'";
      await this.#connection.ask(() => ({ text }), NODE_BEAT_TIMEOUT_MS);
    }
  }

  /** The dispatcher whose row the next heartbeat renews; none if its thread hangs, or it was just renewed. */
  #dispatcherToRenew(): LocalDispatcher | undefined {
    const dispatcher = this.#options.dispatcher();
    const isDue = performance.now() - this.#renewedAt >= DISPATCHER_BEAT_INTERVAL_MS;
    return isDue && dispatcher?.liveness.isThreadAlive() === true ? dispatcher : undefined;
  }

  /** Reports an answer to the dispatcher, and since when answers have come steadily. */
  #recordAnswer(at: bigint): void {
    const isSteady = this.#answeredAt !== undefined && at - this.#answeredAt <= MAX_ANSWER_INTERVAL_NS;
    if (!isSteady) this.#steadySince = at;
    this.#answeredAt = at;
    this.#options.dispatcher()?.liveness.onAnswer(at, this.#steadySince);
  }

  #nextBeat(dispatcherId: string | null, own: readonly string[]): QueryConfig {
    const { text, name } = BEAT;
    const values = [this.#options.id, this.#last?.snapshot, this.#last?.seen_at, dispatcherId, own];
    return { text, ...(this.#options.isPooled ? {} : { name }), values };
  }

  #record(websiteId: string, xid: string): void {
    if (this.#xids.get(websiteId) === xid) return;
    this.#change(websiteId);
    this.#xids.set(websiteId, xid);
  }

  #change(websiteId: string): void {
    if (this.#numbers.size >= MAX_KNOWN) {
      this.#numbers = new Map();
      this.#xids = new Map();
      this.#others = ++this.#counter;
    }
    this.#numbers.set(websiteId, ++this.#counter);
  }

  /** Discards all change tokens, since changes were missed; the next answered heartbeat reports only later ones. */
  #forgetAll(): void {
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    this.#numbers = new Map();
    this.#xids = new Map();
    this.#ownXids = new Set();
    this.#others = ++this.#counter;
    this.#last = undefined;
    this.#answeredAt = undefined;
    this.#isNew = true;
  }

  /** Waits for the next heartbeat, which comes soon if other processes wait for this node to have seen changes. */
  async #waitForNext(startedAt: number): Promise<void> {
    if (this.#isStopped || (this.#hasLaterChanges && this.#mayConfirmAtOnce)) return;
    await this.#pause(Math.max(0, startedAt + NODE_MIN_BEAT_INTERVAL_MS - performance.now()), false);
    if (this.#hasLaterChanges || this.#isAwake || this.#isStopped) return;
    const intervalMs = this.#options.isPooled ? NODE_BEAT_INTERVAL_POOLED_MS : NODE_BEAT_INTERVAL_MS;
    // A process that was held up catches up: its dispatcher must not be fenced for that.
    await this.#pause(Math.max(0, startedAt + intervalMs - performance.now()));
  }

  #wake(): void {
    this.#isAwake = true;
    this.#wakeUp?.();
  }

  #pause(ms: number, canWake = true): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wakeUp = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      if (canWake) this.#wakeUp = done;
    });
  }
}
