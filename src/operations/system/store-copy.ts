/** Copies one snapshot, a page and its checkpoint in each transaction; at the end both stores are read and compared. */
import { indexedWords } from "../../domain/articles/content/measure/search.ts";
import { AppError } from "../../domain/system/errors.ts";
import {
  findCheckpoint,
  insertCheckpoint,
  removeCheckpoint,
  replaceCheckpoint,
} from "../../store/system/copy-checkpoint.ts";
import {
  acquireLock,
  COPIED_TABLES,
  type CopiedRow,
  type CopiedTable,
  countRows,
  finalize,
  findNonEmptyTable,
  getKey,
  holdsLock,
  insertPage,
  listLabelled,
  readPage,
} from "../../store/system/table-copy.ts";
import { insertBands, listFingerprints } from "../../store/articles/quality/fingerprints.ts";
import { indexWords } from "../../store/articles/search.ts";
import { appliedMigrations } from "../../store/migrations.ts";
import type { Snapshot, Store, Writer } from "../../store/store.ts";
import type { Deps } from "./deps.ts";
import { compare, computeFingerprint, type TableChecksum } from "./store-checksums.ts";

export interface StoreCopy {
  resumed: boolean;
  tables: Record<string, TableChecksum>;
}

export interface CopyProgress {
  doing: "copying" | "comparing";
  table: string;
  done: number;
  total: number;
}

/** The checkpoint of an unfinished copy, stored in the target. */
interface Checkpoint {
  from: string;
  fingerprint: string;
  /** The table that is being copied; those before it are done. null if all are. */
  table: string | null;
  /** Key of its last copied row. */
  after: CopiedRow | null;
  rows: number;
}

const BODIES = "article_bodies";
const BEGIN_ANEW = "empty the target (drop and create the database, or remove the file) and run the command again";

/** @throws AppError `not_found` for an empty source; `conflict` if both are the same, or the target has other data. */
export async function checkStores(deps: Pick<Deps, "randomBytes">, source: Store, target: Store): Promise<void> {
  if ((await source.read(appliedMigrations)).length === 0) {
    throw new AppError("not_found", "There is no data of Rostrum in the source: check --from.");
  }
  if (source.engine === "postgres" && target.engine === "postgres") {
    const number = deps.randomBytes(6).readUIntBE(0, 6);
    const isSame = await target.write(
      async (db) => {
        await acquireLock(db, number);
        return source.read((other) => holdsLock(other, number));
      },
      { notify: false },
    );
    if (isSame) throw new AppError("conflict", "--from and --to are the same database: name another target.");
  }
  await target.read(async (db) => {
    if ((await findCheckpoint(db)) === undefined) await assertEmpty(db);
  });
}

