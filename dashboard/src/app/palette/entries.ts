/** The entries of the command palette. */
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";

export interface Entry {
  id: string;
  group: string;
  label: string;
  /** Shown beside the label: the article's website, if it is not the current one. */
  note?: string | undefined;
  /** The keyboard shortcut, if there is one. */
  keys?: string | undefined;
  /** The article whose state is shown. */
  line?: ArticleListItem;
  run: () => void;
}
