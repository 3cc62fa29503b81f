/** How far an unfinished copy of a store has come, kept in its target. */
import { hasTable } from "./has-table.ts";
import type { Snapshot, Writer } from "../store.ts";

/** Key in `settings` that marks one. */
export const COPY_CHECKPOINT = "store-copy";

export async function findCheckpoint(db: Snapshot): Promise<string | undefined> {
  if (!(await hasTable(db, "settings"))) return undefined;
  return (await db.get("SELECT value FROM settings WHERE name = ?", COPY_CHECKPOINT))?.value;
}

export async function insertCheckpoint(db: Writer, value: string): Promise<void> {
  await db.run("INSERT INTO settings (name, value) VALUES (?, ?)", COPY_CHECKPOINT, value);
}

/** @returns false when the checkpoint is not `before` any more: another process continues the same copy. */
export async function replaceCheckpoint(db: Writer, before: string, after: string): Promise<boolean> {
  return (
    (await db.run("UPDATE settings SET value = ? WHERE name = ? AND value = ?", after, COPY_CHECKPOINT, before)) === 1
  );
}

export async function removeCheckpoint(db: Writer, before: string): Promise<void> {
  await db.run("DELETE FROM settings WHERE name = ? AND value = ?", COPY_CHECKPOINT, before);
}
