/** What commands write: text that a terminal may show, tables, and progress. */
import type { Io } from "./command.ts";

/** What a terminal would interpret: control characters, but line feeds and tabs, and bidirectional controls. */
const OBEYED = /[^\P{Cc}\t\n]|[\u061c\u202a-\u202e\u2066-\u2069]/gu;
const GAP = "  ";
const BAR_WIDTH = 30;
const DRAW_INTERVAL_MS = 100;

/** Escapes what a terminal would interpret, e.g. as `\u001b`: titles, names and responses are written by others. */
export function printable(text: string): string {
  return text.replaceAll(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function printableLine(text: string): string {
  return printable(text.replaceAll(/[\n\t]/g, " "));
}

/**
 * Writes rows as aligned columns with a header, and on a terminal that is too narrow for them one field per line. Without rows it
 * says so on standard error: a sentence such as "No webhooks yet."
 */
export function writeTable<Row extends object>(
  io: Pick<Io, "out" | "err" | "columns">,
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  whenEmpty: string,
): void {
  if (rows.length === 0) io.err(`${whenEmpty}\n`);
  else io.out(formatTable(rows, columns, io.columns));
}

export function formatTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  terminalWidth: number | null = null,
): string {
  const headings = columns.map((column) => column.toUpperCase().replaceAll("_", " "));
  const cells = rows.map((row) => columns.map((column) => cell(row[column])));
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const total = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (terminalWidth !== null && total > terminalWidth)
    return cells.map((line) => formatFields(headings, line)).join("\n");
  return [headings, ...cells]
    .map((line) => line.map((text, index) => text.padEnd(widths[index] ?? 0)).join(GAP))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function formatFields(headings: readonly string[], cells: readonly string[]): string {
  const width = Math.max(...headings.map((heading) => heading.length));
  return headings.map((heading, index) => `${heading.padEnd(width)}${GAP}${cells[index] ?? ""}\n`).join("");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = printableLine(typeof value === "string" ? value : JSON.stringify(value));
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Asks a question on a terminal. @returns whether the answer was yes. */
export async function confirm(io: Pick<Io, "stdin" | "err">, question: string): Promise<boolean> {
  io.err(`${question} [y/N] `);
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: io.stdin });
  for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
  return false;
}

export interface ProgressBar extends Disposable {
  /** `share`: 0 to 1, or null if the total is unknown. */
  show(share: number | null, text: string): void;
  clear(): void;
}

/** A progress line on standard error that is redrawn in place; no output unless it is a terminal. */
export function progressBar(io: Pick<Io, "redraw" | "isTerminal">, title: string): ProgressBar {
  let drawnAt = 0;
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) io.redraw("");
    isDrawn = false;
  };
  return {
    show(share, text) {
      const now = performance.now();
      if (!io.isTerminal || now - drawnAt < DRAW_INTERVAL_MS) return;
      drawnAt = now;
      isDrawn = true;
      io.redraw(`${title} ${share === null ? "" : drawBar(share)} ${text}`);
    },
    clear,
    [Symbol.dispose]: clear,
  };
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return `[${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}
