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
