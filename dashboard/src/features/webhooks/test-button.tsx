import { Alert, Button, Code, Group, Text } from "@mantine/core";
import IconSend from "@tabler/icons-react/dist/esm/icons/IconSend.mjs";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Delivery, Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { testWebhook } from "./requests.ts";

/** Sends one message now, and shows how it ended. */
export function TestButton({ webhook }: { webhook: Webhook }): ReactNode {
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => testWebhook(webhook.id),
    onSettled: () => client.invalidateQueries({ queryKey: ["deliveries", webhook.website_id] }),
  });
  return (
    <div>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Send a test event
        </Button>
        <Text size="xs" c="dimmed">
          Sent at once, whatever its state, and counted nowhere.
        </Text>
      </Group>
      <div aria-live="polite">
        <ErrorNote error={test.error} />
        {test.data !== undefined && <Result delivery={test.data.delivery} />}
      </div>
    </div>
  );
}

function Result({ delivery }: { delivery: Delivery }): ReactNode {
  const attempt = delivery.attempts.at(-1);
  if (attempt === undefined) return null;
  const isDelivered = attempt.outcome === "success";
  const answer = attempt.status === null ? "" : `answered ${attempt.status} `;
  return (
    <Alert mt="sm" color={isDelivered ? "pine" : "red"} title={isDelivered ? "Delivered" : "Not delivered"}>
      {`The receiver ${answer}after ${Math.round(attempt.timings.total)} ms. ${attempt.error ?? ""}`}
      {attempt.response_body !== "" && (
        <Code block mt="xs" mah={160} style={{ overflow: "auto", whiteSpace: "pre-wrap" }} tabIndex={0}>
          {attempt.response_body}
        </Code>
      )}
    </Alert>
  );
}
