/** Who wrote the article, and who takes care of it. */
import { Group, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../api/client.ts";
import { AssigneeSelect } from "../../shared/assignee.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { takeAnswer } from "./queries.ts";

interface PeopleProps {
  reviewed: ReviewedArticle;
  onChange: (answer: ReviewedArticle) => void;
}

export function People({ reviewed, onChange }: PeopleProps): ReactNode {
  const client = useQueryClient();
  const { line, article, verbs } = reviewed;
  const assigning = useMutation({
    mutationFn: (assignee_id: string | null) =>
      post<ReviewedArticle>(apiPath`/articles/${article.id}/assign`, { body: { version: line.version, assignee_id } }),
    onSuccess: (answer) => {
      takeAnswer(client, answer);
      onChange(answer);
    },
  });
  const settingAuthor = useMutation({
    mutationFn: (author_id: string | null) =>
      post<ReviewedArticle>(apiPath`/articles/${article.id}/set-author`, {
        body: { version: line.version, author_id },
      }),
    onSuccess: (answer) => {
      takeAnswer(client, answer);
      onChange(answer);
    },
  });
  const { author, assignee } = line;
  const canAssign = verbs.includes("assign");
  const canSetAuthor = verbs.includes("set-author");
  return (
    <>
      <Group gap="xs" wrap="wrap">
        {canSetAuthor ? (
          <Group gap={6} wrap="nowrap">
            <Text size="sm" c="dimmed" aria-hidden>
              By
            </Text>
            <AssigneeSelect
              label="Author"
              value={author?.id ?? null}
              name={author?.name}
              disabled={settingAuthor.isPending}
              onChange={(id) => settingAuthor.mutate(id)}
              isCompact
            />
          </Group>
        ) : (
          author !== null && (
            <Text size="sm" c="dimmed">
              By {author.name}
            </Text>
          )
        )}
        {canAssign && (
          <Group gap={6} wrap="nowrap">
            <Text size="sm" c="dimmed" aria-hidden>
              Assigned to
            </Text>
            <AssigneeSelect
              value={assignee?.id ?? null}
              name={assignee?.name}
              disabled={assigning.isPending}
              onChange={(id) => assigning.mutate(id)}
              isCompact
            />
          </Group>
        )}
        {!canAssign && assignee !== null && (
          <Text size="sm" c="dimmed">
            Assigned to {assignee.name}
          </Text>
        )}
      </Group>
      <ErrorNote error={assigning.error ?? settingAuthor.error} />
    </>
  );
}
