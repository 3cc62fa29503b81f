import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { toast } from "../../shared/toasts.ts";
import { describeFieldTime, fromField } from "../../shared/zones.ts";
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
  const { timeZone: zone } = useWebsite();
  const [since, setSince] = useState("");
  const [isWrong, setWrong] = useState(false);
  const found = fromField(since, zone);
  const at = found?.at.toISOString() ?? null;
  const count = useQuery({ ...replayCountQuery(webhook.id, at ?? ""), enabled: at !== null });
  const replay = useMutation({
    mutationFn: (from: string) => replaySince(webhook.id, from),
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
        setWrong(at === null);
        if (at !== null) replay.mutate(at);
      }}
      noValidate
    >
      <Stack gap="lg">
        <Text size="sm">
          Every event since then is sent again with its original ID, in order per article. Receivers must ignore
          duplicates.
        </Text>
        <TextInput
          label="Since"
          description={`Year, month, day and time, in the website’s time zone: ${zone}`}
          placeholder="2026-12-31 09:00"
          autoComplete="off"
          data-autofocus
          value={since}
          onChange={({ currentTarget }) => {
            setSince(currentTarget.value);
            setWrong(false);
          }}
          error={isWrong ? "Enter a date and time such as 2026-12-31 09:00." : undefined}
        />
        <Text size="sm" mih={21} aria-live="polite">
          {found !== null && describeFieldTime(found, zone)}{" "}
          {count.data !== undefined && formatCount(count.data.events)}
        </Text>
        <ErrorNote error={replay.error ?? count.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={count.data?.events === 0} loading={replay.isPending}>
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
