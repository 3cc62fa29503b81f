/** A phrase so frequent that it was written for search engines. */
import { isFunctionWord } from "./function-words.ts";
import type { Material, Passage } from "./material.ts";
import { countEach, countWords, forEachProseWord, isWithoutSpaces } from "./prose.ts";
import type { Rule } from "./report.ts";

const MAX_PHRASE = 4;
const TIMES = 8;
/** Of the words of whole sentences. */
const WARN_SHARE = 0.035;
const BLOCK_SHARE = 0.05;
const MIN_WORDS = 40;
/** Shorter paragraphs are captions and lines of lists. */
const PARAGRAPH_WORDS = 8;
/** Names have to be repeated; they have a capital nearly everywhere. */
const NAME_SHARE = 0.6;

interface Phrase {
  passage: Passage;
  start: number;
  end: number;
  words: number;
  count: number;
  capitals: number;
}

export const findStuffing: Rule = (material, report) => {
  if (isWithoutSpaces(material)) return;
  const texts = material.paragraphs.filter(isOfSentences);
  const total = countWords(texts);
  if (total < MIN_WORDS) return;
  const needed = Math.max(TIMES, WARN_SHARE * total);
  const { words } = material.vocabulary;
  const counts = countEach(material, texts);
  const frequent = new Set<number>();
  for (const [id, count] of counts.entries()) if (count >= needed && !/^\d+$/.test(words[id] ?? "")) frequent.add(id);
  if (Array.from(frequent).every((id) => isFunctionWord(words[id] ?? ""))) return;
  const phrases = countPhrases(texts, frequent, material).filter(({ count }) => count >= needed);
  // German nouns have capitals, too, so that a phrase of them may be a name.
  const isGerman = material.detectedLanguage === "de";
  const [worst] = phrases
    .filter((phrase) => isGerman || !isName(phrase))
    .toSorted((one, other) => other.count * other.words - one.count * one.words);
  if (worst === undefined) return;
  const { passage, start, end, count } = worst;
  report.add({
    kind: "keyword_stuffing",
    severity: count >= BLOCK_SHARE * total && !isName(worst) ? "block" : "warn",
    passage,
    start,
    end,
    message: `This phrase is used ${count} times, once in every ${Math.round(total / count)} words.`,
  });
};

function isName({ capitals, count }: Phrase): boolean {
  return capitals > NAME_SHARE * count;
}

function isOfSentences({ kind, words, text }: Passage): boolean {
  return kind === "paragraph" && words.length >= PARAGRAPH_WORDS && /[.!?…:]["”’»)]*$/.test(text.slice(-4));
}

/** Of two to four frequent words. A function word is inside only, since "of the kettle" is no phrase. */
function countPhrases(texts: readonly Passage[], frequent: ReadonlySet<number>, { vocabulary }: Material): Phrase[] {
  const phrases = new Map<string, Phrase>();
  const isEdge = (id: number) => !isFunctionWord(vocabulary.words[id] ?? "");
  for (const passage of texts) {
    /** The frequent words up to here, without a gap. */
    let run: { id: number; word: number }[] = [];
    forEachProseWord(passage, (id, word) => {
      if (run.at(-1)?.word !== word - 1) run = [];
      if (!frequent.has(id)) {
        run = [];
        return;
      }
      run.push({ id, word });
      if (!isEdge(id)) return;
      for (let length = 2; length <= Math.min(MAX_PHRASE, run.length); length++) {
        const part = run.slice(-length);
        const [first] = part;
        if (first !== undefined && isEdge(first.id)) addPhrase(phrases, passage, part);
      }
    });
  }
  return Array.from(phrases.values());
}

function addPhrase(
  phrases: Map<string, Phrase>,
  passage: Passage,
  part: readonly { id: number; word: number }[],
): void {
  const { starts, ends } = passage.words;
  const [start, end] = [starts[part[0]?.word ?? 0] ?? 0, ends[part.at(-1)?.word ?? 0] ?? 0];
  const key = part.map(({ id }) => id).join(" ");
  const phrase = phrases.get(key) ?? { passage, start, end, words: part.length, count: 0, capitals: 0 };
  phrase.count += 1;
  if (/^\p{Lu}/u.test(passage.text.slice(start, start + 2))) phrase.capitals += 1;
  phrases.set(key, phrase);
}
