import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Rotated } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Time } from "../../shared/time.tsx";
import { WebhookSecretDialog } from "./webhook-secret-dialog.tsx";
import { rotateSecret } from "./requests.ts";
import type { WebhookDialogProps } from "./webhook-dialog.ts";

const OVERLAPS = [
  { value: "0", label: "It ends immediately" },
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
] as const;

export function RotateDialog({ webhook, isOpen, onClose }: WebhookDialogProps): ReactNode {
  return (
    <WebhookSecretDialog<Rotated>
      isOpen={isOpen}
      onClose={onClose}
      titles={["Rotate the secret", "The new secret"]}
      note={describe}
    >
      {(onMade) => <Ask webhookId={webhook.id} websiteId={webhook.website_id} onMade={onMade} onCancel={onClose} />}
    </WebhookSecretDialog>
  );
}

function Ask(props: {
  webhookId: string;
  websiteId: string;
  onMade: (made: Rotated) => void;
  onCancel: () => void;
}): ReactNode {
  const { webhookId, websiteId, onMade, onCancel } = props;
  const client = useQueryClient();
  const [hours, setHours] = useState<string | null>("24");
  const rotate = useMutation({
    mutationFn: () => rotateSecret(webhookId, Number(hours)),
    onSuccess: async (made) => {
      onMade(made);
      await client.invalidateQueries({ queryKey: ["webhooks", websiteId] });
    },
  });
  return (
    <Stack gap="lg">
      <Text size="sm">
        From now on, messages are signed with a new secret. For a while they are also signed with the previous one, and
        receivers accept either signature, so that nothing is lost.
      </Text>
      <Select
        label="How long the previous secret stays valid"
        data={OVERLAPS}
        value={hours}
        onChange={setHours}
        allowDeselect={false}
        data-autofocus
      />
      <ErrorNote error={rotate.error} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate
        </Button>
      </Group>
    </Stack>
  );
}

function describe({ previous_until, webhook: { secrets } }: Rotated): ReactNode {
  if (secrets.length === 1) return "The previous secret is no longer valid. Your receiver needs the new one now.";
  return (
    <>
      {"The previous secret stays valid until "}
      <Time at={previous_until} exact />. Give your receiver the new one before then.
    </>
  );
}
