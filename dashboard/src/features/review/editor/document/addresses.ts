/** URLs that the editor may use in its own page; others are shown as text only. */
const SAFE = new Set(["http:", "https:", "mailto:", "tel:"]);

/** @returns the URL, or null if it must not be followed or loaded by the dashboard. */
export function safeAddress(address: string): string | null {
  try {
    return SAFE.has(new URL(address, "https://relative.invalid/").protocol) ? address : null;
  } catch {
    return null;
  }
}

/** As browsers read it: without white space, which Markdown cannot contain here. */
export function cleanAddress(address: string): string {
  return address
    .trim()
    .replaceAll(/[\t\n\r]/g, "")
    .replaceAll(/\s/g, (space) => encodeURIComponent(space));
}

/** What an address typed as text leads to, as GitHub Flavored Markdown reads it; null if it is none. */
export function autolinkTarget(text: string): string | null {
  if (/^https?:\/\/[^\s<>]*[^\s<>/?#]$|^https?:\/\/[^\s<>]+$/i.test(text)) return text;
  if (/^www\.[^\s<>./]+\.[^\s<>]+$/i.test(text)) return `http://${text}`;
  return EMAIL.test(text) ? `mailto:${text}` : null;
}

/** Whether a link's text is its address. */
export function isAutolink(text: string, href: string): boolean {
  return autolinkTarget(text) === href;
}

const EMAIL = /^[\w.+-]+@[a-z\d](?:[a-z\d_-]*\.)+[a-z\d_-]*[a-z\d]$/i;

interface FoundAddress {
  text: string;
  from: number;
  to: number;
  href: string;
}

/** The addresses in a text, without signs of the sentence around them. */
export function findAddresses(text: string): FoundAddress[] {
  const found: FoundAddress[] = [];
  for (const { 0: written, index } of text.matchAll(ADDRESS)) {
    const address = withoutSigns(written);
    const href = autolinkTarget(address);
    if (href !== null) found.push({ text: address, from: index, to: index + address.length, href });
  }
  return found;
}

/** Not within a word. */
const ADDRESS = /(?<![\p{L}\p{N}_./-])(?:(?:https?:\/\/|www\.)[^\s<>\uFFFC]+|[\w.+-]+@[a-z\d][a-z\d._-]*)/giu;

function withoutSigns(written: string): string {
  let address = written;
  for (let before = ""; before !== address;) {
    before = address;
    address = address.replace(/[?!.,:;*_~'"”’»]$/, "");
    const isUnbalanced = address.endsWith(")") && count(address, ")") > count(address, "(");
    if (isUnbalanced || address.endsWith("]")) address = address.slice(0, -1);
  }
  return address;
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
