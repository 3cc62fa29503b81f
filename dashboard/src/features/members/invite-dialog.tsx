import { Button, Group, Modal, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Invited, MemberInput } from "../../../../src/http/admin/contract/members.ts";
import { post } from "../../api/client.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { type Role, useMayEverywhere, useWebsiteOrNull } from "../../shared/session.tsx";
import { MEMBERS_KEY } from "./requests.ts";
import { ROLES } from "./roles.ts";

interface InviteDialogProps {
  opened: boolean;
  onClose: () => void;
  /** Called with the invitation link, which is shown only once. */
  onInvited: (invited: Invited) => void;
}

interface Settings {
  email: string;
  name: string;
  role: Role;
  where: "one" | "all";
}

export function InviteDialog({ opened, onClose, onInvited }: InviteDialogProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Invite somebody">
      <InviteForm onClose={onClose} onInvited={onInvited} />
    </Modal>
  );
}

function InviteForm({ onClose, onInvited }: Omit<InviteDialogProps, "opened">): ReactNode {
  const website = useWebsiteOrNull();
  const mayEverywhere = useMayEverywhere("members.manage");
  const client = useQueryClient();
  const form = useForm<Settings>({
    initialValues: { email: "", name: "", role: "editor", where: website === null ? "all" : "one" },
    validate: { email: (value) => (value.trim() === "" ? "Enter the e-mail address." : null) },
  });
  const invite = useMutation({
    mutationFn: ({ email, name, role, where }: Settings) => {
      const website_id = where === "one" ? (website?.id ?? null) : null;
      return post<Invited>("/members", { body: { email, name, role, website_id } satisfies MemberInput });
    },
    onSuccess: (invited) => {
      void client.invalidateQueries({ queryKey: MEMBERS_KEY });
      onClose();
      onInvited(invited);
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });

  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))} noValidate>
      <Stack gap="md">
        <TextInput
          label="E-mail address"
          description="They get a one-time link to join and choose a password."
          type="email"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("email")}
        />
        <TextInput
          label="Name"
          description="Shown to teammates (optional)."
          autoComplete="off"
          {...form.getInputProps("name")}
        />
        <Radio.Group label="Role" {...form.getInputProps("role")}>
          <Stack gap="xs" mt={6}>
            {ROLES.map(({ value, label, description }) => (
              <Radio key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        {mayEverywhere && website !== null && (
          <Radio.Group label="Access" {...form.getInputProps("where")}>
            <Stack gap="xs" mt={6}>
              <Radio value="one" label={`Only ${website.name}`} />
              <Radio value="all" label="All current and future websites" />
            </Stack>
          </Radio.Group>
        )}
        <ErrorNote error={invite.error} fields={["email", "name"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={invite.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
