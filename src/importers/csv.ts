import { AppError } from "../domain/system/errors.ts";

const MAX_CELLS = 2_000_000;

/** By the names of the columns. */
export type CsvRow = Readonly<Record<string, string>>;

/** The rows of a CSV file. Cells in quotes may hold commas, line ends and doubled quotes. */
export function parseCsv(text: string): CsvRow[] {
  const [names = [], ...rows] = readRows(text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n"));
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name.trim(), row[index] ?? ""])));
}

function readRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const [cell, end] = text[at] === '"' ? readQuoted(text, at + 1) : ["", at];
    const next = /[,\n]/g;
    next.lastIndex = end;
    const stop = next.exec(text)?.index ?? text.length;
    row.push(cell + (end === at ? text.slice(at, stop) : ""));
    if (++count > MAX_CELLS) throw new AppError("invalid", "Its table has more than 2,000,000 cells.");
    at = stop;
    if (text[at] === "," && at + 1 === text.length) row.push("");
    if (text[at] === "," && at + 1 < text.length) continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

/** The cell from behind its first quote, and the place behind its last one. */
function readQuoted(text: string, from: number): [string, number] {
  const parts: string[] = [];
  for (let start = from; ;) {
    const quote = text.indexOf('"', start);
    const end = quote === -1 ? text.length : quote;
    parts.push(text.slice(start, end));
    if (text[end + 1] !== '"') return [parts.join('"'), Math.min(end + 1, text.length)];
    start = end + 2;
  }
}
