import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import type { ReviewedArticle, RevisionContent } from "../../../../../src/http/admin/contract/review.ts";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { RowsSkeleton } from "../../../shared/skeletons.tsx";
import type { OfferUndo } from "../../../shared/undo-toast.tsx";
import type { Commenting } from "../comments/use-commenting.ts";
import type { Findings } from "../findings/use-findings.ts";
import { HistoryPanel } from "./history-panel.tsx";
import { PipelinePanel } from "./pipeline-panel.tsx";
import { QualityPanel } from "./quality-panel.tsx";
import classes from "./sidebar.module.css";
import { SeoPanel } from "./seo-panel.tsx";

export type Tab = "article" | "details" | "findings" | "comments" | "seo" | "quality" | "pipeline" | "history";

interface SidebarProps {
  reviewed: ReviewedArticle;
  content: RevisionContent | null;
  /** Base URL of relative links where the article has no address yet; null if unknown. */
  base: string | null;
  tab: Exclude<Tab, "article" | "details">;
  nameOf: (id: string) => string | undefined;
  onCompare: (revision: string) => void;
  commenting: Commenting;
  findings: Findings;
  onRequest: ((text: string) => void) | null;
  onChanged: (answer: ReviewedArticle) => void;
  offerUndo: OfferUndo;
}

const CommentsPanel = lazyComponent(() => import("../comments/comments-panel.tsx"), "CommentsPanel");
const FindingsPanel = lazyComponent(() => import("../findings/findings-panel.tsx"), "FindingsPanel");
const LinksPanel = lazyComponent(() => import("../links/links-panel.tsx"), "LinksPanel");

/** The panel of a tab. The page owns the tabs, because the article is one of them on a narrow screen. */
export function SidebarPanel(props: SidebarProps): ReactNode {
  const { reviewed, content, base, tab, nameOf, onCompare, commenting, findings, onRequest, onChanged, offerUndo } =
    props;
  const { article, website_id } = reviewed;
  return (
    <Tabs.Panel value={tab} className={classes.panel} tabIndex={0}>
      {tab === "findings" && (
        <LazyPart fallback={<RowsSkeleton rows={3} rowHeight={90} />}>
          <FindingsPanel
            reviewed={reviewed}
            findings={findings}
            onRequest={onRequest}
            onChanged={onChanged}
            offerUndo={offerUndo}
          />
        </LazyPart>
      )}
      {tab === "comments" && (
        <LazyPart fallback={<RowsSkeleton rows={3} rowHeight={90} />}>
          <CommentsPanel commenting={commenting} composing={commenting} onChanged={onChanged} />
        </LazyPart>
      )}
      {tab === "seo" && <SeoPanel reviewed={reviewed} content={content} />}
      {tab === "quality" && (
        <QualityPanel metrics={article.quality_metrics}>
          <LazyPart fallback={<RowsSkeleton rows={3} rowHeight={40} />}>
            <LinksPanel
              websiteId={website_id}
              id={article.id}
              html={(content ?? article).content}
              base={reviewed.public_url ?? base}
            />
          </LazyPart>
        </QualityPanel>
      )}
      {tab === "pipeline" && <PipelinePanel steps={article.pipeline_steps} nameOf={nameOf} />}
      {tab === "history" && <HistoryPanel websiteId={website_id} id={article.id} onCompare={onCompare} />}
    </Tabs.Panel>
  );
}
