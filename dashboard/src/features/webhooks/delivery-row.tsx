import { Alert, Button, Group, Text, UnstyledButton } from "@mantine/core";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import type { Delivery } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { TextLink } from "../../shared/links.tsx";
import { BlockSkeleton } from "../../shared/skeletons.tsx";
import { DeliveryStateBadge } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import { toast } from "../../shared/toasts.ts";
import { AttemptView } from "./attempt-view.tsx";
import { MessageView } from "../../shared/message-view.tsx";
import classes from "../../shared/unfolding-rows.module.css";
import { deliveryQuery, redeliver, retryNow } from "./requests.ts";

const ORIGINS: Record<Delivery["origin"], string> = {
  event: "",
  replay: " · replayed",
  redelivery: " · sent again",
  test: " · test",
};

interface DeliveryRowProps {
  delivery: Delivery;
  websiteId: string;
}

export function DeliveryRow({ delivery, websiteId }: DeliveryRowProps): ReactNode {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const attempts = delivery.attempts.length;
  return (
    <li className={classes.item}>
      <UnstyledButton
        className={classes.summary}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={16} className={classes.chevron} aria-hidden />
        <DeliveryStateBadge state={delivery.state} />
        <span className={classes.what}>
          <div className={classes.title}>{formatTitle(delivery)}</div>
          <div className={classes.about}>
            {`${delivery.event}${ORIGINS[delivery.origin]}${attempts > 1 ? ` · ${attempts} attempts` : ""}`}
          </div>
        </span>
        <span className={classes.when}>
          <Time at={delivery.created_at} bare />
        </span>
      </UnstyledButton>
      <div id={id} className={isOpen ? classes.details : undefined} hidden={!isOpen}>
        {isOpen && <Details delivery={delivery} websiteId={websiteId} />}
      </div>
    </li>
  );
}

function Details({ delivery, websiteId }: DeliveryRowProps): ReactNode {
  const { data, error } = useQuery(deliveryQuery(websiteId, delivery.id));
  return (
    <>
      <Group justify="space-between" gap="sm" align="flex-start">
        <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: "anywhere" }}>
          <Time at={delivery.created_at} exact />
          {` · webhook-id ${delivery.event_id}`}
          {delivery.article_title !== null && (
            <>
              {" · "}
              <TextLink to="/articles/$id" params={{ id: delivery.article_id }} inherit underline="always">
                Open the article
              </TextLink>
            </>
          )}
        </Text>
        {delivery.origin !== "test" && delivery.state !== "pending" && (
          <SendAgain delivery={delivery} websiteId={websiteId} />
        )}
      </Group>
      {delivery.next_attempt_at !== null && (
        <Alert color="amber" p="xs">
          {"The next attempt is planned for "}
          <Time at={delivery.next_attempt_at} exact />. <RetryNow delivery={delivery} websiteId={websiteId} />
        </Alert>
      )}
      {delivery.attempts.map((attempt) => (
        <AttemptView key={attempt.number} attempt={attempt} />
      ))}
      {delivery.attempts.length === 0 && <Text size="sm">No attempt yet.</Text>}
      <ErrorNote error={error} title="The message could not be loaded" />
      {data === undefined && error === null && <BlockSkeleton height={160} />}
      {data?.payload === null && <Text size="sm">The message itself is no longer kept.</Text>}
      {data?.payload != null && <MessageView payload={data.payload} title="Message" label="the message" />}
    </>
  );
}

/** A test delivery on a website without articles uses an article that does not exist. */
function formatTitle({ article_title, article_id, origin }: Delivery): string {
  return article_title ?? (origin === "test" ? "Test event" : article_id);
}

/** Retries everything that waits for the webhook: each article's messages are sent in order. */
function RetryNow({ delivery, websiteId }: DeliveryRowProps): ReactNode {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => retryNow(delivery.webhook_id),
    onSuccess: async () => {
      toast("All waiting deliveries are being sent.");
      await client.invalidateQueries({ queryKey: ["deliveries", websiteId] });
      await client.invalidateQueries({ queryKey: ["webhooks", websiteId] });
    },
  });
  return (
    <>
      <Button size="compact-xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
        Retry now
      </Button>
      <ErrorNote error={retry.error} />
    </>
  );
}

function SendAgain({ delivery, websiteId }: DeliveryRowProps): ReactNode {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => redeliver(delivery.id),
    onSuccess: async () => {
      toast("It will be sent again.");
      await client.invalidateQueries({ queryKey: ["deliveries", websiteId] });
    },
  });
  return (
    <div>
      <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
        Send again
      </Button>
      <ErrorNote error={again.error} />
    </div>
  );
}
