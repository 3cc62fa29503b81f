/**
 * Copies to the backup the pictures that were not copied when they were saved (asset-files/backed-up.ts), and removes one there only
 * when any moment that can be restored lacks it: `keepMs` after it has left the service. What has left since when is in the backup
 * itself.
 */
import { ASSET_KEY } from "../domain/articles/assets/asset.ts";
import type { AssetFiles, Deps } from "../operations/system/deps.ts";
import type { FilePlace } from "../process/settings/file-places.ts";
import type { Log } from "../process/log.ts";
import { listAssetKeyBatch } from "../store/articles/assets.ts";
import type { ChangeFeed, Store } from "../store/store.ts";
import type { ReplicationStatus } from "./replication.ts";
import { describeFailure } from "./explain.ts";
import type { BackupObjects } from "./objects.ts";
import { PlaceTaken } from "./ownership.ts";

export const LEFT_FILE = "pictures-left.json";

const POLL_INTERVAL_MS = 1_000;
/** How often all pictures are compared with all copies, to find those saved while the service was stopped, and those removed. */
const COMPARE_INTERVAL_MS = 6 * 3_600_000;
/** A picture's row is saved this long after its id was made, at most; a later one is found by the next comparison. */
const SAVED_WITHIN_MS = 120_000;
const ROWS_AT_ONCE = 1_000;
const COPIES_AT_ONCE = 4;
const MAX_RUN_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

interface PictureCopierDeps extends Pick<Deps, "assetFiles" | "clock"> {
  store: Store & Pick<ChangeFeed, "commitCounter" | "isLeader">;
  copies: AssetFiles;
  objects: BackupObjects;
  place: FilePlace;
  keepMs: number;
  /** Whether the backup is this service's: what another one has copied there must stay. @throws PlaceTaken, to be reported. */
  isOwner?: () => boolean | Promise<boolean>;
  log: Pick<Log, "info" | "warn" | "error">;
  /** Aborted when the service stops: failures are due to that then. */
  signal?: AbortSignal;
}

interface Waiting {
  /** By `performance.now()`, as all times here. */
  since: number;
  failures: number;
  retryAt: number;
}

export class PictureCopier {
  readonly #deps: PictureCopierDeps;
  readonly #madeAt = performance.now();
  readonly #waiting = new Map<string, Waiting>();
  /** The pictures saved within `SAVED_WITHIN_MS`. */
  #recent: ReadonlySet<string> = new Set();
  #commitCounter = Number.NaN;
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** Failures in a row, of any picture. */
  #failures = 0;
  /** Whether another database has the place. */
  #isTaken = false;
  /** Of the last failure in a row, in a sentence. */
  #problem: string | null = null;

  constructor(deps: PictureCopierDeps) {
    this.#deps = deps;
  }

