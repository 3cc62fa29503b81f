import {
  allowLongStatements,
  type BloatedIndex,
  type BloatLimits,
  dropUnfinished,
  isBuildingIndex,
  listBloated,
  listUnfinished,
  rebuildIndex,
} from "../../store/system/index-bloat.ts";
import type { Deps } from "./deps.ts";

const LIMITS: BloatLimits = { minBytes: 16 * 1024 ** 2, factor: 8 };

/**
 * Rebuilds indexes of the queue that a backlog has left many times larger than their rows need, and drops the remains of a
 * rebuild that was killed. Does nothing while an index of the database is being built, and on SQLite, which reuses an
 * index's free space for the table.
 *
 * @returns the rebuilt indexes, with their earlier sizes.
 */
export async function rebuildBloatedIndexes(
  { store }: Pick<Deps, "store">,
  limits: BloatLimits = LIMITS,
): Promise<BloatedIndex[]> {
  const connection = store.openDedicatedConnection();
  if (connection === null) return [];
  await using opened = connection;
  if (await isBuildingIndex(opened)) return [];
  await allowLongStatements(opened);
  for (const name of await listUnfinished(opened)) await dropUnfinished(opened, name);
  const bloated = await listBloated(opened, limits);
  for (const { name } of bloated) await rebuildIndex(opened, name);
  return bloated;
}
