import { Alert, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import IconEyeOff from "@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Sender, SenderMade } from "../../../../src/http/admin/contract/senders.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { SecretDialog } from "../../shared/secret-dialog.tsx";
import { Time } from "../../shared/time.tsx";
import { rotateSecret } from "./requests.ts";

interface RotateDialogProps {
  sender: Sender;
  isOpen: boolean;
  onClose: () => void;
}

export function RotateDialog({ sender, isOpen, onClose }: RotateDialogProps): ReactNode {
  const client = useQueryClient();
  const rotation = useMutation({
    mutationFn: (secret: string | null) => rotateSecret(sender.id, secret === null ? {} : { secret }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["senders", sender.website_id] }),
  });
  const made = rotation.data;
  return (
    <SecretDialog
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => rotation.reset()}
      title={made === undefined ? "Rotate the secret" : "The new secret"}
      size="lg"
      secret={made?.secret ?? null}
      lost={{
        title: "Close without the secret?",
        body: "It cannot be shown again. If it is lost, rotate the secret to get another one.",
      }}
    >
      {(onTaken) =>
        made === undefined ? (
          <Ask
            sender={sender}
            isPending={rotation.isPending}
            error={rotation.error}
            onRotate={rotation.mutate}
            onCancel={onClose}
          />
        ) : (
          <Rotated made={made} onCopied={onTaken} onDone={onClose} />
        )
      }
    </SecretDialog>
  );
}

function Ask(props: {
  sender: Sender;
  isPending: boolean;
  error: unknown;
  onRotate: (secret: string | null) => void;
  onCancel: () => void;
}): ReactNode {
  const { sender, isPending, error, onRotate, onCancel } = props;
  const [secret, setSecret] = useState("");
  const isPasted = sender.kind.secret_from === "sender";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onRotate(isPasted ? secret.trim() : null);
      }}
    >
      <Stack gap="lg">
        <Text size="sm">
          The previous secret is accepted for one more day, so that nothing is lost. Start using the new one before
          then.
        </Text>
        {isPasted && (
          <PasswordInput
            label={`The new secret that ${sender.kind.name} shows`}
            autoComplete="off"
            data-autofocus
            required
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        )}
        <ErrorNote error={error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isPending}
            disabled={isPasted && secret.trim() === ""}
            {...(!isPasted && { "data-autofocus": true })}
          >
            Rotate
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Rotated(props: { made: SenderMade; onCopied: () => void; onDone: () => void }): ReactNode {
  const { made, onCopied, onDone } = props;
  const { sender, secret } = made;
  return (
    <Stack gap="lg">
      {secret !== null && (
        <>
          <Alert color="amber" icon={<IconEyeOff size={18} />}>
            The secret is shown only once: paste it now.
          </Alert>
          <CodeBlock code={secret} label="the secret" title="Secret" wrap onCopied={onCopied} />
        </>
      )}
      {sender.previous_until !== null && (
        <Text size="sm">
          {"The previous secret is accepted until "}
          <Time at={sender.previous_until} exact />.
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>{secret === null ? "Done" : "I have pasted it"}</Button>
      </Group>
    </Stack>
  );
}
