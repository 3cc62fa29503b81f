/** Which database owns the place of the copies, for processes that copy only pictures: on PostgreSQL, and for uploads. */
import { randomUUID } from "node:crypto";
import type { FilePlace } from "../process/settings/file-places.ts";
import { findDatabaseId, insertDatabaseId } from "../store/system/database-id.ts";
import type { Store } from "../store/store.ts";
import { type BackupObjects, openObjects } from "./objects.ts";
import { isForeign, Ownership, PlaceTaken } from "./ownership.ts";

const CLAIM_INTERVAL_MS = 60_000;
const RETRY_INTERVAL_MS = 5_000;

/** Claims the place for a database that several processes share. */
export class SharedPlace {
  readonly #store: Pick<Store, "read" | "write">;
  readonly #ownership: Ownership;
  #nextClaimAt = Number.NEGATIVE_INFINITY;
  #taken: PlaceTaken | null = null;

  /** @param url and @param database for people. */
  constructor(store: Pick<Store, "read" | "write">, objects: BackupObjects, url: string, database: string) {
    this.#store = store;
    this.#ownership = new Ownership(objects, url, database, true);
  }

  /** True if the place cannot be reached: copying then says why. @throws PlaceTaken. */
  async isOwner(): Promise<boolean> {
    if (performance.now() >= this.#nextClaimAt) await this.#claim();
    if (this.#taken !== null) throw this.#taken;
    return true;
  }

  async #claim(): Promise<void> {
    this.#nextClaimAt = performance.now() + RETRY_INTERVAL_MS;
    try {
      await this.#ownership.claim(await this.#identify());
      this.#taken = null;
      this.#nextClaimAt = performance.now() + CLAIM_INTERVAL_MS;
    } catch (error) {
      if (error instanceof PlaceTaken) this.#taken = error;
    }
  }

  async #identify(): Promise<string> {
    const known = await this.#store.read(findDatabaseId);
    if (known !== undefined) return known;
    await this.#store.write((db) => insertDatabaseId(db, randomUUID()));
    return this.#identify();
  }
}

/** @returns what tells whether another database has the place, as it was within the last minute. */
export function foreignPlace(
  store: Pick<Store, "read">,
  place: FilePlace,
  signal: AbortSignal,
): () => Promise<boolean> {
  const objects = openObjects(place, signal);
  let asked: Promise<boolean> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (asked === undefined || performance.now() - askedAt > CLAIM_INTERVAL_MS) {
      askedAt = performance.now();
      asked = store.read(findDatabaseId).then((database) => isForeign(objects, database));
      asked.catch(() => {
        asked = undefined;
      });
    }
    return asked;
  };
}
