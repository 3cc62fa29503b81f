/** Parts in another language than the rest, and articles in another language than declared. */
import type { Severity } from "../../findings.ts";
import { FUNCTION_WORDS } from "./function-words.ts";
import { CODE_MARK } from "../html/text.ts";
import type { Material, Passage } from "./material.ts";
import { ADDRESS, countWords, forEachProseWord, languageName } from "./prose.ts";
import type { Report, Rule } from "./report.ts";

/** A detector errs on shorter paragraphs. */
const PARAGRAPH_WORDS = 18;
const FOREIGN_WORDS = 30;
const FOREIGN_SHARE = 0.15;
/** So many of a language's small words leave no doubt, and spare the detector. */
const CERTAIN_SHARE = 0.3;
/** A list of names has fewer of them, whatever language it seems to be in. */
const FOREIGN_FUNCTION_SHARE = 0.15;
const DECLARED_WORDS = 60;
const DECLARED_SHARE = 0.6;

/** Languages that a detector takes for each other. */
const RELATED = [
  "hi mr ne sa",
  "no nb nn da sv",
  "es gl ca pt",
  "hr sr bs sl",
  "cs sk",
  "id ms",
  "bg mk",
  "ru uk be",
  "de lb",
  "nl af",
].map((codes) => new Set(codes.split(" ")));
/** Those that the detector knows: nothing can be said of an article in another one. */
const DETECTABLE = new Set(
  "am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no or pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh".split(
    " ",
  ),
);

interface Vote {
  passage: Passage;
  language: string;
  words: number;
}

export const findForeignText: Rule = (material, report) => {
  const votes = vote(material);
  const main = findMain(votes) ?? (countWords(material.paragraphs) >= FOREIGN_WORDS ? material.detectedLanguage : null);
  if (main === null) return;
  checkDeclared(material, main, votes, report);
  const foreign = Map.groupBy(
    votes.filter(({ language }) => language !== main),
    ({ language }) => language,
  );
  for (const [language, parts] of foreign) checkForeign(material, { language, main, parts }, report);
};

function vote(material: Material): Vote[] {
  const { paragraphs, detectedLanguage, detectLanguage } = material;
  const small = detectedLanguage === null ? undefined : smallWords(material, detectedLanguage);
  const votes: Vote[] = [];
  for (const passage of paragraphs) {
    if (passage.isQuoted || passage.words.length < PARAGRAPH_WORDS) continue;
    const isCertain = small !== undefined && countIn(small, passage) >= CERTAIN_SHARE * passage.words.length;
    const words = isCertain ? passage.words.length : countProse(passage);
    if (words < PARAGRAPH_WORDS) continue;
    const language = isCertain ? detectedLanguage : detectLanguage(toSample([passage]));
    if (language !== null) votes.push({ passage, language, words });
  }
  return votes;
}

/** 1 for each word of the article, by its number, that is a small word of the language; undefined without a list of them. */
function smallWords({ vocabulary }: Material, language: string): Uint8Array | undefined {
  const list = FUNCTION_WORDS[language];
  if (list === undefined) return undefined;
  const small = new Uint8Array(vocabulary.words.length);
  for (const word of list) {
    const id = vocabulary.find(word);
    if (id !== undefined) small[id] = 1;
  }
  return small;
}

function countIn(small: Uint8Array, { words }: Passage): number {
  let count = 0;
  for (const id of words.ids) count += small[id] ?? 0;
  return count;
}

function countProse(passage: Passage): number {
  let count = 0;
  forEachProseWord(passage, () => (count += 1));
  return count;
}

function findMain(votes: readonly Vote[]): string | null {
  const words = new Map<string, number>();
  for (const each of votes) words.set(each.language, (words.get(each.language) ?? 0) + each.words);
  const [most] = Array.from(words).toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

function checkDeclared(
  { declaredLanguage, paragraphs }: Material,
  main: string,
  votes: readonly Vote[],
  report: Report,
): void {
  if (declaredLanguage === null || declaredLanguage === main || !DETECTABLE.has(declaredLanguage)) return;
  const total = sumWords(votes);
  const ofMain = sumWords(votes.filter(({ language }) => language === main));
  if (ofMain < DECLARED_WORDS || ofMain < DECLARED_SHARE * total) return;
  report.add({
    kind: "wrong_language",
    severity: areRelated(declaredLanguage, main) ? "warn" : "block",
    passage: paragraphs[0] ?? null,
    message: `The article is in ${languageName(main)}, but ${languageName(declaredLanguage)} is declared.`,
  });
}

interface Foreign {
  language: string;
  main: string;
  parts: readonly Vote[];
}

function checkForeign(material: Material, { language, main, parts }: Foreign, report: Report): void {
  const words = sumWords(parts);
  const passages = parts.map(({ passage }) => passage);
  // A detector errs on short texts, so all parts together have to give the same answer.
  if (words < FOREIGN_WORDS || material.detectLanguage(toSample(passages)) !== language) return;
  const small = smallWords(material, language);
  if (small !== undefined) {
    let count = 0;
    for (const passage of passages) count += countIn(small, passage);
    if (count < FOREIGN_FUNCTION_SHARE * words) return;
  }
  const isMuch = words >= FOREIGN_SHARE * countWords(material.paragraphs) && !areRelated(language, main);
  const severity: Severity = isMuch ? "block" : "warn";
  const message = `This is in ${languageName(language)}, the article in ${languageName(main)}.`;
  for (const passage of passages) report.add({ kind: "mixed_language", severity, passage, message });
}

function sumWords(votes: readonly Vote[]): number {
  let sum = 0;
  for (const { words } of votes) sum += words;
  return sum;
}

function areRelated(one: string, other: string): boolean {
  return RELATED.some((group) => group.has(one) && group.has(other));
}

/** As much as the detector reads, of all the passages; without code and addresses. */
function toSample(passages: readonly Passage[]): string {
  const room = Math.max(MIN_SAMPLE, Math.ceil(DETECTED / passages.length));
  return passages
    .slice(0, DETECTED / MIN_SAMPLE)
    .map(({ masked }) => masked.slice(0, MAX_SAMPLE).replaceAll(CODE_MARK, "").replaceAll(ADDRESS, " ").slice(0, room))
    .join(" ");
}

const DETECTED = 360;
const MIN_SAMPLE = 60;
const MAX_SAMPLE = 2000;
