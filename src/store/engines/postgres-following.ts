/**
 * What other processes commit, for one that answers from memory.
 *
 * Each process has a row in `workers`. Again and again it says there, in one statement, that it lives and up to which
 * snapshot it has taken in all changes, and asks what has changed since. Polling is the truth; a notification only says
 * "now". From that row two promises follow, whatever breaks:
 *
 * - a webhook is sent when each living process has taken in its change (store/claims.ts): whoever reads the article on
 *   receiving it finds that version or a newer one, on every node;
 * - a process that could not say that it lives answers nothing from memory after FENCED_AFTER_MS, and others take it for
 *   dead only after DEAD_AFTER_MS. In between lies what a server may lose of commits that it did not wait for, and what the
 *   clocks of two servers may differ at a failover. The clocks of processes do not matter.
 */
import type { Client } from "pg";
import { type Connections, endClient } from "./postgres-connections.ts";
import { ALIVE } from "./postgres-workers.ts";

export const CHANNEL = "rostrum";

const POLL_EVERY_MS = 250;
/** Where no notification can be had. */
const POLL_OFTEN_MS = 50;
/** What comes within so short a time is taken in together. */
const LEAST_BETWEEN_MS = 3;
const FENCED_AFTER_MS = 600;
const QUERY_TIMEOUT_MS = 1_000;
const TRY_AGAIN_AFTER_MS = 100;
const CLEAN_EVERY_MS = 10_000;
const MOST_KNOWN = 20_000;

const BEAT = {
  name: "beat",
  text: `WITH beat AS (
    UPDATE workers SET seen_at = clock_timestamp(), passed = CAST($2 AS pg_snapshot)
    WHERE id = $1 AND seen_at = CAST($4 AS TIMESTAMPTZ) RETURNING seen_at
  )
  SELECT set_config('synchronous_commit', 'off', true) AS commits,
    (SELECT CAST(seen_at AS TEXT) FROM beat) AS seen_at,
    CAST(pg_current_snapshot() AS TEXT) AS snapshot,
    CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS since,
    NOT EXISTS (SELECT 1 FROM workers WHERE kind = 'node' AND id < $1 AND ${ALIVE}) AS has_duty,
    (SELECT json_agg(json_build_array(website_id, CAST(xid AS TEXT))) FROM website_changes
     WHERE xid >= CAST($3 AS xid8)) AS changes`,
} as const;

