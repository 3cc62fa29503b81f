/** Asks why an article may be approved although something was found in it. */
import { Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import type { FindingKind } from "../../../../../src/domain/articles/findings.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../../api/client.ts";
import { ErrorNote, fieldErrors } from "../../../shared/error-note.tsx";
import { nameFinding } from "../../../shared/finding-kinds.ts";
import { takeAnswer } from "../queries.ts";

interface OverrideDialogProps {
  reviewed: ReviewedArticle;
  /** null: closed. */
  kind: FindingKind | null;
  onClose: () => void;
  onChanged: (answer: ReviewedArticle) => void;
}

/** As the service requires. */
const MIN_REASON = 10;

export function OverrideDialog({ reviewed, kind, onClose, onChanged }: OverrideDialogProps): ReactNode {
  return (
    <Modal opened={kind !== null} onClose={onClose} title={kind && `Accept “${nameFinding(kind)}”?`} size="md">
      {kind !== null && <Form reviewed={reviewed} kind={kind} onClose={onClose} onChanged={onChanged} />}
    </Modal>
  );
}

function Form({ reviewed, kind, onClose, onChanged }: OverrideDialogProps & { kind: FindingKind }): ReactNode {
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [isShort, setShort] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function send(event?: SyntheticEvent): Promise<void> {
    event?.preventDefault();
    const said = reason.trim();
    setShort(said.length < MIN_REASON);
    if (said.length < MIN_REASON || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const body = { version: reviewed.line.version, kinds: [{ kind, reason: said }] };
      const answer = await post<ReviewedArticle>(apiPath`/articles/${reviewed.article.id}/override`, { body });
      takeAnswer(client, answer);
      onChanged(answer);
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        <Text size="sm">
          It no longer blocks the approval of this text. The history keeps your name and reason. If the text changes, it
          has to be accepted again.
        </Text>
        <Textarea
          data-autofocus
          label="Why is it acceptable here?"
          autosize
          minRows={3}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send(event);
          }}
          error={isShort ? `At least ${MIN_REASON} characters.` : fieldErrors(error)["reason"]}
        />
        <ErrorNote error={error} fields={["reason"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Accept it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
