import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useFirstFocus } from "../../shared/first-focus.ts";
import { AuthLayout } from "./auth-layout.tsx";

/** Requests a link to set a new password. The answer is the same for every address. */
export function ForgottenStep({ onBack }: { onBack: () => void }): ReactNode {
  const [email, setEmail] = useState("");
  const field = useFirstFocus();
  const asking = useMutation({ mutationFn: () => post("/forgotten-password", { body: { email } }) });
  const back = (
    <Button variant="default" fullWidth size="md" onClick={onBack}>
      Back to sign in
    </Button>
  );
  if (asking.isSuccess) {
    return (
      <AuthLayout title="Check your e-mail">
        <Text size="sm" role="status">
          If {email.trim()} has an account here, we have e-mailed it a link that is valid for one hour. Nothing there?
          Check your spam folder, or ask your administrator for a reset link.
        </Text>
        {back}
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title="Forgot your password?" description="We'll e-mail you a link to choose a new password.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          asking.mutate();
        }}
      >
        <Stack gap="md">
          <TextInput
            label="E-mail address"
            type="email"
            required
            withAsterisk={false}
            autoComplete="username"
            ref={field}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <ErrorNote error={asking.error} />
          <Button type="submit" fullWidth size="md" loading={asking.isPending}>
            E-mail me a link
          </Button>
          {back}
        </Stack>
      </form>
    </AuthLayout>
  );
}
