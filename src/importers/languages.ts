import { parseLanguageTag } from "../domain/articles/language-tag.ts";

/** A language as other programs write it; undefined for what is none, which an import leaves out. */
export function readLanguage(given: unknown): string | undefined {
  return typeof given === "string" && given.trim() !== "" ? parseLanguageTag(given) : undefined;
}
