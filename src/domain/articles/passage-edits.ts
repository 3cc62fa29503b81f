/** Edits a text by exact passages, each of which occurs once in the text that the editor saw. */
import { AppError } from "../system/errors.ts";

export interface PassageEdit {
  old: string;
  new: string;
}

interface Place {
  start: number;
  end: number;
  replacement: string;
}

/** Finds a passage and counts how often it occurs, up to two. Linear in both. */
export function findOnce(text: string, passage: string): { start: number; count: 0 | 1 | 2 } {
  const borders = findBorders(passage);
  let [matched, start, count] = [0, -1, 0];
  for (let index = 0; index < text.length && count < 2; index++) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && passage.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (passage.charCodeAt(matched) === unit) matched++;
    if (matched < passage.length) continue;
    if (count === 0) start = index - passage.length + 1;
    count++;
    matched = borders[matched - 1] ?? 0;
  }
  return { start, count: count === 0 ? 0 : count === 1 ? 1 : 2 };
}

/** For each beginning of the passage, the longest shorter one that it also ends with (Knuth, Morris and Pratt). */
function findBorders(passage: string): Int32Array {
  const borders = new Int32Array(passage.length);
  let length = 0;
  for (let index = 1; index < passage.length; index++) {
    const unit = passage.charCodeAt(index);
    while (length > 0 && passage.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
    if (passage.charCodeAt(length) === unit) length++;
    borders[index] = length;
  }
  return borders;
}

/**
 * Applies edits of the text as it was; `pause` is called between searches. @throws AppError `invalid` for a passage
 * that does not occur, occurs twice, or overlaps another; and for edits of more than half of the text, unless
 * `rewrite`.
 */
export async function editPassages(
  text: string,
  edits: readonly PassageEdit[],
  { rewrite, pause }: { rewrite: boolean; pause: () => Promise<unknown> },
): Promise<string> {
  const places: Place[] = [];
  for (const [index, edit] of edits.entries()) {
    places.push(locate(text, edit, `edits[${index}].old`));
    await pause();
  }
  places.sort((a, b) => a.start - b.start);
  let [edited, from] = ["", 0];
  for (const { start, end, replacement } of places) {
    if (start < from) throw invalid("edits", "Two of the passages overlap: join them into one.");
    edited += text.slice(from, start) + replacement;
    from = end;
  }
  const replaced = places.reduce((sum, { start, end }) => sum + end - start, 0);
  if (replaced * 2 > text.length && !rewrite) {
    throw invalid(
      "edits",
      "These edits replace more than half of the text: choose shorter passages, or say that this is meant with rewrite: true.",
    );
  }
  return edited + text.slice(from);
}

function locate(text: string, { old, new: replacement }: PassageEdit, field: string): Place {
  const { start, count } = findOnce(text, old);
  const shown = JSON.stringify(old.length > 80 ? `${old.slice(0, 80)}…` : old);
  if (count === 0) {
    throw invalid(field, `${shown} is not in the text: copy the passage exactly as read_article shows it.`);
  }
  if (count === 2) throw invalid(field, `${shown} occurs more than once: choose a longer passage that occurs once.`);
  return { start, end: start + old.length, replacement };
}

function invalid(field: string, message: string): AppError {
  return new AppError("invalid", message, { field });
}
