import { Alert, Button } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconWebhook from "@tabler/icons-react/dist/esm/icons/IconWebhook.mjs";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { TextLink } from "../../shared/links.tsx";
import classes from "../../shared/linked-rows.module.css";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { useDialogInAddress } from "../../shared/use-dialog-in-address.ts";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { WebhookState } from "../../shared/status-badge.tsx";
import { CreateWebhook } from "./create-webhook.tsx";
import { FailureMeter, HealthLine } from "./health.tsx";
import { webhooksQuery } from "./requests.ts";

export function WebhooksPage(): ReactNode {
  return useWebsite().can("webhooks.manage") ? <Webhooks /> : <NoAccess title="Webhooks" needs="owner" />;
}

function Webhooks(): ReactNode {
  const website = useWebsite();
  const { data, error, refetch } = useQuery(webhooksQuery(website.id));
  const [isCreating, creating] = useDialogInAddress();
  const webhooks = data?.webhooks ?? [];
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
      Create a webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      description="Webhooks tell your own systems when an article is published, changed or deleted: a signed POST for each event, in order per article, retried when it fails."
      actions={webhooks.length > 0 && create}
    >
      <ErrorNote error={error} title="The webhooks could not be loaded" onRetry={() => void refetch()} />
      <Warnings webhooks={webhooks} />
      {data === undefined && error === null && <RowsSkeleton rows={3} rowHeight={76} />}
      {data !== undefined && webhooks.length === 0 && (
        <EmptyState icon={<IconWebhook size={28} />} title="No webhooks yet" actions={create}>
          Add the URL of your receiver. It then gets an event for each article that is published, changed or deleted.
          See Getting started for complete receivers.
        </EmptyState>
      )}
      {webhooks.length > 0 && (
        <ul className={classes.list}>
          {webhooks.map((webhook) => (
            <Row key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      <CreateWebhook key={website.id} websiteId={website.id} isOpen={isCreating} onClose={creating.close} />
    </Page>
  );
}

function Row({ webhook }: { webhook: Webhook }): ReactNode {
  return (
    <li className={classes.row}>
      <div className={classes.main}>
        <div className={classes.heading}>
          <Link to="/settings/webhooks/$id" params={{ id: webhook.id }} className={classes.name}>
            {webhook.name === "" ? webhook.url : webhook.name}
          </Link>
          <WebhookState webhook={webhook} />
        </div>
        {webhook.name !== "" && <div className={classes.about}>{webhook.url}</div>}
        <div className={classes.about}>
          {webhook.events.length === 3 ? "Every event" : webhook.events.join(", ")}
          {webhook.payload === "thin" && " · IDs only"}
          {webhook.payload === "extended" && " · with what changed"}
          {webhook.coalesce_ms > 0 && ` · latest within ${webhook.coalesce_ms / 1_000} s`}
        </div>
      </div>
      <div className={classes.aside}>
        <div>
          <HealthLine webhook={webhook} />
        </div>
        {webhook.consecutive_failures > 0 && <FailureMeter webhook={webhook} />}
      </div>
    </li>
  );
}

function Warnings({ webhooks }: { webhooks: readonly Webhook[] }): ReactNode {
  return webhooks
    .filter(({ warning }) => warning !== null)
    .map(({ id, name, url, state, warning }) => (
      <Alert
        key={id}
        role="status"
        color={state === "disabled" ? "red" : "amber"}
        icon={<IconAlertTriangle size={18} />}
        title={name === "" ? url : name}
        styles={{ title: { overflowWrap: "anywhere" } }}
      >
        {warning}{" "}
        <TextLink to="/settings/webhooks/$id" params={{ id }} inherit underline="always">
          View the webhook
        </TextLink>
      </Alert>
    ));
}
