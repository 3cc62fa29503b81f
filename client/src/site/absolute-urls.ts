/** Makes the relative URLs of stored HTML absolute: links, pictures and other media. Everything else is kept byte for byte. */

const URL_ATTRIBUTES: ReadonlySet<string> = new Set(["href", "src", "poster", "cite"]);

/** Characters after which others may have their turn. */
const SLICE_LENGTH = 16 * 1024;
/** Characters that one text may grow by: with a long address of the website, and nothing but links, it would be gigabytes. */
const MAX_GROWTH = 32 * 1024 * 1024;

type Range = readonly [start: number, end: number];

/** `html` is sanitised: each `<` begins a tag or a comment. Linear; yields after each slice of the work. */
export function* absoluteUrls(html: string, websiteUrl: string): Generator<undefined, string> {
  const resolve = resolver(websiteUrl);
  const slices: string[] = [];
  let slice: string[] = [];
  let sliceStart = 0;
  let done = 0;
  let growth = 0;
  for (const [start, end] of urlRanges(html)) {
    const value = html.slice(start, end);
    const absolute = resolve(value);
    growth += absolute.length - value.length;
    if (growth > MAX_GROWTH) break;
    if (absolute !== value) {
      slice.push(html.slice(done, start), absolute);
      done = end;
    }
    if (end - sliceStart < SLICE_LENGTH) continue;
    slices.push(slice.join(""));
    slice = [];
    sliceStart = end;
    yield;
  }
  return [...slices, ...slice, html.slice(done)].join("");
}

/** The same without turns for others. */
export function withAbsoluteUrls(html: string, websiteUrl: string): string {
  const work = absoluteUrls(html, websiteUrl);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Where URLs are, and an empty range at the end of each tag and comment. */
function* urlRanges(html: string): Generator<Range> {
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    at += 1;
    if (html.startsWith("!--", at)) {
      const end = html.indexOf("-->", at + 3);
      at = end < 0 ? html.length : end;
      yield [at, at];
      continue;
    }
    if (!isLetter(html.charCodeAt(at))) continue;
    at = endOfName(html, at);
    while (at < html.length && html[at] !== ">") {
      if (isSpace(html.charCodeAt(at)) || html[at] === "/") {
        at += 1;
        continue;
      }
      const nameStart = at;
      at = endOfName(html, at + 1, "=");
      const equals = skipSpaces(html, at);
      if (html[equals] !== "=") continue;
      const name = html.slice(nameStart, at).toLowerCase();
      const [start, end] = findValue(html, skipSpaces(html, equals + 1));
      if (name === "srcset") yield* sourceRanges(html, start, end);
      else if (URL_ATTRIBUTES.has(name)) yield [start, end];
      at = html[start - 1] === '"' || html[start - 1] === "'" ? end + 1 : end;
    }
    yield [at, at];
  }
}

/** The URLs of a `srcset`, whose candidates are separated by commas. */
function* sourceRanges(html: string, from: number, to: number): Generator<Range> {
  let at = from;
  while (at < to) {
    while (at < to && (isSpace(html.charCodeAt(at)) || html[at] === ",")) at += 1;
    const start = at;
    while (at < to && !isSpace(html.charCodeAt(at))) at += 1;
    // A comma at its end separates it from the next one.
    yield [start, html[at - 1] === "," ? at - 1 : at];
    if (html[at - 1] === ",") continue;
    while (at < to && html[at] !== ",") at += 1;
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

function isSpace(code: number): boolean {
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

/** Resolves URLs as they stand in HTML, without decoding their character references. */
function resolver(websiteUrl: string): (written: string) => string {
  const { origin, protocol, pathname } = new URL(websiteUrl);
  const folder = `${origin}${pathname.endsWith("/") ? pathname : `${pathname}/`}`;
  return (written) => {
    const address = written.trim();
    // A link within the page stays one. A character reference up front may hide a scheme.
    if (address === "" || address.startsWith("#") || /^[a-z][a-z0-9+.-]*:/i.test(address)) return written;
    if (/^[^/?#]*&/.test(address)) return written;
    if (address.startsWith("//")) return protocol + address;
    if (address.startsWith("/")) return origin + address;
    const [steps = ""] = /^(?:\.{1,2}\/)*/.exec(address) ?? [];
    return (steps === "" ? folder : new URL(steps, folder).href) + address.slice(steps.length);
  };
}
