/** Finds the tags of template languages in an article, outside its code. Linear on any text. */

/** A template language. */
export interface TagSyntax {
  /** Forms of its tags; of two that begin alike, the longer first. */
  forms: readonly { open: string; close: string }[];
  /** What is between the signs of a tag; null: it is text. */
  read(inside: string, open: string): { name: string; rest: string; isEnd: boolean } | null;
  /** Whether what is between this tag and its end is text as it stands, such as code. */
  isVerbatim(name: string): boolean;
}

export interface Tag {
  kind: "tag";
  open: string;
  name: string;
  /** What comes after the name. */
  rest: string;
  /** As it was written. */
  source: string;
  /** What is between the tag and its end; null: it has no end. */
  inside: readonly Piece[] | null;
  /** `inside` as it stands, if its tags are not read; else null. */
  verbatim: string | null;
}

/** Text, code of Markdown with its marks, or a tag with what is inside it. */
export type Piece = { kind: "text"; text: string } | { kind: "code"; text: string } | Tag;

interface ReadTag {
  from: number;
  to: number;
  open: string;
  name: string;
  rest: string;
  isEnd: boolean;
}

/**
 * @param language in HTML no code is told from text.
 * @param literal tells whether at this place tags are text, as within `raw`.
 */
export function findTags(
  text: string,
  syntax: TagSyntax,
  language: "markdown" | "html",
  literal: (at: number) => boolean = () => false,
): Piece[] {
  if (!syntax.forms.some(({ open }) => text.includes(open))) {
    return language === "html" ? [{ kind: "text", text }] : readPlain(text);
  }
  const reader = new TagReader(text, syntax, literal);
  const tree = new Tree(text);
  const code = new CodeReader(text);
  let end = 0;
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    if (index < end) continue;
    if (mark.startsWith("{")) {
      const tag = reader.tagAt(index);
      if (tag === null) continue;
      tree.addText(end, index);
      end = tag.to;
      const close = tag.isEnd || !syntax.isVerbatim(tag.name) ? null : reader.endOf(tag);
      if (close === null) {
        tree.addTag(tag);
        continue;
      }
      tree.addVerbatim(tag, close);
      end = close.to;
      continue;
    }
    const codeEnd = language === "html" ? null : code.endAt(index, mark);
    if (codeEnd === null) continue;
    tree.addText(end, index);
    tree.addCode(index, codeEnd);
    end = codeEnd;
  }
  tree.addText(end, text.length);
  return tree.finish();
}

/** Where code or a tag may begin. */
const MARK = /`+|~{3,}|\{[{%]/g;

function readPlain(text: string): Piece[] {
  const pieces: Piece[] = [];
  const code = new CodeReader(text);
  let end = 0;
  for (const { 0: mark, index } of text.matchAll(/`+|~{3,}/g)) {
    if (index < end) continue;
    const codeEnd = code.endAt(index, mark);
    if (codeEnd === null) continue;
    if (index > end) pieces.push({ kind: "text", text: text.slice(end, index) });
    pieces.push({ kind: "code", text: text.slice(index, codeEnd) });
    end = codeEnd;
  }
  if (end < text.length) pieces.push({ kind: "text", text: text.slice(end) });
  return pieces;
}

/** Finds the next place of a text from growing positions: each part is searched once. */
function finder(text: string, needle: string): (from: number) => number {
  let at = -1;
  let isOver = false;
  return (from) => {
    if (isOver || at >= from) return at;
    at = text.indexOf(needle, from);
    isOver = at < 0;
    if (isOver) at = Number.POSITIVE_INFINITY;
    return at;
  };
}

class CodeReader {
  readonly #text: string;
  /** Places of runs of grave accents by their lengths. */
  #runs: Map<number, number[]> | undefined;
  readonly #used = new Map<number, number>();
  readonly #nextParagraph: (from: number) => number;

  constructor(text: string) {
    this.#text = text;
    this.#nextParagraph = finder(text, "\n\n");
  }

  /** The end of the code that begins with `mark` at `from`; null: none does. A fence without an end goes to the end. */
  endAt(from: number, mark: string): number | null {
    const text = this.#text;
    if (mark.length >= 3 && FENCE_PREFIX.test(text.slice(text.lastIndexOf("\n", from - 1) + 1, from).slice(0, 200))) {
      const lineEnd = text.indexOf("\n", from);
      if (lineEnd < 0) return text.length;
      if (mark.startsWith("~") || !text.slice(from + mark.length, lineEnd).includes("`"))
        return this.#fenceEnd(lineEnd, mark);
    }
    return mark.startsWith("~") ? null : this.#spanEnd(from, mark.length);
  }

  #fenceEnd(from: number, mark: string): number {
    const text = this.#text;
    for (let at = from; at < text.length;) {
      const next = text.indexOf("\n", at + 1);
      const end = next < 0 ? text.length : next;
      const line = text.slice(at + 1, end).replace(/^[ \t>]+/, "");
      if (line.startsWith(mark) && line.trimEnd() === mark.charAt(0).repeat(line.trimEnd().length)) return end;
      at = end;
    }
    return text.length;
  }

  #spanEnd(from: number, length: number): number | null {
    if (this.#runs === undefined) {
      this.#runs = new Map();
      for (const { 0: run, index } of this.#text.matchAll(/`+/g)) {
        const places = this.#runs.get(run.length);
        if (places === undefined) this.#runs.set(run.length, [index]);
        else places.push(index);
      }
    }
    const places = this.#runs.get(length) ?? [];
    let used = this.#used.get(length) ?? 0;
    while (used < places.length && (places[used] ?? 0) <= from) used += 1;
    this.#used.set(length, used);
    const close = places[used];
    return close === undefined || close > this.#nextParagraph(from) ? null : close + length;
  }
}

