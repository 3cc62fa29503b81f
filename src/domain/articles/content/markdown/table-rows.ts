/** Rows of MultiMarkdown's tables: those that go on in the next line, and cells that reach down over others. */
import type { Token, Tokens } from "marked";

export interface TableCell extends Tokens.TableCell {
  /** Absent: 1. */
  rowSpan?: number;
  /** The content if it has several lines; `tokens` is empty then. */
  blocks?: Token[];
}

/** The parts of the lexer that rows need. */
export interface CellLexer {
  inline: (source: string) => Token[];
  readBlocks: (source: string) => Token[];
}

/** The line without the backslash that lets its row go on in the next line; null: it ends its row. */
export function withoutContinuation(line: string): string | null {
  const text = line.trimEnd();
  return text.endsWith("\\") && /^[\s|]?$/.test(text.at(-2) ?? "") ? text.slice(0, -1) : null;
}

/** Joins the rows that are one. @param lines the rows of the source, of which marked made `table.rows`. */
export function joinRows(table: Tokens.Table, lines: readonly string[], lexer: CellLexer): TableCell[][] {
  const rows: TableCell[][] = [];
  let open: string[] = [];
  for (const [index, line] of lines.entries()) {
    const start = withoutContinuation(line);
    const isLast = start === null || index === lines.length - 1;
    const row = table.rows[index];
    if (open.length === 0 && start === null) {
      if (row !== undefined) rows.push(row);
      continue;
    }
    open.push(start ?? line);
    if (!isLast) continue;
    const cells = open.map((text) => Array.from(splitCells(text)));
    rows.push(
      table.header.map((header, column) =>
        joinCell(
          header,
          cells.map((one) => one[column] ?? ""),
          lexer,
        ),
      ),
    );
    open = [];
  }
  return rows;
}

function joinCell({ align }: Tokens.TableCell, lines: readonly string[], lexer: CellLexer): TableCell {
  const indents = lines.flatMap((line) => (line.trim() === "" ? [] : line.length - line.trimStart().length));
  const indent = Math.min(...indents, MAX_INDENT);
  const text = lines
    .map((line) =>
      line
        .slice(indent)
        .trimEnd()
        .replaceAll(String.raw`\|`, "|"),
    )
    .join("\n")
    .replace(/^\n+/, "")
    .trimEnd();
  if (!text.includes("\n")) return { text, tokens: lexer.inline(text), header: false, align };
  return { text, tokens: [], blocks: lexer.readBlocks(text), header: false, align };
}

const MAX_INDENT = 1_000;

/**
 * Takes out the cells of `^^`: the one above each reaches down. Below an operator it is another operator.
 */
export function spanRows(rows: readonly TableCell[][]): TableCell[][] {
  const above: (TableCell | undefined)[] = [];
  return rows.map((row) =>
    row.filter((cell, column) => {
      const owner = above[column];
      if (cell.text !== "^^" || owner === undefined || !/[\p{L}\p{N}]/u.test(owner.text)) {
        above[column] = cell;
        return true;
      }
      owner.rowSpan = (owner.rowSpan ?? 1) + 1;
      return false;
    }),
  );
}

/** Splits a table row into cells as marked does; a `|` in them is still escaped, and spaces are not trimmed. */
export function* splitCells(row: string): Generator<string> {
  let start = 0;
  let isEscaped = false;
  for (let at = 0; at <= row.length; at += 1) {
    const character = row[at];
    if ((character === "|" && !isEscaped) || at === row.length) {
      const cell = row.slice(start, at);
      // A row may begin with `|`, which makes no empty first cell.
      if (start > 0 || cell.trim() !== "") yield cell;
      start = at + 1;
    }
    isEscaped = character === "\\" && !isEscaped;
  }
}
