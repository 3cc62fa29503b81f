type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

const camelCase = new Map<string, string>();

/** The row, or the body of a request, with its names in camelCase. What the caller must not have is left out of it. */
export function toCamelCase<R extends object>(row: R): { [K in keyof R as CamelCase<K>]: R[K] } {
  const renamed: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    let name = camelCase.get(column);
    if (name === undefined) {
      name = column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      camelCase.set(column, name);
    }
    renamed[name] = value;
  }
  // The loop does what the type says.
  return renamed as { [K in keyof R as CamelCase<K>]: R[K] };
}
