/** The part of an address after `?`: plain texts, as people would write it. `validateSearch` makes of them what it needs. */

export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Undefined and null are left out. With its `?`; empty when there is nothing. */
export function stringifySearch(search: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(search).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(given).toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * The router puts what a `validateSearch` gives over what the address says: whatever it leaves out, refused or unknown,
 * would reach the pages as it was typed. This takes it away. The website is the root's to look at.
 */
export function only<T extends object>(validate: (search: Record<string, unknown>) => T) {
  return (search: Record<string, unknown>): T => {
    const { website: _, ...others } = search;
    const nothing = Object.fromEntries(Object.keys(others).map((name) => [name, undefined]));
    return { ...nothing, ...validate(search) };
  };
}
