import type { PasswordInputProps } from "@mantine/core";
import type { ReactNode } from "react";
import { PasswordField } from "./password-field.tsx";

/** The service's minimum length. The service also rejects common passwords, with a message. */
const MIN_LENGTH = 10;

/** Input for a new password that states the rules up front. */
export function NewPasswordInput(props: PasswordInputProps): ReactNode {
  return (
    <PasswordField
      description={`At least ${MIN_LENGTH} characters. A few words in a row are safe and easy to type.`}
      autoComplete="new-password"
      {...props}
    />
  );
}

/** For a form's `validate`. @returns null if the service is likely to accept it. */
export function newPasswordProblem(password: string): string | null {
  // Counts as the service does: an emoji is one character.
  const count = Array.from(password.normalize("NFKC")).length;
  if (count === 0) return "Choose a password.";
  return count < MIN_LENGTH ? `It has ${count} of at least ${MIN_LENGTH} characters.` : null;
}
