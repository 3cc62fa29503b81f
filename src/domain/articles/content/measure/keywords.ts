import { countInPlain, toPlain } from "./plain-words.ts";
import { fold, searchTokens } from "./search.ts";

/** Finds a keyword as the search would: as consecutive whole words, ignoring case and accents, in any script. */
export class Keyword {
  private readonly tokens: readonly string[];
  private readonly folded: string;
  private readonly written: string;

  constructor(keyword: string) {
    this.written = keyword;
    this.tokens = searchTokens(keyword);
    this.folded = fold(keyword.trim());
  }

  /** Counts the keyword in a text. `tokens`: returns the text's tokens. */
  count(text: string, tokens: () => readonly string[] = () => searchTokens(text)): number {
    const [first] = this.tokens;
    if (first === undefined) return 0;
    if (this.tokens.length === 1 && IDEOGRAPH.test(first) && first === this.folded)
      return fold(text).split(first).length - 1;
    const plain = toPlain(text);
    if (plain !== undefined) return countInPlain(plain, this.tokens);
    const all = tokens();
    let count = 0;
    for (let at = all.indexOf(first); at >= 0; at = all.indexOf(first, at + 1)) {
      if (this.tokens.every((token, index) => all[at + index] === token)) {
        count += 1;
        // Overlapping occurrences count once.
        at += this.tokens.length - 1;
      }
    }
    return count;
  }

  isIn(text: string): boolean {
    return this.count(text) > 0;
  }

  /** Whether it is in a slug, where words may have been left out or written in ASCII. */
  isInSlug(slug: string, slugOf: (text: string) => string): boolean {
    if (this.tokens.length === 0) return false;
    return this.isIn(slug.replaceAll("-", " ")) || `-${slug}-`.includes(`-${slugOf(this.written)}-`);
  }
}

/** One or two such characters, which a search would find as part of a longer word. */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{1,2}$/u;
