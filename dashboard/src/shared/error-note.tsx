/** What went wrong, next to its cause. */
import { Alert, Button, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { ExplainedError } from "./explained-error.ts";

interface ErrorNoteProps {
  /** Nothing is shown for null. */
  error: unknown;
  /** What did not work, when the sentence alone does not say it: “The key was not created”. */
  title?: string | undefined;
  /** Offers to try again. */
  onRetry?: (() => void) | undefined;
  /** Whose fields show their own errors: of those nothing is repeated here. */
  fields?: readonly string[] | undefined;
}

const NO_FIELDS: readonly string[] = [];

export function ErrorNote({ error, title, onRetry, fields = NO_FIELDS }: ErrorNoteProps): ReactNode {
  if (error === null || error === undefined) return null;
  if (error instanceof ApiError && error.param !== null && fields.includes(error.param)) return null;
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle size={18} />} {...(title && { title })}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="inherit">
          {messageOf(error)}
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

/** A sentence for people. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof ExplainedError) return error.message;
  // Ours, not the service's: what it says is for the console.
  return "Something went wrong on this page. Reload it; if it happens again, tell whoever runs this service.";
}

/** For `form.setErrors`: the sentence at the field that the service named. Empty when it named none. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || error.param === null) return {};
  const { param, message } = error;
  // Next to it nobody needs the name that programs call it by.
  return { [param]: message.startsWith(`${param} `) ? `This${message.slice(param.length)}` : message };
}
