/** `scope`: lists the members of every website instead of the current one's. */
export function validateSearch(search: Record<string, unknown>): { scope?: "all" | undefined } {
  return search["scope"] === "all" ? { scope: "all" } : {};
}
