import type { ArticleStatus } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { Website } from "../../../domain/system/website.ts";
import type { Snapshot } from "../../../store/store.ts";

export interface ExportSource {
  db: Snapshot;
  website: Website;
  status: ArticleStatus | undefined;
  now: Millis;
}
