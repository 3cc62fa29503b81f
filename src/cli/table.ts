import { printableLine } from "./printable.ts";

/** Formats rows as aligned columns with a header. */
export function formatTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): string {
  const cells = rows.map((row) => columns.map((column) => cell(row[column])));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const lines = [columns.map((column) => column.toUpperCase().replaceAll("_", " ")), ...cells];
  return lines
    .map((line) => line.map((text, index) => text.padEnd(widths[index] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = printableLine(typeof value === "string" ? value : JSON.stringify(value));
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
