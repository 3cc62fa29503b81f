/** Former addresses of articles, as the program reads them that the articles move to. */
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { iterateArticles } from "../../../store/articles/articles.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Deps } from "../../system/deps.ts";

/**
 * For WordPress, the CSV file of its plugin Redirection: an old path and where the article is, whatever the site's form of
 * addresses. For Ghost, its redirects.json.
 */
export async function* exportRedirects(
  deps: Pick<Deps, "store">,
  websiteId: string,
  format: "wordpress" | "ghost",
  status?: ArticleStatus,
): AsyncGenerator<string> {
  await using db = await deps.store.openSnapshot();
  await loadWebsite(db, websiteId);
  const isCsv = format === "wordpress";
  yield isCsv ? "source,target\n" : "[";
  let isFirst = true;
  for await (const { slug, aliases } of iterateArticles(db, websiteId, status)) {
    for (const alias of aliases) {
      const path = encodeURI(alias.startsWith("/") ? alias : `/${alias}`);
      if (isCsv) yield `${csv(path)},${csv(`/?name=${encodeURIComponent(slug)}`)}\n`;
      else {
        const pattern = `^${path.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\/$/, "")}/?$`;
        yield `${isFirst ? "\n" : ",\n"}${JSON.stringify({ from: pattern, to: `/${encodeURIComponent(slug)}/`, permanent: true })}`;
      }
      isFirst = false;
    }
  }
  if (!isCsv) yield "\n]\n";
}

/** A quotation mark in front would not do for what a spreadsheet runs, but every value begins with a slash. */
function csv(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}
