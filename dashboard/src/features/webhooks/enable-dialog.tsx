import { Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { counted } from "./health.tsx";
import { enableWebhook } from "./requests.ts";
import type { WebhookDialogProps } from "./webhook-dialog.ts";

const CHOICES = [
  {
    value: "latest",
    label: "The latest of each article",
    description: "As many messages as articles have changed. Right for most receivers.",
  },
  { value: "all", label: "All of it, in order", description: "For a receiver that keeps a history." },
  {
    value: "none",
    label: "Nothing",
    description: "The receiver has caught up by itself, by the event feed or the API.",
  },
] as const;

export function EnableDialog({ isOpen, ...asked }: WebhookDialogProps): ReactNode {
  return (
    <Modal opened={isOpen} onClose={asked.onClose} title="Enable the webhook">
      <Ask {...asked} />
    </Modal>
  );
}

function Ask({ webhook, onClose }: Omit<WebhookDialogProps, "isOpen">): ReactNode {
  const client = useQueryClient();
  const [replay, setReplay] = useState<(typeof CHOICES)[number]["value"]>("latest");
  const enable = useMutation({
    mutationFn: () => enableWebhook(webhook.id, replay),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["webhooks", webhook.website_id] });
      onClose();
    },
  });
  return (
    <Stack gap="lg">
      <Text size="sm">
        {webhook.parked === 0
          ? "Nothing was kept for it meanwhile."
          : `${counted(webhook.parked)} ${webhook.parked === 1 ? "event was" : "events were"} kept for it meanwhile.`}
      </Text>
      {webhook.parked > 0 && (
        <Radio.Group
          label="What of it is sent"
          value={replay}
          onChange={(value) => setReplay(CHOICES.find((one) => one.value === value)?.value ?? "latest")}
        >
          <Stack gap="xs" mt="xs">
            {CHOICES.map((choice) => (
              <Radio key={choice.value} {...choice} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <ErrorNote error={enable.error} title="It was not enabled" />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button data-autofocus loading={enable.isPending} onClick={() => enable.mutate()}>
          Enable
        </Button>
      </Group>
    </Stack>
  );
}
