/** Problems of a service that can still serve reads, in sentences that contain no secrets. */
import { existsSync } from "node:fs";
import { isDiskFullAt } from "../../store/system/disk-reserve.ts";
import { isDiskFull } from "../../store/system/outage.ts";
import type { Deps } from "./deps.ts";
import { hasRightKey } from "./secret-check.ts";

const DISK_FULL = "The disk of the database is full: nothing can be saved until there is room.";
export const WRONG_KEY =
  "The secret key is missing, or is not the one that encrypted what is stored: webhooks cannot be signed, and senders and codes of " +
  "authenticators cannot be checked. Set ROSTRUM_SECRET_KEY to the earlier key, or put secret.key back.";

const DATABASE_GONE =
  "The file of the database is no longer there: nothing can be saved. Put it back, or stop the service, restore a backup, and start it.";

/** How long a full disk is reported after the last write that it refused. */
const REPORTED_MS = 60_000;

export class Problems {
  /** `performance.now()` of the last write that a full disk refused. */
  #fullAt = Number.NEGATIVE_INFINITY;
  readonly counts = { logged: 0, diskFull: 0 };

  record(error: unknown): void {
    this.counts.logged++;
    if (!isDiskFull(error)) return;
    this.counts.diskFull++;
    this.#fullAt = performance.now();
  }

  /** `file`: of the database; null if it is not in a file. */
  async list(deps: Pick<Deps, "store" | "secrets">, file: string | null): Promise<string[]> {
    if (file !== null && !existsSync(file)) return [DATABASE_GONE];
    const isFull = performance.now() - this.#fullAt < REPORTED_MS || (file !== null && isDiskFullAt(file));
    return [...(isFull ? [DISK_FULL] : []), ...((await hasRightKey(deps)) ? [] : [WRONG_KEY])];
  }
}
