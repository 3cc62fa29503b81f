/**
 * Finds phrases among the words of an article, all in one pass. A phrase is written as words with spaces between them:
 * `a|b` is one of several words, `?a` may be missing, `model*` begins so, `…` stands for up to eight words. `^` before the
 * first word wants it at the beginning of the block; `:` or `?` after the last one wants that mark after the phrase, `?`
 * at the end of its sentence. Case, kinds of apostrophes and punctuation make no difference. The first word is exact.
 */
import type { FindingKind } from "../../findings.ts";
import type { Passage, Vocabulary } from "./material.ts";

export type PhraseKind = Extract<
  FindingKind,
  "chatbot_voice" | "knowledge_cutoff" | "chat_opener" | "chat_closer" | "prompt_echo"
>;

/** The phrases of a language. */
export type PhraseBook = Record<PhraseKind, readonly string[]>;

interface Phrase {
  kind: PhraseKind;
  steps: readonly Step[];
  isAtStart: boolean;
  mark: ":" | "?" | null;
}

interface Step {
  words: ReadonlySet<string>;
  prefixes: readonly string[];
  isOptional: boolean;
  isGap: boolean;
}

export interface PhraseMatch {
  kind: PhraseKind;
  firstWord: number;
  /** The word after the phrase. */
  endWord: number;
}

interface Starters {
  /** 1 for each number that is a key of `phrasesOf`: to ask the map for each word of a text would take longer. */
  isStarter: Uint8Array;
  phrasesOf: ReadonlyMap<number, readonly Phrase[]>;
}

const MAX_GAP_WORDS = 8;

export class PhraseFinder {
  readonly #byFirstWord = new Map<string, Phrase[]>();

  constructor(books: readonly PhraseBook[]) {
    for (const book of books) {
      for (const [kind, phrases] of Object.entries(book) as [PhraseKind, readonly string[]][]) {
        for (const phrase of phrases) this.#add(parsePhrase(kind, phrase));
      }
    }
  }

  #add(phrase: Phrase): void {
    for (const word of phrase.steps[0]?.words ?? []) {
      const others = this.#byFirstWord.get(word) ?? [];
      others.push(phrase);
      this.#byFirstWord.set(word, others);
    }
  }

  /** Phrases by the number of the word that they begin with; most words begin none. */
  prepare(vocabulary: Vocabulary): Starters {
    const isStarter = new Uint8Array(vocabulary.words.length);
    const phrasesOf = new Map<number, readonly Phrase[]>();
    for (const [word, phrases] of this.#byFirstWord) {
      const id = vocabulary.find(word);
      if (id === undefined) continue;
      isStarter[id] = 1;
      phrasesOf.set(id, phrases);
    }
    return { isStarter, phrasesOf };
  }
}

/** At most one match for each kind and first word. */
export function findPhrases(
  passage: Passage,
  vocabulary: Vocabulary,
  { isStarter, phrasesOf }: Starters,
): PhraseMatch[] {
  const matches: PhraseMatch[] = [];
  const { ids, length } = passage.words;
  for (let at = 0; at < length; at += 1) {
    const id = ids[at] ?? 0;
    if (isStarter[id] !== 1 || passage.isCode(at)) continue;
    for (const phrase of phrasesOf.get(id) ?? []) {
      if (phrase.isAtStart && at > 0) continue;
      const endWord = matchSteps(phrase.steps, 1, passage, vocabulary, at + 1);
      if (endWord < 0 || !hasMark(phrase, passage, endWord)) continue;
      if (!matches.some(({ kind, firstWord }) => kind === phrase.kind && firstWord === at)) {
        matches.push({ kind: phrase.kind, firstWord: at, endWord });
      }
    }
  }
  return matches;
}

/** @returns the word after the match; -1: none. Phrases are short, so that the steps that it tries are few. */
function matchSteps(
  steps: readonly Step[],
  step: number,
  passage: Passage,
  vocabulary: Vocabulary,
  at: number,
): number {
  const wanted = steps[step];
  if (wanted === undefined) return at;
  if (wanted.isGap) {
    for (let skipped = 0; skipped <= MAX_GAP_WORDS; skipped += 1) {
      const end = matchSteps(steps, step + 1, passage, vocabulary, at + skipped);
      if (end >= 0) return end;
    }
    return -1;
  }
  const word = at < passage.words.length ? vocabulary.words[passage.words.ids[at] ?? -1] : undefined;
  if (word !== undefined && isWanted(wanted, word)) {
    const end = matchSteps(steps, step + 1, passage, vocabulary, at + 1);
    if (end >= 0) return end;
  }
  return wanted.isOptional ? matchSteps(steps, step + 1, passage, vocabulary, at) : -1;
}

function isWanted({ words, prefixes }: Step, word: string): boolean {
  return words.has(word) || prefixes.some((prefix) => word.startsWith(prefix));
}

function hasMark({ mark }: Phrase, passage: Passage, endWord: number): boolean {
  if (mark === null) return true;
  const end = passage.words.ends[endWord - 1] ?? 0;
  if (mark === ":") return /^[\s*_]{0,4}:/.test(passage.masked.slice(end, end + 6));
  const sentence = passage.sentences.find((one) => end <= one.end);
  return sentence !== undefined && passage.text.slice(end, sentence.end).includes("?");
}

function parsePhrase(kind: PhraseKind, phrase: string): Phrase {
  const isAtStart = phrase.startsWith("^");
  const last = phrase.at(-1);
  const mark = last === ":" || last === "?" ? last : null;
  const steps = phrase.slice(isAtStart ? 1 : 0, mark === null ? undefined : -1).trim();
  return { kind, steps: steps.split(" ").map(parseStep), isAtStart, mark };
}

function parseStep(step: string): Step {
  const isOptional = step.startsWith("?");
  const options = (isOptional ? step.slice(1) : step).split("|");
  return {
    words: new Set(options.filter((option) => !option.endsWith("*"))),
    prefixes: options.flatMap((option) => (option.endsWith("*") ? [option.slice(0, -1)] : [])),
    isOptional,
    isGap: step === "…",
  };
}
