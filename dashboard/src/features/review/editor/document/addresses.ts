/** Addresses that the editor may put into its own page; others are shown as text only. */
const SAFE = new Set(["http:", "https:", "mailto:", "tel:"]);

/** @returns the address, or null for one that may not be followed or loaded from the dashboard. */
export function safeAddress(address: string): string | null {
  try {
    return SAFE.has(new URL(address, "https://relative.invalid/").protocol) ? address : null;
  } catch {
    return null;
  }
}
