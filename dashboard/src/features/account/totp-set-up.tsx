import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { RecoveryCodes, TotpSecret } from "../../../../src/http/admin/contract/totp.ts";
import { post, put } from "../../api/client.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { useFirstFocus } from "../../shared/first-focus.ts";
import { ProofForm } from "./proof-form.tsx";
import { QrCode } from "./qr-code.tsx";

interface TotpSetUpProps {
  /** Called with the recovery codes once the authenticator is active. */
  onDone: (codes: readonly string[]) => void;
  onCancel: () => void;
}

/** Asks for the password, shows the secret as QR code and text, then checks a first code from the app. */
export function TotpSetUp({ onDone, onCancel }: TotpSetUpProps): ReactNode {
  const [secret, setSecret] = useState<TotpSecret | null>(null);
  if (secret === null) {
    return (
      <ProofForm
        submitLabel="Continue"
        onCancel={onCancel}
        onProve={async (current_password) => {
          setSecret(await post<TotpSecret>("/totp", { body: { current_password } }));
        }}
      >
        You need an authenticator app on your phone, such as Aegis, 2FAS, Google Authenticator or a password manager.
      </ProofForm>
    );
  }
  return <FirstCode secret={secret} onDone={onDone} onCancel={onCancel} />;
}

function FirstCode({ secret, onDone, onCancel }: TotpSetUpProps & { secret: TotpSecret }): ReactNode {
  const field = useFirstFocus();
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (value) => (value.trim() === "" ? "Enter the code that the app shows." : null) },
  });
  const confirm = useMutation({
    mutationFn: (code: string) => put<RecoveryCodes>("/totp", { body: { code } }),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit(({ code }) => confirm.mutate(code.trim()))} noValidate>
      <Stack gap="md">
        <Text size="sm">1. Scan this with the app.</Text>
        <QrCode text={secret.uri} label="QR code of the secret for your authenticator" />
        <div>
          <Text size="sm" c="dimmed" mb={6}>
            Or type it in:
          </Text>
          <CodeBlock code={secret.secret} shown={inFours(secret.secret)} label="the secret" wrap />
        </div>
        <TextInput
          label="2. Enter the code that the app shows"
          autoComplete="one-time-code"
          inputMode="numeric"
          ref={field}
          {...form.getInputProps("code")}
        />
        <ErrorNote error={confirm.error} fields={["code"]} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={confirm.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            Turn on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Groups of four are easier to type. */
function inFours(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(" ") ?? secret;
}
