export interface Found {
  count: number;
  /** From 0; null if none of them is selected. */
  current: number | null;
}

export function describeFound({ count, current }: Found): string {
  if (count === 0) return "Not found";
  return current === null ? `${count} found` : `${current + 1} of ${count}`;
}
