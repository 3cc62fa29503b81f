import { Button, Checkbox, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { type ReactNode, type SyntheticEvent, useEffect, useEffectEvent, useState } from "react";
import { ErrorNote, fieldErrors } from "./error-note.tsx";
import { KeyHint } from "./key-hint.tsx";
import { useSession } from "./session.tsx";
import { useUnsent } from "./unsent.ts";

interface RequestChangesProps {
  /** What the request is about: its text is kept until it was sent. */
  about: string;
  opened: boolean;
  /** The start of the sentence that ends with “goes back to its author”, such as the article's title. */
  title: string;
  /** Text that was written before but not sent. */
  initialReason?: string;
  /** Added to the text when the dialog opens, unless it is there. */
  addition?: string;
  onClose: () => void;
  /** @throws an error that is shown here; the input is kept. */
  onSend: (reason: string, comments: string[]) => Promise<void>;
  /** Open comments that can be included. */
  comments?: readonly { id: string; text: string; quote: string }[];
}

const NONE: NonNullable<RequestChangesProps["comments"]> = [];

/** Sends an article, or several, back to the author, with a text that says what should change. */
export function RequestChanges(props: RequestChangesProps): ReactNode {
  const { about, opened, title, initialReason = "", addition = "", comments = NONE, onClose, onSend } = props;
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const sent = comments.map(({ id }) => id).filter((id) => !leftOut.includes(id));
  const { account } = useSession();
  const [typed, setTyped] = useUnsent<string | null>(`changes.${account.id}.${about}`, null);
  const reason = typed ?? initialReason;
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [isMissing, setMissing] = useState(false);

  const add = useEffectEvent((text: string) => {
    if (!reason.includes(text)) setTyped(reason.trim() === "" ? text : `${reason.trimEnd()}\n\n${text}`);
  });
  useEffect(() => {
    if (opened) add(addition);
  }, [opened, addition]);

  async function send(event?: SyntheticEvent): Promise<void> {
    event?.preventDefault();
    const whole = reason.trim() === "" && sent.length > 0 ? seeComments(sent.length) : reason.trim();
    setMissing(whole === "");
    if (whole === "" || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await onSend(whole, sent);
      setTyped(null);
      onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Request changes" size="lg">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a key of the fields in it */}
      <form
        onSubmit={(event) => void send(event)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send(event);
        }}
      >
        <Stack>
          <Text size="sm">{title}</Text>
          <Textarea
            data-autofocus
            label="What should change?"
            autosize
            minRows={4}
            maxRows={12}
            value={reason}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={isMissing ? "Describe what should change." : fieldErrors(error)["reason"]}
          />
          {comments.length > 0 && (
            <Checkbox.Group
              label="Your open comments"
              description="The selected comments are sent as part of the request."
              value={sent}
              onChange={(ids) => setLeftOut(comments.map(({ id }) => id).filter((id) => !ids.includes(id)))}
            >
              <Stack gap={6} mt={6}>
                {comments.map(({ id, text, quote }) => (
                  <Checkbox key={id} value={id} label={describeComment(text, quote)} />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <ErrorNote error={error} fields={["reason"]} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={isBusy}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} rightSection={<KeyHint keys="mod+Enter" isFilled />}>
              Request changes
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function seeComments(count: number): string {
  return count === 1 ? "See my comment in the text." : `See my ${count} comments in the text.`;
}

const MAX_SHOWN = 120;

function describeComment(text: string, quote: string): string {
  const words = text.replaceAll(/<@[\w-]+>/g, "@…").trim() || "A suggestion";
  const about = quote === "" ? "" : ` (“${shorten(quote, MAX_SHOWN / 2)}”)`;
  return `${shorten(words, MAX_SHOWN)}${about}`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
