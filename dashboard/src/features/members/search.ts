/** `scope`: the members of every website, instead of those of the current one. */
export function validateSearch(search: Record<string, unknown>): { scope?: "all" | undefined } {
  return search["scope"] === "all" ? { scope: "all" } : {};
}
