import { SegmentedControl, Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import { ArticleFrame } from "./document/article-frame.tsx";
import { comparisonQuery, websiteQuery } from "./queries.ts";
import { RailPanel, type Tab } from "./sidebar/sidebar.tsx";
import classes from "./review.module.css";

interface PanesProps {
  seen: ReviewedArticle;
  tab: Tab;
  onTab: (tab: Tab) => void;
  nameOf: (id: string) => string | undefined;
  onCompare: (revision: string) => void;
}

/** The article and its sidebar: side by side, or, on a narrow screen, one at a time. */
export function Panes({ seen, tab, onTab, nameOf, onCompare }: PanesProps): ReactNode {
  const isWide = useMediaQuery("(min-width: 1024px)", undefined, { getInitialValueInEffect: false }) ?? true;
  const [which, setWhich] = useState<"live" | "draft">("draft");
  const { article, website_id, public_url } = seen;
  const hasDraft = seen.draft !== null && seen.line.deleted_at === null;
  const comparison = useQuery({ ...comparisonQuery(website_id, article.id), enabled: hasDraft });
  const website = useQuery(websiteQuery(website_id));
  const draft = hasDraft && which === "draft" ? (comparison.data?.draft ?? null) : null;
  const shown = draft ?? article;
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
      {hasDraft && (
        <SegmentedControl
          className={classes.which}
          size="xs"
          value={which}
          onChange={setWhich}
          aria-label="Which text is shown"
          data={[
            { value: "draft", label: "Draft copy" },
            { value: "live", label: "Live" },
          ]}
        />
      )}
      <ArticleFrame
        article={{
          title: shown.title,
          html: shown.content,
          imageUrl: shown.featured_image_url,
          imageAlt: shown.featured_image_alt,
        }}
        base={public_url ?? website.data?.url ?? null}
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
          <RailPanel reviewed={seen} content={draft} tab={current} nameOf={nameOf} onCompare={onCompare} />
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
