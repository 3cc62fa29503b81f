/** What a guest has said about the text, the answers, and a form for more. */
import { Badge, Button, Group, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { GuestReview, GuestThread } from "../../../../../src/http/admin/contract/review-links.ts";
import { post } from "../../../api/client.ts";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { focusWhenShown } from "../../../shared/focus-when-shown.ts";
import { Time } from "../../../shared/time.tsx";
import { readUnsent, useUnsent } from "../../../shared/unsent.ts";
import { useAbout } from "../comments/about-field.tsx";
import classes from "../comments/comments.module.css";
import type { SelectedPassage, TextIndex } from "../comments/text-index.ts";
import { CommentText } from "../comments/words.tsx";

/** The service refuses longer ones. */
const MAX_LENGTH = 2_000;

interface GuestCommentsProps {
  token: string;
  review: GuestReview;
  /** Who the guest is; null: they have not said it, and are asked. */
  getName: () => string | null;
  index: TextIndex | null;
  /** The comment that was begun at a passage. */
  draft: GuestDraft | null;
  onEnd: () => void;
}

export interface GuestDraft {
  passage: SelectedPassage | null;
}

/** Where a guest's text is kept until it was sent. */
export function guestKey(review: Pick<GuestReview, "link">, about: string): string {
  return `guest.${review.link}.${about}`;
}

export function GuestComments({ token, review, getName, index, draft, onEnd }: GuestCommentsProps): ReactNode {
  const { threads, may_comment: mayComment } = review;
  if (!mayComment && threads.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={review.article === null ? 2 : 3} size="h5">
        Comments
      </Title>
      <ol className={classes.threads}>
        {threads.map((thread) => (
          <Thread
            key={thread.id}
            token={token}
            unsentKey={guestKey(review, thread.id)}
            thread={thread}
            getName={getName}
            mayReply={mayComment}
          />
        ))}
      </ol>
      {mayComment && (
        <NewComment
          // Empty again after a comment was sent.
          key={threads.length}
          token={token}
          unsentKey={guestKey(review, "comment")}
          getName={getName}
          index={index}
          draft={draft}
          onEnd={onEnd}
        />
      )}
    </Stack>
  );
}

function Thread(props: {
  token: string;
  unsentKey: string;
  thread: GuestThread;
  getName: () => string | null;
  mayReply: boolean;
}): ReactNode {
  const { token, unsentKey, thread, getName, mayReply } = props;
  const [isReplying, setReplying] = useState(() => readUnsent(unsentKey) !== undefined);
  return (
    <li className={classes.thread}>
      {thread.quote === "" ? (
        <Text size="xs" c="dimmed">
          The whole article
        </Text>
      ) : (
        <blockquote className={classes.quote} dir="auto">
          {thread.quote}
        </blockquote>
      )}
      <ol className={classes.comments}>
        {thread.comments.map(({ id, name, text, created_at: at, is_deleted: isDeleted }) => (
          <li key={id} className={classes.comment}>
            <Text component="div" size="xs" c="dimmed">
              <b className={classes.author}>{name}</b> <Time at={at} />
            </Text>
            {isDeleted ? (
              <Text size="sm" c="dimmed" fs="italic">
                Deleted
              </Text>
            ) : (
              <p className={classes.text}>
                <CommentText text={text} mentions={[]} />
              </p>
            )}
          </li>
        ))}
      </ol>
      {thread.is_resolved && (
        <Group>
          <Badge variant="light" color="pine" size="sm" tt="none">
            Resolved
          </Badge>
        </Group>
      )}
      {mayReply &&
        !thread.is_resolved &&
        (isReplying ? (
          <CommentForm
            label="Reply"
            unsentKey={unsentKey}
            path="/guest-review/replies"
            body={{ token, thread: thread.id }}
            getName={getName}
            onEnd={() => setReplying(false)}
          />
        ) : (
          <Group>
            <Button size="compact-xs" variant="default" onClick={() => setReplying(true)}>
              Reply
            </Button>
          </Group>
        ))}
    </li>
  );
}

function NewComment(props: {
  token: string;
  unsentKey: string;
  getName: () => string | null;
  index: TextIndex | null;
  draft: GuestDraft | null;
  onEnd: () => void;
}): ReactNode {
  const { token, unsentKey, getName, index, draft, onEnd } = props;
  const [isOpen, setOpen] = useState(() => readUnsent(unsentKey) !== undefined);
  const root = useRef<HTMLDivElement>(null);
  const [restored] = useState(draft);
  // The field is below the text in which the passage was selected.
  useEffect(() => {
    if (draft === null || draft === restored) return;
    root.current?.querySelector("textarea")?.focus();
    root.current?.scrollIntoView({ block: "center" });
  }, [draft, restored]);
  const { passage, field } = useAbout(index, draft?.passage ?? null);
  const end = () => {
    setOpen(false);
    onEnd();
  };
  if (!isOpen && draft === null) {
    return (
      <Group gap="sm">
        <Button variant="default" onClick={() => setOpen(true)}>
          Comment
        </Button>
        <Text size="sm" c="dimmed">
          Or select words in the text to comment on them.
        </Text>
      </Group>
    );
  }
  return (
    <Stack gap="sm" ref={root}>
      {field}
      <CommentForm
        label="Comment"
        unsentKey={unsentKey}
        path="/guest-review/comments"
        body={{ token, passage }}
        getName={getName}
        onEnd={end}
      />
    </Stack>
  );
}

interface CommentFormProps {
  unsentKey: string;
  label: string;
  path: string;
  body: object;
  getName: () => string | null;
  onEnd: () => void;
}

function CommentForm({ unsentKey, label, path, body, getName, onEnd }: CommentFormProps): ReactNode {
  const client = useQueryClient();
  const [text, setText] = useUnsent(unsentKey, "");
  const [isRestored] = useState(text !== "");
  const [isMissing, setMissing] = useState(false);
  const sending = useMutation({
    mutationFn: (name: string) => post(path, { body: { ...body, name, text } }),
    onSuccess: async () => {
      setText("");
      await client.invalidateQueries({ queryKey: ["guest-review"] });
      onEnd();
    },
  });
  function send(): void {
    setMissing(text.trim() === "");
    if (text.trim() === "") return;
    const name = getName();
    if (name !== null) sending.mutate(name);
  }
  function cancel(): void {
    setText("");
    onEnd();
  }
  return (
    <div className={classes.writing}>
      <Textarea
        ref={isRestored ? undefined : focusWhenShown}
        label={label}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={MAX_LENGTH}
        value={text}
        error={isMissing ? "Write a comment first." : undefined}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ErrorNote error={sending.error} />
      <Group gap={6}>
        <Button size="compact-sm" loading={sending.isPending} onClick={send}>
          Send
        </Button>
        <Button size="compact-sm" variant="default" disabled={sending.isPending} onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </div>
  );
}
