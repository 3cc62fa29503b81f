import { parseLanguageTag } from "../domain/articles/language-tag.ts";

const NAMES = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** For fields that may hold something else, too: accepts only languages that have a name. */
export function readKnownLanguage(given: unknown): string | undefined {
  const tag = readLanguage(given);
  return tag !== undefined && NAMES.of(tag) !== undefined ? tag : undefined;
}

/** A language as other programs write it; undefined for what is none, which an import leaves out. */
export function readLanguage(given: unknown): string | undefined {
  return typeof given === "string" && given.trim() !== "" ? parseLanguageTag(given) : undefined;
}
