import { Button, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { toast } from "../../shared/toasts.ts";
import { deleteWebhook } from "./requests.ts";
import type { WebhookDialogProps } from "./webhook-dialog.ts";

/** Must be typed, so that nobody deletes by mistake. */
const WORD = "delete";

export function DeleteDialog({ isOpen, ...asked }: WebhookDialogProps): ReactNode {
  return (
    <Modal opened={isOpen} onClose={asked.onClose} title="Delete the webhook?">
      <Ask {...asked} />
    </Modal>
  );
}

function Ask({ webhook, onClose }: Omit<WebhookDialogProps, "isOpen">): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const deletion = useMutation({
    mutationFn: () => deleteWebhook(webhook.id),
    onSuccess: async () => {
      await navigate({ to: "/settings/webhooks" });
      toast("The webhook is deleted.");
      await client.invalidateQueries({ queryKey: ["webhooks", webhook.website_id] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        deletion.mutate();
      }}
    >
      <Stack gap="lg">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          <Code>{webhook.url}</Code> will receive nothing more, and its waiting deliveries are dropped. This cannot be
          undone. To stop it for a while, pause it instead.
        </Text>
        <TextInput
          label={`Type “${WORD}” to confirm`}
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <ErrorNote error={deletion.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={typed.trim().toLowerCase() !== WORD} loading={deletion.isPending}>
            Delete
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
