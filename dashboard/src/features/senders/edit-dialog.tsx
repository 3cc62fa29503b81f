import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Sender } from "../../../../src/http/admin/contract/senders.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { KindSelect } from "./kind-select.tsx";
import { changeSender, kindsQuery } from "./requests.ts";

interface SenderDialogProps {
  sender: Sender;
  isOpen: boolean;
  onClose: () => void;
}

export function EditDialog({ isOpen, ...edited }: SenderDialogProps): ReactNode {
  return (
    <Modal opened={isOpen} onClose={edited.onClose} title="Edit the sender" size="lg">
      <Edit {...edited} />
    </Modal>
  );
}

function Edit({ sender, onClose }: Omit<SenderDialogProps, "isOpen">): ReactNode {
  const client = useQueryClient();
  const { data } = useQuery(kindsQuery(sender.website_id));
  const form = useForm({
    initialValues: { name: sender.name, kind: sender.kind.kind },
    validate: { name: (name) => (name.trim() === "" ? "Enter a name." : null) },
  });
  const change = useMutation({
    mutationFn: ({ name, kind }: typeof form.values) =>
      changeSender(sender.id, { name, ...(kind !== null && kind !== sender.kind.kind && { kind }) }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["senders", sender.website_id] });
      onClose();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack gap="lg">
        <TextInput
          label="Name"
          description="The history shows this name with its articles."
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <KindSelect kinds={data?.kinds ?? [sender.kind]} {...form.getInputProps("kind")} />
        {form.values.kind !== sender.kind.kind && (
          <Text size="sm">
            The address and the secret stay the same. New arrivals are checked, read and answered as this kind expects.
          </Text>
        )}
        <ErrorNote error={change.error} fields={["name", "kind"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
