/** The dialog for a new comment. */
import { Button, Checkbox, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import type { ArticleComments } from "../../../../../src/http/admin/contract/comments.ts";
import { apiPath, post } from "../../../api/client.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { KeyHint } from "../../../shared/key-hint.tsx";
import { useUnsent } from "../../../shared/unsent.ts";
import { useOpened } from "../../../shared/use-opened.ts";
import { useAbout } from "./about-field.tsx";
import { CommentField } from "./comment-field.tsx";
import { mentionableQuery } from "./queries.ts";
import type { SelectedPassage } from "./text-index.ts";
import type { Composing } from "./use-commenting.ts";
import { toSent } from "./words.tsx";

interface UnsentComment {
  text: string;
  suggestion: string | null;
  passage: SelectedPassage | null;
}

const EMPTY: UnsentComment = { text: "", suggestion: null, passage: null };

export function Composer({ commenting }: { commenting: Composing }): ReactNode {
  const { draft, end } = commenting;
  return (
    <Modal opened={useOpened(draft !== undefined)} onClose={end} title="Comment" size="lg">
      {draft !== undefined && <Form commenting={commenting} selected={draft.passage} />}
    </Modal>
  );
}

function Form({ commenting, selected }: { commenting: Composing; selected: SelectedPassage | null }): ReactNode {
  const { reviewed, unsentKey, index, end, take } = commenting;
  const { website_id: websiteId, article } = reviewed;
  const announce = useAnnounce();
  const people = useQuery(mentionableQuery(websiteId, article.id)).data?.people ?? [];
  const [unsent, setUnsent] = useUnsent<UnsentComment>(unsentKey, EMPTY);
  const { text, suggestion } = unsent;
  const about = selected ?? unsent.passage;
  const setSuggestion = (to: string | null) => setUnsent({ text, passage: about, suggestion: to });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const { passage, field } = useAbout(index, about);
  const replacement = passage === null ? null : suggestion;

  async function send(event?: SyntheticEvent): Promise<void> {
    event?.preventDefault();
    const isEmpty = text.trim() === "" && replacement === null;
    setMissing(isEmpty);
    if (isEmpty || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const body = { text: toSent(text, people), passage, replacement };
      take(await post<ArticleComments>(apiPath`/articles/${article.id}/comments`, { body }));
      setUnsent(EMPTY);
      announce("Comment added.");
      end();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  }

  function cancel(): void {
    setUnsent(EMPTY);
    end();
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a key of the fields in it
    <form
      onSubmit={(event) => void send(event)}
      onKeyDown={(event) => {
        // The comment's field has handled its own.
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !event.defaultPrevented) void send(event);
      }}
    >
      <Stack>
        {field}
        <CommentField
          websiteId={websiteId}
          articleId={article.id}
          label="Comment"
          hasFocus
          value={text}
          error={isMissing ? "Write a comment first." : undefined}
          onChange={(to) => setUnsent({ text: to, passage: about, suggestion })}
          onSubmit={() => void send()}
        />
        {passage !== null && (
          <>
            <Checkbox
              label="Suggest another text"
              checked={suggestion !== null}
              onChange={({ currentTarget }) => setSuggestion(currentTarget.checked ? toLine(passage.quote) : null)}
            />
            {suggestion !== null && (
              <Textarea
                label="Instead of this passage"
                autosize
                maxRows={8}
                value={suggestion}
                onChange={({ currentTarget }) => setSuggestion(toLine(currentTarget.value))}
              />
            )}
          </>
        )}
        <ErrorNote error={error} />
        <Group justify="space-between" gap="sm">
          <Text size="xs" c="dimmed">
            @ mentions a member. Readers never see comments.
          </Text>
          <Group gap="sm" ml="auto">
            <Button variant="default" onClick={cancel} disabled={isBusy}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} rightSection={<KeyHint keys="mod+Enter" isFilled />}>
              Comment
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

/** Suggestions are single lines. */
function toLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}
