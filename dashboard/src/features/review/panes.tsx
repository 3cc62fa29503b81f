import { Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import type { Compared } from "./compare/compare-modal.tsx";
import { ArticlePane } from "./document/article-pane.tsx";
import { comparisonQuery, websiteQuery } from "./queries.ts";
import { RailPanel, type Tab } from "./sidebar/sidebar.tsx";
import classes from "./review.module.css";

interface PanesProps {
  seen: ReviewedArticle;
  tab: Tab;
  onTab: (tab: Tab) => void;
  nameOf: (id: string) => string | undefined;
  onCompare: (compared: Compared) => void;
}

/** The article and its sidebar: side by side, or, on a narrow screen, one at a time. */
export function Panes({ seen, tab, onTab, nameOf, onCompare }: PanesProps): ReactNode {
  const isWide = useMediaQuery("(min-width: 1024px)", undefined, { getInitialValueInEffect: false }) ?? true;
  const { article, website_id, public_url } = seen;
  const hasDraft = seen.draft !== null && seen.line.deleted_at === null;
  const comparison = useQuery({ ...comparisonQuery(website_id, article.id), enabled: hasDraft });
  const website = useQuery(websiteQuery(website_id));
  const draft = hasDraft ? (comparison.data?.draft ?? null) : null;
  const current = isWide && tab === "article" ? "seo" : tab;
  const places = isWide ? PLACES.slice(1) : PLACES;
  useShortcuts(
    PLACES.slice(1).map(([value, label], index) => ({
      keys: String(index + 1),
      label,
      group: "This article",
      run: () => onTab(value),
    })),
  );
  const page = (
    <div className={classes.article} hidden={!isWide && current !== "article"}>
      <ArticlePane
        reviewed={seen}
        draft={draft}
        base={public_url ?? website.data?.url ?? null}
        onSource={(from, to) => onCompare({ from, to, view: "markdown" })}
      />
    </div>
  );
  return (
    <Tabs
      value={current}
      onChange={(value) => onTab(PLACES.find(([one]) => one === value)?.[0] ?? "seo")}
      className={classes.panes}
      keepMounted={false}
    >
      {isWide && page}
      <div className={classes.sidebar}>
        <Tabs.List className={classes.tabs}>
          {places.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {!isWide && (
          <Tabs.Panel value="article" className={classes.narrowArticle}>
            {page}
          </Tabs.Panel>
        )}
        {current !== "article" && (
          <RailPanel
            reviewed={seen}
            content={draft}
            tab={current}
            nameOf={nameOf}
            onCompare={(from) => onCompare({ from })}
          />
        )}
      </div>
    </Tabs>
  );
}

const PLACES = [
  ["article", "Article"],
  ["seo", "SEO"],
  ["quality", "Quality"],
  ["pipeline", "Pipeline"],
  ["history", "History"],
] as const satisfies readonly (readonly [Tab, string])[];
