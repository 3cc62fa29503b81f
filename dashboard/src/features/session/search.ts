/** `to`: where somebody wanted to go, within the dashboard. */
export function validateSearch(search: Record<string, unknown>): { to?: string | undefined } {
  const { to } = search;
  // Nowhere else: the address may come from a stranger.
  return typeof to === "string" && /^\/(?![/\\])/.test(to) ? { to } : {};
}
