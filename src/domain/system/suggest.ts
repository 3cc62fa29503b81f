/** Suggests what somebody who mistyped a word may have meant. */

/** A third of a word may be wrong, and at least one letter. */
const letters = (word: string): number => Math.max(1, Math.floor(word.length / 3));

/** @returns ` Did you mean "list"?`, or an empty text if no known word is similar. */
export function didYouMean(typed: string, known: readonly string[], prefix = ""): string {
  const close = known
    .map((word) => ({ word, distance: word.startsWith(typed) && typed.length > 2 ? 0 : editDistance(typed, word) }))
    .filter(({ word, distance }) => distance <= letters(word))
    .toSorted((a, b) => a.distance - b.distance);
  return close[0] === undefined ? "" : ` Did you mean "${prefix}${close[0].word}"?`;
}

/** How many letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows[from.length]?.[to.length] ?? 0;
}
