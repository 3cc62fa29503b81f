import type { ArticleStatus } from "../../../domain/articles/article.ts";
import type { Origin } from "../../../domain/system/audit.ts";
import { exportForm } from "../../../domain/articles/api-format.ts";
import { findBody, iterateArticles } from "../../../store/articles/articles.ts";
import { findReviewRecord } from "../../../store/articles/quality/review-records.ts";
import { listEmails } from "../../../store/people/accounts.ts";
import { recordAudit } from "../../system/audit.ts";
import type { Deps } from "../../system/deps.ts";
import { loadWebsite } from "../../../store/system/websites.ts";

/** Articles, without the trash, as NDJSON, oldest first, from one snapshot. An exported import has the same bytes. A review record is added, if
 * there is one; imports leave it out, as it is a statement of the service that made it. */
export async function* exportArticles(
  deps: Pick<Deps, "store">,
  websiteId: string,
  status?: ArticleStatus,
): AsyncGenerator<string> {
  await using db = await deps.store.openSnapshot();
  const withRecords = (await loadWebsite(db, websiteId)).responsibleName !== null;
  const emails = await listEmails(db);
  const emailOf = (id: string | null) => (id === null ? null : (emails.get(id) ?? null));
  for await (const article of iterateArticles(db, websiteId, status)) {
    const full = { article, body: await findBody(db, article.rowNo) };
    const people = { author: emailOf(article.authorId), assignee: emailOf(article.assigneeId) };
    const record = withRecords ? await findReviewRecord(db, article) : undefined;
    yield `${JSON.stringify({ ...exportForm(full, people), ...(record === undefined ? {} : { review_record: record }) })}\n`;
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
