import { LanguageDetector } from "./language-detector.ts";

/** With fewer than 24 letters, a guess is unreliable. */
const ENOUGH = /^(?:\P{L}*\p{L}){24}/u;
const ENOUGH_IF_DENSE = /^(?:\P{L}*\p{L}){8}/u;
/** Length of the text that the detector reads. */
const SAMPLE_LENGTH = 1000;

/** ISO 639-1 code of a text's language; `null` if the text is too short or the detector is unsure. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, SAMPLE_LENGTH);
  if (!(DENSE_SCRIPT.test(sample) ? ENOUGH_IF_DENSE : ENOUGH).test(sample)) return null;
  detector ??= new LanguageDetector(import.meta.resolve("eld/small"));
  return detector.detect(sample);
}

/** Loaded at the first use: a start-up may never save an article. */
let detector: LanguageDetector | undefined;

/** Scripts in which a letter is a syllable or a word. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
