import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { toast } from "../../shared/toasts.ts";
import { counted } from "./health.tsx";
import { replayCountQuery, replaySince } from "./requests.ts";
import type { WebhookDialogProps } from "./webhook-dialog.ts";

export function ReplayDialog({ isOpen, ...asked }: WebhookDialogProps): ReactNode {
  return (
    <Modal opened={isOpen} onClose={asked.onClose} title="Replay events">
      <Ask {...asked} />
    </Modal>
  );
}

function Ask({ webhook, onClose }: Omit<WebhookDialogProps, "isOpen">): ReactNode {
  const client = useQueryClient();
  // In the input's format: the user's time zone, without an offset.
  const [since, setSince] = useState("");
  const at = Number.isNaN(Date.parse(since)) ? null : new Date(since).toISOString();
  const count = useQuery({ ...replayCountQuery(webhook.id, at ?? ""), enabled: at !== null });
  const replay = useMutation({
    mutationFn: () => replaySince(webhook.id, new Date(since).toISOString()),
    onSuccess: async ({ events }) => {
      toast(
        events === 0
          ? "Nothing has happened since then."
          : events === 1
            ? "Up to one event is sent again."
            : `Up to ${events.toLocaleString("en")} events are sent again.`,
      );
      onClose();
      await client.invalidateQueries({ queryKey: ["deliveries", webhook.website_id] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        replay.mutate();
      }}
    >
      <Stack gap="lg">
        <Text size="sm">
          Every event since then is sent again with its original ID, in order per article. Receivers must ignore
          duplicates.
        </Text>
        <TextInput
          label="Since"
          description="In your time zone."
          type="datetime-local"
          required
          data-autofocus
          value={since}
          onChange={({ currentTarget }) => setSince(currentTarget.value)}
        />
        <Text size="sm" mih={21} aria-live="polite">
          {count.data !== undefined && formatCount(count.data.events)}
        </Text>
        <ErrorNote error={replay.error ?? count.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={at === null || count.data?.events === 0} loading={replay.isPending}>
            Send again
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function formatCount(events: number): string {
  if (events === 0) return "Nothing has happened since then.";
  return `Sends up to ${counted(events)} ${events === 1 ? "event" : "events"}.`;
}
