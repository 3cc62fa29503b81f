/** Makes the relative URLs of stored HTML absolute: links, pictures and other media. Everything else is kept byte for byte. */
import { endsName, isLetter, isSpace } from "./source-index.ts";

const URL_ATTRIBUTES: ReadonlySet<string> = new Set(["href", "src", "srcset", "poster", "cite"]);

/** `html` is sanitised: each `<` in it begins a tag or a comment. Linear in its length. */
export function absoluteUrls(html: string, websiteUrl: string): string {
  const resolve = resolver(websiteUrl);
  let made = "";
  let done = 0;
  for (const { name, start, end } of urlAttributes(html)) {
    const value = html.slice(start, end);
    const absolute = name === "srcset" ? resolveSources(value, resolve) : resolve(value);
    if (absolute === value) continue;
    made += html.slice(done, start) + absolute;
    done = end;
  }
  return made + html.slice(done);
}

/** The values of attributes that hold URLs, by their places. */
function* urlAttributes(html: string): Generator<{ name: string; start: number; end: number }> {
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    at += 1;
    if (html.startsWith("!--", at)) {
      const end = html.indexOf("-->", at + 3);
      at = end < 0 ? html.length : end;
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
      if (URL_ATTRIBUTES.has(name)) yield { name, start, end };
      at = html[start - 1] === '"' || html[start - 1] === "'" ? end + 1 : end;
    }
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
    return new URL(steps, folder).href + address.slice(steps.length);
  };
}

/** Each candidate of a `srcset`, separated by commas. */
function resolveSources(written: string, resolve: (written: string) => string): string {
  return written
    .split(/(,\s+|(?<=\d[wx]),)/)
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const start = part.length - part.trimStart().length;
      const space = part.slice(start).search(/\s/);
      const end = space < 0 ? part.length : start + space;
      return part.slice(0, start) + resolve(part.slice(start, end)) + part.slice(end);
    })
    .join("");
}