/** @param from the source, for people. @throws AppError `conflict` for other data, a changed source or a difference. */
export async function copyStore(
  source: Store,
  target: Store,
  from: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<StoreCopy> {
  let resumed: boolean;
  let checkpoint: Checkpoint;
  let total: number;
  {
    await using snapshot = await source.openSnapshot();
    total = await countAll(snapshot);
    ({ checkpoint, resumed } = await openCheckpoint(target, { from, fingerprint: await computeFingerprint(snapshot) }));
    for (const table of COPIED_TABLES) {
      checkpoint = await copyTable(snapshot, target, table, checkpoint, ({ rows }) =>
        onProgress({ doing: "copying", table: table.name, done: rows, total }),
      );
    }
  }
  await target.write(finalize, { notify: false });
  const tables = await verify(source, target, (table, done) => onProgress({ doing: "comparing", table, done, total }));
  await target.write((db) => removeCheckpoint(db, JSON.stringify(checkpoint)));
  return { resumed, tables };
}

async function openCheckpoint(
  target: Store,
  source: Pick<Checkpoint, "from" | "fingerprint">,
): Promise<{ checkpoint: Checkpoint; resumed: boolean }> {
  return target.write(
    async (db) => {
      const found = await findCheckpoint(db);
      if (found !== undefined) {
        // Written only by this module.
        const checkpoint = JSON.parse(found) as Checkpoint;
        if (checkpoint.fingerprint === source.fingerprint) return { checkpoint, resumed: true };
        throw new AppError(
          "conflict",
          `The target contains an unfinished copy of ${checkpoint.from}, which is another source or has changed since: ${BEGIN_ANEW}.`,
        );
      }
      await assertEmpty(db);
      const checkpoint: Checkpoint = { ...source, table: COPIED_TABLES[0]?.name ?? null, after: null, rows: 0 };
      await insertCheckpoint(db, JSON.stringify(checkpoint));
      return { checkpoint, resumed: false };
    },
    { notify: false },
  );
}

async function assertEmpty(db: Snapshot): Promise<void> {
  const held = await findNonEmptyTable(db);
  if (held === undefined) return;
  throw new AppError("conflict", `The target already contains data (${held}): name an empty database, or a new file.`);
}

/** @returns the checkpoint after the table's last row; the same one if the table was already done. */
async function copyTable(
  snapshot: Snapshot,
  target: Store,
  table: CopiedTable,
  earlier: Checkpoint,
  onPage: (checkpoint: Checkpoint) => void,
): Promise<Checkpoint> {
  let checkpoint = earlier;
  while (checkpoint.table === table.name) {
    const before = checkpoint;
    const page = await readPage(snapshot, table, before.after);
    const last = page.at(-1);
    const next = COPIED_TABLES[COPIED_TABLES.indexOf(table) + 1]?.name ?? null;
    const after: Checkpoint =
      last === undefined
        ? { ...before, table: next, after: null }
        : { ...before, after: getKey(table, last), rows: before.rows + page.length };
    const words = table.name === BODIES ? await listIndexedWords(snapshot, table, page) : [];
    await target.write(
      async (db) => {
        if (!(await replaceCheckpoint(db, JSON.stringify(before), JSON.stringify(after)))) {
          throw new AppError(
            "conflict",
            "Another migrate-store is copying into the same target: wait until it has ended.",
          );
        }
        await insertPage(db, table, page);
        await Promise.all(words.map((of) => index(db, of)));
      },
      { notify: false },
    );
    checkpoint = after;
    onPage(checkpoint);
  }
  return checkpoint;
}

interface Indexed {
  rowNo: number;
  websiteId: string;
  words: string;
  minhash: string | null;
}

async function index(db: Writer, article: Indexed): Promise<void> {
  await indexWords(db, article, article, true);
  if (db.engine === "postgres" && article.minhash !== null) await insertBands(db, article, article.minhash);
}

/** Words and bands are derived again: each engine stores them in its own form, and SQLite's cannot be read. */
async function listIndexedWords(
  snapshot: Snapshot,
  { columns }: CopiedTable,
  bodies: readonly CopiedRow[],
): Promise<Indexed[]> {
  const rowNo = columns.indexOf("row_no");
  const text = columns.indexOf("text");
  const texts = new Map(bodies.map((row) => [Number(row[rowNo]), String(row[text])]));
  const fingerprints = await listFingerprints(snapshot, [...texts.keys()]);
  return (await listLabelled(snapshot, [...texts.keys()])).map((row) => ({
    rowNo: row.row_no,
    websiteId: row.website_id,
    words: indexedWords({
      title: row.title,
      excerpt: row.excerpt,
      categories: JSON.parse(row.categories) as string[],
      tags: JSON.parse(row.tags) as string[],
      seoKeywords: JSON.parse(row.seo_keywords) as string[],
      targetKeyword: row.target_keyword,
      text: texts.get(row.row_no) ?? "",
    }),
    minhash: fingerprints.get(row.row_no) ?? null,
  }));
}

/** Reads the source again, so that changes made during the copy count as differences. */
async function verify(
  source: Store,
  target: Store,
  onRows: (table: string, done: number) => void,
): Promise<StoreCopy["tables"]> {
  await using one = await source.openSnapshot();
  await using other = await target.openSnapshot();
  let done = 0;
  const { tables, different } = await compare(one, other, (table, count) => onRows(table, (done += count)));
  if (different.length === 0) return tables;
  throw new AppError(
    "conflict",
    `Source and target differ in ${different.join(", ")}: another program has written to one of them. Stop it, ${BEGIN_ANEW}.`,
  );
}

async function countAll(db: Snapshot): Promise<number> {
  let total = 0;
  for (const table of COPIED_TABLES) total += await countRows(db, table);
  return total;
}
