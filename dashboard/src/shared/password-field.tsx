import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import type { ReactNode } from "react";

/** Mantine's field, plus what it lacks: `aria-invalid`, and a visibility toggle that works with the keyboard. */
export function PasswordField(props: PasswordInputProps): ReactNode {
  return (
    <PasswordInput
      aria-invalid={props.error ? true : undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
      {...props}
    />
  );
}
