/** Searches from left to right: each string costs one scan of the source. A–Z match in either case. */
export class SourceIndex {
  /** The source with A–Z in lower case; its indexes are those of the source. */
  readonly lower: string;
  private readonly found = new Map<string, { from: number; at: number }>();

  constructor(source: string) {
    // `toLowerCase` would change the length of some letters.
    this.lower = source.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  }

  /** Index of the first `needle` (in lower case) at or after `from`; the length of the source if there is none. */
  next(needle: string, from: number): number {
    return this.remembered(needle, from, (start) => this.lower.indexOf(needle, start));
  }

  /** Like `next`, for the start of a tag: `<name` or `</name`, followed by a character that ends a name. */
  nextTag(needle: string, from: number): number {
    return this.remembered(`${needle}>`, from, (start) => {
      for (let at = this.lower.indexOf(needle, start); at >= 0; at = this.lower.indexOf(needle, at + 1))
        if (endsName(this.lower.charCodeAt(at + needle.length))) return at;
      return -1;
    });
  }

  private remembered(key: string, from: number, search: (start: number) => number): number {
    const known = this.found.get(key);
    if (known !== undefined && known.from <= from && from <= known.at) return known.at;
    const found = search(from);
    const at = found < 0 ? this.lower.length : found;
    this.found.set(key, { from, at });
    return at;
  }
}

export function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0c || code === 0x0d;
}

/** Whether this character ends a tag's name; NaN stands for the end of the source. */
export function endsName(code: number): boolean {
  return code === SLASH || code === GREATER || isSpace(code) || Number.isNaN(code);
}

const SLASH = 0x2f;
const GREATER = 0x3e;
