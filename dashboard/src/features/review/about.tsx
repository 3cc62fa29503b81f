/** Beside the text: whose the article is, where else it can be seen, and what was requested of it. */
import { Group } from "@mantine/core";
import IconExternalLink from "@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs";
import { memo, type ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { useWebsite } from "../../shared/session.tsx";
import classes from "./about.module.css";
import { DeliveredLine } from "./delivered-line.tsx";
import { ReviewLinks } from "./guest/review-links.tsx";
import { OriginLine } from "./origin-line.tsx";
import { People } from "./people.tsx";
import { RequestCard } from "./request-card.tsx";
import { Outside } from "./sidebar/seo-panel.tsx";
import { SitePreviewButton } from "./site-preview.tsx";

interface AboutProps {
  reviewed: ReviewedArticle;
  onChange: (answer: ReviewedArticle) => void;
}

export const About = memo(function About({ reviewed, onChange }: AboutProps): ReactNode {
  const { article, line, request } = reviewed;
  return (
    <div className={classes.root}>
      <People key={`people ${article.id}`} reviewed={reviewed} onChange={onChange} />
      <Ways reviewed={reviewed} />
      <OriginLine origin={reviewed.origin} />
      <DeliveredLine reviewed={reviewed} />
      {request !== null && line.deleted_at === null && (
        <RequestCard articleId={article.id} request={request} onChange={onChange} />
      )}
    </div>
  );
});

/** Where else the article can be seen. */
function Ways({ reviewed }: { reviewed: ReviewedArticle }): ReactNode {
  const { article, line, public_url } = reviewed;
  const website = useWebsite();
  const isAlive = line.deleted_at === null;
  const canShare = website.can("articles.approve") && line.status !== "published" && isAlive;
  const url = line.status === "published" && isAlive ? public_url : null;
  const hasPreview = reviewed.has_site_preview && isAlive;
  if (!hasPreview && !canShare && url === null) return null;
  return (
    <Group gap="xs" fz="sm">
      {hasPreview && <SitePreviewButton key={`preview ${article.id}`} articleId={article.id} />}
      {canShare && <ReviewLinks key={`links ${article.id}`} reviewed={reviewed} />}
      {url !== null && (
        <Outside url={url}>
          <span className={classes.way}>
            Open on the website <IconExternalLink size={14} aria-hidden />
          </span>
        </Outside>
      )}
    </Group>
  );
}
