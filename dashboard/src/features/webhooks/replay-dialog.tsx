import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { toast } from "../../shared/toasts.ts";
import { replaySince } from "./requests.ts";
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
  const replay = useMutation({
    mutationFn: () => replaySince(webhook.id, new Date(since).toISOString()),
    onSuccess: async ({ events }) => {
      toast(
        events === 0
          ? "Nothing has happened since then."
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
          Every event since then is sent again with its original id, those of one article in order. An idempotent
          receiver ignores the ones that it has already had.
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
        <ErrorNote error={replay.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={since === ""} loading={replay.isPending}>
            Send again
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
