/** Titles that speak of something else than the text. */
import { stem } from "../measure/stems.ts";
import { isFunctionWord } from "./function-words.ts";
import { countEach, countWords, isWithoutSpaces } from "./prose.ts";
import type { Rule } from "./report.ts";

/** Shorter texts are announcements of something under a link. */
const TEXT_WORDS = 80;
const TITLE_WORDS = 2;
/** Of a title of five words and more, more than so many stand in the text. */
const LONG_TITLE = 5;
const FOUND_SHARE = 0.2;
/** Letters that a word has in common with a longer one; of its ending, where compounds have their noun. */
const STEM = 5;
const ENDING = 4;

export const findTitleMismatch: Rule = (material, report) => {
  const { title, paragraphs, blocks, vocabulary } = material;
  if (countWords(paragraphs) < TEXT_WORDS || isWithoutSpaces(material)) return;
  const counts = countEach(material, blocks);
  const words = title.words.ids.filter((id) => isTelling(vocabulary.words[id] ?? ""));
  if (words.length < TITLE_WORDS) return;
  const needed = words.length >= LONG_TITLE ? Math.floor(FOUND_SHARE * words.length) + 1 : 1;
  const missing = words.filter((id) => counts[id] === 0);
  let found = words.length - missing.length;
  if (found >= needed) return;
  const stems = vocabulary.words.filter((_, id) => (counts[id] ?? 0) > 0).map(toStem);
  found += missing.filter((id) => isIn(vocabulary.words[id] ?? "", stems)).length;
  if (found >= needed) return;
  const message = found === 0 ? "No word of the title is in the text." : "Hardly a word of the title is in the text.";
  report.add({ kind: "title_mismatch", severity: "warn", passage: title, message });
};

function isTelling(word: string): boolean {
  return (word.length > 2 || /\d/.test(word)) && !isFunctionWord(withoutArticle(word));
}

/** In another form, or as a part of a compound. */
function isIn(word: string, stems: readonly string[]): boolean {
  const wanted = toStem(word);
  const root = wanted.length > STEM ? wanted.slice(0, Math.max(STEM, wanted.length - 2)) : wanted;
  return stems.some((other) => {
    if (other === wanted || (root.length >= STEM && other.includes(root))) return true;
    return (wanted.length >= ENDING && other.endsWith(wanted)) || (other.length >= ENDING && wanted.includes(other));
  });
}

/** French writes the article at the word: "l'eau". */
function withoutArticle(word: string): string {
  return word.replace(/^(?:[cdjlmnst]|qu)'(?=\p{L}{3})/u, "");
}

function toStem(word: string): string {
  return stem(withoutArticle(word));
}
