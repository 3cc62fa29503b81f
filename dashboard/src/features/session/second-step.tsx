import { Anchor, Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useFirstFocus } from "../../shared/first-focus.ts";
import type { Credentials } from "./password-step.tsx";

interface SecondStepProps {
  credentials: Credentials;
  onBack: () => void;
  /** Called when the service has accepted everything. */
  enter: () => Promise<void>;
}

/** Asks for the authenticator's code, or for a recovery code if the authenticator is lost. */
export function SecondStep({ credentials, onBack, enter }: SecondStepProps): ReactNode {
  const field = useFirstFocus();
  const [isRecovery, setRecovery] = useState(false);
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (value) => (value.trim() === "" ? "Enter the code." : null) },
  });
  const signIn = useMutation({
    mutationFn: async (code: string) => {
      await post("/session", { body: { ...credentials, code } });
      await enter();
    },
    onError: (error) => {
      // The password was accepted in the first step, so the code is wrong.
      if (error instanceof ApiError && error.status === 401) {
        form.setFieldError("code", isRecovery ? "That is not one of your unused recovery codes." : WRONG);
      }
    },
  });
  const isRefused = signIn.error instanceof ApiError && signIn.error.status === 401;

  return (
    <form onSubmit={form.onSubmit(({ code }) => signIn.mutate(code.trim()))} noValidate>
      <Stack gap="md">
        <TextInput
          key={String(isRecovery)}
          label={isRecovery ? "Recovery code" : "Code from your authenticator"}
          description={isRecovery ? "Each code works once." : "Six digits; a new one every 30 seconds."}
          autoComplete="one-time-code"
          inputMode={isRecovery ? "text" : "numeric"}
          spellCheck={false}
          ref={field}
          {...form.getInputProps("code")}
        />
        {!isRefused && <ErrorNote error={signIn.error} />}
        <Button type="submit" fullWidth size="md" loading={signIn.isPending}>
          Sign in
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            Back
          </Anchor>
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => {
              form.reset();
              setRecovery(!isRecovery);
            }}
          >
            {isRecovery ? "Use the authenticator" : "Use a recovery code"}
          </Anchor>
        </Group>
      </Stack>
    </form>
  );
}

const WRONG = "That code is wrong, or was used already. Wait for the next one, and check the clock on your device.";
