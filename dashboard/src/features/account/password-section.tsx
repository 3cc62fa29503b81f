import { Button, Group, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { put } from "../../api/client.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { useFirstFocus } from "../../shared/first-focus.ts";
import { NewPasswordInput, newPasswordProblem } from "../../shared/new-password.tsx";
import { PasswordField } from "../../shared/password-field.tsx";
import { Section } from "../../shared/page.tsx";
import { useSession } from "../../shared/session.tsx";
import { toast } from "../../shared/toasts.ts";
import { sessionsQuery } from "./requests.ts";

export function PasswordSection(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Password"
      description="Changing it signs you out on all other devices."
      actions={
        !isOpen && (
          <Button variant="default" onClick={() => setOpen(true)}>
            Change password
          </Button>
        )
      }
    >
      {isOpen && <PasswordForm onDone={() => setOpen(false)} />}
    </Section>
  );
}

function PasswordForm({ onDone }: { onDone: () => void }): ReactNode {
  const { account } = useSession();
  const client = useQueryClient();
  const field = useFirstFocus();
  const form = useForm({
    initialValues: { current_password: "", password: "" },
    validate: {
      current_password: (value) => (value === "" ? "Enter your current password." : null),
      password: newPasswordProblem,
    },
  });
  const change = useMutation({
    mutationFn: (body: typeof form.values) => put("/password", { body }),
    onSuccess: () => {
      toast("Your password was changed.");
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      onDone();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
      <Stack gap="md" maw={420}>
        {/* Tells password managers whose password it is. */}
        <input type="hidden" autoComplete="username" value={account.email} />
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
          ref={field}
          {...form.getInputProps("current_password")}
        />
        <NewPasswordInput label="New password" {...form.getInputProps("password")} />
        <ErrorNote error={change.error} fields={["current_password", "password"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={change.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
