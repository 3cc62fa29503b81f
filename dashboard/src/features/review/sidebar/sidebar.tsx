import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import type { ReviewedArticle, RevisionContent } from "../../../../../src/http/admin/contract/review.ts";
import { HistoryPanel } from "./history-panel.tsx";
import { PipelinePanel } from "./pipeline-panel.tsx";
import { QualityPanel } from "./quality-panel.tsx";
import classes from "./sidebar.module.css";
import { SeoPanel } from "./seo-panel.tsx";

export type Tab = "article" | "seo" | "quality" | "pipeline" | "history";

interface RailProps {
  reviewed: ReviewedArticle;
  content: RevisionContent | null;
  tab: Exclude<Tab, "article">;
  nameOf: (id: string) => string | undefined;
  onCompare: (revision: string) => void;
}

/** The panel of a tab. The page owns the tabs, because the article is one of them on a narrow screen. */
export function RailPanel({ reviewed, content, tab, nameOf, onCompare }: RailProps): ReactNode {
  const { article, website_id } = reviewed;
  return (
    <Tabs.Panel value={tab} className={classes.panel} tabIndex={0}>
      {tab === "seo" && <SeoPanel reviewed={reviewed} content={content} />}
      {tab === "quality" && <QualityPanel metrics={article.quality_metrics} />}
      {tab === "pipeline" && <PipelinePanel steps={article.pipeline_steps} nameOf={nameOf} />}
      {tab === "history" && <HistoryPanel websiteId={website_id} id={article.id} onCompare={onCompare} />}
    </Tabs.Panel>
  );
}
