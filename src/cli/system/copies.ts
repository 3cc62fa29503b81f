/** Continuous backups (ROSTRUM_BACKUP_URL), for the commands that bring data back from them. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type BackupPlace, backupPlace } from "../../backup/backup-url.ts";
import { planRestore, type RestorePlan, toTime } from "../../backup/copies.ts";
import { explained } from "../../backup/explain.ts";
import { findLitestream } from "../../backup/litestream.ts";
import { type BackupObjects, openObjects } from "../../backup/objects.ts";
import { DamagedSnapshot, restoreDatabase } from "../../backup/restore-database.ts";
import { parseIsoTime } from "../../domain/system/time.ts";
import type { Config } from "../../process/settings/config.ts";
import { type FilePlace, parseFilePlace } from "../../process/settings/file-places.ts";
import { type Io, UsageError } from "../command.ts";

export interface Copies extends Pick<BackupPlace, "url"> {
  place: FilePlace;
  /** Where the pictures are. */
  pictures: FilePlace;
  objects: BackupObjects;
}

/** @param from the option. @throws UsageError when neither it nor the setting names a place; AppError `misconfigured`. */
export function openCopies(io: Pick<Io, "directory">, { backup, s3 }: Config, from: string | undefined): Copies {
  const place = from === undefined ? backup.place : parseFilePlace("--from", from, io.directory, s3);
  if (place === null) {
    throw new UsageError("Say where the copies are, with --from or as ROSTRUM_BACKUP_URL.");
  }
  const { url, pictures } = backupPlace(place);
  return { url, place, pictures, objects: openObjects(place) };
}

/** @returns null if the option is missing. @throws UsageError. */
export function parsePast(text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = parseIsoTime(text);
  if (at === null) {
    throw new UsageError(`--at is "${text}"; write it like 2026-11-29T08:00:00Z or 2026-11-29T09:00:00+01:00.`);
  }
  if (at > Date.now())
    throw new UsageError(`--at is ${toTime(at)}, which is in the future; now it is ${toTime(Date.now())}.`);
  return at;
}

/** Brings the database back into a new folder in `parent`, or the newest state before `at`. */
export async function bringDatabase(
  io: Pick<Io, "environment" | "err">,
  { place, url, objects }: Copies,
  at: number | null,
  parent: string,
): Promise<{ database: string; plan: RestorePlan }> {
  return explained(place, async () => {
    const damaged = new Set<string>();
    for (let failure: DamagedSnapshot | undefined; ;) {
      const plan = await planRestore(objects, url, at, ({ name }) => !damaged.has(name)).catch((error: unknown) => {
        throw failure ?? error;
      });
      const litestream = await findLitestream(io.environment["PATH"], (what) => io.err(`Installing ${what}.\n`));
      const folder = await mkdtemp(join(parent, "database-"));
      try {
        const database = await restoreDatabase({ objects, url, plan, litestream, folder });
        return { database, plan };
      } catch (error) {
        if (!(error instanceof DamagedSnapshot)) throw error;
        failure = error;
        damaged.add(plan.snapshot.name);
        io.err(`The snapshot of ${toTime(plan.snapshot.at)} is damaged: trying the one before it.\n`);
      }
    }
  });
}
