/** The list of comments beside the text. */
import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import IconMessagePlus from "@tabler/icons-react/dist/esm/icons/IconMessagePlus.mjs";
import { type ReactNode, useEffect, useState } from "react";
import type { CommentThread } from "../../../../../src/http/admin/contract/comments.ts";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { RowsSkeleton } from "../../../shared/skeletons.tsx";
import { readUnsent } from "../../../shared/unsent.ts";
import classes from "./comments.module.css";
import { replyKey, ThreadCard, type ThreadCardProps } from "./thread-card.tsx";
import type { Composing, ThreadActions } from "./use-commenting.ts";

interface CommentsPanelProps extends Pick<ThreadCardProps, "onChanged" | "onApply"> {
  commenting: ThreadActions;
  /** Starts a comment. */
  composing: Pick<Composing, "begin" | "unsentKey">;
}

export function CommentsPanel({ commenting, composing, ...actions }: CommentsPanelProps): ReactNode {
  const { threads, error, retry, mayWrite, active } = commenting;
  const [view, setView] = useState("open");
  const isLoaded = threads !== undefined;
  useEffect(() => {
    if (isLoaded && active !== null) document.getElementById(`comment-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active, isLoaded]);
  if (threads === undefined) {
    return error === null ? <RowsSkeleton rows={3} rowHeight={90} /> : <ErrorNote error={error} onRetry={retry} />;
  }
  const open = threads.filter(({ resolved }) => resolved === null);
  // A reply that is being typed stays where it is, although somebody else resolves its thread meanwhile.
  const isReplying = ({ id }: CommentThread) => readUnsent(replyKey(commenting.ownId, id)) !== undefined;
  const shown =
    view === "open"
      ? threads.filter((thread) => thread.resolved === null || isReplying(thread))
      : threads.filter(({ resolved }) => resolved !== null);
  return (
    <>
      <Group justify="space-between" gap="xs" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label="Which comments are shown"
          value={view}
          onChange={setView}
          data={[
            { value: "open", label: `Open (${open.length})` },
            { value: "resolved", label: `Resolved (${threads.length - open.length})` },
          ]}
        />
        {mayWrite && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconMessagePlus size={16} aria-hidden />}
            onClick={composing.begin}
          >
            {readUnsent(composing.unsentKey) === undefined ? "Comment" : "Continue your comment"}
          </Button>
        )}
      </Group>
      <ErrorNote error={error} />
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed">
          {view === "open" ? "No open comments." : "No resolved comments."}
          {view === "open" && mayWrite && " Select words in the text to comment on them."}
        </Text>
      ) : (
        <ol className={classes.threads}>
          {shown.toSorted(byPlace).map((thread) => (
            <ThreadCard key={thread.id} commenting={commenting} thread={thread} {...actions} />
          ))}
        </ol>
      )}
    </>
  );
}

/** Sorts by position in the text; threads without a position come last. */
function byPlace(one: CommentThread, other: CommentThread): number {
  return getPlace(one) - getPlace(other);
}

function getPlace({ passage }: CommentThread): number {
  return passage?.start ?? Number.MAX_SAFE_INTEGER;
}
