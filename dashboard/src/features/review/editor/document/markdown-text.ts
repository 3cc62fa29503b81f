/** Writes running text as Markdown. */
import type { Mark, Node } from "prosemirror-model";
import { isAutolink } from "./addresses.ts";
import type { Escapes } from "./escapes.ts";
import { schema } from "./schema.ts";
import { isCode, isSameMarks, isSpace, type InlineUnit } from "./units.ts";

const { nodes, marks } = schema;

/** A way to write the text. Which one reads back as the same text depends on its surroundings. */
export interface TextStyle {
  emphasis: "*" | "_";
  /**
   * `usual` escapes characters that usually have a meaning; `beside` also encodes letters next to emphasis marks, so that they do
   * not form a word with them; `all` escapes all punctuation.
   */
  care: "usual" | "beside" | "all";
  /** A link whose text is its address: the bare address, the address in angle brackets where it has a scheme, or a link. */
  addresses: "bare" | "angled" | "link";
  escapes: Escapes;
  /** Whether reference links stay reference links. */
  hasReferences: boolean;
}

export interface TextPlace {
  within: readonly Mark[];
  /** Whether the text starts a line. */
  isLineStart: boolean;
  /** In tables and headings, a line break must be an HTML element. */
  isOneLine: boolean;
  isCell: boolean;
}

export function writeText(units: readonly InlineUnit[], place: TextPlace, style: TextStyle): string {
  return new TextWriter(place, style).write(collapseBlanks(units), place.within);
}

class TextWriter {
  readonly #place: TextPlace;
  readonly #style: TextStyle;
  #out = "";
  /** Whether the next character directly follows emphasis that ends in punctuation. */
  #isBeside = false;

  constructor(place: TextPlace, style: TextStyle) {
    this.#place = place;
    this.#style = style;
  }

  write(units: readonly InlineUnit[], within: readonly Mark[]): string {
    this.#span(units, within);
    return this.#out;
  }

