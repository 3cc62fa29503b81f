/** Finds tags and their attributes in sanitised HTML, without a parser. */

export type Range = readonly [start: number, end: number];

interface Tag {
  /** Lower case; empty for a comment. */
  name: string;
  /** Where its name ends. */
  nameEnd: number;
  /** Where it ends, less the `>`. */
  end: number;
  /** Those with a value, by their names in lower case. The value is as it is written, without quotes. */
  attributes: { name: string; value: Range }[];
}

/** `html` is sanitised: each `<` begins a tag or a comment. Linear. Tags that end an element are left out. */
export function* findTags(html: string): Generator<Tag> {
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    at += 1;
    if (html.startsWith("!--", at)) {
      const end = html.indexOf("-->", at + 3);
      at = end < 0 ? html.length : end;
      yield { name: "", nameEnd: at, end: at, attributes: [] };
      continue;
    }
    if (!isLetter(html.charCodeAt(at))) continue;
    const nameEnd = endOfName(html, at);
    const name = html.slice(at, nameEnd).toLowerCase();
    const attributes: Tag["attributes"] = [];
    at = nameEnd;
    while (at < html.length && html[at] !== ">") {
      if (isSpace(html.charCodeAt(at)) || html[at] === "/") {
        at += 1;
        continue;
      }
      const start = at;
      at = endOfName(html, at + 1, "=");
      const equals = skipSpaces(html, at);
      if (html[equals] !== "=") continue;
      const value = findValue(html, skipSpaces(html, equals + 1));
      attributes.push({ name: html.slice(start, at).toLowerCase(), value });
      const [valueStart, valueEnd] = value;
      at = html[valueStart - 1] === '"' || html[valueStart - 1] === "'" ? valueEnd + 1 : valueEnd;
    }
    yield { name, nameEnd, end: at, attributes };
  }
}

function endOfName(html: string, from: number, stop = ""): number {
  let at = from;
  while (at < html.length && html[at] !== stop && !endsName(html.charCodeAt(at))) at += 1;
  return at;
}

function skipSpaces(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at += 1;
  return at;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0c || code === 0x0d;
}

/** NaN stands for the end of the text. */
function endsName(code: number): boolean {
  return code === SLASH || code === GREATER || isSpace(code) || Number.isNaN(code);
}

const SLASH = 0x2f;
const GREATER = 0x3e;

/** Start and end of an attribute's value, without its quotes. */
function findValue(html: string, at: number): [number, number] {
  const quote = html[at];
  if (quote === '"' || quote === "'") {
    const end = html.indexOf(quote, at + 1);
    return [at + 1, end < 0 ? html.length : end];
  }
  let end = at;
  while (end < html.length && html[end] !== ">" && !isSpace(html.charCodeAt(end))) end += 1;
  return [at, end];
}
