import type { ReviewedArticle } from "../../../src/http/admin/contract/review.ts";

export type ArticleOrigin = ReviewedArticle["origin"]["kind"];

/** How articles come in, in the order of lists. */
export const ORIGIN_LABELS: Readonly<Record<ArticleOrigin, string>> = {
  written: "Written here",
  file: "Dropped file",
  import: "Import command",
  api: "Management API",
  push: "Repository",
  sender: "Sender",
};
