/** Whether the webhooks have received the published text. */
import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import type { ArticleDeliveries, ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Time } from "../../shared/time.tsx";
import { articleDeliveriesQuery } from "./queries.ts";

export function DeliveredLine({ reviewed }: { reviewed: ReviewedArticle }): ReactNode {
  const { data } = useQuery(articleDeliveriesQuery(reviewed));
  if (data === undefined || data.webhooks.length === 0) return null;
  const { webhooks } = data;
  const delivered = webhooks.filter(({ state }) => state === "delivered");
  const last = delivered.map(({ finished_at: at }) => at ?? "").toSorted();
  return (
    <Group gap={6} role="status">
      <Text size="sm" c="dimmed">
        Delivered to {delivered.length} of {webhooks.length} {webhooks.length === 1 ? "webhook" : "webhooks"}
        {delivered.length > 0 && (
          <>
            {" "}
            <Time at={last.at(-1) ?? null} />
          </>
        )}
      </Text>
      {webhooks.map((webhook, index) => (
        <Fragment key={webhook.id ?? index}>
          <Undelivered webhook={webhook} />
        </Fragment>
      ))}
    </Group>
  );
}

type Webhook = ArticleDeliveries["webhooks"][number];

const STATES: Partial<Record<Webhook["state"], string>> = {
  exhausted: "exhausted, its last attempt failed",
  parked: "parked until it is enabled",
  skipped: "skipped",
};

function Undelivered({ webhook }: { webhook: Webhook }): ReactNode {
  const client = useQueryClient();
  const { id, host, state, next_attempt_at: next } = webhook;
  const retry = useMutation({
    mutationFn: () => post(apiPath`/webhooks/${id ?? ""}/retry`),
    onSettled: () => client.invalidateQueries({ queryKey: ["deliveries"] }),
  });
  if (state === "delivered" || state === "coalesced") return null;
  const name = host ?? "a webhook";
  if (state !== "pending") {
    return (
      <Text size="sm" c="dimmed">
        {name}: {STATES[state]}
      </Text>
    );
  }
  return (
    <>
      <Text size="sm" c="dimmed">
        {webhook.attempts === 0 ? "Sending to" : "Retrying"} {name}
        {webhook.attempts > 0 && next !== null && (
          <>
            {" "}
            <Time at={next} />
          </>
        )}
      </Text>
      {id !== null && webhook.attempts > 0 && (
        <Button size="compact-xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          Retry now
        </Button>
      )}
      <ErrorNote error={retry.error} />
    </>
  );
}
