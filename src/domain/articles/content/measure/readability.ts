import type { SpokenWords } from "./spoken-words.ts";

/**
 * Reading ease = base − sentence × (words per sentence) − syllable × (syllables per word). Each language has its own
 * published fit; one language's numbers say nothing about another's, so there is no default.
 */
export const FORMULAS: Readonly<Record<string, { base: number; sentence: number; syllable: number; source: string }>> =
  {
    en: { base: 206.835, sentence: 1.015, syllable: 84.6, source: "Flesch 1948" },
    de: { base: 180, sentence: 1, syllable: 58.5, source: "Amstad 1978" },
    es: { base: 206.84, sentence: 1.02, syllable: 60, source: "Fernández Huerta 1959" },
    fr: { base: 207, sentence: 1.015, syllable: 73.6, source: "Kandel & Moles 1958" },
    it: { base: 217, sentence: 1.3, syllable: 60, source: "Franchina & Vacca 1972" },
    nl: { base: 206.835, sentence: 0.93, syllable: 77, source: "Douma 1960" },
    pt: { base: 248.835, sentence: 1.015, syllable: 84.6, source: "Martins et al. 1996" },
    ru: { base: 206.835, sentence: 1.3, syllable: 60.1, source: "Oborneva 2006" },
  };

/** 0–100, one decimal, higher is easier; `null` if the language has no formula or there is no sentence. */
export function readingEase(language: string | null, spoken: Readonly<Counts>, sentences: number): number | null {
  const formula = language === null ? undefined : FORMULAS[language];
  const { words, pronounced, syllables } = spoken;
  if (formula === undefined || sentences === 0 || pronounced === 0) return null;
  const ease = formula.base - formula.sentence * (words / sentences) - formula.syllable * (syllables / pronounced);
  return Math.round(Math.min(100, Math.max(0, ease)) * 10) / 10;
}

type Counts = Pick<SpokenWords, "words" | "pronounced" | "syllables">;

/**
 * Counts the sentences of one paragraph. A sentence ends at `.`, `!`, `?` or `…` before a space and no lower-case
 * letter, or at a full-width mark. Initials (`J. Smith`) do not end one. Text after the last mark is a sentence, too.
 */
export function countSentences(text: string): number {
  let sentences = 0;
  let from = 0;
  for (let mark = nextMark(text, 0); mark < text.length; mark = nextMark(text, mark + 1)) {
    const wide = WIDE_MARKS.includes(text[mark] ?? "");
    if (!wide && !endsSentence(text, mark)) continue;
    if (hasContent(text, from, mark)) sentences += 1;
    from = mark + 1;
  }
  return hasContent(text, from, text.length) ? sentences + 1 : sentences;
}

const MARK = /[.!?…。！？｡]/g;
const WIDE_MARKS = "。！？｡";
const CLOSING = "\"'”’»)]";
const EMPTY = ` .!?…${WIDE_MARKS}${CLOSING}`;

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? text.length;
}

function hasContent(text: string, from: number, to: number): boolean {
  let at = from;
  while (at < to && EMPTY.includes(text[at] ?? "")) at += 1;
  return at < to;
}

function endsSentence(text: string, mark: number): boolean {
  let next = mark + 1;
  while (next < text.length && next < mark + 4 && CLOSING.includes(text[next] ?? "")) next += 1;
  if (next >= text.length) return true;
  if (text[next] !== " ") return false;
  const after = text[next + 1] ?? "";
  if (text[mark] !== ".") return true;
  const initial = /[\p{L}]/u.test(text[mark - 1] ?? "") && !/[\p{L}\p{N}]/u.test(text[mark - 2] ?? " ");
  return !initial && !/\p{Ll}/u.test(after);
}
