/** Which words of a source its article lacks: each as often as it is there, wherever it stands. */

export interface LostWords {
  missing: number;
  /** Words of the source. */
  total: number;
  /** The first ones that are missing. */
  first: string;
}

/** A character of Chinese or Japanese is a word. `·` stands for a character that is not known, here and in html/loss.ts. */
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}\p{M}·]+/gu;
/** Words that are quoted. */
const SHOWN = 8;
/** Below this share of its words, an article waits for review. */
const MIN_KEPT = 0.9;
/** Fewer words are missing from a very short article. */
const MIN_SEVERE = 3;

/**
 * Compares the words of two texts, both without the markup of their form: names of elements and attributes would be
 * words. @returns null if nothing is missing.
 */
export function findLostWords(source: string, result: string): LostWords | null {
  const kept = new Map<string, number>();
  const there = toWords(result);
  for (const word of there) kept.set(word, (kept.get(word) ?? 0) + 1);
  const all = toWords(source);
  /** Runs of missing words. */
  const runs: string[][] = [];
  let run: string[] = [];
  for (const word of all) {
    const count = kept.get(word) ?? 0;
    if (count > 0) {
      kept.set(word, count - 1);
      if (run.length > 0) runs.push(run);
      run = [];
    } else run.push(word);
  }
  if (run.length > 0) runs.push(run);
  if (runs.length === 0) return null;
  // Words are not lost where the elements between them went, and they became one.
  const joined = there.join("");
  const lost = runs.filter((words) => words.length === 1 || !joined.includes(words.join("")));
  const missing = lost.reduce((sum, words) => sum + words.length, 0);
  if (missing === 0) return null;
  const first = lost.flat().slice(0, SHOWN).join(" ");
  return { missing, total: all.length, first: missing > SHOWN ? `${first} …` : first };
}

/** As a warning says it. */
export function describeLostWords({ missing, total, first }: LostWords): string {
  return `${missing} of ${total} words: “${first}”`;
}

/** Whether more than a tenth is missing, and not just a word or two. */
export function isSevereLoss({ missing, total }: LostWords): boolean {
  return missing >= MIN_SEVERE && total - missing < MIN_KEPT * total;
}

function toWords(text: string): string[] {
  return (text.match(WORD) ?? []).filter((word) => !word.includes("·"));
}
