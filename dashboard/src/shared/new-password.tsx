import type { PasswordInputProps } from "@mantine/core";
import type { ReactNode } from "react";
import { PasswordField } from "./password-field.tsx";

/** As the service has it. It also refuses the passwords that everybody tries first, and says so. */
const MIN_LENGTH = 10;

/** For a new password, with the rules stated before they are broken. */
export function NewPasswordInput(props: PasswordInputProps): ReactNode {
  return (
    <PasswordField
      description={`At least ${MIN_LENGTH} characters. A few words in a row are safe and easy to type.`}
      autoComplete="new-password"
      {...props}
    />
  );
}

/** For a form's `validate`. @returns null when the service is likely to take it. */
export function newPasswordProblem(password: string): string | null {
  // As many as the service counts: an emoji is one.
  const count = Array.from(password.normalize("NFKC")).length;
  if (count === 0) return "Choose a password.";
  return count < MIN_LENGTH ? `It has ${count} of at least ${MIN_LENGTH} characters.` : null;
}
