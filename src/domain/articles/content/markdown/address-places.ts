/** Where Markdown and HTML name addresses, outside code. */
import { codePlaces } from "./code-places.ts";

/** What precedes an address; each is sticky, so that a place is looked at once. */
const LINK = /\]\(\s{0,9}(<)?/y;
const DEFINITION = /\[[^[\]\n]{1,200}\]:[ \t]{0,9}(<)?/y;
const HREF = /href\s?=\s?(["'])?/iy;
const SRC = /src\s?=\s?(["'])?/iy;
const PATTERNS: Readonly<Record<string, RegExp>> = { "]": LINK, "[": DEFINITION, h: HREF, H: HREF, s: SRC, S: SRC };

const MAX_LENGTH = 1_000;

export interface AddressPlace {
  start: number;
  end: number;
  /** Whether it is that of a picture; a definition may be for both. */
  kind: "link" | "picture" | "definition";
}

/** In their order. */
export function* addressPlaces(text: string): Generator<AddressPlace> {
  const code = codePlaces(text);
  for (let at = 0; at < text.length; at++) {
    const after = code.get(at);
    if (after !== undefined) {
      at = after - 1;
      continue;
    }
    const pattern = PATTERNS[text.charAt(at)];
    if (pattern === undefined || !mayBegin(pattern, text, at)) continue;
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) continue;
    const start = at + found[0].length;
    const next = text.slice(start, start + MAX_LENGTH);
    const isHtml = pattern === HREF || pattern === SRC;
    const length = next.search(endOf(found[1], isHtml));
    const end = length === -1 && next.length < MAX_LENGTH && found[1] === undefined ? text.length : start + length;
    const kind = pattern === DEFINITION ? "definition" : pattern === SRC ? "picture" : "link";
    if (end > start) yield { start, end, kind };
  }
}

function mayBegin(pattern: RegExp, text: string, at: number): boolean {
  if (pattern === LINK) return true;
  const before = text.slice(Math.max(0, at - 4), at);
  return pattern === DEFINITION ? /(?:^|\n) {0,3}$/.test(before) : /\s$/.test(before);
}

function endOf(opening: string | undefined, isHtml: boolean): RegExp {
  if (opening === "<") return />/;
  if (opening === undefined) return isHtml ? /[\s>"']/ : /[\s)]/;
  return opening === '"' ? /"/ : /'/;
}
