import type { AuditEntry } from "../domain/audit.ts";
import type { Millis } from "../domain/article.ts";
import type { Reader, Writer } from "./store.ts";

interface AuditRow {
  id: string;
  at: number;
  website_id: string | null;
  actor: string;
  action: AuditEntry["action"];
  target_kind: AuditEntry["targetKind"];
  target_id: string;
  detail: string;
  address: string | null;
}

/** With who that is, as far as there still is such an account. */
export interface ShownAuditEntry extends AuditEntry {
  actorEmail: string | null;
}

const COLUMNS = "id, at, website_id, actor, action, target_kind, target_id, detail, address";

export async function insertAuditEntry(db: Writer, entry: AuditEntry): Promise<void> {
  await db.run(
    `INSERT INTO audit_log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    entry.id,
    entry.at,
    entry.websiteId,
    entry.actor,
    entry.action,
    entry.targetKind,
    entry.targetId,
    JSON.stringify(entry.detail),
    entry.address,
  );
}

/** Where a page begins: after this entry. */
export interface AuditPlace {
  at: Millis;
  id: string;
}

/** Newest first; of one website, or all there are with null. */
export async function listAuditEntries(
  db: Reader,
  websiteId: string | null,
  after: AuditPlace | null,
  limit: number,
): Promise<ShownAuditEntry[]> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
  const select = `SELECT ${COLUMNS}, (SELECT email FROM accounts WHERE accounts.id = actor) AS actor_email FROM audit_log`;
  const order = "ORDER BY at DESC, id DESC LIMIT CAST(? AS BIGINT)";
  const rows =
    websiteId === null
      ? await db.all<ShownRow>(`${select} WHERE (at, id) < (?, ?) ${order}`, at, id, limit)
      : await db.all<ShownRow>(
          `${select} WHERE website_id = ? AND (at, id) < (?, ?) ${order}`,
          websiteId,
          at,
          id,
          limit,
        );
  return rows.map(fromRow);
}

interface ShownRow extends AuditRow {
  actor_email: string | null;
}

function fromRow(row: ShownRow): ShownAuditEntry {
  return {
    id: row.id,
    at: row.at,
    websiteId: row.website_id,
    actor: row.actor,
    action: row.action,
    targetKind: row.target_kind,
    targetId: row.target_id,
    // It was written by `insertAuditEntry`.
    detail: JSON.parse(row.detail) as AuditEntry["detail"],
    address: row.address,
    actorEmail: row.actor_email,
  };
}
