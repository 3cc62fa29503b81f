/** Which addresses of pictures and pages a text contains. */

const PATTERNS = [
  // HTML, also within JSON, whose quotes are escaped.
  /(?:src|href)\s*=\s*\\?(?:"([^"\\]*)|'([^'\\]*)|([^\s"'>\\]+))/gi,
  // Markdown: links, pictures, and definitions of links.
  /\](?:\(|:)\s*<?([^\s<>)"\\]+)/g,
  /https?:\/\/[^\s<>"'\\]+/gi,
];
const AMPERSAND = /&(?:amp|#38|#x26);/gi;

/**
 * All addresses in HTML, Markdown or JSON, absolute, without fragments; it may find more than a parser. @param bases of
 * relative ones.
 */
export function* findAddresses(text: string, bases: readonly string[]): Generator<string> {
  for (const pattern of PATTERNS) {
    for (const [whole, ...groups] of text.matchAll(pattern)) {
      const written = (groups.find((group) => group !== undefined) ?? whole).replaceAll(AMPERSAND, "&");
      const absolute = toAddress(written);
      const found = absolute === null ? bases.map((base) => toAddress(written, base)) : [absolute];
      yield* found.filter((address) => address !== null);
    }
  }
}

/** null for what is no address on the web. */
export function toAddress(text: string, base?: string): string | null {
  const url = URL.parse(text.trim(), base);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  url.hash = "";
  return url.href;
}
