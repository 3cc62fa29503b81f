/** What is measured of an article's paragraphs and items of lists. Code, tables and headings are not read as sentences. */
import type { Material, Passage } from "../integrity/material.ts";
import { LONG_PARAGRAPH_WORDS, LONG_SENTENCE_WORDS } from "../limits.ts";
import type { Extract } from "../integrity/report.ts";
import { countSyllables, readingEase } from "./words.ts";

export interface Prose {
  words: number;
  sentences: number;
  readingEase: number | null;
  /** null: there are too few sentences to say anything about them. */
  rhythm: Rhythm | null;
  /** Paragraphs alone. */
  paragraphs: number;
  longParagraphs: readonly Extract[];
}

/** Of the sentences with three words or more. */
interface Rhythm {
  sentences: number;
  averageWords: number;
  long: readonly Extract[];
  /** Standard deviation of their lengths, in percent of the mean; null: there are too few. */
  variety: number | null;
  /** The third of those that begin with the same word one after another in a paragraph, and each further one. */
  repeatedStarts: readonly Extract[];
}

/** Shorter ones are exclamations, and items such as “2 eggs”. */
const MIN_SENTENCE_WORDS = 3;
const MIN_SENTENCES = 3;
const MIN_SENTENCES_FOR_VARIETY = 8;

export function measureProse({ paragraphs, vocabulary }: Material, language: string | null): Prose {
  let words = 0;
  let sentences = 0;
  const own = paragraphs.filter(({ kind }) => kind === "paragraph");
  for (const passage of paragraphs) {
    words += passage.words.length;
    if (passage.words.length > 0) sentences += passage.sentences.length;
  }
  const spoken = countSyllables(
    language,
    vocabulary.words,
    paragraphs.map((passage) => passage.words.ids),
  );
  return {
    words,
    sentences,
    readingEase: readingEase(language, { words, ...spoken }, sentences),
    rhythm: measureRhythm(paragraphs),
    paragraphs: own.length,
    longParagraphs: own.flatMap((passage) =>
      passage.words.length > LONG_PARAGRAPH_WORDS ? [{ passage, start: 0, end: passage.text.length }] : [],
    ),
  };
}

function measureRhythm(paragraphs: readonly Passage[]): Rhythm | null {
  const lengths: number[] = [];
  const long: Extract[] = [];
  const repeatedStarts: Extract[] = [];
  for (const passage of paragraphs) {
    let before: number | undefined;
    let run = 0;
    for (const { start, end, firstWord, endWord } of passage.sentences) {
      const length = endWord - firstWord;
      if (length < MIN_SENTENCE_WORDS) continue;
      lengths.push(length);
      if (length > LONG_SENTENCE_WORDS) long.push({ passage, start, end });
      const first = passage.words.ids[firstWord];
      run = first === before ? run + 1 : 1;
      before = first;
      if (run >= 3 && passage.kind === "paragraph") repeatedStarts.push({ passage, start, end });
    }
  }
  if (lengths.length < MIN_SENTENCES) return null;
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const variance = lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / lengths.length;
  return {
    sentences: lengths.length,
    averageWords: mean,
    long,
    variety: lengths.length < MIN_SENTENCES_FOR_VARIETY ? null : (100 * Math.sqrt(variance)) / mean,
    repeatedStarts,
  };
}
