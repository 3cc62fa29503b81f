/** Without the code of the migrations, as a start nearly always finds nothing to migrate. */
import { appliedMigrations } from "./applied-migrations.ts";
import { MIGRATION_NAMES } from "./migration-names.generated.ts";
import type { Snapshot } from "./store.ts";

/** Whether the tables are those of this version, or of a later one that only adds to them. */
export async function hasCurrentSchema(db: Snapshot): Promise<boolean> {
  const applied = await appliedMigrations(db);
  const names = new Set(applied.map(({ name }) => name));
  const known = new Set(MIGRATION_NAMES);
  return (
    MIGRATION_NAMES.every((name) => names.has(name)) &&
    applied.every(({ name, additive }) => known.has(name) || additive === 1)
  );
}
