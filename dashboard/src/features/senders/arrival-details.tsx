import { Alert, Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Arrival, ArrivalDetail, Sender } from "../../../../src/http/admin/contract/senders.ts";
import { formatBytes } from "../../shared/bytes.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ButtonLink, TextLink } from "../../shared/links.tsx";
import { MessageView } from "../../shared/message-view.tsx";
import { Pairs } from "../../shared/pairs.tsx";
import { BlockSkeleton } from "../../shared/skeletons.tsx";
import { Time } from "../../shared/time.tsx";
import { toast } from "../../shared/toasts.ts";
import classes from "./arrival-details.module.css";
import { arrivalQuery, runAgain } from "./requests.ts";
import { FIELD_LABELS, OUTCOME_LABELS } from "./words.ts";

interface ArrivalDetailsProps {
  arrival: Arrival;
  sender: Sender;
}

export function ArrivalDetails({ arrival, sender }: ArrivalDetailsProps): ReactNode {
  const { data, error, refetch } = useQuery(arrivalQuery(sender.website_id, arrival.id));
  return (
    <>
      <Group justify="space-between" gap="sm" align="flex-start">
        <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: "anywhere" }}>
          <Time at={arrival.at} exact />
          {arrival.event !== null && ` · event ${arrival.event}`}
          {` · ${formatBytes(arrival.bytes)}`}
        </Text>
        <Group gap="xs">
          {sender.kind.can_map && arrival.bytes > 0 && (
            <ButtonLink
              to="/settings/senders/$id/fields"
              params={{ id: sender.id }}
              search={{ arrival: arrival.id }}
              size="xs"
              variant="default"
            >
              Map fields
            </ButtonLink>
          )}
          {arrival.state === "needs_attention" && data?.body !== null && <RunAgain arrival={arrival} sender={sender} />}
        </Group>
      </Group>
      {arrival.problem !== null && <Alert color="amber">{arrival.problem}</Alert>}
      {arrival.articles.length > 0 && <Articles arrival={arrival} />}
      <ErrorNote error={error} title="The request could not be loaded" onRetry={() => void refetch()} />
      {data === undefined && error === null && <BlockSkeleton height={160} />}
      {data !== undefined && (
        <>
          <Taken detail={data} />
          <RawRequest detail={data} />
        </>
      )}
    </>
  );
}

function Articles({ arrival }: { arrival: Arrival }): ReactNode {
  return (
    <ul className={classes.articles}>
      {arrival.articles.map(({ external_id, title, outcome, article_id: id, message }, at) => (
        // Those that could not be read may have the same ID.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <Group justify="space-between" gap="xs">
            <span>{title === "" ? external_id : title}</span>
            {id !== null && (
              <TextLink to="/articles/$id" params={{ id }} size="sm">
                Open the article
              </TextLink>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            {`${OUTCOME_LABELS[outcome]}${message === null ? "" : `: ${message}`} · ID ${external_id}`}
          </Text>
        </li>
      ))}
    </ul>
  );
}

function Taken({ detail: { places } }: { detail: ArrivalDetail }): ReactNode {
  return places
    .filter(({ fields }) => fields.length > 0)
    .map(({ title, fields }, at) => (
      // Those that could not be read may have the same ID.
      // oxlint-disable-next-line react/no-array-index-key
      <div key={at}>
        <Text size="sm" fw={550} mb={6}>
          {places.length === 1 ? "Where the fields were found" : `Where the fields were found: ${title}`}
        </Text>
        <Pairs of={fields.map(({ field, place }) => ({ name: FIELD_LABELS[field], value: place }))} />
      </div>
    ));
}

function RawRequest({ detail }: { detail: ArrivalDetail }): ReactNode {
  const { arrival, query, headers, body, is_cut: isCut } = detail;
  return (
    <>
      <div>
        <Text size="sm" fw={550} mb={6}>
          Request
        </Text>
        <Text size="xs" ff="monospace" mb={6} style={{ overflowWrap: "anywhere" }}>
          {`${arrival.method} ${arrival.path === "" ? "to its address" : arrival.path}`}
        </Text>
        <Pairs of={[...query.map(({ name, value }) => ({ name: `?${name}`, value })), ...headers]} />
      </div>
      {body === null && <Text size="sm">Its body is no longer kept.</Text>}
      {body === "" && <Text size="sm">It has no body.</Text>}
      {body !== null && body !== "" && <MessageView payload={body} title="Body" label="the body" />}
      {isCut && <Text size="xs">Only the beginning of the body is shown.</Text>}
    </>
  );
}

function RunAgain({ arrival, sender }: ArrivalDetailsProps): ReactNode {
  const client = useQueryClient();
  const running = useMutation({
    mutationFn: () => runAgain(arrival.id),
    onSuccess: async ({ arrival: { state } }) => {
      toast(state === "needs_attention" ? "It still needs attention." : "Run again.");
      await client.invalidateQueries({ queryKey: ["senders", sender.website_id] });
    },
  });
  return (
    <div>
      <Button size="xs" variant="default" loading={running.isPending} onClick={() => running.mutate()}>
        Run again
      </Button>
      <ErrorNote error={running.error} />
    </div>
  );
}
