/** The request for changes, the comments and the suggestions, beside the text while one writes. */
import { Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorNote } from "../../../../shared/error-note.tsx";
import { focusWhenShown } from "../../../../shared/focus-when-shown.ts";
import { CommentsPanel } from "../../comments/comments-panel.tsx";
import { RequestCard } from "../../request-card.tsx";
import type { Feedback } from "./use-feedback.ts";
import type { Resubmit } from "./use-resubmit.ts";

export interface BesidePanelProps {
  feedback: Feedback;
  resubmit: Resubmit | null;
}

export function BesidePanel({ feedback, resubmit }: BesidePanelProps): ReactNode {
  const { article, commenting, composing, apply } = feedback;
  return (
    <Stack gap="sm">
      {article.request !== null && (
        // The cache has the answer, and the editor follows it.
        <RequestCard articleId={article.article.id} request={article.request} onChange={ignore} />
      )}
      {resubmit?.isDone === true && (
        <Text ref={focusWhenShown} tabIndex={-1} size="sm">
          Resubmitted: it is back with the reviewers.
        </Text>
      )}
      {resubmit?.isDone === false && (
        <>
          <Button size="xs" variant="default" loading={resubmit.isBusy} onClick={resubmit.run}>
            Resubmit
          </Button>
          <ErrorNote error={resubmit.error} title="Not resubmitted" />
        </>
      )}
      <div>
        <CommentsPanel commenting={commenting} composing={composing} onChanged={ignore} onApply={apply} />
      </div>
    </Stack>
  );
}

function ignore(): void {}
