/** Shows an error next to its cause. */
import { Alert, Button, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { ExplainedError } from "./explained-error.ts";

interface ErrorNoteProps {
  /** null: shows nothing. */
  error: unknown;
  /** What failed, if the message does not say it: “The key was not created”. */
  title?: string | undefined;
  /** Shows a button to retry. */
  onRetry?: (() => void) | undefined;
  /** Shows a button to close the note. */
  onClose?: (() => void) | undefined;
  /** Fields that show their own errors, which are not repeated here. */
  fields?: readonly string[] | undefined;
}

const NO_FIELDS: readonly string[] = [];

export function ErrorNote({ error, title, onRetry, onClose, fields = NO_FIELDS }: ErrorNoteProps): ReactNode {
  if (error === null || error === undefined) return null;
  if (error instanceof ApiError && error.param !== null && fields.includes(error.param)) return null;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      {...(title && { title })}
      {...(onClose && { withCloseButton: true, closeButtonLabel: "Close", onClose })}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="inherit">
          {toMessage(error)}
        </Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** The message for the user. */
export function toMessage(error: unknown): string {
  if (error instanceof ApiError || error instanceof ExplainedError) return error.message;
  // A bug in the dashboard: its message is for the console.
  return "Something went wrong on this page. Reload it; if it happens again, tell the administrator of this service.";
}

/** For `form.setErrors`: the message of the field that the service names; empty if it names none. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || error.param === null) return {};
  const { param, message } = error;
  // Next to the field its API name is not needed.
  return { [param]: message.startsWith(`${param} `) ? `This${message.slice(param.length)}` : message };
}
