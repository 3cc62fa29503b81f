import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Sender } from "../../../../src/http/admin/contract/senders.ts";
import { ApiError } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { BackLink } from "../../shared/links.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { FormSkeleton } from "../../shared/skeletons.tsx";
import { MappingEditor } from "./mapping-editor.tsx";
import { arrivalQuery, newestArrivalQuery, senderQuery } from "./requests.ts";
import { SenderGone } from "./sender-page.tsx";

export function FieldsPage(): ReactNode {
  return useWebsite().can("keys.manage") ? <Fields /> : <NoAccess title="Map fields" needs="owner" />;
}

function Fields(): ReactNode {
  const website = useWebsite();
  const { id = "" } = useParams({ strict: false });
  const { data: sender, error, refetch } = useQuery(senderQuery(website.id, id));
  if (error instanceof ApiError && error.status === 404) return <SenderGone />;
  return (
    <Page
      title="Map fields"
      tabTitle="Map fields"
      back={
        <BackLink to="/settings/senders/$id" params={{ id }}>
          {sender?.name ?? "Sender"}
        </BackLink>
      }
      description="Choose where each part of an article is in this sender's requests. Fields that you leave empty are found automatically by their usual names."
    >
      <ErrorNote error={error} title="The sender could not be loaded" onRetry={() => void refetch()} />
      {sender === undefined && error === null && <FormSkeleton fields={6} />}
      {sender?.kind.can_map === false && (
        <Alert color="gray">{`${sender.kind.name}: its fields have fixed places, so there is nothing to map.`}</Alert>
      )}
      {sender?.kind.can_map === true && <WithArrival key={sender.id} sender={sender} />}
    </Page>
  );
}

/** Beside the form stands the arrival that the address names, else the newest that needs attention, else the newest. */
function WithArrival({ sender }: { sender: Sender }): ReactNode {
  const { arrival: named } = useSearch({ from: "/signed-in/website/settings/senders/$id/fields" });
  const failed = useQuery({ ...newestArrivalQuery(sender, "needs_attention"), enabled: named === undefined });
  const newest = useQuery({ ...newestArrivalQuery(sender), enabled: named === undefined });
  const id = named ?? failed.data?.arrivals[0]?.id ?? (failed.isSuccess ? newest.data?.arrivals[0]?.id : undefined);
  const { data: arrival, error } = useQuery({
    ...arrivalQuery(sender.website_id, id ?? ""),
    enabled: id !== undefined,
  });
  const isNone = id === undefined && failed.isSuccess && newest.isSuccess;
  if (arrival === undefined && !isNone && error === null) return <FormSkeleton fields={6} />;
  return (
    <>
      <ErrorNote error={error} title="The arrival could not be loaded" />
      {isNone && <Text size="sm">Nothing has arrived yet. Once something has, you can pick its values here.</Text>}
      <MappingEditor key={arrival?.arrival.id} sender={sender} arrival={arrival ?? null} />
    </>
  );
}
