import { Alert, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconEyeOff from "@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Arrival, Sender, SenderMade } from "../../../../src/http/admin/contract/senders.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ButtonLink, TextLink } from "../../shared/links.tsx";
import { LooksLike } from "./looks-like.tsx";
import { newestArrivalQuery, rotateSecret, senderQuery } from "./requests.ts";
import { SampleButton } from "./sample.tsx";
import { describeOutcome, titleOf } from "./words.ts";

interface ConnectedViewProps {
  made: SenderMade;
  onCopied: () => void;
  onDone: () => void;
}

/** What to paste into the sender, and whether it has sent something. */
export function ConnectedView({ made, onCopied, onDone }: ConnectedViewProps): ReactNode {
  const { sender, secret, curl } = made;
  return (
    <Stack gap="lg">
      <Text size="sm">{sender.kind.setup}</Text>
      <CodeBlock code={sender.address} label="the address" title="Address" wrap />
      {secret !== null && (
        <>
          <CodeBlock code={secret} label="the secret" title="Secret" wrap onCopied={onCopied} />
          <Alert color="amber" icon={<IconEyeOff size={18} />}>
            The secret is shown only once: paste it now.
          </Alert>
        </>
      )}
      {sender.kind.secret_from === "sender" && <TheirSecret sender={sender} />}
      {curl !== null && <CodeBlock code={curl} label="the command" title="Try it in a terminal" wrap />}
      <FirstArrival sender={sender} />
      <SampleButton sender={sender} />
      <Group justify="flex-end" gap="sm">
        <ButtonLink to="/settings/senders/$id" params={{ id: sender.id }} variant="default" onClick={onCopied}>
          Open its page
        </ButtonLink>
        <Button onClick={onDone}>{secret === null ? "Done" : "I have pasted it"}</Button>
      </Group>
    </Stack>
  );
}

/** Products that make the secret themselves do so once they have the address. */
function TheirSecret({ sender }: { sender: Sender }): ReactNode {
  const [secret, setSecret] = useState("");
  const saving = useMutation({ mutationFn: () => rotateSecret(sender.id, { secret: secret.trim() }) });
  if (saving.isSuccess) return <Alert color="pine">The secret of {sender.kind.name} is saved.</Alert>;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="sm">
        <PasswordInput
          label={`The secret that ${sender.kind.name} shows`}
          description="Nothing is accepted without it. You can also enter it later with “Rotate the secret”."
          autoComplete="off"
          value={secret}
          onChange={({ currentTarget }) => setSecret(currentTarget.value)}
        />
        <ErrorNote error={saving.error} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={secret.trim() === ""}>
            Save the secret
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Turns into what has arrived, by itself. */
function FirstArrival({ sender: made }: { sender: Sender }): ReactNode {
  const { data } = useQuery(newestArrivalQuery(made));
  // Its kind may be changed here.
  const { data: sender = made } = useQuery({ ...senderQuery(made.website_id, made.id), placeholderData: made });
  const [arrival] = data?.arrivals ?? [];
  return (
    <div role="status">
      {arrival === undefined ? (
        <Group gap="sm" wrap="nowrap">
          <IconClock size={16} aria-hidden />
          <Text size="sm">Waiting for the first arrival …</Text>
        </Group>
      ) : (
        <Stack gap="sm">
          <Arrived arrival={arrival} />
          <LooksLike sender={sender} arrival={arrival} />
        </Stack>
      )}
    </div>
  );
}

function Arrived({ arrival }: { arrival: Arrival }): ReactNode {
  const { state, articles } = arrival;
  const id = articles.find((one) => one.article_id !== null)?.article_id;
  return (
    <Alert color={state === "needs_attention" ? "amber" : "pine"} title={`Arrived: ${titleOf(arrival)}`}>
      <span style={{ overflowWrap: "anywhere" }}>{describeOutcome(arrival)}</span>
      {id != null && (
        <>
          {" "}
          <TextLink to="/articles/$id" params={{ id }} inherit>
            Open the article
          </TextLink>
        </>
      )}
    </Alert>
  );
}
