import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { LinkAnswer, WelcomeAnswer } from "../../../../src/http/admin/contract/session.ts";
import { post } from "../../api/client.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { useFirstFocus } from "../../shared/first-focus.ts";
import { NewPasswordInput, newPasswordProblem } from "../../shared/new-password.tsx";
import { useCompleteSignIn } from "./use-complete-sign-in.ts";

interface WelcomeFormProps {
  token: string;
  link: LinkAnswer;
  /** Called when the password is set and nobody is signed in. */
  onReset: () => void;
}

/** The first owner enters name and e-mail address; for others the address is known. */
export function WelcomeForm({ token, link, onReset }: WelcomeFormProps): ReactNode {
  const enter = useCompleteSignIn();
  const isFirst = link.email === null;
  const isReset = link.purpose === "reset";
  const emailField = useFirstFocus(isFirst);
  const nameField = useFirstFocus(!isFirst && !isReset);
  const passwordField = useFirstFocus(isReset);
  const form = useForm({
    initialValues: { email: link.email ?? "", name: link.name ?? "", password: "" },
    validate: {
      email: (value) => (value.trim() === "" ? "Enter your e-mail address; you sign in with it." : null),
      password: newPasswordProblem,
    },
  });
  const accept = useMutation({
    mutationFn: async ({ email, name, password }: typeof form.values) => {
      const who = { ...(isFirst && { email }), ...(!isReset && { name }) };
      const { signed_in } = await post<WelcomeAnswer>("/welcome", { body: { token, password, ...who } });
      if (signed_in) await enter();
      else onReset();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });

  return (
    <form onSubmit={form.onSubmit((values) => accept.mutate(values))} noValidate>
      <Stack gap="md">
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          readOnly={!isFirst}
          variant={isFirst ? "default" : "filled"}
          ref={emailField}
          {...form.getInputProps("email")}
        />
        {!isReset && (
          <TextInput
            label="Name"
            description="Shown to teammates (optional)."
            autoComplete="name"
            ref={nameField}
            {...form.getInputProps("name")}
          />
        )}
        <NewPasswordInput label="Password" ref={passwordField} {...form.getInputProps("password")} />
        <ErrorNote error={accept.error} fields={["email", "name", "password"]} />
        <Button type="submit" fullWidth size="md" loading={accept.isPending}>
          {BUTTON[link.purpose]}
        </Button>
      </Stack>
    </form>
  );
}

const BUTTON = {
  "set-up": "Create the account",
  invitation: "Set password and sign in",
  reset: "Change the password",
} as const satisfies Record<LinkAnswer["purpose"], string>;