const FENCE_PREFIX = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/;

class TagReader {
  readonly #text: string;
  readonly #syntax: TagSyntax;
  readonly #literal: (at: number) => boolean;
  readonly #nextParagraph: Find;
  readonly #forms: readonly { open: string; close: string; nextOpen: Find; nextClose: Find }[];
  /** End tags by their names. */
  #ends: Map<string, ReadTag[]> | undefined;
  readonly #used = new Map<string, number>();

  constructor(text: string, syntax: TagSyntax, literal: (at: number) => boolean) {
    this.#text = text;
    this.#syntax = syntax;
    this.#literal = literal;
    this.#nextParagraph = finder(text, "\n\n");
    this.#forms = syntax.forms.map(({ open, close }) => ({
      open,
      close,
      nextOpen: finder(text, open),
      nextClose: finder(text, close),
    }));
  }

  tagAt(from: number): ReadTag | null {
    const text = this.#text;
    const form = this.#forms.find(({ open }) => text.startsWith(open, from));
    if (form === undefined || this.#literal(from) || (text[from - 1] === "{" && form.open === "{%")) return null;
    const { open, close } = form;
    const end = form.nextClose(from + open.length);
    // Signs in two paragraphs are none of one tag.
    if (end > text.length || this.#nextParagraph(from) < end) return null;
    // A tag that begins within another one: the outer one has no end. Liquid's way to show a sign is to quote it.
    if (
      form.nextOpen(from + open.length) < end &&
      !/^\s*(?:"[^"]*"|'[^']*')\s*$/.test(text.slice(from + open.length, end))
    )
      return null;
    const read = this.#syntax.read(text.slice(from + open.length, end), open);
    return read === null ? null : { from, to: end + close.length, open, ...read };
  }

  /** The next end of this tag. Each is visited once, however many tags there are. */
  endOf({ name, to }: ReadTag): ReadTag | null {
    this.#ends ??= this.#readEnds();
    const ends = this.#ends.get(name) ?? [];
    let used = this.#used.get(name) ?? 0;
    while (used < ends.length && (ends[used]?.from ?? 0) < to) used += 1;
    this.#used.set(name, used);
    return ends[used] ?? null;
  }

  #readEnds(): Map<string, ReadTag[]> {
    const reader = new TagReader(this.#text, this.#syntax, this.#literal);
    const ends = new Map<string, ReadTag[]>();
    for (const { index } of this.#text.matchAll(/\{[{%]/g)) {
      const tag = reader.tagAt(index);
      if (tag?.isEnd !== true) continue;
      const of = ends.get(tag.name);
      if (of === undefined) ends.set(tag.name, [tag]);
      else of.push(tag);
    }
    return ends;
  }
}

type Find = (from: number) => number;

/** Joins tags with their ends: an end belongs to the last tag of its name that is open, and those in it have none. */
class Tree {
  readonly #text: string;
  readonly #pieces: { piece: Piece; isEnd: boolean }[] = [];
  /** Places in `#pieces` of tags that have no end yet, and how many there are of each name. */
  readonly #open: { at: number; name: string }[] = [];
  readonly #count = new Map<string, number>();
  /** Those that have one. */
  readonly #paired = new Set<number>();

  constructor(text: string) {
    this.#text = text;
  }

  addText(from: number, to: number): void {
    if (to > from) this.#add({ kind: "text", text: this.#text.slice(from, to) });
  }

  addCode(from: number, to: number): void {
    this.#add({ kind: "code", text: this.#text.slice(from, to) });
  }

  addVerbatim(tag: ReadTag, end: ReadTag): void {
    this.#add({ ...this.#toTag(tag), verbatim: this.#text.slice(tag.to, end.from) });
  }

  addTag(tag: ReadTag): void {
    const { name, isEnd } = tag;
    const count = this.#count.get(name) ?? 0;
    if (!isEnd) {
      this.#open.push({ at: this.#pieces.length, name });
      this.#count.set(name, count + 1);
      this.#add(this.#toTag(tag));
      return;
    }
    for (let last = count === 0 ? undefined : this.#open.pop(); last !== undefined; last = this.#open.pop()) {
      this.#count.set(last.name, (this.#count.get(last.name) ?? 0) - 1);
      if (last.name !== name) continue;
      this.#paired.add(last.at);
      break;
    }
    this.#pieces.push({ piece: { ...this.#toTag(tag), name: `/${name}` }, isEnd: count > 0 });
  }

  finish(): Piece[] {
    const all: Piece[] = [];
    const around: Piece[][] = [];
    let here = all;
    for (const [at, { piece, isEnd }] of this.#pieces.entries()) {
      if (isEnd) here = around.pop() ?? all;
      else if (piece.kind === "tag" && this.#paired.has(at)) {
        const inside: Piece[] = [];
        here.push({ ...piece, inside });
        around.push(here);
        here = inside;
      } else here.push(piece);
    }
    return all;
  }

  #add(piece: Piece): void {
    this.#pieces.push({ piece, isEnd: false });
  }

  #toTag({ from, to, open, name, rest }: ReadTag): Tag {
    return { kind: "tag", open, name, rest, source: this.#text.slice(from, to), inside: null, verbatim: null };
  }
}
