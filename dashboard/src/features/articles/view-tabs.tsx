import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ArticleCounts } from "../../../../src/http/admin/contract/articles.ts";
import { DEFAULT_QUEUE } from "../../shared/article-queue.ts";
import { ScrollingRow } from "../../shared/scrolling-row.tsx";
import { type ArticlesSearch, toTab } from "./search.ts";
import classes from "./view-tabs.module.css";
import { VIEWS } from "./views.ts";

/** Article states as tabs with their counts, in one row that scrolls. Changing the tab keeps the search and resets the page. */
export function ViewTabs({ search, counts }: { search: ArticlesSearch; counts: ArticleCounts | undefined }): ReactNode {
  const current = search.view ?? DEFAULT_QUEUE;
  return (
    <ScrollingRow>
      <nav className={classes.root} aria-label="Articles by status">
        {VIEWS.map(({ view, label }) => (
          <Link
            key={view}
            to="/articles"
            search={toTab(search, view)}
            className={classes.tab}
            activeProps={{}}
            aria-current={view === current ? "page" : undefined}
            data-active={view === current || undefined}
          >
            {label}
            <span className={classes.count}>{counts === undefined ? "–" : counts[view].toLocaleString("en")}</span>
          </Link>
        ))}
      </nav>
    </ScrollingRow>
  );
}
