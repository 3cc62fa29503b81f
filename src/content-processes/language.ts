import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import {
  isLongEnough,
  type LanguageData,
  LanguageDetector,
} from "../domain/articles/content/measure/language-detector.ts";

/** ISO 639-1 code of a text's language; `null` if the text is too short or the detector is unsure. */
export function detectLanguage(text: string): string | null {
  if (!isLongEnough(text)) return null;
  detector ??= new LanguageDetector(readLanguageData());
  return detector.detect(text);
}

/** Loaded at the first use: a process may never derive an article. */
let detector: LanguageDetector | undefined;

/** Reads the package's files by path: its only exports are entries, which make objects of all n-grams. */
export function readLanguageData(): LanguageData {
  const entry = import.meta.resolve("eld/small");
  const file = (path: string) => fileURLToPath(new URL(path, entry));
  const require = createRequire(entry);
  return {
    ...(require(file("../regexPatterns.js")) as Pick<LanguageData, "separators">),
    ...(require(file("../dictionary.js")) as Pick<LanguageData, "dictionary">),
    ...(require(file("../avgScore.js")) as Pick<LanguageData, "avgScore">),
    ngrams: readFileSync(file("../ngrams/small.js"), "utf8"),
  };
}
