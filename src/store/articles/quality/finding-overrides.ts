/** Blocking findings that people accepted, each for one content of an article. */
import type { FindingKind } from "../../../domain/articles/findings.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { PERSON_OF, type Person } from "../../system/audit.ts";
import type { Snapshot, Writer } from "../../store.ts";

export interface Override {
  kind: FindingKind;
  reason: string;
  person: Person;
  at: Millis;
}

/** @param contentHash `content_hash` of the metrics. */
export async function listOverrides(db: Snapshot, rowNo: number, contentHash: string): Promise<Override[]> {
  const rows = await db.all(
    `SELECT kind, reason, actor, ${PERSON_OF} AS person, at FROM finding_overrides
     WHERE row_no = ? AND content_hash = ? ORDER BY at, kind`,
    rowNo,
    contentHash,
  );
  return rows.map(({ kind, reason, actor, person, at }) => ({
    // The column holds what `putOverride` wrote.
    kind: kind as FindingKind,
    reason,
    person: { id: actor, name: person },
    at,
  }));
}

export async function putOverride(
  db: Writer,
  { rowNo, websiteId }: { rowNo: number; websiteId: string },
  { contentHash, kind, reason, actor, at }: Omit<Override, "person"> & { contentHash: string; actor: string },
): Promise<void> {
  await db.run(
    `INSERT INTO finding_overrides (row_no, content_hash, kind, website_id, reason, actor, at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (row_no, content_hash, kind) DO UPDATE SET reason = excluded.reason, actor = excluded.actor,
       at = excluded.at`,
    rowNo,
    contentHash,
    kind,
    websiteId,
    reason,
    actor,
    at,
  );
}
