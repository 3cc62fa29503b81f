/** The audit entry of an import. Its counts become durable with the batches that they count. */
import type { Millis } from "../../domain/articles/article.ts";
import type { AuditEntry } from "../../domain/system/audit.ts";
import { putAuditEntry } from "../../store/system/audit.ts";
import type { Writer } from "../../store/store.ts";
import type { Actor } from "../system/deps.ts";
import type { ImportedItem } from "./import-items.ts";

/** One run of an import. */
export interface ImportRun {
  /** Id of its audit entry. */
  id: string;
  startedAt: Millis;
  websiteId: string;
  actor: Actor;
}

export type ImportCounts = Record<ImportedItem["outcome"], number>;

export const NONE_COUNTED: ImportCounts = { created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 };

export function withCounts(before: ImportCounts, items: readonly ImportedItem[]): ImportCounts {
  const counts = { ...before };
  for (const { outcome } of items) counts[outcome]++;
  return counts;
}

/** Saves the current counts in place of the previous ones. */
export function recordImport(db: Writer, run: ImportRun, counts: ImportCounts): Promise<void> {
  const { id, startedAt: at, websiteId, actor } = run;
  const entry: AuditEntry = {
    id,
    at,
    websiteId,
    actor: actor.id,
    address: actor.address ?? null,
    action: "articles.imported",
    targetKind: "website",
    targetId: websiteId,
    detail: { ...counts },
  };
  return putAuditEntry(db, entry);
}