interface Beat {
  /** Null: the last beat is not there any more. */
  seen_at: string | null;
  snapshot: string;
  since: string;
  has_duty: boolean;
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
  hasDuty = false;
  /** `performance.now()` at the beginning of the last beat that came back. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Never the same number twice. */
  #counter = 0;
  #numbers = new Map<string, number>();
  /** The number of those that are not in the map. */
  #others = 0;
  /** Last transaction of each website that was taken in. */
  #xids = new Map<string, string>();
  /** Up to where all was taken in, and the first transaction that may not have been; null: nothing was yet. */
  #snapshot: string | null = null;
  #since: string | null = null;
  /** The last beat's, as the database wrote it. */
  #seenAt: string | null = null;
  #hasLaterChanges = false;
  #client: Client | undefined;
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #isAwake = false;
  #wakeUp: (() => void) | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: FollowingOptions) {
    this.#options = options;
  }

  /** Resolves when it has taken in all there was, or the database could not be reached at first. */
  async start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#loop = this.#run(first.resolve);
    await first.promise;
  }

  freshness(websiteId: string, now: number): number {
    if (now - this.#confirmedAt > FENCED_AFTER_MS) return Number.NaN;
    return this.#numbers.get(websiteId) ?? this.#others;
  }

  /** This process's own commit: it need not wait to hear of it. */
  noteOwn(websiteIds: ReadonlySet<string>): void {
    for (const id of websiteIds) this.#change(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#loop;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    try {
      await this.#client?.query("DELETE FROM workers WHERE id = $1", [this.#options.id]);
    } catch {
      // It is taken for dead soon.
    }
    await this.#client?.end().catch(() => undefined);
  }

  async #run(onFirst: () => void): Promise<void> {
    let isBroken = false;
    while (!this.#isStopped) {
      try {
        this.#client ??= await this.#connect();
        const startedAt = performance.now();
        this.#isAwake = false;
        await this.#beat(this.#client);
        if (isBroken) this.#options.connections.retire();
        isBroken = false;
        onFirst();
        await this.#rest(startedAt);
      } catch (error) {
        if (!isBroken) {
          this.#options.onError(error, "the database cannot be reached; trying again");
          // What else is connected may wait for an answer that never comes, and whoever asked with it.
          this.#options.connections.retire();
        }
        isBroken = true;
        onFirst();
        if (this.#client !== undefined) endClient(this.#client);
        this.#client = undefined;
        if (!this.#isStopped) await this.#pause(TRY_AGAIN_AFTER_MS);
      }
    }
  }

  async #connect(): Promise<Client> {
    const client = await this.#options.connections.open(QUERY_TIMEOUT_MS);
    client.on("notification", () => {
      this.#options.onActivity();
      this.#wake();
    });
    if (!this.#options.isPooled) await client.query(`LISTEN ${CHANNEL}`);
    // Another server may have taken over, which counts transactions from where it had heard of them.
    this.#forgetAll();
    const { rows } = await client.query<{ seen_at: string }>(
      `INSERT INTO workers (id, kind, seen_at) VALUES ($1, 'node', clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET passed = NULL, seen_at = excluded.seen_at
       RETURNING CAST(seen_at AS TEXT) AS seen_at`,
      [this.#options.id],
    );
    this.#seenAt = rows[0]?.seen_at ?? null;
    return client;
  }

  async #beat(client: Client): Promise<void> {
    const startedAt = performance.now();
    const { text, name } = BEAT;
    const { rows } = await client.query<Beat>({
      text,
      ...(this.#options.isPooled ? {} : { name }),
      values: [this.#options.id, this.#snapshot, this.#since, this.#seenAt],
    });
    const [beat] = rows;
    // Where the server has lost it, after a crash or to a standby, transactions are counted from an earlier one again.
    if (beat === undefined || beat.seen_at === null) throw new Error("the last sign of life of this process is lost");
    this.#seenAt = beat.seen_at;
    this.hasDuty = beat.has_duty;
    this.#confirmedAt = startedAt;
    this.#hasLaterChanges = this.#snapshot === null;
    for (const [websiteId, xid] of beat.changes ?? []) {
      if (this.#xids.get(websiteId) === xid) continue;
      this.#xids.set(websiteId, xid);
      this.#change(websiteId);
      this.#hasLaterChanges = true;
    }
    this.#snapshot = beat.snapshot;
    this.#since = beat.since;
    if (this.#hasLaterChanges) this.#options.onActivity();
    if (this.hasDuty && startedAt - this.#cleanedAt > CLEAN_EVERY_MS) {
      this.#cleanedAt = startedAt;
      await client.query("DELETE FROM workers WHERE seen_at < clock_timestamp() - interval '1 minute'");
    }
  }

  #change(websiteId: string): void {
    if (this.#numbers.size >= MOST_KNOWN) {
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
    this.#snapshot = null;
    this.#since = null;
  }

  /** Until the next beat; a short moment only when others wait to hear what was taken in. */
  async #rest(startedAt: number): Promise<void> {
    if (this.#isStopped) return;
    await this.#pause(Math.max(0, startedAt + LEAST_BETWEEN_MS - performance.now()), false);
    if (this.#hasLaterChanges || this.#isAwake || this.#isStopped) return;
    await this.#pause(this.#options.isPooled ? POLL_OFTEN_MS : POLL_EVERY_MS);
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
