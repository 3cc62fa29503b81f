/** The row above the text: where it stands in the list, its state, what of it is shown, and the decisions. */
import { type ReactNode, useMemo } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { BackLink } from "../../shared/links.tsx";
import { useTabTitle } from "../../shared/page.tsx";
import { ArticleStatusBadge, DraftBadge } from "../../shared/status-badge.tsx";
import { useStable } from "../../shared/use-stable.ts";
import { ActionBar } from "./decisions/action-bar.tsx";
import type { Decision, Offer } from "./decisions/actions.ts";
import queueClasses from "./queue/queue-bar.module.css";
import { QueueBar } from "./queue/queue-bar.tsx";
import type { ReviewQueue } from "./queue/use-queue.ts";
import classes from "./review.module.css";
import { PresenceLine } from "./presence/presence-line.tsx";
import { ScoreBadge } from "./score.tsx";

interface ReviewHeaderProps {
  reviewed: ReviewedArticle;
  reviewQueue: ReviewQueue | null;
  offers: readonly Offer[];
  busy: Decision | null;
  isHeld: boolean;
  onDecide: (decision: Decision) => void;
  /** Called with the element for the tools of the text. */
  onTools: (element: HTMLElement | null) => void;
}

export function ReviewHeader({ reviewed, reviewQueue, onTools, ...bar }: ReviewHeaderProps): ReactNode {
  const { article, line } = reviewed;
  useTabTitle(article.title);
  const acts = useStable({
    setAutoAdvance: (isOn: boolean) => reviewQueue?.setAutoAdvance(isOn),
    go: (id: string) => reviewQueue?.go(id),
  });
  const { autoAdvance, last = null } = reviewQueue ?? {};
  const list = useMemo(
    () => (autoAdvance === undefined ? null : { autoAdvance, last, ...acts }),
    [autoAdvance, last, acts],
  );
  return (
    <header className={classes.row}>
      {reviewQueue === null ? (
        <BackLink to="/articles">
          <span className={queueClasses.back}>Articles</span>
        </BackLink>
      ) : (
        <QueueBar reviewQueue={reviewQueue} />
      )}
      <span className={classes.badges}>
        <ArticleStatusBadge article={line} />
        {reviewed.draft !== null && <DraftBadge />}
        <ScoreBadge score={line.score} />
        <PresenceLine websiteId={reviewed.website_id} articleId={article.id} activity="reading" />
      </span>
      <div className={classes.tools} ref={onTools} />
      <ActionBar {...bar} list={list} />
    </header>
  );
}
