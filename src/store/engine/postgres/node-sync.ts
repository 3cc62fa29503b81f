/**
 * What other processes commit, for one that answers from memory.
 *
 * Each process has a row in `workers`. Again and again it says there, in one statement, that it lives and up to which
 * snapshot it has taken in all changes, and asks what has changed since. Polling is the truth; a notification only says
 * "now". From that row two promises follow, whatever breaks:
 *
 * - a webhook is sent when each living process has taken in its change (store/claims.ts): whoever reads the article on
 *   receiving it finds that version or a newer one, on every node;
 * - a process that could not say that it lives answers nothing from memory after NODE_FENCED_AFTER_MS, and others take it for
 *   gone only after NODE_DEAD_AFTER_MS. In between lies what a server may lose of commits that it did not wait for, and what the
 *   clocks of two servers may differ at a failover. The clocks of processes do not matter (clock.ts).
 */
import type { Client, QueryConfig } from "pg";
import type { Connections } from "./connections.ts";
import { SERVER_TIME } from "./clock.ts";
import { DedicatedConnection } from "./dedicated-connection.ts";
import {
  ALIVE,
  CLEANUP_INTERVAL_MS,
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

const BEAT = {
  name: "beat",
  text: `WITH beat AS (
    UPDATE workers SET seen_at = clock_timestamp(), passed = CAST($2 AS pg_snapshot)
    WHERE id = $1 AND seen_at = CAST($3 AS TIMESTAMPTZ) RETURNING seen_at
  )
  SELECT set_config('synchronous_commit', 'off', true) AS commits,
    (SELECT CAST(seen_at AS TEXT) FROM beat) AS seen_at, ${SERVER_TIME} AS server_ms,
    CAST(pg_current_snapshot() AS TEXT) AS snapshot,
    NOT EXISTS (SELECT 1 FROM workers WHERE kind = 'node' AND id < $1 AND ${ALIVE}) AS has_duty,
    (SELECT json_agg(json_build_array(website_id, CAST(xid AS TEXT))) FROM website_changes
     WHERE xid >= pg_snapshot_xmin(CAST($2 AS pg_snapshot))
       AND NOT pg_visible_in_snapshot(xid, CAST($2 AS pg_snapshot))) AS changes`,
} as const;

/**
 * Nothing is in memory then: what is asked for later is of a later snapshot, so all that this one shows is taken in. Until
 * the first beat has come back nothing is answered from memory.
 */
const BIRTH = `INSERT INTO workers (id, kind, seen_at, passed) VALUES ($1, 'node', clock_timestamp(), pg_current_snapshot())
  ON CONFLICT (id) DO UPDATE SET passed = excluded.passed, seen_at = excluded.seen_at
  RETURNING CAST(seen_at AS TEXT) AS seen_at, CAST(passed AS TEXT) AS snapshot`;

interface Birth {
  seen_at: string;
  snapshot: string;
}

interface Beat {
  /** Null: the last beat is not there any more. */
  seen_at: string | null;
  server_ms: number;
  snapshot: string;
  has_duty: boolean;
  /** What this snapshot shows and the last one did not. */
  changes: [websiteId: string, xid: string][] | null;
}

export interface FollowingOptions {
  connections: Connections;
  isPooled: boolean;
  id: string;
  onActivity: () => void;
  onError: (error: unknown, message: string) => void;
}

export class Following implements AsyncDisposable {
  readonly #options: FollowingOptions;
  readonly #line: DedicatedConnection;
  isLeader = false;
  /** `performance.now()` at the beginning of the last beat that came back; of the last that answers may rest on. */
  #beganAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Never the same number twice. */
  #counter = 0;
  #numbers = new Map<string, number>();
  /** The number of those that are not in the map. */
  #others = 0;
  /** Last transaction of each website that is known of. */
  #xids = new Map<string, string>();
  /** Up to where all was taken in, and the time of the last sign of life, as the database wrote them. */
  #last: Birth | undefined;
  #isNewborn = true;
  #hasLaterChanges = false;
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #isAwake = false;
  #wakeUp: (() => void) | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: FollowingOptions) {
    this.#options = options;
    this.#line = new DedicatedConnection(options.connections, (client) => this.#beBorn(client));
  }

  /** Resolves when it has taken in all there was, or the database could not be reached at first. */
  async start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#loop = this.#run(first.resolve);
    await first.promise;
  }

  changeToken(websiteId: string, now: number): number {
    if (now - this.#confirmedAt > NODE_FENCED_AFTER_MS) return Number.NaN;
    return this.#numbers.get(websiteId) ?? this.#others;
  }

  /** This process's own commits: it need not wait to hear of them, nor heed them when it does. By website, the transaction. */
  noteOwn(xids: ReadonlyMap<string, string>): void {
    for (const [id, xid] of xids) this.#note(id, xid);
  }

  /** They may have been committed. */
  noteDoubtful(websiteIds: Iterable<string>): void {
    for (const id of websiteIds) this.#change(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#loop;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    await this.#line.end({ text: "DELETE FROM workers WHERE id = $1", values: [this.#options.id] });
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
        await this.#rest(startedAt);
      } catch (error) {
        if (!isBroken) this.#options.onError(error, "the database cannot be reached; trying again");
        isBroken = true;
        onFirst();
        if (!this.#isStopped) await this.#pause(NODE_RETRY_INTERVAL_MS);
      }
    }
  }

  async #beBorn(client: Client): Promise<void> {
    client.on("notification", () => {
      this.#options.onActivity();
      this.#wake();
    });
    if (!this.#options.isPooled) await client.query(`LISTEN ${CHANNEL}`);
    // Another server may have taken over, which counts transactions from where it had heard of them.
    this.#forgetAll();
    this.#beganAt = performance.now();
    const { rows } = await client.query<Birth>(BIRTH, [this.#options.id]);
    [this.#last] = rows;
  }

  async #beat(): Promise<void> {
    let startedAt = Number.NaN;
    // A new connection gives birth first: only then it is known what to say.
    const [beat] = await this.#line.ask<Beat>(() => {
      startedAt = performance.now();
      return this.#nextBeat();
    }, NODE_BEAT_TIMEOUT_MS);
    // Where the server has lost it, after a crash or to a standby, transactions are counted from an earlier one again.
    if (beat === undefined || beat.seen_at === null) {
      this.#line.giveUp();
      throw new Error("the last sign of life of this process is lost");
    }
    this.#options.connections.clock.measured(beat.server_ms, startedAt, performance.now());
    this.isLeader = beat.has_duty;
    const changes = beat.changes ?? [];
    for (const [websiteId, xid] of changes) this.#note(websiteId, xid);
    this.#last = { seen_at: beat.seen_at, snapshot: beat.snapshot };
    // Taken for gone meanwhile, it was not waited for: what was sent then only the next beat is certain to show.
    const mayHaveBeenGone = performance.now() - this.#beganAt > NODE_MAX_BEAT_INTERVAL_MS;
    if (!mayHaveBeenGone) this.#confirmedAt = startedAt;
    this.#hasLaterChanges = changes.length > 0 || mayHaveBeenGone || this.#isNewborn;
    this.#beganAt = startedAt;
    this.#isNewborn = false;
    if (this.#hasLaterChanges) this.#options.onActivity();
    if (this.isLeader && startedAt - this.#cleanedAt > CLEANUP_INTERVAL_MS) {
      this.#cleanedAt = startedAt;
      const text = "DELETE FROM workers WHERE seen_at < clock_timestamp() - interval '1 minute'";
      await this.#line.ask(() => ({ text }), NODE_BEAT_TIMEOUT_MS);
    }
  }

  #nextBeat(): QueryConfig {
    const { text, name } = BEAT;
    const values = [this.#options.id, this.#last?.snapshot, this.#last?.seen_at];
    return { text, ...(this.#options.isPooled ? {} : { name }), values };
  }

  #note(websiteId: string, xid: string): void {
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

  /** Nothing is certain until the next beat has come back: what changes before that is not among its changes. */
  #forgetAll(): void {
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    this.#numbers = new Map();
    this.#xids = new Map();
    this.#others = ++this.#counter;
    this.#last = undefined;
    this.#isNewborn = true;
  }

  /** Until the next beat; a short moment only when others wait to hear what was taken in. */
  async #rest(startedAt: number): Promise<void> {
    if (this.#isStopped) return;
    await this.#pause(Math.max(0, startedAt + NODE_MIN_BEAT_INTERVAL_MS - performance.now()), false);
    if (this.#hasLaterChanges || this.#isAwake || this.#isStopped) return;
    await this.#pause(this.#options.isPooled ? NODE_BEAT_INTERVAL_POOLED_MS : NODE_BEAT_INTERVAL_MS);
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
