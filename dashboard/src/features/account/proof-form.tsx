import { Button, Group, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { PasswordField } from "../../shared/password-field.tsx";

interface ProofFormProps {
  /** Why the password is needed, and what happens next. */
  children: ReactNode;
  submitLabel: string;
  danger?: boolean | undefined;
  /** The action that needs the password. Its error is shown here. */
  onProve: (password: string) => Promise<unknown>;
  onCancel: () => void;
  /** More fields, above the password. */
  fields?: ReactNode;
}

/** Asks the signed-in user to confirm their password. */
export function ProofForm(props: ProofFormProps): ReactNode {
  const { children, submitLabel, danger = false, onProve, onCancel, fields } = props;
  const form = useForm({
    initialValues: { current_password: "" },
    validate: { current_password: (value) => (value === "" ? "Enter your password." : null) },
  });
  const prove = useMutation({
    mutationFn: (password: string) => onProve(password),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit(({ current_password }) => prove.mutate(current_password))} noValidate>
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        {fields}
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          {...(fields === undefined && { "data-autofocus": true })}
          {...form.getInputProps("current_password")}
        />
        <ErrorNote error={prove.error} fields={["current_password"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={prove.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={prove.isPending} color={danger ? "red" : "pine"}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
