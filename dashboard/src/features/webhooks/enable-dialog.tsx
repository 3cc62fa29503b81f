import { Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Missed } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { counted } from "./health.tsx";
import { enableWebhook, missedQuery } from "./requests.ts";
import type { WebhookDialogProps } from "./webhook-dialog.ts";

const CHOICES = [
  {
    value: "latest",
    label: "The latest event of each article",
    description: ({ articles }: Missed) => `Sends ${plural(articles, "message")}. Right for most receivers.`,
  },
  {
    value: "all",
    label: "All events, in order for each article",
    description: ({ events }: Missed) => `Sends ${plural(events, "message")}. For receivers that keep a history.`,
  },
  {
    value: "none",
    label: "Nothing",
    description: () => "The receiver has caught up on its own, from the event feed or the API.",
  },
] as const;

type Choice = (typeof CHOICES)[number]["value"];

export function EnableDialog({ isOpen, ...asked }: WebhookDialogProps): ReactNode {
  return (
    <Modal opened={isOpen} onClose={asked.onClose} title="Enable the webhook">
      <Ask {...asked} />
    </Modal>
  );
}

function Ask({ webhook, onClose }: Omit<WebhookDialogProps, "isOpen">): ReactNode {
  const client = useQueryClient();
  const [replay, setReplay] = useState<Choice>("latest");
  const missed = useQuery(missedQuery(webhook.website_id, webhook.id));
  const enable = useMutation({
    mutationFn: () => enableWebhook(webhook.id, replay),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["webhooks", webhook.website_id] });
      onClose();
    },
  });
  return (
    <Stack gap="lg">
      <MissedNote missed={missed.data} hasFailed={missed.isError} />
      {missed.data !== undefined && missed.data.events > 0 && (
        <Radio.Group
          label="What to send now"
          value={replay}
          onChange={(value) => setReplay(CHOICES.find((one) => one.value === value)?.value ?? "latest")}
        >
          <Stack gap="xs" mt="xs">
            {CHOICES.map(({ value, label, description }) => (
              <Radio key={value} value={value} label={label} description={description(missed.data)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <ErrorNote error={missed.error} title="Missed events could not be counted" />
      <ErrorNote error={enable.error} title="It was not enabled" />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button data-autofocus disabled={missed.isPending} loading={enable.isPending} onClick={() => enable.mutate()}>
          Enable
        </Button>
      </Group>
    </Stack>
  );
}

function MissedNote({ missed, hasFailed }: { missed: Missed | undefined; hasFailed: boolean }): ReactNode {
  if (hasFailed) return <Text size="sm">For each article, the latest missed event is sent.</Text>;
  if (missed === undefined) return <Text size="sm">Counting missed events…</Text>;
  if (missed.events === 0) return <Text size="sm">It has missed nothing since its last success.</Text>;
  const events = plural(missed.events, "event");
  const articles = plural(missed.articles, "article");
  return <Text size="sm">{`It has missed ${events} about ${articles} since its last success.`}</Text>;
}

function plural(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? "" : "s"}`;
}
