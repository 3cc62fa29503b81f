import { notifications } from "@mantine/notifications";

/** For successes that leave no other trace on the page. Errors are shown next to their cause (error-note.tsx). */
export function toast(message: string): void {
  notifications.show({ message, autoClose: 4_000, withBorder: true });
}
