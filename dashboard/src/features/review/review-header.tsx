import IconExternalLink from "@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs";
import { memo, type ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { useWebsite } from "../../shared/session.tsx";
import { PageHeader } from "../../shared/page.tsx";
import { ArticleStatusBadge, DraftBadge } from "../../shared/status-badge.tsx";
import { ActionBar } from "./decisions/action-bar.tsx";
import type { Decision, Offer } from "./decisions/actions.ts";
import { Outside } from "./sidebar/seo-panel.tsx";
import classes from "./review.module.css";
import { ReviewLinks } from "./guest/review-links.tsx";
import { ScoreBadge } from "./score.tsx";
import { SitePreviewButton } from "./site-preview.tsx";

interface ReviewHeaderProps {
  reviewed: ReviewedArticle;
  /** The same, or the article before for a moment: for what may follow later. */
  settled: ReviewedArticle;
  offers: readonly Offer[];
  busy: Decision | null;
  isHeld: boolean;
  onDecide: (decision: Decision) => void;
}

export function ReviewHeader({ reviewed, settled, ...bar }: ReviewHeaderProps): ReactNode {
  const { article, line } = reviewed;
  return (
    <PageHeader
      title={article.title}
      aside={
        <span className={classes.badges}>
          <ArticleStatusBadge article={line} />
          {reviewed.draft !== null && <DraftBadge />}
          <ScoreBadge score={line.score} />
          <Ways reviewed={settled} />
        </span>
      }
      actions={bar.offers.length > 0 && <ActionBar {...bar} />}
    />
  );
}

/** Where else the article can be seen. */
const Ways = memo(function Ways({ reviewed }: { reviewed: ReviewedArticle }): ReactNode {
  const { article, line, public_url } = reviewed;
  const website = useWebsite();
  const canShare = website.can("articles.approve") && line.status !== "published" && line.deleted_at === null;
  const isLive = line.status === "published" && line.deleted_at === null;
  return (
    <>
      {reviewed.has_site_preview && line.deleted_at === null && (
        <SitePreviewButton key={`preview ${article.id}`} articleId={article.id} />
      )}
      {canShare && <ReviewLinks key={`links ${article.id}`} reviewed={reviewed} />}
      {isLive && public_url !== null && (
        <Outside url={public_url}>
          <span className={classes.public}>
            Open on the website <IconExternalLink size={14} aria-hidden />
          </span>
        </Outside>
      )}
    </>
  );
});