  /** As that of the database: the lag is how long the first of the pictures that are not copied has waited. */
  status(): ReplicationStatus {
    const waiting = [...this.#waiting.values()].map(({ since }) => since);
    // Until all have been compared, one of an earlier process may wait.
    const isKnown = this.#comparedAt > 0 || !this.#deps.store.isLeader();
    if (!isKnown) waiting.push(this.#madeAt);
    const lagMs = waiting.length === 0 ? 0 : performance.now() - Math.min(...waiting);
    return { lagSeconds: lagMs / 1_000, problem: this.#problem };
  }

  /** @returns ms until the next run. */
  async run(): Promise<number> {
    if (!(await this.#mayCopy())) return POLL_INTERVAL_MS;
    if (performance.now() - this.#comparedAt > COMPARE_INTERVAL_MS) {
      try {
        await this.#compare();
      } catch (error) {
        this.#report(error);
        return this.#retryMs(++this.#failures);
      }
    }
    await this.#findNew();
    return this.#copyWaiting();
  }

  async #mayCopy(): Promise<boolean> {
    try {
      const isOwner = (await this.#deps.isOwner?.()) !== false;
      if (this.#isTaken && isOwner) this.#problem = null;
      this.#isTaken = false;
      return isOwner;
    } catch (error) {
      if (!(error instanceof PlaceTaken)) throw error;
      if (!this.#isTaken) this.#deps.log.error(error, "continuous backup: pictures are not copied");
      this.#isTaken = true;
      this.#problem = error.message;
      return false;
    }
  }

  async #compare(): Promise<void> {
    const { store, copies } = this.#deps;
    const others = new Set<string>();
    for await (const key of copies.list()) if (ASSET_KEY.test(key)) others.add(key);
    const recent = new Set<string>();
    const since = this.#recentSince();
    for (let after = ""; ;) {
      const batch = await store.read((db) => listAssetKeyBatch(db, after, ROWS_AT_ONCE));
      for (const { id, key } of batch) {
        if (!others.delete(key)) this.#wait(key);
        if (id > since) recent.add(key);
      }
      const last = batch.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
    this.#recent = recent;
    await this.#removeLeft(others);
    this.#comparedAt = performance.now();
  }

  /** `left`: the copies of pictures that the service does not have. */
  async #removeLeft(left: ReadonlySet<string>): Promise<void> {
    const { objects, copies, clock, keepMs } = this.#deps;
    const text = await objects.read(LEFT_FILE);
    const before = parseTimes(text);
    const after: Record<string, number> = {};
    for (const key of left) {
      const at = before[key] ?? clock();
      if (clock() - at > keepMs) await copies.remove(key);
      else after[key] = at;
    }
    const changed = JSON.stringify(after);
    if (changed !== (text ?? "{}")) await objects.write(LEFT_FILE, changed);
  }

  async #findNew(): Promise<void> {
    const { store } = this.#deps;
    const counter = store.commitCounter();
    if (counter === this.#commitCounter) return;
    const found = new Set<string>();
    for (let after = this.#recentSince(); ;) {
      const batch = await store.read((db) => listAssetKeyBatch(db, after, ROWS_AT_ONCE));
      for (const { key } of batch) {
        found.add(key);
        if (!this.#recent.has(key)) this.#wait(key);
      }
      const last = batch.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
    this.#recent = found;
    this.#commitCounter = counter;
  }

  #wait(key: string): void {
    if (!this.#waiting.has(key)) this.#waiting.set(key, { since: performance.now(), failures: 0, retryAt: 0 });
  }

  /** As long as copies fail one after the other, only some are tried at each run: the backup is away. */
  async #copyWaiting(): Promise<number> {
    const endAt = performance.now() + MAX_RUN_MS;
    const due = [...this.#waiting].filter(([, { retryAt }]) => retryAt <= performance.now());
    let next = 0;
    const work = async () => {
      while (
        next < due.length &&
        performance.now() < endAt &&
        (this.#failures < COPIES_AT_ONCE || next < COPIES_AT_ONCE)
      ) {
        const [key, waiting] = due[next++] as (typeof due)[number];
        await this.#copy(key, waiting);
      }
    };
    await Promise.all(Array.from({ length: COPIES_AT_ONCE }, work));
    if (this.#failures >= COPIES_AT_ONCE) return this.#retryMs(this.#failures / COPIES_AT_ONCE);
    return next < due.length ? 0 : POLL_INTERVAL_MS;
  }

  async #copy(key: string, waiting: Waiting): Promise<void> {
    const { assetFiles, copies, log } = this.#deps;
    try {
      const path = await assetFiles.open(key).catch((error: unknown) => {
        // A bucket of their own is away, or has another file of that name.
        log.error(error, `the picture ${key} cannot be read, and is not copied to the backup; it will be retried`);
        throw new Unreadable();
      });
      // Deleted meanwhile, or lost: what serves it logs that.
      // A failure to tell has no reason in it; the next one has.
      if (path !== undefined && !(await copies.has(key).catch(() => false))) await copies.put(key, path);
      this.#waiting.delete(key);
      this.#failures = 0;
      if (this.#problem !== null) log.info({}, "continuous backup: pictures are copied again");
      this.#problem = null;
    } catch (error) {
      waiting.failures++;
      waiting.retryAt = performance.now() + this.#retryMs(waiting.failures);
      if (error instanceof Unreadable) return;
      this.#failures++;
      this.#report(error);
    }
  }

  /** Logs the first failure in a row. */
  #report(error: unknown): void {
    if (this.#deps.signal?.aborted === true) return;
    const sentence = describeFailure(error, this.#deps.place);
    if (this.#problem === null) this.#deps.log.warn({}, `continuous backup: pictures are not copied: ${sentence}`);
    this.#problem = sentence;
  }

  #retryMs(failures: number): number {
    return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
  }

  /** An id of that time; the ids of pictures begin with theirs. */
  #recentSince(): string {
    const hex = Math.max(0, this.#deps.clock() - SAVED_WITHIN_MS)
      .toString(16)
      .padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}`;
  }
}

class Unreadable extends Error {}

/** Empty if it is missing or damaged: then the times begin anew. */
function parseTimes(text: string | undefined): Record<string, number> {
  try {
    return JSON.parse(text ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}
