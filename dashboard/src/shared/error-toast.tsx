/** Reports the failure of a background action; stays until it is closed. */
import { Button, Group, Text } from "@mantine/core";
import { toasts } from "./toasts.ts";

interface ErrorToast {
  /** Such as “Not approved: Tea”. */
  title: string;
  message: string;
  /** Label of the button that goes to it. */
  label: string;
  action: () => void;
}

export function showErrorToast({ title, message, label, action }: ErrorToast): void {
  const close = toasts.show({
    color: "red",
    shownMs: null,
    title,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          onClick={() => {
            close();
            action();
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  });
}
