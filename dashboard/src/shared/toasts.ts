import { notifications } from "@mantine/notifications";

/** For what succeeded and leaves no other trace on the screen. Errors stand next to their cause (error-note.tsx). */
export function toast(message: string): void {
  notifications.show({ message, autoClose: 4_000, withBorder: true });
}
