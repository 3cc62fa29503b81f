/** The request for changes, beside the text: each of its items is ticked when it is done. */
import { Checkbox, Text } from "@mantine/core";
import IconMessage from "@tabler/icons-react/dist/esm/icons/IconMessage.mjs";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { Time } from "../../shared/time.tsx";
import { takeAnswer } from "./queries.ts";
import classes from "./request-card.module.css";

type Request = NonNullable<ReviewedArticle["request"]>;

interface RequestCardProps {
  articleId: string;
  request: Request;
  onChange: (answer: ReviewedArticle) => void;
}

export function RequestCard({ articleId, request, onChange }: RequestCardProps): ReactNode {
  const client = useQueryClient();
  const website = useWebsite();
  const ticking = useMutation({
    // One after the other, so that the last answer has all of them.
    scope: { id: `request ${articleId}` },
    mutationFn: (tick: { item: number; is_done: boolean }) =>
      post<ReviewedArticle>(apiPath`/articles/${articleId}/request/tick`, { body: { at: request.at, ...tick } }),
    onSuccess: (answer) => {
      takeAnswer(client, answer);
      onChange(answer);
    },
  });
  const mayTick = website.can("articles.edit");
  const done = request.items.filter((item) => item.is_done).length;
  return (
    <section className={classes.card} aria-label="Request for changes">
      <Text component="div" size="sm">
        {request.by.name} requested changes <Time at={request.at} />
        {request.comments > 0 && ` with ${request.comments === 1 ? "1 comment" : `${request.comments} comments`}`}:{" "}
      </Text>
      <ul className={classes.items}>
        {request.items.map(({ text, is_done: isDone }, item) => {
          const isAsked = ticking.isPending && ticking.variables.item === item;
          return (
            // oxlint-disable-next-line react/no-array-index-key -- an item is known by its number, and never moves
            <li key={item}>
              <Checkbox
                size="xs"
                label={text}
                checked={isAsked ? ticking.variables.is_done : isDone}
                disabled={!mayTick}
                classNames={{ label: classes.label }}
                onChange={({ currentTarget }) => ticking.mutate({ item, is_done: currentTarget.checked })}
              />
            </li>
          );
        })}
      </ul>
      {(mayTick || done > 0) && (
        <Text size="xs" c="dimmed" role="status">
          {done === 0 ? "Tick what is done; the reviewer sees it." : `${done} of ${request.items.length} done`}
        </Text>
      )}
      <ErrorNote error={ticking.error} title="The change was not saved" />
    </section>
  );
}

/** One line above the text, where no room is beside it. */
export function RequestLine({ request, onOpen }: { request: Request; onOpen: () => void }): ReactNode {
  return (
    <button type="button" className={classes.line} onClick={onOpen}>
      <IconMessage size={16} aria-hidden />
      <span>
        {request.by.name} requested changes <Time at={request.at} />: {request.reason}
      </span>
    </button>
  );
}
