import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { eld } from "eld/small";

/** With fewer than 24 letters, a guess is unreliable. */
const ENOUGH = /^(?:\P{L}*\p{L}){24}/u;
const ENOUGH_IF_DENSE = /^(?:\P{L}*\p{L}){8}/u;
/** Length of the text that the detector reads. */
const SAMPLE_LENGTH = 1000;

/** ISO 639-1 code of a text's language; `null` if the text is too short or the detector is unsure. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, SAMPLE_LENGTH);
  if (!(DENSE_SCRIPT.test(sample) ? ENOUGH_IF_DENSE : ENOUGH).test(sample)) return null;
  const result = detector().detect(sample);
  return result.language !== "" && result.isReliable() ? result.language : null;
}

/** Scripts in which a letter is a syllable or a word. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

type Eld = typeof eld;

let loaded: Eld | undefined;

/**
 * Loads the detector on first use: its database takes a quarter of a second, too much for a start-up that may never
 * save an article. The package does not allow `require` by its name, so its file is required.
 */
function detector(): Eld {
  loaded ??= (createRequire(import.meta.url)(fileURLToPath(import.meta.resolve("eld/small"))) as { eld: Eld }).eld;
  return loaded;
}
