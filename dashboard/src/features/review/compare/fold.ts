import type { Row } from "./rows.ts";

/** Rows to show, or so many that are the same on both sides and say nothing. */
export type Piece = { rows: readonly Row[]; isFolded: false } | { rows: readonly Row[]; isFolded: true };

/** So many rows stay around each change. */
const AROUND = 2;
/** Fewer are not worth a click. */
const MIN_FOLDED = 3;

export function piecesOf(rows: readonly Row[]): Piece[] {
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
