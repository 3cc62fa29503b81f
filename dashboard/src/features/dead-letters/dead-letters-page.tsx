import { Button, Group, Text } from "@mantine/core";
import IconCircleCheck from "@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs";
import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { DeadLetterList } from "../../../../src/http/admin/contract/dead-letters.ts";
import { get, post } from "../../api/client.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { TextLink } from "../../shared/links.tsx";
import { Page } from "../../shared/page.tsx";
import { useMayEverywhere, useSession } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { Time } from "../../shared/time.tsx";
import { toast } from "../../shared/toasts.ts";
import classes from "./dead-letters-page.module.css";

type DeadLetter = DeadLetterList["dead_letters"][number];

const QUERY_KEY = ["dead-letters"] as const;

/** The kinds of failed work, and the consequence of each failure. */
const KINDS: Record<DeadLetter["kind"], { name: string; meaning: string }> = {
  delivery: { name: "Delivery", meaning: "It is not retried automatically. Later events of the article are sent." },
  article: { name: "Scheduled article", meaning: "It was not published." },
  replay: { name: "Replay", meaning: "It was not completed." },
  lease: {
    name: "Claimed delivery",
    meaning: "The process that was sending it has ended, and no other process can send it.",
  },
  mail: { name: "E-mail", meaning: "It was not sent, and is deleted." },
  key: { name: "Use of an API key", meaning: "Some of its requests are not counted." },
  removal: { name: "Old data", meaning: "It was not deleted. Rostrum tries again a day later." },
  event: { name: "Content of old events", meaning: "It was not removed." },
};

export function DeadLettersPage(): ReactNode {
  return useMayEverywhere("webhooks.manage") ? (
    <DeadLetters />
  ) : (
    <Page title="Failed tasks">
      <EmptyState icon={<IconLock size={28} />} title="Only owners of every website can open this page">
        It covers all websites of this service. Ask somebody who owns all of them.
      </EmptyState>
    </Page>
  );
}

function DeadLetters(): ReactNode {
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => get<DeadLetterList>("/dead-letters", { signal }),
    staleTime: 0,
  });
  const letters = query.data?.dead_letters ?? [];
  return (
    <Page
      title="Failed tasks"
      description="Tasks of all websites that kept failing. They were set aside so that everything else continues. Each one points to a bug in Rostrum or a fault in the data: please report it."
    >
      <ErrorNote
        error={query.error}
        title="The failed tasks could not be loaded"
        onRetry={() => void query.refetch()}
      />
      {query.isPending && <RowsSkeleton rows={3} rowHeight={84} />}
      {query.data !== undefined && letters.length === 0 && (
        <EmptyState icon={<IconCircleCheck size={28} />} title="No failed tasks">
          Tasks that keep failing are listed here.
        </EmptyState>
      )}
      {letters.length > 0 && (
        <ul className={classes.list}>
          {letters.map((letter) => (
            <Row key={`${letter.kind} ${letter.subject_id}`} letter={letter} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function Row({ letter }: RowProps): ReactNode {
  const { websites } = useSession();
  const client = useQueryClient();
  const confirm = useConfirm();
  const { name, meaning } = KINDS[letter.kind];
  const website = websites.find(({ id }) => id === letter.website_id)?.name;
  const refresh = () => client.invalidateQueries({ queryKey: QUERY_KEY });
  const send = (action: "retry" | "discard") =>
    post(`/dead-letters/${action}`, { body: { kind: letter.kind, subject_id: letter.subject_id } });
  const retry = useMutation({
    mutationFn: () => send("retry"),
    onSuccess: async () => {
      toast("Trying again.");
      await refresh();
    },
  });
  /** Asks first before publishing, the only retry that readers notice. */
  const tryAgain = async () => {
    if (letter.kind !== "article" || (await confirm(PUBLISH_QUESTION))) retry.mutate();
  };
  const discard = () =>
    confirm({
      title: `Discard this ${name.toLowerCase()}?`,
      body: "It will not be tried again, and disappears from this list. This cannot be undone.",
      confirmLabel: "Discard",
      action: () => send("discard").then(refresh),
    });
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <strong>{name}</strong>
        {website !== undefined && ` · ${website}`}
        <Subject letter={letter} />
        <div className={classes.reason}>{letter.reason}</div>
        <Text size="xs" c="dimmed">
          {meaning} Failed {letter.failures === 1 ? "once, " : `${letter.failures} times, first `}
          <Time at={letter.first_failed_at} />
          {letter.failures > 1 && (
            <>
              , last <Time at={letter.last_failed_at} />
            </>
          )}
          .
        </Text>
        <ErrorNote error={retry.error} title="It cannot be tried again" />
      </div>
      <Group gap="xs" className={classes.actions}>
        {letter.can_retry && (
          <Button variant="default" size="xs" loading={retry.isPending} onClick={() => void tryAgain()}>
            Try again
          </Button>
        )}
        {letter.can_discard && (
          <Button variant="subtle" color="red" size="xs" onClick={() => void discard()}>
            Discard
          </Button>
        )}
      </Group>
    </li>
  );
}

const PUBLISH_QUESTION = {
  title: "Try to publish this article again?",
  body: "If it succeeds, readers can see it at once, and your webhooks receive article.published.",
  confirmLabel: "Try again",
  danger: false,
};

/** Links to what failed if it has a page. */
function Subject({
  letter: { kind, subject_id: id, webhook_id: webhookId, website_id: website },
}: RowProps): ReactNode {
  const search = website === null ? {} : { website };
  if (webhookId !== null) {
    return (
      <>
        {" · "}
        <TextLink to="/settings/webhooks/$id" params={{ id: webhookId }} search={search} inherit>
          View webhook
        </TextLink>
      </>
    );
  }
  if (kind !== "article") return null;
  return (
    <>
      {" · "}
      <TextLink to="/articles/$id" params={{ id }} search={search} inherit>
        View article
      </TextLink>
    </>
  );
}

interface RowProps {
  letter: DeadLetter;
}
