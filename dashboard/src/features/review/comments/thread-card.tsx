/** One thread: its passage, its comments, and the actions. */
import { Badge, Button, Group, Text, UnstyledButton } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ArticleComments, Comment, CommentThread } from "../../../../../src/http/admin/contract/comments.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { apiPath, del, patch, post } from "../../../api/client.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { useConfirm } from "../../../shared/confirm.tsx";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { useWebsite } from "../../../shared/session.tsx";
import { Time } from "../../../shared/time.tsx";
import { focusWhenShown } from "../../../shared/focus-when-shown.ts";
import { readUnsent, useUnsent } from "../../../shared/unsent.ts";
import { takeAnswer } from "../queries.ts";
import { CommentField } from "./comment-field.tsx";
import classes from "./comments.module.css";
import { commentsQuery, mentionableQuery } from "./queries.ts";
import type { ThreadActions } from "./use-commenting.ts";
import { CommentText, toSent, toTyped } from "./words.tsx";

export interface ThreadCardProps {
  commenting: ThreadActions;
  thread: CommentThread;
  /** Called after a suggestion was applied to the article. */
  onChanged: (answer: ReviewedArticle) => void;
  /** Applies the suggestion elsewhere than to the saved article. @throws an error that is shown with the thread. */
  onApply?: ((thread: CommentThread) => Promise<void>) | undefined;
}

/** Where a reply is kept until it was sent. */
export function replyKey(ownId: string, threadId: string): string {
  return `reply.${ownId}.${threadId}`;
}

export function ThreadCard({ commenting, thread, onChanged, onApply }: ThreadCardProps): ReactNode {
  const { reviewed, active, activate, mayWrite, take } = commenting;
  const { id: articleId } = reviewed.article;
  const client = useQueryClient();
  const website = useWebsite();
  const announce = useAnnounce();
  const unsentKey = replyKey(commenting.ownId, thread.id);
  /** null: it has not been opened. */
  const [isReplying, setReplying] = useState(() => (readUnsent(unsentKey) === undefined ? null : true));
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isResolved = thread.resolved !== null;
  const canApply =
    thread.replacement !== null && !isResolved && thread.passage !== null && website.can("articles.edit");

  async function run(work: () => Promise<void>): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  }

  async function settle(): Promise<void> {
    take(
      await post<ArticleComments>(
        apiPath`/articles/${articleId}/comments/${thread.id}/${isResolved ? "reopen" : "resolve"}`,
      ),
    );
    announce(isResolved ? "Comment reopened." : "Comment resolved.");
  }

  async function apply(): Promise<void> {
    if (onApply !== undefined) return onApply(thread);
    const body = { version: reviewed.line.version, draft_saved_at: reviewed.draft?.saved_at ?? null };
    const answer = await post<ReviewedArticle>(apiPath`/articles/${articleId}/comments/${thread.id}/apply`, { body });
    takeAnswer(client, answer);
    onChanged(answer);
    await client.invalidateQueries({ queryKey: commentsQuery(answer.website_id, articleId).queryKey });
    announce(answer.draft === null ? "The suggestion was applied." : "The suggestion was applied to the draft copy.");
  }

  return (
    <li id={`comment-${thread.id}`} className={classes.thread} data-active={active === thread.id || undefined}>
      <Subject thread={thread} onShow={() => activate(thread)} />
      {thread.replacement !== null && (
        <p className={classes.suggestion}>
          <del>{thread.quote}</del> {thread.replacement === "" ? <em>(removed)</em> : <ins>{thread.replacement}</ins>}
        </p>
      )}
      <ol className={classes.comments}>
        {thread.comments.map((comment) => (
          <One key={comment.id} commenting={commenting} comment={comment} hasSuggestion={thread.replacement !== null} />
        ))}
      </ol>
      {thread.resolved !== null && (
        <Text size="xs" c="dimmed">
          {thread.applied_at === null ? "Resolved" : "Applied"} by {thread.resolved.by.name},{" "}
          <Time at={thread.resolved.at} />
        </Text>
      )}
      <ErrorNote error={error} />
      {isReplying === true ? (
        <CommentForm
          commenting={commenting}
          unsentKey={unsentKey}
          label={thread.comments[0]?.is_guest === true ? "Reply, which the guest sees" : "Reply"}
          submitLabel="Reply"
          onCancel={() => setReplying(false)}
          onSend={async (text) => {
            const path = apiPath`/articles/${articleId}/comments/${thread.id}/replies`;
            take(await post<ArticleComments>(path, { body: { text } }));
            setReplying(false);
          }}
        />
      ) : (
        mayWrite && (
          <Group gap={6}>
            {canApply && (
              <Button size="compact-xs" loading={isBusy} onClick={() => void run(apply)}>
                Apply
              </Button>
            )}
            {!isResolved && (
              <Button
                ref={isReplying === false ? focusWhenShown : undefined}
                size="compact-xs"
                variant="default"
                onClick={() => setReplying(true)}
              >
                Reply
              </Button>
            )}
            <Button size="compact-xs" variant="default" disabled={isBusy} onClick={() => void run(settle)}>
              {isResolved ? "Reopen" : "Resolve"}
            </Button>
          </Group>
        )
      )}
    </li>
  );
}

