/** A random name for the database itself, which its copies keep: by it the place of a continuous backup knows whose it is. */
import { existsSync } from "node:fs";
import { withDatabase } from "../engine/sqlite/database-file.ts";
import type { Snapshot, Writer } from "../store.ts";

/** Key in `settings`. */
const DATABASE_ID = "database-id";
const FIND = "SELECT value FROM settings WHERE name = ?";

/** Before this process opens a store. @returns undefined if there is no database yet, or it has none. */
export function readDatabaseId(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  let id: unknown;
  try {
    withDatabase(path, { readOnly: true }, (database) => {
      id = database.prepare(FIND).get(DATABASE_ID)?.["value"];
    });
  } catch {
    // Opening the store says what is wrong with it.
  }
  return typeof id === "string" ? id : undefined;
}

export async function findDatabaseId(db: Snapshot): Promise<string | undefined> {
  return (await db.get(FIND, DATABASE_ID))?.value;
}

/** Has no effect if there is one. */
export async function insertDatabaseId(db: Writer, id: string): Promise<void> {
  await db.run("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", DATABASE_ID, id);
}
