import { Button, Divider, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import IconFingerprint from "@tabler/icons-react/dist/esm/icons/IconFingerprint.mjs";
import type { ReactNode } from "react";
import type { SignInAnswer } from "../../../../src/http/admin/contract/session.ts";
import { post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useFirstFocus } from "../../shared/first-focus.ts";
import { hasPasskeys, askForPasskey } from "../../shared/passkeys.ts";
import { PasswordField } from "../../shared/password-field.tsx";

/** The input of the first step; the second step sends it again, together with the code. */
export interface Credentials {
  email: string;
  password: string;
}

interface PasswordStepProps {
  /** Given if only this person may sign in. */
  email?: string;
  onNeedsCode: (credentials: Credentials) => void;
  /** Called when the service has accepted everything. */
  enter: () => Promise<void>;
}

export function PasswordStep({ email = "", onNeedsCode, enter }: PasswordStepProps): ReactNode {
  const isKnown = email !== "";
  const emailField = useFirstFocus(!isKnown);
  const passwordField = useFirstFocus(isKnown);
  const form = useForm<Credentials>({
    initialValues: { email, password: "" },
    validate: {
      email: (value) => (value.trim() === "" ? "Enter your e-mail address." : null),
      password: (value) => (value === "" ? "Enter your password." : null),
    },
  });
  const signIn = useMutation({
    mutationFn: async (credentials: Credentials) => {
      const { second_factor } = await post<SignInAnswer>("/session", { body: credentials });
      if (second_factor === null) await enter();
      else onNeedsCode(credentials);
    },
  });
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await post<{ options: object }>("/session/passkey/options");
      await post("/session/passkey", { body: { response: await askForPasskey(options) } });
      await enter();
    },
  });

  return (
    <Stack gap="lg">
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))} noValidate>
        <Stack gap="md">
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            ref={emailField}
            readOnly={isKnown}
            variant={isKnown ? "filled" : "default"}
            {...form.getInputProps("email")}
          />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            ref={passwordField}
            // Within a dialog, which would focus its first field.
            data-autofocus={isKnown || undefined}
            {...form.getInputProps("password")}
          />
          <ErrorNote error={signIn.error} />
          <Button type="submit" fullWidth size="md" loading={signIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      {hasPasskeys() && (
        <>
          <Divider label="or" />
          <Stack gap="md">
            <Button
              variant="default"
              fullWidth
              size="md"
              leftSection={<IconFingerprint size={18} />}
              loading={byPasskey.isPending}
              onClick={() => byPasskey.mutate()}
            >
              Sign in with a passkey
            </Button>
            <ErrorNote error={byPasskey.error} />
          </Stack>
        </>
      )}
    </Stack>
  );
}
