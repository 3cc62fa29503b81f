import type { DiffRow } from "./rows.ts";

/** Rows to show, or a folded run of unchanged rows. */
export type Piece = { rows: readonly DiffRow[]; isFolded: false } | { rows: readonly DiffRow[]; isFolded: true };

/** Unchanged rows shown around each change. */
const AROUND = 2;
/** Shorter runs are not worth folding. */
const MIN_FOLDED = 3;

export function foldRows(rows: readonly DiffRow[]): Piece[] {
  const isNear = rows.map(() => false);
  rows.forEach((row, index) => {
    if (!row.isSame) isNear.fill(true, Math.max(0, index - AROUND), index + AROUND + 1);
  });
  const pieces: Piece[] = [];
  for (let start = 0; start < rows.length;) {
    let end = start;
    while (end < rows.length && isNear[end] === isNear[start]) end++;
    const part = rows.slice(start, end);
    pieces.push({ rows: part, isFolded: isNear[start] !== true && part.length >= MIN_FOLDED });
    start = end;
  }
  return pieces;
}
