/** Checksums of a store: equal for equal content, whatever the engine. */
import { createHash } from "node:crypto";
import {
  COPIED_TABLES,
  type CopiedTable,
  countIndexed,
  countRows,
  getKey,
  readPage,
  type CopiedRow,
} from "../../store/system/table-copy.ts";
import type { Snapshot } from "../../store/store.ts";

export interface TableChecksum {
  rows: number;
  /** Hash of the rows in primary key order, each as a line of JSON with its values in column order. */
  sha256: string;
}

/** @param onRows gets the number of rows just read. */
async function checksum(
  db: Snapshot,
  table: CopiedTable,
  onRows: (count: number) => void = () => undefined,
): Promise<TableChecksum> {
  const hash = createHash("sha256");
  let rows = 0;
  for (let after: CopiedRow | null = null; ;) {
    const page: CopiedRow[] = await readPage(db, table, after);
    const last = page.at(-1);
    if (last === undefined) return { rows, sha256: hash.digest("hex") };
    hash.update(page.map((row) => `${JSON.stringify(row)}\n`).join(""));
    rows += page.length;
    after = getKey(table, last);
    onRows(page.length);
  }
}

/** Small tables that change with whatever a service or a command does. */
const TELLING = new Set([
  "websites",
  "api_keys",
  "access_tokens",
  "senders",
  "endpoints",
  "endpoint_secrets",
  "accounts",
  "memberships",
]);

/** Distinguishes one store from another, and from itself after it was used. */
export async function computeFingerprint(db: Snapshot): Promise<string> {
  const hash = createHash("sha256");
  for (const table of COPIED_TABLES) {
    if (TELLING.has(table.name)) hash.update((await checksum(db, table)).sha256);
    if (table.name === "delivery_queue") hash.update(`${await countRows(db, table)}`);
  }
  return hash.digest("hex");
}

/** @returns the names of the tables that differ; `article_words` when an article is not in the word index. */
export async function compare(
  one: Snapshot,
  other: Snapshot,
  onRows: (table: string, count: number) => void,
): Promise<{ tables: Record<string, TableChecksum>; different: string[] }> {
  const tables: Record<string, TableChecksum> = {};
  const different: string[] = [];
  for (const table of COPIED_TABLES) {
    const [expected, actual] = await Promise.all([
      checksum(one, table, (count) => onRows(table.name, count)),
      checksum(other, table),
    ]);
    tables[table.name] = expected;
    if (expected.sha256 !== actual.sha256) different.push(table.name);
  }
  if ((await countIndexed(other)) !== tables["article_bodies"]?.rows) different.push("article_words");
  return { tables, different };
}
