/** `to`: the page that the user wanted, within the dashboard. */
export function validateSearch(search: Record<string, unknown>): { to?: string | undefined } {
  const { to } = search;
  // Prevents open redirects: anybody can make this URL.
  return typeof to === "string" && /^\/(?![/\\])/.test(to) ? { to } : {};
}
