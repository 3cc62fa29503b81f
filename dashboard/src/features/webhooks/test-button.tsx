import { Alert, Button, Code, Group, Text } from "@mantine/core";
import IconSend from "@tabler/icons-react/dist/esm/icons/IconSend.mjs";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Delivery, Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { testWebhook } from "./requests.ts";
import { milliseconds } from "./timings.tsx";

/** Sends one message now and shows the result. */
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
          Sent immediately, even if paused; not counted in statistics.
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
  const took = milliseconds(attempt.timings.total);
  return (
    <Alert mt="sm" color={isDelivered ? "pine" : "red"} title={isDelivered ? "Delivered" : "Not delivered"}>
      <span style={{ overflowWrap: "anywhere" }}>
        {attempt.error === null
          ? `The receiver answered ${attempt.status ?? "nothing"} after ${took}.`
          : `${attempt.error} It took ${took}.`}
      </span>
      {attempt.response_body !== "" && (
        <Code
          block
          mt="xs"
          mah={160}
          style={{ overflow: "auto", whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
          tabIndex={0}
          role="region"
          aria-label="the answer to the test"
        >
          {attempt.response_body}
        </Code>
      )}
    </Alert>
  );
}
