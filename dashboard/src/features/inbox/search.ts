/** `show`: only unread notifications instead of all. */
export function validateSearch(search: Record<string, unknown>): { show?: "unread" | undefined } {
  return search["show"] === "unread" ? { show: "unread" } : {};
}
