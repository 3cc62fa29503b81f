const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses whole days, hours or minutes: `90d`, `12h`, `30m`. @returns milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (amount === undefined || (unit !== "m" && unit !== "h" && unit !== "d")) return undefined;
  return Number(amount) * UNIT_MS[unit];
}
