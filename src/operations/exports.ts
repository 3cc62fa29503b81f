import type { ArticleStatus } from "../domain/article.ts";
import { exportForm } from "../domain/wire.ts";

import { findBody, walkArticles } from "../store/articles.ts";
import type { Deps } from "./deps.ts";
import { loadWebsite } from "./saving.ts";

/**
 * Every living article of the website as a line of NDJSON, oldest first, from one snapshot. What `import` makes of
 * the lines is exported as the same bytes.
 */
export async function* exportArticles(
  deps: Pick<Deps, "store">,
  websiteId: string,
  status?: ArticleStatus,
): AsyncGenerator<string> {
  await using db = await deps.store.openWalk();
  await loadWebsite(db, websiteId);
  for await (const article of walkArticles(db, websiteId, status)) {
    yield `${JSON.stringify(exportForm({ article, body: await findBody(db, article.rowNo) }))}\n`;
  }
}
