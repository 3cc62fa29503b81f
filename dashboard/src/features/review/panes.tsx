import { Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { ScrollingRow } from "../../shared/scrolling-row.tsx";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import type { OfferUndo } from "../../shared/undo-toast.tsx";
import { About } from "./about.tsx";
import { ComposerDialog } from "./comments/composer-dialog.tsx";
import { SelectionButton } from "./comments/selection-button.tsx";
import { useCommenting } from "./comments/use-commenting.ts";
import type { Compared } from "./compare/compare-modal.tsx";
import { ArticlePane } from "./document/article-pane.tsx";
import { Headline } from "./document/headline.tsx";
import { countProblems } from "./findings/problems.ts";
import { useFindings } from "./findings/use-findings.ts";
import { comparisonQuery, websiteQuery } from "./queries.ts";
import { RequestLine } from "./request-card.tsx";
import { SidebarPanel, type Tab } from "./sidebar/sidebar.tsx";
import classes from "./review.module.css";

interface PanesProps {
  seen: ReviewedArticle;
  tab: Tab;
  /** The element for the tools of the text. */
  tools: HTMLElement | null;
  onTab: (tab: Tab) => void;
  nameOf: (id: string) => string | undefined;
  /** Starts a request for changes with this text; null: the user may not request any now. */
  onRequest: ((text: string) => void) | null;
  onCompare: (compared: Compared) => void;
  /** Called after the article was changed. */
  onChanged: (answer: ReviewedArticle) => void;
  offerUndo: OfferUndo;
}

/** The article and what stands beside it, or, on a narrow screen, one at a time. */
export function Panes(props: PanesProps): ReactNode {
  const { seen, tab, tools, onTab, nameOf, onRequest, onCompare, onChanged, offerUndo } = props;
  const isWide = useMediaQuery("(min-width: 1024px)", undefined, { getInitialValueInEffect: false }) ?? true;
  const { article, website_id } = seen;
  const request = seen.line.deleted_at === null ? seen.request : null;
  const hasDraft = seen.draft !== null && seen.line.deleted_at === null;
  const comparison = useQuery({ ...comparisonQuery(website_id, article.id), enabled: hasDraft });
  const website = useQuery(websiteQuery(website_id));
  const draft = hasDraft ? (comparison.data?.draft ?? null) : null;
  const commenting = useCommenting(seen, {
    toList: useCallback(() => onTab("comments"), [onTab]),
    toText: () => !isWide && onTab("article"),
  });
  const findings = useFindings(seen, commenting, {
    toList: () => isWide && onTab("findings"),
    toText: () => !isWide && onTab("article"),
  });
  const found = countProblems(seen);
  const open = commenting.threads?.filter(({ resolved }) => resolved === null).length ?? seen.line.open_comments;
  // What blocks comes before what people have said, and that before what is only worth a look.
  const hasComments = (commenting.threads?.length ?? open) > 0;
  const isBlocked = article.quality_metrics.integrity.blocking > 0;
  const first = isBlocked || (found > 0 && !hasComments) ? "findings" : hasComments ? "comments" : "seo";
  const current =
    (isWide && (tab === "article" || tab === "details")) || (tab === "findings" && found === 0) ? first : tab;
  const places = PLACES.filter(([value]) =>
    value === "article" || value === "details" ? !isWide : value !== "findings" || found > 0,
  );
  useShortcuts(
    PLACES.slice(2).map(([value, label, keys]) => ({
      keys,
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
        tools={tools}
        base={website.data?.url ?? null}
        onSource={(from, to) => onCompare({ from, to, view: "markdown" })}
        onText={commenting.setShown}
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
      <div
        className={classes.sidebar}
        data-follows={(isWide && (current === "comments" || current === "findings")) || undefined}
      >
        {isWide && <About reviewed={seen} onChange={onChanged} />}
        <ScrollingRow>
          <Tabs.List className={classes.tabs}>
            {places.map(([value, label]) => (
              <Tabs.Tab key={value} value={value}>
                {label}
                {value === "comments" && open > 0 && ` (${open})`}
                {value === "findings" && ` (${found})`}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </ScrollingRow>
        {!isWide && (
          <>
            {current !== "article" && <Headline draftTitle={null} look="small" />}
            <Tabs.Panel value="article">
              {request !== null && <RequestLine request={request} onOpen={() => onTab("details")} />}
              {page}
            </Tabs.Panel>
            <Tabs.Panel value="details">
              <About reviewed={seen} onChange={onChanged} />
            </Tabs.Panel>
          </>
        )}
        {current !== "article" && current !== "details" && (
          <SidebarPanel
            key={article.id}
            reviewed={seen}
            content={draft}
            base={website.data?.url ?? null}
            tab={current}
            nameOf={nameOf}
            onCompare={(from) => onCompare({ from })}
            commenting={commenting}
            findings={findings}
            onRequest={onRequest}
            onChanged={onChanged}
            offerUndo={offerUndo}
          />
        )}
      </div>
      <SelectionButton commenting={commenting} />
      <ComposerDialog key={article.id} composing={commenting} />
    </Tabs>
  );
}

const PLACES = [
  ["article", "Article", ""],
  ["details", "Details", ""],
  ["findings", "Findings", "6"],
  ["comments", "Comments", "5"],
  ["seo", "SEO", "1"],
  ["quality", "Quality", "2"],
  ["pipeline", "Pipeline", "3"],
  ["history", "History", "4"],
] as const satisfies readonly (readonly [tab: Tab, label: string, keys: string])[];
