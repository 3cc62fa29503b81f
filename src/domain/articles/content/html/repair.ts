import { ELEMENTS } from "./schema.ts";
import { endsName, isLetter, isSpace, SourceIndex } from "./source-index.ts";

/**
 * Repairs an HTML source in which a parser would lose text: where an end tag is missing, it swallows the rest.
 *
 * - Self-closing syntax closes every element that is not void.
 * - An element that hides its content and has no end tag is closed where it begins; without attributes, it is text.
 * - A word in angle brackets that is no element of HTML, and that nothing closes, is text.
 * - An attribute whose quote is missing ends at the first `>`. What only looks like a tag, a comment that never ends,
 *   and CDATA markers become text, or are dropped.
 *
 * One linear pass. The result is no safer than the source: it is sanitised afterwards.
 */
export function repairHtml(source: string): string {
  return source.includes("<") ? new Repair(source).run() : source;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const VOID = words("area base basefont bgsound br col embed frame hr img input link meta param source track wbr");
/** A parser reads their content as text up to the end tag. */
const RAW_TEXT = words("iframe noembed noframes script style textarea title xmp");
/** Sanitising removes their content with them; it is left to the parser unchanged. */
const OPAQUE = words("applet datalist math object optgroup option select svg template");
/** Elements whose content is shown only if the medium cannot be. */
const MEDIA = words("audio video");
const BLOCKS = words(
  "article aside blockquote dd details div dt figcaption figure footer h1 h2 h3 h4 h5 h6 header li main nav p section td th",
);
/** Elements that HTML has or had; another one without attributes and without an end tag is a word. */
const KNOWN = new Set([
  ...Object.keys(ELEMENTS),
  ...VOID,
  ...RAW_TEXT,
  ...OPAQUE,
  ...words("blink body button canvas command content dialog dir fieldset form head html image keygen label legend"),
  ...words("listing marquee multicol nextid noscript output plaintext portal shadow slot spacer"),
]);
const END_TAG = /<\/([a-z][^\s/>]*)/g;
/** Operators, with nothing that a tag would have besides names. */
const isFormula = (attributes: string): boolean => /&&|\|\||[;(]/.test(attributes) && !/[="']/.test(attributes);
const hides = (name: string): boolean => RAW_TEXT.has(name) || OPAQUE.has(name) || MEDIA.has(name);
const MAX_BLOCKS = 256;

interface Tag {
  name: string;
  /** Index after the tag; negative if it is not a tag but text. */
  end: number;
  /** The repaired tag; undefined if the source needs no repair. */
  mended: string | undefined;
  selfClosed: boolean;
  bare: boolean;
}

class Repair {
  private readonly source: string;
  private readonly index: SourceIndex;
  private readonly parts: string[] = [];
  private at = 0;
  private closed: ReadonlySet<string> | undefined;
  /** Open blocks, innermost last. */
  private readonly blocks: string[] = [];

  constructor(source: string) {
    this.source = source;
    this.index = new SourceIndex(source);
  }

  run(): string {
    const { source } = this;
    while (this.at < source.length) {
      const next = this.index.next("<", this.at);
      this.copy(next);
      if (next >= source.length) break;
      const code = source.charCodeAt(next + 1);
      if (isLetter(code)) this.startTag();
      else if (code === SLASH) this.endTag();
      else if (code === BANG || code === QUESTION) this.declaration();
      else this.copy(next + 1);
    }
    return this.parts.join("");
  }

  private copy(end: number): void {
    if (end > this.at) this.parts.push(this.source.slice(this.at, end));
    this.at = end;
  }

  private escape(): void {
    this.parts.push("&lt;");
    this.at += 1;
  }

  private startTag(): void {
    const tag = this.tag(this.at + 1);
    const { name } = tag;
    if (tag.end < 0 || name === "plaintext" || this.isProse(tag)) return this.escape();
    if (VOID.has(name)) return this.write(tag);
    if (tag.selfClosed) return this.writeClosed(tag);
    if (!hides(name)) {
      if (BLOCKS.has(name) && this.blocks.length < MAX_BLOCKS && this.blocks.at(-1) !== name) this.blocks.push(name);
      return this.write(tag);
    }
    const close = this.index.nextTag(`</${name}`, tag.end);
    if (close >= this.source.length) return tag.bare && !this.hasSource(tag) ? this.escape() : this.writeClosed(tag);
    this.write(tag);
    if (MEDIA.has(name)) return;
    this.copy(close);
    this.writeEnd(this.tag(close + 2));
  }

  /** Whether it is part of a sentence: `List<String>`, `<your-name>`, `a<b && c>d`. */
  private isProse({ name, end, bare, mended, selfClosed }: Tag): boolean {
    // The last slash of `<https://example.org/>` belongs to the address.
    if (mended !== undefined || (selfClosed && !/^https?:$/.test(name))) return false;
    if (KNOWN.has(name)) return !bare && isFormula(this.source.slice(this.at + 1 + name.length, end - 1));
    if (!bare && this.source.slice(this.at, end).includes("=")) return false;
    return !this.endTags().has(name);
  }

  /** The names of all end tags. */
  private endTags(): ReadonlySet<string> {
    this.closed ??= new Set(Array.from(this.index.lower.matchAll(END_TAG), ([, name = ""]) => name));
    return this.closed;
  }

  private write(tag: Tag): void {
    if (tag.mended === undefined) this.copy(tag.end);
    else {
      this.parts.push(tag.mended);
      this.at = tag.end;
    }
  }

  private writeClosed(tag: Tag): void {
    const { source } = this;
    this.write(tag);
    const last = this.parts.pop() ?? "";
    this.parts.push(tag.selfClosed ? `${last.slice(0, last.lastIndexOf("/")).trimEnd()}>` : last);
    let end = this.skipSpace(this.at);
    if (RAW_TEXT.has(tag.name) && this.index.nextTag(`</${tag.name}`, this.at) === end && end < source.length) return;
    while (MEDIA.has(tag.name) && (this.isTag("<source", end) || this.isTag("<track", end))) {
      const inner = this.tag(end + 1);
      if (inner.end < 0 || inner.mended !== undefined) break;
      this.copy(inner.end);
      end = this.skipSpace(this.at);
    }
    this.parts.push(`</${tag.name}>`);
  }

  /** Whether a medium has its sources inside, rather than an address of its own. */
  private hasSource({ name, end }: Tag): boolean {
    return MEDIA.has(name) && this.isTag("<source", this.skipSpace(end));
  }

  private skipSpace(from: number): number {
    let at = from;
    while (isSpace(this.source.charCodeAt(at))) at += 1;
    return at;
  }

  private isTag(start: string, at: number): boolean {
    return this.index.lower.startsWith(start, at) && endsName(this.source.charCodeAt(at + start.length));
  }

  private endTag(): void {
    const { source } = this;
    if (!isLetter(source.charCodeAt(this.at + 2))) {
      // A parser ignores `</>`, and reads `</3` as the beginning of a comment.
      return this.escape();
    }
    this.writeEnd(this.tag(this.at + 2));
  }

  private writeEnd({ name, end, bare }: Tag): void {
    const next = end < 0 ? this.index.next("<", this.at + 2) : end;
    // The `>` is missing: any text after the name would be lost with the tag.
    if (end < 0 && this.source.slice(this.at + 2 + name.length, next).trim() !== "") return this.escape();
    if (end >= 0 && bare) this.copy(end);
    else this.parts.push(`</${name}>`);
    this.at = next;
    const block = BLOCKS.has(name) ? this.blocks.lastIndexOf(name) : -1;
    if (block >= 0) this.blocks.length = block;
  }

  private declaration(): void {
    const { source, index } = this;
    const start = this.at;
    if (index.lower.startsWith("<!--", start)) return this.comment();
    if (index.lower.startsWith("<![cdata[", start)) {
      this.at += "<![cdata[".length;
      const end = index.next("]]>", this.at);
      if (end >= source.length) return;
      // The end marker is dropped; the content up to it is markup like any other.
      this.parts.push(repairHtml(source.slice(this.at, end)));
      this.at = end + 3;
      return;
    }
    const end = index.next(">", start);
    const isShort = end < source.length && end < index.next("<", start + 1);
    const code = source.charCodeAt(start + 2);
    if (!isShort || !(isLetter(code) || code === BRACKET)) return this.escape();
    this.copy(end + 1);
  }

  private comment(): void {
    const { source, index } = this;
    const start = this.at + 4;
    if (source[start] === ">") return this.copy(start + 1);
    if (source.startsWith("->", start)) return this.copy(start + 2);
    const end = Math.min(index.next("-->", start), index.next("--!>", start));
    if (end >= source.length) return this.escape();
    const isNested = index.next("<!--", start) < end;
    const block = this.blocks.at(-1);
    if (isNested && block !== undefined) {
      const blockEnd = index.nextTag(`</${block}`, start);
      if (blockEnd < end && index.nextTag(`<${block}`, start) > blockEnd) return this.escape();
    }
    this.copy(source.indexOf(">", end) + 1);
  }

  /** Reads a tag whose name begins at `from`, by the rules of the HTML tokenizer. */
  private tag(from: number): Tag {
    const { source, index } = this;
    let at = from;
    while (!endsName(source.charCodeAt(at)) && source.charCodeAt(at) !== LESS) at += 1;
    const tag: Tag = { name: index.lower.slice(from, at), end: -1, mended: undefined, selfClosed: false, bare: true };
    for (let slash = -1; ;) {
      const code = source.charCodeAt(at);
      if (at >= source.length || code === LESS) return tag;
      // The slash of `href=https://example.com/>` belongs to the address.
      if (code === GREATER) return { ...tag, end: at + 1, selfClosed: slash === at - 1 };
      if (isSpace(code) || code === SLASH) {
        if (code === SLASH) slash = at;
        at += 1;
        continue;
      }
      tag.bare = false;
      at = this.attribute(at);
      if (at < 0) {
        // The quote before -at was never closed.
        const end = index.next(">", -at);
        if (end >= source.length) return tag;
        const quote = source.charAt(-at - 1);
        return { ...tag, end: end + 1, mended: `${source.slice(this.at, end)}${quote}>` };
      }
    }
  }

  /** @returns the index after the attribute; if its quote is never closed, the negated index of the value. */
  private attribute(from: number): number {
    const { source, index } = this;
    let at = from + 1;
    while (at < source.length && !endsName(source.charCodeAt(at)) && !STOPS.has(source.charCodeAt(at))) at += 1;
    let value = at;
    while (isSpace(source.charCodeAt(value))) value += 1;
    if (source.charCodeAt(value) !== EQUALS) return at;
    value += 1;
    while (isSpace(source.charCodeAt(value))) value += 1;
    const quote = source.charAt(value);
    if (quote !== '"' && quote !== "'") {
      while (value < source.length && !isSpace(source.charCodeAt(value)) && !ENDS.has(source.charCodeAt(value)))
        value += 1;
      return value;
    }
    const start = value + 1;
    const close = index.next(quote, start);
    if (close >= source.length) return -start;
    return close + 1;
  }
}

const [SLASH, BANG, QUESTION, GREATER, LESS, EQUALS, BRACKET] = [0x2f, 0x21, 0x3f, 0x3e, 0x3c, 0x3d, 0x5b];
const STOPS: ReadonlySet<number> = new Set([EQUALS, LESS]);
const ENDS: ReadonlySet<number> = new Set([GREATER, LESS]);
