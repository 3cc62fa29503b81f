import IconPlugConnected from "@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Sender } from "../../../../src/http/admin/contract/senders.ts";
import { ApiError } from "../../api/client.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Fact, Facts } from "../../shared/facts.tsx";
import { BackLink, ButtonLink } from "../../shared/links.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page, Section } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { BlockSkeleton, RowsSkeleton } from "../../shared/skeletons.tsx";
import { Time } from "../../shared/time.tsx";
import { ArrivalLog, RunAllAgain } from "./arrival-log.tsx";
import { LooksLike } from "./looks-like.tsx";
import { newestArrivalQuery, senderQuery, sendersQuery } from "./requests.ts";
import { SampleButton } from "./sample.tsx";
import { SenderActions } from "./sender-actions.tsx";
import { SenderState } from "./sender-state.tsx";
import { counted } from "./words.ts";

export function SenderPage(): ReactNode {
  return useWebsite().can("keys.manage") ? <OneSender /> : <NoAccess title="Sender" needs="owner" />;
}

function OneSender(): ReactNode {
  const website = useWebsite();
  const client = useQueryClient();
  const { id = "" } = useParams({ strict: false });
  const {
    data: sender,
    error,
    refetch,
  } = useQuery({
    ...senderQuery(website.id, id),
    // Show the list's data at once when coming from the list.
    placeholderData: () => client.getQueryData(sendersQuery(website.id).queryKey)?.senders.find((one) => one.id === id),
  });
  const back = <BackLink to="/settings/senders">Senders</BackLink>;
  // Another user may have deleted it while it was open.
  if (error instanceof ApiError && error.status === 404) return <SenderGone />;
  if (sender === undefined) {
    return (
      <Page title="Sender" back={back}>
        <ErrorNote error={error} title="The sender could not be loaded" onRetry={() => void refetch()} />
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
      title={sender.name}
      tabTitle="Sender"
      back={back}
      aside={<SenderState sender={sender} />}
      description={sender.kind.name === sender.name ? sender.kind.setup : `${sender.kind.name}. ${sender.kind.setup}`}
      actions={<SenderActions sender={sender} />}
    >
      <CodeBlock code={sender.address} label="the address" title="Address" wrap />
      <SenderFacts sender={sender} />
      <NewestLooksLike sender={sender} />
      <SampleButton sender={sender} />
      <Section title="Arrivals" description="What it has sent, newest first." actions={<RunAllAgain sender={sender} />}>
        <ArrivalLog sender={sender} />
      </Section>
    </Page>
  );
}

export function SenderGone(): ReactNode {
  return (
    <Page title="Sender" back={<BackLink to="/settings/senders">Senders</BackLink>}>
      <EmptyState
        icon={<IconPlugConnected size={28} />}
        title="Sender not found"
        actions={<ButtonLink to="/settings/senders">All senders</ButtonLink>}
      >
        It was deleted, or belongs to another website.
      </EmptyState>
    </Page>
  );
}

function NewestLooksLike({ sender }: { sender: Sender }): ReactNode {
  const { data } = useQuery({ ...newestArrivalQuery(sender), enabled: sender.kind.kind === "generic" });
  return <LooksLike sender={sender} arrival={data?.arrivals[0]} />;
}

function SenderFacts({ sender }: { sender: Sender }): ReactNode {
  const { last_arrival_at, needs_attention, waiting, previous_until, mapping, kind } = sender;
  return (
    <Facts>
      <Fact name="Last arrival">
        <Time at={last_arrival_at} />
      </Fact>
      <Fact name="Need attention">{counted(needs_attention)}</Fact>
      <Fact name="Waiting">{counted(waiting)}</Fact>
      {kind.can_map && <Fact name="Fields">{mapping === null ? "found automatically" : "mapped here"}</Fact>}
      {previous_until !== null && (
        <Fact name="Previous secret">
          {"accepted until "}
          <Time at={previous_until} exact />
        </Fact>
      )}
    </Facts>
  );
}
