import { Alert } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconWebhook from "@tabler/icons-react/dist/esm/icons/IconWebhook.mjs";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { ApiError } from "../../api/client.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { BackLink, ButtonLink } from "../../shared/links.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page, Section } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { BlockSkeleton, RowsSkeleton } from "../../shared/skeletons.tsx";
import { WebhookState } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import { WebhookActivity } from "./activity.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { HealthFacts } from "./health.tsx";
import { webhookQuery, webhooksQuery } from "./requests.ts";
import { TestButton } from "./test-button.tsx";
import { WebhookActions } from "./webhook-actions.tsx";

export function WebhookPage(): ReactNode {
  return useWebsite().can("webhooks.manage") ? <OneWebhook /> : <NoAccess title="Webhook" needs="owner" />;
}

function OneWebhook(): ReactNode {
  const website = useWebsite();
  const client = useQueryClient();
  const { id = "" } = useParams({ strict: false });
  const {
    data: webhook,
    error,
    refetch,
  } = useQuery({
    ...webhookQuery(website.id, id),
    // Show the list's data at once when coming from the list.
    placeholderData: () =>
      client.getQueryData(webhooksQuery(website.id).queryKey)?.webhooks.find((one) => one.id === id),
  });
  const back = <BackLink to="/settings/webhooks">Webhooks</BackLink>;
  // Another user may have deleted it while it was open.
  const isGone = error instanceof ApiError && error.status === 404;
  if (isGone) {
    return (
      <Page title="Webhook" back={back}>
        <EmptyState
          icon={<IconWebhook size={28} />}
          title="Webhook not found"
          actions={<ButtonLink to="/settings/webhooks">All webhooks</ButtonLink>}
        >
          It was deleted, or belongs to another website.
        </EmptyState>
      </Page>
    );
  }
  if (webhook === undefined) {
    return (
      <Page title="Webhook" back={back}>
        <ErrorNote error={error} title="The webhook could not be loaded" onRetry={() => void refetch()} />
        {error === null && (
          <>
            <BlockSkeleton height={72} />
            <RowsSkeleton rows={4} rowHeight={66} />
          </>
        )}
      </Page>
    );
  }
  return (
    <Page
      title={webhook.name === "" ? webhook.url : webhook.name}
      tabTitle="Webhook"
      back={back}
      aside={<WebhookState webhook={webhook} />}
      description={<Settings webhook={webhook} />}
      actions={<WebhookActions webhook={webhook} />}
    >
      {webhook.warning !== null && (
        <Alert
          role="status"
          color={webhook.state === "disabled" ? "red" : "amber"}
          icon={<IconAlertTriangle size={18} />}
        >
          {webhook.warning}
        </Alert>
      )}
      <HealthFacts webhook={webhook} />
      <TestButton webhook={webhook} />
      <WebhookActivity webhook={webhook} />
      <Section title="Deliveries" description="Newest first, with every attempt.">
        <DeliveryLog webhook={webhook} />
      </Section>
    </Page>
  );
}

function Settings({ webhook }: { webhook: Webhook }): ReactNode {
  const { events, payload, coalesce_ms, header_names, has_ca, secrets } = webhook;
  const facts = [
    events.length === 3 ? "every event" : events.join(", "),
    ...(payload === "thin" ? ["IDs only"] : payload === "extended" ? ["what changed"] : []),
    ...(coalesce_ms > 0 ? [`only the latest event within ${coalesce_ms / 1_000} s`] : []),
    ...(header_names.length > 0 ? [`custom headers: ${header_names.join(", ")}`] : []),
    ...(has_ca ? ["private certificate authority"] : []),
  ];
  const earlier = secrets.filter(({ expires_at }) => expires_at !== null);
  return (
    <>
      {webhook.name !== "" && <div>{webhook.url}</div>}
      {webhook.description !== "" && <div>{webhook.description}</div>}
      {`Receives ${facts.join("; ")}.`}
      {earlier.map(({ created_at, expires_at }) => (
        <span key={created_at}>
          {" The previous secret stays valid until "}
          <Time at={expires_at} exact />.
        </span>
      ))}
    </>
  );
}
