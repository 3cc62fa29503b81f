import { actionsAbout, type AuditEntry, type AuditSubject, type Origin } from "../../domain/system/audit.ts";
import { redact } from "../../domain/system/redact.ts";
import {
  insertAuditEntry,
  type AuditCursor,
  listAuditEntries,
  type ShownAuditEntry,
} from "../../store/system/audit.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps } from "./deps.ts";

type NewAuditEntry = Pick<AuditEntry, "action" | "targetKind" | "targetId"> &
  Partial<Pick<AuditEntry, "websiteId" | "detail">>;

/** Runs in the action's transaction. Removes secrets from `detail`. `entry`: id and time, if something refers to it. */
export async function recordAudit(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  origin: Origin,
  { websiteId = null, detail = {}, ...noted }: NewAuditEntry,
  { id, at }: Pick<AuditEntry, "id" | "at"> = { id: deps.newId(), at: deps.clock() },
): Promise<void> {
  const { actor, address } = origin;
  const withoutSecrets = JSON.parse(redact(JSON.stringify(detail))) as typeof detail;
  await insertAuditEntry(db, { id, at, actor, address, websiteId, detail: withoutSecrets, ...noted });
}

export interface AuditEntryPage {
  entries: ShownAuditEntry[];
  /** Null: there is no further page. */
  next: AuditCursor | null;
}

export interface AuditListOptions {
  /** null: all entries. */
  websiteId: string | null;
  /** null: all actions. */
  about: AuditSubject | null;
  after: AuditCursor | null;
  limit: number;
}

export async function listAudit(
  deps: Pick<Deps, "store">,
  { websiteId, about, after, limit }: AuditListOptions,
): Promise<AuditEntryPage> {
  const filter = { websiteId, actions: about === null ? null : actionsAbout(about) };
  const found = await deps.store.read((db) => listAuditEntries(db, filter, after, limit + 1));
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return { entries, next: found.length > limit && last !== undefined ? { at: last.at, id: last.id } : null };
}
