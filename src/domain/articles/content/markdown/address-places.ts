/** Where Markdown and HTML name addresses, outside code. */

/** What an address may follow. Found by one expression: looking at each character takes ten times as long. */
const BEGINNINGS = /\]\(|\[|(?<=\s)(?:href|src)\s?=/gi;
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
  let [passed, codeEnd] = [0, 0];
  for (const { index: at } of text.matchAll(BEGINNINGS)) {
    for (let place = code[passed]; place !== undefined && place.start < at; place = code[++passed]) {
      // What begins within code is a part of it.
      if (place.start >= codeEnd) codeEnd = place.end;
    }
    const pattern = PATTERNS[text.charAt(at)];
    if (at < codeEnd || pattern === undefined || (pattern === DEFINITION && !mayDefine(text, at))) continue;
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

/** Whether a definition may begin there: at most three spaces into its line. */
function mayDefine(text: string, at: number): boolean {
  return /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, at - 4), at));
}

function endOf(opening: string | undefined, isHtml: boolean): RegExp {
  if (opening === "<") return />/;
  if (opening === undefined) return isHtml ? /[\s>"']/ : /[\s)]/;
  return opening === '"' ? /"/ : /'/;
}

/** Code in Markdown, fenced or between backticks, in its order. Linear. */
function codePlaces(text: string): { start: number; end: number }[] {
  if (!text.includes("`") && !text.includes("~~~")) return [];
  const places: { start: number; end: number }[] = [];
  let fence: { mark: string; start: number } | null = null;
  let at = 0;
  const runs: { at: number; length: number }[] = [];
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = { mark, start: at };
    else if (fence !== null) {
      if (mark?.startsWith(fence.mark) === true && line.trim() === mark) {
        places.push({ start: fence.start, end: at + line.length });
        fence = null;
      }
    } else {
      for (const { 0: run, index } of line.matchAll(/`+/g)) runs.push({ at: at + index, length: run.length });
    }
    at += line.length + 1;
  }
  if (fence !== null) places.push({ start: fence.start, end: text.length });
  // The next run of the same length closes code; looked up from the end, each is met once.
  const next = new Map<number, number>();
  for (const run of runs.toReversed()) {
    const close = next.get(run.length);
    if (close !== undefined) places.push({ start: run.at, end: close + run.length });
    next.set(run.length, run.at);
  }
  return places.toSorted((one, other) => one.start - other.start);
}
