import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { del, put } from "../../api/client.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { useFirstFocus } from "../../shared/first-focus.ts";
import { Section } from "../../shared/page.tsx";
import { PasswordField } from "../../shared/password-field.tsx";
import { useSession } from "../../shared/session.tsx";
import { pendingEmailQuery } from "./requests.ts";

/** The user's e-mail address. A new address is used once it is confirmed. */
export function EmailSection(): ReactNode {
  const { account } = useSession();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery(pendingEmailQuery);
  const { queryKey } = pendingEmailQuery;
  const cancelling = useMutation({
    mutationFn: () => del("/account/email", { body: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  return (
    <Section
      title="E-mail address"
      description={account.email}
      actions={
        data?.available === true &&
        !isOpen && (
          <Button variant="default" onClick={() => setOpen(true)}>
            Change e-mail address
          </Button>
        )
      }
    >
      {data?.available === false && (
        <Text size="sm" c="dimmed">
          You can change it once e-mail is set up for this service.
        </Text>
      )}
      {data != null && data.pending !== null && (
        <Group gap="sm" role="status">
          <Text size="sm">
            {`${data.pending} is not confirmed yet. Open the link in the e-mail we sent there; it is valid for one day.`}
          </Text>
          <Button size="xs" variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
            Cancel the change
          </Button>
        </Group>
      )}
      <ErrorNote error={cancelling.error} />
      {isOpen && <EmailForm onDone={() => setOpen(false)} />}
    </Section>
  );
}

function EmailForm({ onDone }: { onDone: () => void }): ReactNode {
  const client = useQueryClient();
  const field = useFirstFocus();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const changing = useMutation({
    mutationFn: () => put("/account/email", { body: { email, current_password: password } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: pendingEmailQuery.queryKey });
      onDone();
    },
  });
  const errors = fieldErrors(changing.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        changing.mutate();
      }}
    >
      <Stack gap="md" maw={420}>
        <TextInput
          label="New e-mail address"
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          ref={field}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          error={errors["email"]}
        />
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={errors["current_password"]}
        />
        <ErrorNote error={changing.error} fields={["email", "current_password"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={changing.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={changing.isPending}>
            E-mail me a link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
