import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SenderMade } from "../../../../src/http/admin/contract/senders.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { SecretDialog } from "../../shared/secret-dialog.tsx";
import { FormSkeleton } from "../../shared/skeletons.tsx";
import { ConnectedView } from "./connected-view.tsx";
import { KindSelect } from "./kind-select.tsx";
import { createSender, kindsQuery } from "./requests.ts";

interface ConnectDialogProps {
  websiteId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks what sends, then shows its address and its secret, only once, or takes the one that it makes, and waits for the first arrival. */
export function ConnectDialog({ websiteId, isOpen, onClose }: ConnectDialogProps): ReactNode {
  const client = useQueryClient();
  const making = useMutation({
    mutationFn: createSender,
    onSuccess: () => client.invalidateQueries({ queryKey: ["senders", websiteId] }),
  });
  const made = making.data;
  return (
    <SecretDialog
      opened={isOpen}
      onClose={onClose}
      secret={made?.secret ?? null}
      lost={{
        title: "Close without the secret?",
        body: "It cannot be shown again. If it is lost, rotate the secret to get another one.",
      }}
      // Only after the closing transition, so that the dialog does not flicker.
      onExitTransitionEnd={() => making.reset()}
      title={made === undefined ? "Connect a sender" : `Connect ${made.sender.name}`}
      size="lg"
    >
      {(onTaken) =>
        made === undefined ? (
          <Ask websiteId={websiteId} make={making} onCancel={onClose} />
        ) : (
          <ConnectedView made={made} onCopied={onTaken} onDone={onClose} />
        )
      }
    </SecretDialog>
  );
}

interface Making {
  mutate: (input: Parameters<typeof createSender>[0], options: { onError: (error: unknown) => void }) => void;
  isPending: boolean;
  error: unknown;
  data: SenderMade | undefined;
}

function Ask({ websiteId, make, onCancel }: { websiteId: string; make: Making; onCancel: () => void }): ReactNode {
  const { data, error, refetch } = useQuery(kindsQuery(websiteId));
  const form = useForm({
    initialValues: { kind: null as string | null, name: "" },
    validate: {
      kind: (kind) => (kind === null ? "Choose a kind." : null),
      name: (name) => (name.trim() === "" ? "Enter a name." : null),
    },
  });
  const chosen = data?.kinds.find(({ kind }) => kind === form.values.kind);

  function choose(kind: string | null): void {
    const next = data?.kinds.find((one) => one.kind === kind);
    if (next === undefined) return;
    const { name } = form.values;
    const isOwn = name !== "" && data?.kinds.every((one) => suggestName(one) !== name) === true;
    form.setValues({ kind, ...(!isOwn && { name: suggestName(next) }) });
  }

  if (data === undefined) {
    return error === null ? (
      <FormSkeleton fields={2} />
    ) : (
      <ErrorNote error={error} title="The kinds could not be loaded" onRetry={() => void refetch()} />
    );
  }
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ kind, name }) =>
        make.mutate(
          { website_id: websiteId, kind: kind ?? "", name },
          { onError: (thrown) => form.setErrors(fieldErrors(thrown)) },
        ),
      )}
    >
      <Stack gap="lg">
        <KindSelect kinds={data.kinds} data-autofocus {...form.getInputProps("kind")} onChange={choose} />
        {chosen?.is_tried === false && (
          <Alert color="amber">
            Only the names of its fields are known. Check its first arrival, and map the fields if something is missing.
          </Alert>
        )}
        <TextInput
          label="Name"
          description="The history shows this name with its articles."
          required
          {...form.getInputProps("name")}
        />
        <ErrorNote error={make.error} fields={["kind", "name"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Connect
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function suggestName({ name, is_for_any: isForAny }: { name: string; is_for_any: boolean }): string {
  return isForAny ? "" : name;
}
