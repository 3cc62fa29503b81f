/** Where Markdown and HTML name addresses, outside code. */

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

/** Where code in Markdown begins, fenced or between backticks, with where it ends. Linear. */
function codePlaces(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  let fence: { mark: string; start: number } | null = null;
  let at = 0;
  const runs: { at: number; length: number }[] = [];
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = { mark, start: at };
    else if (fence !== null) {
      if (mark?.startsWith(fence.mark) === true && line.trim() === mark) {
        ends.set(fence.start, at + line.length);
        fence = null;
      }
    } else {
      for (const { 0: run, index } of line.matchAll(/`+/g)) runs.push({ at: at + index, length: run.length });
    }
    at += line.length + 1;
  }
  if (fence !== null) ends.set(fence.start, text.length);
  // The next run of the same length closes code; looked up from the end, each is met once.
  const next = new Map<number, number>();
  for (const run of runs.toReversed()) {
    const close = next.get(run.length);
    if (close !== undefined) ends.set(run.at, close + run.length);
    next.set(run.length, run.at);
  }
  return ends;
}
