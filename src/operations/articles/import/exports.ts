import type { ArticleStatus } from "../../../domain/articles/article.ts";
import type { Origin } from "../../../domain/system/audit.ts";
import { exportForm } from "../../../domain/articles/api-format.ts";
import { findBody, iterateArticles } from "../../../store/articles/articles.ts";
import { listEmails } from "../../../store/people/accounts.ts";
import { recordAudit } from "../../system/audit.ts";
import type { Deps } from "../../system/deps.ts";
import { loadWebsite } from "../../../store/system/websites.ts";

/** Articles, without the trash, as NDJSON, oldest first, from one snapshot. An exported import has the same bytes. */
export async function* exportArticles(
  deps: Pick<Deps, "store">,
  websiteId: string,
  status?: ArticleStatus,
): AsyncGenerator<string> {
  await using db = await deps.store.openSnapshot();
  await loadWebsite(db, websiteId);
  const emails = await listEmails(db);
  const emailOf = (id: string | null) => (id === null ? null : (emails.get(id) ?? null));
  for await (const article of iterateArticles(db, websiteId, status)) {
    const full = { article, body: await findBody(db, article.rowNo) };
    const people = { author: emailOf(article.authorId), assignee: emailOf(article.assigneeId) };
    yield `${JSON.stringify(exportForm(full, people))}\n`;
  }
}

/** Records the export in the audit log; called before anything is sent. `status`: which articles; null: all. */
export function recordExport(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  websiteId: string,
  status: ArticleStatus | null,
  origin: Origin,
): Promise<void> {
  return deps.store.write(
    (db) =>
      recordAudit(db, deps, origin, {
        action: "articles.exported",
        targetKind: "website",
        targetId: websiteId,
        websiteId,
        detail: { status },
      }),
    { notify: false },
  );
}
