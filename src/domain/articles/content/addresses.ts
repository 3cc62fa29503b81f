/** Finds the addresses of pictures and pages in a text. */

const PATTERNS = [
  // HTML, also within JSON, whose quotes are escaped.
  /(?:src|href)\s*=\s*\\?(?:"([^"\\]*)|'([^'\\]*)|([^\s"'>\\]+))/gi,
  // Markdown: links, pictures, and definitions of links.
  /\](?:\(|:)\s*<?([^\s<>)"\\]+)/g,
  /(?:https?:\/\/|www\.)[^\s<>"'\\]+/gi,
];
/** At the end of a bare address, Markdown takes these for the sentence's. */
const PUNCTUATION = "?!.,:;*_~)";
const AMPERSAND = /&(?:amp|#38|#x26);/gi;

/**
 * All addresses in HTML, Markdown or JSON, absolute and without fragments. It may find more than a parser would.
 * @param bases resolve relative addresses, one after the other.
 */
export function* findAddresses(text: string, bases: readonly string[]): Generator<string> {
  for (const pattern of PATTERNS) {
    for (const [whole, ...groups] of text.matchAll(pattern)) {
      const written = (groups.find((group) => group !== undefined) ?? whole).replaceAll(AMPERSAND, "&");
      for (const one of new Set([written, trimPunctuation(written)])) {
        const absolute = toAddress(one.startsWith("www.") ? `http://${one}` : one);
        const found = absolute === null ? bases.map((base) => toAddress(one, base)) : [absolute];
        yield* found.filter((address) => address !== null);
      }
    }
  }
}

function trimPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && PUNCTUATION.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Null if it is not an http or https address. */
export function toAddress(text: string, base?: string): string | null {
  const url = URL.parse(text.trim(), base);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  url.hash = "";
  return url.href;
}
