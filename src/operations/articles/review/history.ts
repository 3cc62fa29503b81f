/** An article's history: its entries in the audit log, and the imports that changed it without an entry. */
import type { AuditEntry } from "../../../domain/system/audit.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { type AuditCursor, findPerson, listTargetEntries, type Person } from "../../../store/system/audit.ts";
import { listRevisions } from "../../../store/articles/revisions.ts";
import { firstMark } from "../../../domain/articles/revision.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";
import type { Deps } from "../../system/deps.ts";
import { loadArticle } from "../write/article-persistence.ts";

interface HistoryEntry {
  id: string;
  at: Millis;
  person: Person;
  action: string;
  detail: AuditEntry["detail"];
  /** The revision that this action created, while it is kept. */
  revision: string | null;
}

export interface HistoryPage {
  entries: HistoryEntry[];
  /** Null: there is no further page. */
  next: AuditCursor | null;
}

const BEGINNING: AuditCursor = { at: Number.MAX_SAFE_INTEGER, id: "" };

/** Newest first. @throws AppError `not_found`. */
export function listHistory(
  deps: Pick<Deps, "store">,
  articleId: string,
  { after, limit }: { after: AuditCursor | null; limit: number },
): Promise<HistoryPage> {
  return deps.store.read(async (db) => {
    const full = await loadArticle(db, articleId);
    const found = await findEntries(db, full, after ?? BEGINNING, limit + 1);
    if (found.length <= limit) {
      const first = await findImport(db, full, found, after ?? BEGINNING);
      return { entries: first === undefined ? found : [...found, first], next: null };
    }
    const entries = found.slice(0, limit);
    const last = entries.at(-1);
    return { entries, next: last === undefined ? null : { at: last.at, id: last.id } };
  });
}

/** A revision has the id and time of its audit entry, so both lists merge in the same order. */
async function findEntries(db: Snapshot, full: StoredFull, after: AuditCursor, limit: number): Promise<HistoryEntry[]> {
  const entries = await listTargetEntries(db, full.article.id, after, limit);
  const revisions = await listRevisions(db, full.article.rowNo, after, limit);
  const made = new Map(revisions.map((revision) => [revision.id, revision]));
  const noted = new Set(entries.map(({ id }) => id));
  return [
    ...entries.map(({ id, at, person, action, detail }) => {
      return { id, at, person, action, detail, revision: made.has(id) ? id : null };
    }),
    ...revisions.flatMap(({ id, at, person, action }) =>
      noted.has(id) ? [] : [{ id, at, person, action, detail: {}, revision: id }],
    ),
  ]
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

/** The import that created the article; no other entry shows it until somebody changes the article. */
async function findImport(
  db: Snapshot,
  full: StoredFull,
  found: readonly HistoryEntry[],
  after: AuditCursor,
): Promise<HistoryEntry | undefined> {
  const { id, at, actor, action } = firstMark(full);
  const isTold = after.id === id || found.some((entry) => entry.id === id);
  if (action !== "article.imported" || isTold) return undefined;
  const source = full.body.steps.find(({ name }) => name === "import")?.metadata["source"];
  const detail = typeof source === "string" ? { source } : {};
  return { id, at, person: await findPerson(db, actor), action, detail, revision: null };
}
