/** `show`: only unread notifications, or all. */
export function validateSearch(search: Record<string, unknown>): { show?: "unread" | undefined } {
  return search["show"] === "unread" ? { show: "unread" } : {};
}
