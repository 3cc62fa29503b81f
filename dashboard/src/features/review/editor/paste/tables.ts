/** Tables as the editor can hold them: one paragraph in each cell, and in Markdown no cells that span others. */
import type { Format } from "../document/fingerprint.ts";
import { rename, unwrap } from "./elements.ts";

export function cleanTables(body: Element, format: Format): void {
  for (const table of body.querySelectorAll("table")) {
    // A table in a cell of another one is text of that cell.
    if (table.parentElement?.closest("td, th") !== null) continue;
    for (const caption of table.querySelectorAll("caption")) table.before(rename(caption, "p"));
    for (const columns of table.querySelectorAll("colgroup")) columns.remove();
    const rows = [...table.rows];
    for (const row of rows) for (const cell of row.cells) flatten(cell);
    if (format === "markdown") spreadCells(rows);
  }
}

/** Lines instead of blocks. */
function flatten(cell: Element): void {
  for (const block of cell.querySelectorAll(IN_CELLS)) {
    const isFirst = block.previousSibling === null || (block.previousSibling.textContent ?? "").trim() === "";
    const needsBreak = !isFirst || (block.parentElement === cell && block.previousElementSibling !== null);
    if (needsBreak) block.before(cell.ownerDocument.createElement("br"));
    if (block.nextSibling?.nodeType === Node.TEXT_NODE && (block.nextSibling.textContent ?? "").trim() !== "") {
      block.after(cell.ownerDocument.createElement("br"));
    }
    unwrap(block);
  }
}

const IN_CELLS = "p, div, ul, ol, li, h1, h2, h3, h4, h5, h6, blockquote, pre, figure, table, tbody, thead, tr, td, th";

/** Cells that span others are followed by empty ones. */
function spreadCells(rows: readonly HTMLTableRowElement[]): void {
  for (const [index, row] of rows.entries()) {
    for (const cell of row.cells) {
      const [across, down] = [clampSpan(cell.colSpan), clampSpan(cell.rowSpan)];
      cell.removeAttribute("colspan");
      cell.removeAttribute("rowspan");
      const place = cell.cellIndex;
      for (let more = 1; more < across; more += 1) cell.after(emptyCell(cell));
      for (const below of rows.slice(index + 1, index + down)) {
        for (let more = 0; more < across; more += 1) below.insertBefore(emptyCell(cell), below.cells[place] ?? null);
      }
    }
  }
}

function emptyCell(like: Element): Element {
  return like.ownerDocument.createElement(like.tagName);
}

const MAX_SPAN = 50;

function clampSpan(span: number): number {
  return Math.min(MAX_SPAN, Math.max(1, span));
}
