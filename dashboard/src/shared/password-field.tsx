import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import type { ReactNode } from "react";

/** Mantine's, with what it leaves out: that it is wrong, and a way to show what is typed without a mouse. */
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
