import { Alert, Button, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { toMessage } from "../../../shared/error-note.tsx";
import type { ReviewAction } from "./use-review-action.ts";

interface RefusedNoteProps {
  refused: ReviewAction["refused"];
  onClose: () => void;
  onRetry: (() => void) | undefined;
}

/** Explains why the decision about this article was refused. */
export function RefusedNote({ refused, onClose, onRetry }: RefusedNoteProps): ReactNode {
  if (refused === null) return null;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      title={refused.title}
      icon={<IconAlertTriangle size={18} />}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="inherit">
          {toMessage(refused.error)}
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
