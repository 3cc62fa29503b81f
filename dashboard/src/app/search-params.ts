/** The query string of a URL, as plain strings; `validateSearch` converts them. */

export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Omits undefined and null. Includes the leading `?`; empty if there are no parameters. */
export function stringifySearch(search: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(search).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(given).toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * The router merges the result of `validateSearch` into the raw parameters, so that unknown or invalid ones would reach the
 * pages unchecked. This removes them. The root route validates `website`.
 */
export function only<T extends object>(validate: (search: Record<string, unknown>) => T) {
  return (search: Record<string, unknown>): T => {
    const { website: _, ...others } = search;
    const nothing = Object.fromEntries(Object.keys(others).map((name) => [name, undefined]));
    return { ...nothing, ...validate(search) };
  };
}
