/** What machines ask for, which only people may do: to delete the article, or to publish it. */
import { Button, Group } from "@mantine/core";
import IconPlugConnected from "@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../api/client.ts";
import { useAnnounce } from "../../shared/announce.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { Time } from "../../shared/time.tsx";
import { type Decision, listOffers } from "./decisions/actions.ts";
import { Notice } from "./notices.tsx";
import classes from "./notices.module.css";
import { takeAnswer } from "./queries.ts";

interface RequestNoticesProps {
  reviewed: ReviewedArticle;
  onDecide: (decision: Decision) => void;
  onChange: (answer: ReviewedArticle) => void;
}

export function RequestNotices({ reviewed, ...acts }: RequestNoticesProps): ReactNode {
  const { removal_request: removal, publication_request: publication } = reviewed;
  if (reviewed.line.deleted_at !== null) return null;
  return (
    <>
      {removal !== null && (
        <RequestNotice
          key={`removal ${removal.at}`}
          reviewed={reviewed}
          request={removal}
          wish="delete"
          path="removal-request"
          decisions={["delete"]}
          {...acts}
        />
      )}
      {publication !== null && (
        <RequestNotice
          key={`publication ${publication.at}`}
          reviewed={reviewed}
          request={publication}
          wish="publish"
          path="publication-request"
          decisions={["publish", "approve-and-publish"]}
          {...acts}
        />
      )}
    </>
  );
}

interface OneNoticeProps extends RequestNoticesProps {
  request: { by: { name: string }; at: string; reason?: string };
  wish: "delete" | "publish";
  path: "removal-request" | "publication-request";
  /** What follows the request; the first one that is possible now. */
  decisions: readonly Decision[];
}

function RequestNotice({ reviewed, request, wish, path, decisions, onDecide, onChange }: OneNoticeProps): ReactNode {
  const client = useQueryClient();
  const announce = useAnnounce();
  const website = useWebsite();
  const { by, at, reason = "" } = request;
  const declining = useMutation({
    mutationFn: () =>
      post<ReviewedArticle>(apiPath`/articles/${reviewed.article.id}/${path}/decline`, { body: { at } }),
    onSuccess: (answer) => {
      takeAnswer(client, answer);
      onChange(answer);
      announce(`Declined the request to ${wish} this article.`);
    },
  });
  const offers = listOffers(reviewed);
  const accepting = offers.find(({ decision }) => decisions.includes(decision))?.decision;
  const mayDecline = website.can(wish === "delete" ? "articles.delete" : "articles.publish");
  return (
    <>
      <Notice tone="amber" icon={<IconPlugConnected size={18} />}>
        <span className={classes.reason}>
          {by.name} asked to {wish} this article <Time at={at} />
          {reason === "" ? "." : `: ${reason}`}
        </span>
        {(accepting !== undefined || mayDecline) && (
          <Group gap={6}>
            {accepting !== undefined && (
              <Button
                size="compact-sm"
                aria-label={`Accept the request to ${wish}`}
                onClick={() => onDecide(accepting)}
              >
                Accept
              </Button>
            )}
            {mayDecline && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Decline the request to ${wish}`}
                loading={declining.isPending}
                onClick={() => declining.mutate()}
              >
                Decline
              </Button>
            )}
          </Group>
        )}
      </Notice>
      <ErrorNote error={declining.error} title="The request was not declined" />
    </>
  );
}
