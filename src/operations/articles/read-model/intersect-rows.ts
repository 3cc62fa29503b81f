/** The rows, in their order, that are among the others. */
export function intersectRows(rows: Uint32Array, others: Uint32Array): Uint32Array {
  return others.length === 0 ? others : filterRows(rows, others, true);
}

export function subtractRows(rows: Uint32Array, others: Uint32Array): Uint32Array {
  return others.length === 0 ? rows : filterRows(rows, others, false);
}

function filterRows(rows: Uint32Array, others: Uint32Array, areKept: boolean): Uint32Array {
  // A bitmap and plain loops: a `Set` of numbers takes ten times as long, callbacks three times.
  let last = 0;
  for (let at = 0; at < others.length; at++) last = Math.max(last, others[at] ?? 0);
  const bits = new Uint32Array((last >>> 5) + 1);
  for (let at = 0; at < others.length; at++) {
    const row = others[at] ?? 0;
    bits[row >>> 5] = (bits[row >>> 5] ?? 0) | (1 << (row & 31));
  }
  const found = new Uint32Array(areKept ? Math.min(rows.length, others.length) : rows.length);
  let length = 0;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0;
    // A read beyond the bitmap's end takes twice as long.
    const isAmong = row <= last && (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
    if (isAmong === areKept) found[length++] = row;
  }
  return found.subarray(0, length);
}
