/** URLs that the editor may use in its own page; others are shown as text only. */
const SAFE = new Set(["http:", "https:", "mailto:", "tel:"]);

/** @returns the URL, or null if it must not be followed or loaded by the dashboard. */
export function safeAddress(address: string): string | null {
  try {
    return SAFE.has(new URL(address, "https://relative.invalid/").protocol) ? address : null;
  } catch {
    return null;
  }
}

/** As browsers read it: without white space, which Markdown cannot contain here. */
export function cleanAddress(address: string): string {
  return address
    .trim()
    .replaceAll(/[\t\n\r]/g, "")
    .replaceAll(/\s/g, (space) => encodeURIComponent(space));
}
