/** Paragraphs and sentences that an article has more than once. */
import type { Passage } from "./material.ts";
import { countWords } from "./prose.ts";
import type { Found, Report, Rule } from "./report.ts";

/** Shorter ones are repeated on purpose: "See the release notes for details." */
const PARAGRAPH_WORDS = 12;
const PARAGRAPH_CHARACTERS = 80;
const SENTENCE_WORDS = 8;
const SENTENCE_TIMES = 3;
/** Shorter paragraphs are alike by chance. */
const SIMILAR_WORDS = 25;
const SIMILAR_SHARE = 0.6;
/** Paragraphs after these are not compared. */
const MAX_COMPARED = 200;

/** Words of a passage: from, and up to without. */
interface Span {
  passage: Passage;
  firstWord: number;
  endWord: number;
}

export const findRepetition: Rule = ({ paragraphs, isMachineWritten }, report) => {
  const total = countWords(paragraphs);
  /** Release notes and advisories repeat themselves on purpose, so only what a generator delivered is held. */
  const severityOf = (copies: readonly Span[]) => (isMachineWritten && isMuch(copies, total) ? "block" : "warn");

  const long = paragraphs.filter(isLong).map(toSpan);
  const copies = groupEqual(long).flatMap(([, ...others]) => others);
  const severity = severityOf(copies);
  for (const copy of copies)
    addSpan(report, copy, {
      kind: "repeated_paragraph",
      severity,
      message: "This paragraph stands further up already.",
      fix: "remove_copy",
    });

  const copied = new Set(copies.map(({ passage }) => passage));
  const originals = paragraphs.filter((passage) => !copied.has(passage));
  const similar = findSimilar(originals);
  const similarSeverity = severityOf(similar);
  for (const span of similar)
    addSpan(report, span, {
      kind: "near_repeated_paragraph",
      severity: similarSeverity,
      message: "This paragraph is nearly the same as one further up.",
    });

  const repeated = groupEqual(originals.flatMap(toSentences)).filter((group) => group.length >= SENTENCE_TIMES);
  const repeatedSeverity = severityOf(repeated.flatMap(([, ...others]) => others));
  for (const [, ...others] of repeated)
    for (const span of others)
      addSpan(report, span, {
        kind: "repeated_sentence",
        severity: repeatedSeverity,
        message: `The article has this sentence ${others.length + 1} times.`,
        fix: "remove_copy",
      });
};

function isLong({ text, words }: Passage): boolean {
  return words.length >= PARAGRAPH_WORDS && text.length >= PARAGRAPH_CHARACTERS;
}

/** A quarter of the words, or three copies and 15 %. */
function isMuch(copies: readonly Span[], total: number): boolean {
  let words = 0;
  for (const { firstWord, endWord } of copies) words += endWord - firstWord;
  return words >= 0.25 * total || (copies.length >= 3 && words >= 0.15 * total);
}

function toSpan(passage: Passage): Span {
  return { passage, firstWord: 0, endWord: passage.words.length };
}

function toSentences(passage: Passage): Span[] {
  if (passage.words.length < SENTENCE_WORDS) return [];
  return passage.sentences.flatMap(({ firstWord, endWord }) =>
    endWord - firstWord >= SENTENCE_WORDS ? [{ passage, firstWord, endWord }] : [],
  );
}

function addSpan(report: Report, { passage, firstWord, endWord }: Span, found: Omit<Found, "passage">): void {
  const { starts } = passage.words;
  const isAll = firstWord === 0 && endWord === passage.words.length;
  const sentence = isAll ? undefined : passage.sentences.find((each) => each.firstWord === firstWord);
  const start = isAll ? 0 : (sentence?.start ?? starts[firstWord] ?? 0);
  report.add({ ...found, passage, start, end: isAll ? passage.text.length : (sentence?.end ?? passage.text.length) });
}

/** Spans of the same words, in groups of two and more, in the order of the text. */
function groupEqual(spans: readonly Span[]): Span[][] {
  const groups = new Map<number, Span[]>();
  for (const span of spans) {
    const hash = hashWords(span.passage.words.ids, span.firstWord, span.endWord);
    const group = groups.get(hash);
    const [first] = group ?? [];
    if (group === undefined || first === undefined) groups.set(hash, [span]);
    else if (areEqual(first, span)) group.push(span);
  }
  return Array.from(groups.values()).filter((group) => group.length > 1);
}

function areEqual(one: Span, other: Span): boolean {
  const length = one.endWord - one.firstWord;
  if (other.endWord - other.firstWord !== length) return false;
  for (let at = 0; at < length; at++)
    if (one.passage.words.ids[one.firstWord + at] !== other.passage.words.ids[other.firstWord + at]) return false;
  return true;
}

/**
 * Paragraphs of which most sequences of three words stand in one earlier paragraph. A sequence belongs to the first paragraph
 * that has it, so that the time grows with the text only, however many paragraphs are alike.
 */
function findSimilar(passages: readonly Passage[]): Span[] {
  const long = passages.filter(({ words }) => words.length >= SIMILAR_WORDS).slice(0, MAX_COMPARED);
  if (long.length < 2) return [];
  const owners = new Owners(countWords(long));
  const shared = new Int32Array(long.length);
  return long
    .filter(({ words: { ids, length } }, number) => {
      shared.fill(0, 0, number);
      for (let at = 0; at < length - 2; at++) {
        const owner = owners.claim(hashWords(ids, at, at + 3), number);
        if (owner !== number) shared[owner] = (shared[owner] ?? 0) + 1;
      }
      for (let owner = 0; owner < number; owner++) {
        const count = shared[owner] ?? 0;
        if (count > 0 && count >= SIMILAR_SHARE * (length + (long[owner]?.words.length ?? 0) - 4 - count)) return true;
      }
      return false;
    })
    .map(toSpan);
}

/** Who claimed a number first: a `Map` without its costs, of which this rule would have most. */
class Owners {
  readonly #bits: number;
  readonly #keys: Int32Array;
  /** The owner's number plus one. */
  readonly #owners: Int32Array;

  constructor(most: number) {
    this.#bits = Math.ceil(Math.log2(most)) + 1;
    this.#keys = new Int32Array(2 ** this.#bits);
    this.#owners = new Int32Array(2 ** this.#bits);
  }

  claim(key: number, owner: number): number {
    const mask = this.#keys.length - 1;
    let slot = Math.imul(key, 0x9e3779b1) >>> (32 - this.#bits);
    for (let found = this.#owners[slot] ?? 0; found !== 0; found = this.#owners[slot] ?? 0) {
      if (this.#keys[slot] === key) return found - 1;
      slot = (slot + 1) & mask;
    }
    this.#keys[slot] = key;
    this.#owners[slot] = owner + 1;
    return owner;
  }
}

function hashWords(ids: readonly number[], from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) {
    hash = Math.imul(hash ^ (ids[at] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
