import { AppError } from "../system/errors.ts";
import { escapeText } from "./content/html/tree.ts";
import { type Passage, withoutSpace } from "./passages.ts";

/** Comments of one article, including replies and resolved ones. */
export const MAX_COMMENTS = 1_000;
/** Characters of all comments of an article, with quotes and suggestions: whoever opens it gets all of them. */
export const MAX_CHARACTERS_OF_ARTICLE = 1_000_000;
/** In characters, as the next one, which is for people without an account. */
export const MAX_COMMENT_LENGTH = 10_000;
export const MAX_GUEST_COMMENT_LENGTH = 2_000;
export const MAX_QUOTE_LENGTH = 5_000;
const MAX_MENTIONS = 50;

const MENTION = /<@([\w-]{1,100})>/g;

/** @throws AppError `invalid` if the text is empty or too long. */
export function checkComment(text: string): string {
  const body = text.trim();
  if (body === "") throw new AppError("invalid", "Write something before you send it.", { field: "text" });
  if (body.length > MAX_COMMENT_LENGTH) {
    throw new AppError("invalid", "A comment has at most 10,000 characters: make it shorter.", { field: "text" });
  }
  return body;
}

/** The accounts that a text mentions as `<@account>`. */
export function findMentions(body: string): string[] {
  return [...new Set([...body.matchAll(MENTION)].map(([, id = ""]) => id))].slice(0, MAX_MENTIONS);
}

/** The text with names instead of accounts. */
export function nameMentions(body: string, people: readonly { id: string; name: string | null }[]): string {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return body.replaceAll(MENTION, (_whole, id: string) => `@${names.get(id) ?? "somebody"}`);
}

export interface Suggestion {
  source: "html" | "markdown";
  content: string;
  /** The visible text, without white space. */
  text: string;
  passage: Passage;
  replacement: string;
}

/** Longer sources must be edited by hand: requests wait while the search runs. */
const MAX_SOURCE_LENGTH = 500_000;

/** Sources with just the passage's characters replaced; none if it is unclear which. Derive their texts to choose. */
export function replaceInSource({ source, content, text, passage, replacement }: Suggestion): string[] {
  if (content.length > MAX_SOURCE_LENGTH) return [];
  const quote = text.slice(passage.start, passage.end);
  const { squeezed, places } = squeeze(content);
  const written = source === "html" ? escapeText(quote) : quote;
  const before = countMatches(text, quote, passage.start);
  const matches = findMatches(squeezed, written);
  if (matches.length !== findMatches(text, quote).length) return [];
  const at = matches[before];
  const [start, end] = [places[at ?? -1], places[(at ?? 0) + written.length - 1]];
  if (start === undefined || end === undefined) return [];
  // When a word is removed, one of the spaces around it is removed, too.
  const isAlone = replacement === "" && content[end + 1] === " " && /\s/.test(content[start - 1] ?? " ");
  const forms = source === "html" ? [escapeText(replacement)] : [replacement, escapeMarkdown(replacement)];
  return [...new Set(forms)].map((form) => content.slice(0, start) + form + content.slice(end + (isAlone ? 2 : 1)));
}

/** The visible text, without white space, that the replacement should result in. */
export function expectText({ text, passage, replacement }: Suggestion): string {
  return text.slice(0, passage.start) + withoutSpace(replacement) + text.slice(passage.end);
}

/** The text without white space, and the original position of each of its characters. */
function squeeze(content: string): { squeezed: string; places: Int32Array } {
  const squeezed = withoutSpace(content);
  const places = new Int32Array(squeezed.length);
  let at = 0;
  for (let length = 0; length < squeezed.length; at++) {
    if (content.charCodeAt(at) === squeezed.charCodeAt(length)) places[length++] = at;
  }
  return { squeezed, places };
}

function countMatches(text: string, part: string, before: number): number {
  return findMatches(text, part).filter((at) => at < before).length;
}

/** With more matches, the right one cannot be told with certainty. */
const MAX_MATCHES = 1_000;

/** Finds where the part begins, overlapping matches included, in linear time (Knuth, Morris and Pratt). */
function findMatches(text: string, part: string): number[] {
  const found: number[] = [];
  if (part === "") return found;
  const back = new Int32Array(part.length);
  for (let at = 1, match = 0; at < part.length; at++) {
    while (match > 0 && part.charCodeAt(at) !== part.charCodeAt(match)) match = back[match - 1] ?? 0;
    if (part.charCodeAt(at) === part.charCodeAt(match)) match++;
    back[at] = match;
  }
  for (let at = 0, match = 0; at < text.length && found.length <= MAX_MATCHES; at++) {
    while (match > 0 && text.charCodeAt(at) !== part.charCodeAt(match)) match = back[match - 1] ?? 0;
    if (text.charCodeAt(at) === part.charCodeAt(match)) match++;
    if (match === part.length) {
      found.push(at - part.length + 1);
      match = back[match - 1] ?? 0;
    }
  }
  return found;
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
}