function Subject({ thread, onShow }: { thread: CommentThread; onShow: () => void }): ReactNode {
  if (thread.quote === "") {
    return (
      <Text size="xs" c="dimmed">
        The whole article
      </Text>
    );
  }
  if (thread.passage !== null) {
    return (
      <UnstyledButton className={classes.subject} onClick={onShow} title="Show it in the text">
        {thread.quote}
      </UnstyledButton>
    );
  }
  return (
    <>
      <blockquote className={classes.quote} dir="auto">
        {thread.quote}
      </blockquote>
      {thread.applied_at === null && (
        <Badge variant="light" color="gray" size="sm">
          No longer in the text
        </Badge>
      )}
    </>
  );
}

interface OneProps {
  commenting: ThreadActions;
  comment: Comment;
  hasSuggestion: boolean;
}

function One({ commenting, comment, hasSuggestion }: OneProps): ReactNode {
  const { reviewed, ownId, mayWrite, take } = commenting;
  const confirm = useConfirm();
  const editKey = `comment-edit.${ownId}.${comment.id}`;
  const [isEditing, setEditing] = useState(() => (readUnsent(editKey) === undefined ? null : true));
  const path = apiPath`/articles/${reviewed.article.id}/comments/${comment.id}`;
  const website = useWebsite();
  const isOwn = mayWrite && comment.by.id === ownId && !comment.is_deleted;
  const isGuests = mayWrite && comment.is_guest && website.can("articles.approve") && !comment.is_deleted;

  async function remove(): Promise<void> {
    await confirm({
      title: "Delete this comment?",
      body: "Its beginning stays in the audit log.",
      confirmLabel: "Delete",
      action: async () => take(await del<ArticleComments>(path)),
    });
  }

  return (
    <li className={classes.comment}>
      <Text component="div" size="xs" c="dimmed">
        <b className={classes.author}>{comment.by.name}</b>{" "}
        {comment.is_guest && (
          <Badge variant="light" color="amber" size="xs" tt="none">
            Guest
          </Badge>
        )}{" "}
        <Time at={comment.created_at} />
        {comment.edited_at !== null && !comment.is_deleted && " (edited)"}
      </Text>
      {isEditing === true ? (
        <CommentForm
          commenting={commenting}
          unsentKey={editKey}
          label="Comment"
          submitLabel="Save"
          initial={toTyped(comment.text, comment.mentions)}
          known={comment.mentions}
          mayBeEmpty={hasSuggestion}
          onCancel={() => setEditing(false)}
          onSend={async (text) => {
            take(await patch<ArticleComments>(path, { body: { text, edited_at: comment.edited_at } }));
            setEditing(false);
          }}
        />
      ) : (
        <>
          {comment.is_deleted ? (
            <Text size="sm" c="dimmed" fs="italic">
              Deleted
            </Text>
          ) : (
            comment.text !== "" && (
              <p className={classes.text}>
                <CommentText text={comment.text} mentions={comment.mentions} />
              </p>
            )
          )}
          {(isOwn || isGuests) && (
            <Group gap={4}>
              {isOwn && (
                <Button
                  ref={isEditing === false ? focusWhenShown : undefined}
                  size="compact-xs"
                  variant="subtle"
                  onClick={() => setEditing(true)}
                >
                  Edit
                </Button>
              )}
              <Button size="compact-xs" variant="subtle" color="gray" onClick={() => void remove()}>
                Delete
              </Button>
            </Group>
          )}
        </>
      )}
    </li>
  );
}

interface CommentFormProps {
  commenting: ThreadActions;
  /** Where the text is kept until it was sent. */
  unsentKey: string;
  label: string;
  submitLabel: string;
  initial?: string;
  /** People mentioned before, who may no longer be members. */
  known?: Comment["mentions"];
  mayBeEmpty?: boolean;
  onCancel: () => void;
  /** @throws an error, which is shown here; the input is kept. */
  onSend: (text: string) => Promise<void>;
}

const NOBODY: Comment["mentions"] = [];

function CommentForm(props: CommentFormProps): ReactNode {
  const { commenting, unsentKey, label, submitLabel, initial = "", known = NOBODY, mayBeEmpty = false } = props;
  const { onCancel, onSend } = props;
  const { website_id: websiteId, article } = commenting.reviewed;
  const people = useQuery(mentionableQuery(websiteId, article.id)).data?.people ?? [];
  // What a reload shows again must not take the focus.
  const [isRestored] = useState(() => readUnsent(unsentKey) !== undefined);
  const [text, setText] = useUnsent(unsentKey, initial);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function send(): Promise<void> {
    if (isBusy || (text.trim() === "" && !mayBeEmpty)) return;
    setBusy(true);
    setError(null);
    try {
      await onSend(toSent(text, [...known, ...people]));
      setText(initial);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  }

  function cancel(): void {
    setText(initial);
    onCancel();
  }

  return (
    <div className={classes.form}>
      <CommentField
        websiteId={websiteId}
        articleId={article.id}
        label={label}
        isFirst={!isRestored}
        value={text}
        onChange={setText}
        onSubmit={() => void send()}
      />
      <ErrorNote error={error} />
      <Group gap={6}>
        <Button size="compact-xs" loading={isBusy} onClick={() => void send()}>
          {submitLabel}
        </Button>
        <Button size="compact-xs" variant="default" disabled={isBusy} onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </div>
  );
}