  /** Writes a run of text. The mark that reaches furthest is the outermost; spaces at the ends stay outside. */
  #span(units: readonly InlineUnit[], open: readonly Mark[]): void {
    let index = 0;
    while (index < units.length) {
      const unit = units[index] as InlineUnit;
      const closed = isPlainBlank(unit) ? [] : unit.marks.filter((mark) => !mark.isInSet(open));
      let outer: Mark | undefined;
      let end = index + 1;
      for (const mark of closed) {
        const reach = reachOf(mark, units, index);
        // Code is always innermost.
        const isFurther = outer === undefined || reach > end || outer.type === marks.code;
        if (isFurther && (mark.type !== marks.code || closed.length === 1)) {
          outer = mark;
          end = reach;
        }
      }
      if (outer !== undefined) {
        this.#marked(outer, units.slice(index, end), open);
      } else if (unit.leaf !== null) {
        this.#add(writeLeaf(unit.leaf, this.#place, this.#style));
      } else {
        while (end < units.length && isBare(units[end] as InlineUnit, open)) end += 1;
        this.#text(
          units
            .slice(index, end)
            .map(({ text }) => text)
            .join(""),
          isCode(open),
        );
      }
      index = end;
    }
  }

  #marked(mark: Mark, units: readonly InlineUnit[], open: readonly Mark[]): void {
    if (mark.type === marks.code) {
      this.#add(writeCode(units.map(({ text }) => text).join(""), this.#place));
      return;
    }
    const address = mark.type === marks.link ? writeAddress(mark, units, open, this.#style) : null;
    if (address !== null) {
      this.#add(address);
      return;
    }
    const inner = new TextWriter({ ...this.#place, isLineStart: false }, this.#style);
    const text = inner.write(units, mark.addToSet(open));
    const isEmphasis = mark.type !== marks.link && mark.type !== marks.span;
    if (this.#style.care !== "usual" && isEmphasis && SIGN.test(text)) this.#out = encodeLast(this.#out);
    this.#add(startOf(mark, this.#style) + text + endOf(mark, this.#place, this.#style));
    this.#isBeside = isEmphasis && /[^\p{L}\p{N}]$/u.test(text);
  }

  #add(text: string): void {
    this.#out += text;
    this.#isBeside = false;
  }

  #text(text: string, isInCode: boolean): void {
    if (isInCode) {
      this.#add(text);
      return;
    }
    const isStart = this.#out === "" ? this.#place.isLineStart : this.#out.endsWith("\n");
    const escaped =
      this.#style.care === "all"
        ? escapeAll(text, this.#style.escapes)
        : escapeSome(text, isStart, this.#place, this.#style.escapes);
    this.#add(this.#style.care !== "usual" && this.#isBeside ? encodeFirst(escaped) : escaped);
  }
}

const SIGN = /^[^\p{L}\p{N}]/u;

function isBare(unit: InlineUnit, open: readonly Mark[]): boolean {
  return unit.leaf === null && (isPlainBlank(unit) || unit.marks.every((mark) => mark.isInSet(open)));
}

/** How far a mark reaches, without spaces at its end. */
function reachOf(mark: Mark, units: readonly InlineUnit[], from: number): number {
  let end = from + 1;
  for (let index = end; index < units.length; index += 1) {
    const unit = units[index] as InlineUnit;
    if (!mark.isInSet(unit.marks)) break;
    // No mark can begin or end inside code.
    if (mark.type === marks.code && !isSameMarks(unit.marks, (units[from] as InlineUnit).marks)) break;
    if (!isPlainBlank(unit)) end = index + 1;
  }
  return end;
}

function collapseBlanks(units: readonly InlineUnit[]): InlineUnit[] {
  return units
    .filter((unit, index) => !isPlainBlank(unit) || !isPlainBlank(units[index - 1]))
    .map((unit) => (isPlainBlank(unit) ? { ...unit, text: " " } : unit));
}

function isPlainBlank(unit: InlineUnit | undefined): boolean {
  return unit !== undefined && unit.leaf === null && isSpace(unit.text) && !isCode(unit.marks);
}

function startOf(mark: Mark, style: TextStyle): string {
  if (mark.type === marks.link) return "[";
  if (mark.type === marks.span) return String(mark.attrs["tag"]);
  return delimiter(mark, style);
}

function endOf(mark: Mark, { isCell }: TextPlace, style: TextStyle): string {
  if (mark.type === marks.span) return `</${mark.attrs["name"]}>`;
  if (mark.type !== marks.link) return delimiter(mark, style);
  const { href, title, reference } = mark.attrs;
  if (typeof reference === "string" && style.hasReferences) return `]${reference}`;
  return `](${inCell(destination(String(href), title), isCell)})`;
}

/** An address that is its own text; null if this way of writing has none, or something else is linked. */
function writeAddress(
  mark: Mark,
  units: readonly InlineUnit[],
  open: readonly Mark[],
  { addresses, hasReferences }: TextStyle,
): string | null {
  const { href, title, reference } = mark.attrs;
  if (addresses === "link" || title !== null || (hasReferences && typeof reference === "string")) return null;
  const around = mark.addToSet(open);
  if (!units.every((unit) => unit.leaf === null && isSameMarks(unit.marks, around))) return null;
  const text = units.map((unit) => unit.text).join("");
  if (!isAutolink(text, String(href))) return null;
  if (addresses === "bare") return text;
  return /^www\./i.test(text) ? null : `<${text}>`;
}

function delimiter(mark: Mark, style: TextStyle): string {
  if (mark.type === marks.strong) return "**";
  return mark.type === marks.strike ? "~~" : style.emphasis;
}

/** A bar would end the cell. */
function inCell(text: string, isCell: boolean): string {
  return isCell ? text.replaceAll("|", String.raw`\|`) : text;
}

function destination(address: string, title: unknown): string {
  const isPlain = /^[^\s<>()\\&]+$/.test(address);
  const escaped = address
    .replaceAll(/[\\<>]/g, String.raw`\$&`)
    .replaceAll(/&(?=[#a-z])/gi, "&amp;")
    .replaceAll(/\s/g, "%20");
  const target = isPlain ? address : `<${escaped}>`;
  if (typeof title !== "string" || title === "") return target;
  return `${target} "${title.replaceAll(/[\\"&]/g, String.raw`\$&`)}"`;
}

function writeLeaf(leaf: Node, place: TextPlace, style: TextStyle): string {
  const { attrs, type } = leaf;
  if (type === nodes.hard_break) return place.isOneLine ? "<br>" : "\\\n";
  if (type === nodes.footnote_reference) return `[^${attrs["label"]}]`;
  if (type === nodes.inline_island) {
    const source = String(attrs["source"]);
    return place.isOneLine ? source.replaceAll(/\s+/g, " ") : source;
  }
  if (typeof attrs["reference"] === "string" && style.hasReferences) return attrs["reference"];
  const alt = escapeAll(
    String(attrs["alt"]).replaceAll(/\s+/g, " "),
    // Parsers disagree about brackets there.
    (sign) => /[[\]\\]/.test(sign) || style.escapes(sign),
  );
  return `![${alt}](${inCell(destination(String(attrs["src"]), attrs["title"]), place.isCell)})`;
}

function writeCode(text: string, place: TextPlace): string {
  const runs = new Set([...text.matchAll(/`+/g)].map(([run]) => run.length));
  let length = 1;
  while (runs.has(length)) length += 1;
  const ticks = "`".repeat(length);
  const isPadded = /^`|`$|^ .*\S.* $/.test(text);
  const value = place.isCell ? text.replaceAll("|", String.raw`\|`) : text;
  return isPadded ? `${ticks} ${value} ${ticks}` : ticks + value + ticks;
}

/** All but `(`, with which a backslash would begin a formula. */
function escapeAll(text: string, escapes: Escapes): string {
  return text.replaceAll(/[!-')-/:-@[-`{-~]/g, (sign) => (escapes(sign) ? `\\${sign}` : sign));
}

/** Escapes only the characters that may be parsed as Markdown in their position. */
function escapeSome(text: string, isLineStart: boolean, { isCell }: TextPlace, escapes: Escapes): string {
  const start = isLineStart ? (LINE_START.exec(text)?.[0].length ?? 0) - 1 : -1;
  let out = "";
  let from = 0;
  for (const { index } of text.matchAll(isCell ? SPECIAL_IN_CELL : SPECIAL)) {
    if (start >= from && start < index) {
      out += text.slice(from, start) + escaped(text, start, escapes);
      from = start + 1;
    }
    out += text.slice(from, index) + escaped(text, index, escapes);
    from = index + 1;
  }
  if (start >= from) {
    out += text.slice(from, start) + escaped(text, start, escapes);
    from = start + 1;
  }
  return out + text.slice(from);
}

const LINE_START = /^(?: *(?:[#>+\-=|]|~(?=~~)|:(?= ))| *\d{1,9}[.)])/;
const SPECIAL =
  /[\\`[\]]|\*(?! )|(?<! )\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z!/?])|&(?=[a-z#])|~(?=~)|(?<=~)~/giu;
const SPECIAL_IN_CELL = new RegExp(`${SPECIAL.source}|\\|`, SPECIAL.flags);

function escaped(text: string, at: number, escapes: Escapes): string {
  const sign = text[at] ?? "";
  // The publisher's parser knows more tags than this one, and the definition of a term: `: text`.
  return sign === "<" || sign === ":" || escapes(sign) ? `\\${sign}` : sign;
}

function encodeLast(text: string): string {
  const last = /[\p{L}\p{N}]$/u.exec(text)?.[0];
  return last === undefined ? text : `${text.slice(0, -last.length)}&#x${last.codePointAt(0)?.toString(16)};`;
}

function encodeFirst(text: string): string {
  const [first] = text;
  if (first === undefined || !/[\p{L}\p{N}]/u.test(first)) return text;
  return `&#x${first.codePointAt(0)?.toString(16)};${text.slice(first.length)}`;
}
