/** What makes a text verifiable: names, numbers, and links to the sources of what it claims. */
import type { Material, Passage } from "../integrity/material.ts";
import type { Extract } from "../integrity/report.ts";
import { findPhrases, PHRASES } from "./phrases.ts";

export interface Evidence {
  /** Different names and numbers in the text; null: its script or language does not show names by capitals. */
  specifics: number | null;
  /** Studies and experts that are mentioned; null: there are none, or we do not know how the language mentions them. */
  claims: { all: number; unsourced: readonly Extract[] } | null;
  /** Paragraphs with percentages. */
  percentages: { all: number; unsourced: readonly Extract[] };
}

export function findEvidence(material: Material, language: string | null): Evidence {
  const { paragraphs, vocabulary, anchors } = material;
  const sourced = new Set(anchors.flatMap(({ href, block }) => (/^https?:/i.test(href) ? [block] : [])));
  const isUnsourced = ({ passage }: Extract) => !sourced.has(passage.block ?? -1);
  const claims = findPhrases(PHRASES[language ?? ""]?.claims ?? [], paragraphs, vocabulary);
  const percentages = paragraphs.flatMap((passage) => findPercentage(passage) ?? []);
  return {
    specifics: countSpecifics(material, language),
    claims: claims.length === 0 ? null : { all: claims.length, unsourced: claims.filter(isUnsourced) },
    percentages: { all: percentages.length, unsourced: percentages.filter(isUnsourced) },
  };
}

const PERCENTAGE = /\d\s?(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b)/iu;

function findPercentage(passage: Passage): Extract | null {
  const found = PERCENTAGE.exec(passage.masked);
  return found === null ? null : { passage, start: found.index, end: found.index + found[0].length };
}

/** German writes every noun with a capital: there a name is only told from a noun if another one stands beside it. */
const NEEDS_NEIGHBOUR = "de";
const MIN_NAME_LENGTH = 3;

function countSpecifics({ paragraphs, vocabulary }: Material, language: string | null): number | null {
  const found = new Uint8Array(vocabulary.words.length);
  let hasCapitals = false;
  for (const passage of paragraphs) {
    const { starts, ids, length } = passage.words;
    const isName = (word: number) => isNameAt(passage, word);
    for (let word = 0; word < length; word += 1) {
      const start = starts[word] ?? 0;
      const character = passage.text.charCodeAt(start);
      if (character >= DIGIT_0 && character <= DIGIT_9) found[ids[word] ?? 0] = 1;
      else if (isCapital(passage.text, start)) {
        hasCapitals = true;
        const counts =
          language === NEEDS_NEIGHBOUR ? isName(word) && (isName(word - 1) || isName(word + 1)) : isName(word);
        if (counts) found[ids[word] ?? 0] = 1;
      }
    }
  }
  return hasCapitals || vocabulary.words.length === 0 ? found.reduce((sum, one) => sum + one, 0) : null;
}

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Whether the word has a capital and does not begin a sentence. */
function isNameAt({ text, words: { starts, ends, length } }: Passage, word: number): boolean {
  if (word < 0 || word >= length) return false;
  const start = starts[word] ?? 0;
  if ((ends[word] ?? 0) - start < MIN_NAME_LENGTH || !isCapital(text, start) || text[start - 1] !== " ") return false;
  const before = text[start - 2] ?? ".";
  return before === "," || before === ";" || /\p{L}/u.test(before);
}

function isCapital(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 0x80 ? code >= 0x41 && code <= 0x5a : /^\p{Lu}/u.test(text.slice(at, at + 1));
}
