/** Reports the failure of something that went on in the background; stays until it is closed. */
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";

interface ErrorToast {
  /** “Not approved: Tea”. */
  title: string;
  message: string;
  /** The button that leads there. */
  label: string;
  action: () => void;
}

export function showErrorToast({ title, message, label, action }: ErrorToast): void {
  const id = notifications.show({
    role: "alert",
    color: "red",
    autoClose: false,
    withBorder: true,
    title,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            action();
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  });
}
