/** Values of `datetime-local` inputs: in the user's time zone, without an offset. */

/** “2026-11-21T09:00”. */
export function localField(date: Date): string {
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** null if the value is empty or invalid. */
export function fromLocalField(value: string): Date | null {
  const date = new Date(value);
  return value === "" || Number.isNaN(date.getTime()) ? null : date;
}

/** 9:00, `days` from now. */
export function morning(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
}

/** Days until the next Monday, 1 to 7. */
export function daysToMonday(now: Date): number {
  return (8 - now.getDay()) % 7 || 7;
}

/** “21 Nov 2026, 08:00 UTC”. */
export function inUtc(date: Date): string {
  return `${UTC.format(date)} UTC`;
}

/** “Europe/Berlin”. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const UTC = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
