import type { Millis } from "../../domain/system/time.ts";
import { DEAD_LETTER_KINDS, type DeadLetterKind } from "../../domain/system/dead-letter.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface DeadLetter {
  kind: DeadLetterKind;
  /** The id of the delivery, article or other work that was set aside. */
  subjectId: string;
  /** Null: no website, or unknown. */
  websiteId: string | null;
  reason: string;
  failures: number;
  createdAt: Millis;
  failedAt: Millis;
  /** The webhook of a delivery that still exists; otherwise null. */
  endpointId: string | null;
}

/** Saves the dead letter, or counts another failure of an existing one. */
export async function saveDeadLetter(
  db: Writer,
  letter: Pick<DeadLetter, "kind" | "subjectId" | "websiteId" | "reason">,
  now: Millis,
): Promise<void> {
  await db.run(
    `INSERT INTO dead_letters (kind, subject_id, website_id, reason, failures, created_at, failed_at)
     VALUES (?, ?, ?, ?, 1, ?, ?)
     ON CONFLICT (kind, subject_id) DO UPDATE SET reason = excluded.reason, failures = dead_letters.failures + 1,
       failed_at = excluded.failed_at`,
    letter.kind,
    letter.subjectId,
    letter.websiteId,
    letter.reason,
    now,
    now,
  );
}

const SELECT = `SELECT l.kind, l.subject_id, l.website_id, l.reason, l.failures, l.created_at, l.failed_at, d.endpoint_id
  FROM dead_letters l LEFT JOIN deliveries d ON l.kind = 'delivery' AND d.id = l.subject_id`;

export async function listDeadLetters(db: Snapshot, limit: number): Promise<DeadLetter[]> {
  const rows = await db.all(`${SELECT} ORDER BY l.failed_at DESC, l.kind, l.subject_id LIMIT CAST(? AS BIGINT)`, limit);
  return rows.map(toCamelCase);
}

export async function findDeadLetter(
  db: Snapshot,
  kind: DeadLetterKind,
  subjectId: string,
): Promise<DeadLetter | undefined> {
  const row = await db.get(`${SELECT} WHERE l.kind = ? AND l.subject_id = ?`, kind, subjectId);
  return row && toCamelCase(row);
}

export async function deleteDeadLetter(db: Writer, kind: DeadLetterKind, subjectId: string): Promise<void> {
  await db.run("DELETE FROM dead_letters WHERE kind = ? AND subject_id = ?", kind, subjectId);
}

export async function countDeadLetters(db: Snapshot): Promise<Record<DeadLetterKind, number>> {
  const counts = Object.fromEntries(DEAD_LETTER_KINDS.map((kind) => [kind, 0])) as Record<DeadLetterKind, number>;
  const rows = await db.all("SELECT kind, COUNT(*) AS n FROM dead_letters GROUP BY kind");
  for (const { kind, n } of rows) counts[kind] = n;
  return counts;
}

export async function listFailures(db: Snapshot, kind: DeadLetterKind): Promise<Map<string, Millis>> {
  const rows = await db.all("SELECT subject_id, failed_at FROM dead_letters WHERE kind = ?", kind);
  return new Map(rows.map((row) => [row.subject_id, row.failed_at]));
}
