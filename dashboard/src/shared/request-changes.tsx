import { Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { ErrorNote, fieldErrors } from "./error-note.tsx";
import { KeyHint } from "./key-hint.tsx";

interface RequestChangesProps {
  opened: boolean;
  /** The start of the sentence that ends with “goes back to its author”, such as the article's title. */
  title: string;
  /** Written before, and not sent. */
  initialReason?: string;
  onClose: () => void;
  /** @throws an error that is shown here; the input is kept. */
  onSend: (reason: string) => Promise<void>;
}

/** Sends an article, or several, back to the author, with a text that says what should change. */
export function RequestChanges({ opened, title, initialReason = "", onClose, onSend }: RequestChangesProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const reason = typed ?? initialReason;
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [isMissing, setMissing] = useState(false);

  async function send(event?: SyntheticEvent): Promise<void> {
    event?.preventDefault();
    setMissing(reason.trim() === "");
    if (reason.trim() === "" || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await onSend(reason.trim());
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
      <form onSubmit={(event) => void send(event)}>
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
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send(event);
            }}
            error={isMissing ? "Say what has to change." : fieldErrors(error)["reason"]}
          />
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
