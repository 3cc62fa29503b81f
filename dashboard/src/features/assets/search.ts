/** `show`: only pictures that nothing uses, or all. */
export function validateSearch(search: Record<string, unknown>): { show?: "unused" | undefined } {
  return search["show"] === "unused" ? { show: "unused" } : {};
}
