/** Audit log entries for articles, written in the transaction of the action. */
import type { Article } from "../../../domain/articles/article.ts";
import type { AuditAction, AuditEntry } from "../../../domain/system/audit.ts";
import type { Writer } from "../../../store/store.ts";
import { recordAudit } from "../../system/audit.ts";
import type { Actor, Deps } from "../../system/deps.ts";

export interface ArticleNote {
  action: Extract<AuditAction, `article.${string}`>;
  /** In addition to the title. */
  detail?: AuditEntry["detail"];
}

/** Characters; enough to identify an article with a longer title. */
const TITLE_LENGTH = 200;

/** `entry`: the id and time of the audit entry, if something else refers to it. */
export function recordArticleChange(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  actor: Actor,
  article: Pick<Article, "id" | "websiteId" | "title">,
  { action, detail }: ArticleNote,
  entry?: Pick<AuditEntry, "id" | "at">,
): Promise<void> {
  const origin = { actor: actor.id, address: actor.address ?? null };
  return recordAudit(
    db,
    deps,
    origin,
    {
      action,
      targetKind: "article",
      targetId: article.id,
      websiteId: article.websiteId,
      detail: { title: article.title.slice(0, TITLE_LENGTH).toWellFormed(), ...detail, ...actor.facts },
    },
    entry,
  );
}
