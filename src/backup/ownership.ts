/**
 * Which database a place is for. If two databases were copied to one place, a restore would bring back either of them, and each
 * service would remove the other's pictures.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { AppError } from "../domain/system/errors.ts";
import type { BackupObjects } from "./objects.ts";

export const OWNER_FILE = "owner.json";

interface Owner {
  database: string;
  /** The last service that began to copy it. */
  service: string;
  /** For people. */
  path: string;
  host: string;
  since: string;
}

/** Another database, or another service, has the place. */
export class PlaceTaken extends AppError {
  constructor(message: string) {
    super("conflict", message);
  }
}

export class Ownership {
  readonly #objects: BackupObjects;
  readonly #url: string;
  readonly #path: string;
  readonly #service = randomUUID();
  readonly #isShared: boolean;
  #isOwner = false;
  #wasOwner = false;

  /** @param url and @param path of the database: for people. `isShared`: several processes copy the database together. */
  constructor(objects: BackupObjects, url: string, path: string, isShared = false) {
    this.#objects = objects;
    this.#url = url;
    this.#path = path;
    this.#isShared = isShared;
  }

  isOwner(): boolean {
    return this.#isOwner;
  }

  /** Confirms that the place is this service's; the first time it becomes so, if it was this database's or nobody's. @throws PlaceTaken. */
  async claim(database: string): Promise<void> {
    const owner = parseOwner(await this.#objects.read(OWNER_FILE));
    const isSame = owner?.database === database;
    const service = this.#isShared ? database : this.#service;
    if (owner !== null && owner.service !== service && (!isSame || this.#wasOwner)) {
      this.#isOwner = false;
      throw new PlaceTaken(isSame ? this.#describeOther(owner) : this.#describeForeign(owner));
    }
    if (owner?.service !== service) await this.#write(database, service);
    this.#isOwner = true;
    this.#wasOwner = true;
  }

  #write(database: string, service: string): Promise<void> {
    const since = new Date().toISOString();
    const owner: Owner = { database, service, path: this.#path, host: hostname(), since };
    return this.#objects.write(OWNER_FILE, `${JSON.stringify(owner)}\n`);
  }

  #describeForeign({ path, host, since }: Owner): string {
    return (
      `${this.#url} is for the copies of another database (${path} on ${host}, since ${since}): name another place in ROSTRUM_BACKUP_URL. ` +
      `If that database is no longer served, "rostrum restore" brings it back here; to give its copies up, delete ${OWNER_FILE} there.`
    );
  }

  #describeOther({ path, host, since }: Owner): string {
    return (
      `Another service has copied the same database to ${this.#url} since ${since} (${path} on ${host}): stop it, or name another place ` +
      "for its copies, and then restart this one."
    );
  }
}

/** Whether another database has the place. @param database undefined: it has never been copied anywhere. */
export async function isForeign(objects: BackupObjects, database: string | undefined): Promise<boolean> {
  const owner = parseOwner(await objects.read(OWNER_FILE));
  return owner !== null && owner.database !== database;
}

/** Null if it is missing or damaged. */
function parseOwner(text: string | undefined): Owner | null {
  try {
    return JSON.parse(text ?? "null") as Owner | null;
  } catch {
    return null;
  }
}
