import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Deps } from "../../system/deps.ts";
import { exportArticles } from "../import/exports.ts";
import { exportGhost } from "./ghost.ts";
import type { Losses } from "./losses.ts";
import { exportWordPress } from "./wordpress.ts";

export const EXPORT_FORMATS = ["rostrum", "wordpress", "ghost"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The website's articles without the trash, oldest first, from one snapshot. `losses`: what the format cannot hold. */
export async function* exportAs(
  deps: Pick<Deps, "store" | "clock">,
  websiteId: string,
  { format, status, losses }: { format: ExportFormat; status?: ArticleStatus | undefined; losses: Losses },
): AsyncGenerator<string> {
  if (format === "rostrum") {
    yield* exportArticles(deps, websiteId, status);
    return;
  }
  await using db = await deps.store.openSnapshot();
  const source = { db, website: await loadWebsite(db, websiteId), status, now: deps.clock() };
  yield* format === "wordpress" ? exportWordPress(source, losses) : exportGhost(source, losses);
}
