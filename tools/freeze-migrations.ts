/**
 * Adds new migrations to src/store/migrations/frozen.json: the hash of their text, and their effects on the schema of each
 * engine. Existing entries stay unchanged because released migrations must not be edited. Needs PostgreSQL.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, type Migration, MIGRATIONS } from "../src/store/migrations.ts";
import { FROZEN, readSchema, type Schema } from "../src/store/schema.ts";
import type { Store } from "../src/store/store.ts";
import { openStoreBy } from "../test/helpers/database.ts";
import { tempFolder } from "../test/helpers/folder.ts";
import { startPostgres } from "../test/helpers/postgres.ts";

const FILE = join(import.meta.dirname, "..", "src", "store", "migrations", "frozen.json");

await using folder = await tempFolder();
await using server = await startPostgres();
await using sqlite = openStoreBy({ ROSTRUM_DATA_DIR: folder.path });
await using postgres = openStoreBy({ ROSTRUM_DATA_DIR: folder.path, DATABASE_URL: await server.createDatabase() });
const inSqlite = await readEffects(sqlite);
const inPostgres = await readEffects(postgres);
const all = MIGRATIONS.map((migration, index) => [
  migration.name,
  FROZEN[migration.name] ?? { sha256: hash(migration), sqlite: inSqlite[index], postgres: inPostgres[index] },
]);
writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);

function hash(migration: Migration): string {
  return createHash("sha256").update(JSON.stringify(migration)).digest("hex");
}

/** The schema objects that each migration changes; null: it removes the object. */
async function readEffects(store: Store): Promise<Record<string, string | null>[]> {
  const changes = [];
  let before: Schema = {};
  for (const index of MIGRATIONS.keys()) {
    await migrate(store, 0, MIGRATIONS.slice(0, index + 1));
    const after = await store.read(readSchema);
    const removed = Object.keys(before).filter((name) => !(name in after));
    const changed = Object.entries(after).filter(([name, definition]) => before[name] !== definition);
    changes.push(Object.fromEntries([...removed.map((name) => [name, null] as const), ...changed]));
    before = after;
  }
  return changes;
}
