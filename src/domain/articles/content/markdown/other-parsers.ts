import { scanHtml } from "../html/html-scanner.ts";
import { sanitiseHtml } from "../html/sanitise.ts";
import { isAllowedElement } from "../html/schema.ts";

/**
 * Whether Markdown is clean whichever parser reads it. Parsers disagree about tabs, lists, tables, and where HTML begins and
 * ends: what is code or text to ours may be a script to a receiver's. Therefore every tag and address of the source must be
 * one that sanitising keeps, wherever it is, except in what is code or text to all parsers:
 *
 * - fenced code, and indented code that is not in a list;
 * - code in a line, and escaped characters, in a paragraph that cannot be an HTML block.
 *
 * Whatever is less certain counts as HTML. Two linear passes.
 */
export function isCleanForOtherParsers(markdown: string): boolean {
  if (!SUSPECT.test(markdown)) return true;
  const tags = new TagCheck();
  const source = markdown.includes("\r") ? markdown.replaceAll(/\r\n?/g, "\n") : markdown;
  return tags.areClean(source, true) || new SourceReader(source, tags).isClean();
}

const SUSPECT = /<[a-z/!?]|\][(:]/i;

/** What may stand before a block in its line: markers of quotes, lists, footnotes and definitions. */
const START = /^(?:[ \t>*+\-\d.):]|\[\^[^\]\s]{1,99}\]:)*/;
const LINE_START = /^(?:[ \t>*+\-\d.):]|\[\^[^\]\s]{1,99}\]:)*</gm;
const LIST = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)]|:)(?:[ \t]|$)|\[\^)/;
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
/** HTML that goes on across empty lines, and what ends it. */
const LONG_HTML: readonly [start: RegExp, end: RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?![a-z0-9-])/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/i, /\]\]>/],
  [/^<![a-z]/i, />/],
];

class SourceReader {
  private readonly lines: readonly string[];
  private readonly tags: TagCheck;
  /** Lines that are not separated by an empty one. */
  private chunk: string[] = [];
  private isHtml = false;
  /** What ends the HTML that goes on across empty lines. */
  private htmlEnd: RegExp | undefined;
  private inList = false;
  /** False after a fence that only some parsers may see: then nothing is certain to be code. */
  private isCertain = true;

  constructor(source: string, tags: TagCheck) {
    this.tags = tags;
    this.lines = source.split("\n");
  }

  isClean(): boolean {
    for (let at = 0; at < this.lines.length;) {
      const line = this.lines[at] ?? "";
      if (this.isIndentedCode(line)) {
        at += 1;
        continue;
      }
      const start = START.exec(line)?.[0] ?? "";
      const rest = line.slice(start.length);
      const end = FENCE.test(rest) ? this.fenceEnd(at, start, rest) : undefined;
      if (end !== undefined) {
        if (!this.flush() || SUSPECT.test(rest)) return false;
        if (start === "") this.inList = false;
        at = end;
        continue;
      }
      if (FENCE.test(rest)) this.isCertain = false;
      if (!this.add(line, rest)) return false;
      at += 1;
    }
    return this.flush();
  }

  private isIndentedCode(line: string): boolean {
    return this.chunk.length === 0 && !this.inList && this.isCertain && /^(?: {4}|\t)/.test(line);
  }

  private add(line: string, rest: string): boolean {
    if (this.htmlEnd === undefined && isBlank(line)) return this.flush();
    if (this.chunk.length === 0 && /^[^ \t]/.test(line)) this.inList = false;
    if (LIST.test(line)) this.inList = true;
    if (rest.startsWith("<")) {
      this.isHtml = true;
      this.htmlEnd ??= LONG_HTML.find(([start]) => start.test(rest))?.[1];
    }
    if (this.htmlEnd?.test(line) === true) this.htmlEnd = undefined;
    this.chunk.push(line);
    return true;
  }

  /** @returns the index of the line after the fenced code; undefined if it is not certain to be one. */
  private fenceEnd(at: number, start: string, rest: string): number | undefined {
    if (!this.isCertain || this.isHtml) return undefined;
    const inside = this.prefixInside(start);
    if (inside === undefined) return undefined;
    const fence = /^(?:`+|~+)/.exec(rest)?.[0] ?? "";
    const isQuote = inside.includes(">");
    for (let next = at + 1; next < this.lines.length; next += 1) {
      const line = this.lines[next] ?? "";
      if (isQuote ? line === inside.trimEnd() : isBlank(line)) continue;
      if (!line.startsWith(inside)) return undefined;
      const [, space = "", end = ""] = /^([ \t]*)(`+|~+)[ \t]*$/.exec(line.slice(inside.length)) ?? [];
      if (!end.startsWith(fence)) continue;
      if (space === "" || (inside === "" && /^ {0,3}$/.test(space))) return next + 1;
      // Within a container, parsers measure the indentation of this line differently.
      if (inside !== "") return undefined;
    }
    return isQuote ? undefined : this.lines.length;
  }

  /** What every line of fenced code begins with; undefined where the fence may be part of a paragraph. */
  private prefixInside(start: string): string | undefined {
    if (/^(?:> ?)*$/.test(start)) return start;
    const isFirst = this.chunk.length === 0;
    if (/^[ \t]*$/.test(start)) return isFirst || /^ {0,3}$/.test(start) ? start : undefined;
    const isItem = isFirst ? /^ *(?:[*+-]|\d{1,9}[.)]) $/.test(start) : /^ {0,3}[*+-] $/.test(start);
    return isItem ? " ".repeat(start.length) : undefined;
  }

  private flush(): boolean {
    const { chunk, isHtml, isCertain } = this;
    this.chunk = [];
    this.isHtml = false;
    const text = chunk.join("\n");
    if (!SUSPECT.test(text)) return true;
    if (!isCertain || isHtml) return this.tags.areClean(text, true);
    return this.tags.areClean(text, false) || this.tags.areClean(withoutCode(chunk), false);
  }
}

const isBlank = (line: string): boolean => /^[ \t]*$/.test(line);

/** A tag or an address, and a link, within which no code can begin. */
const REGULAR_TAG =
  /<(?:\/[a-z][a-z0-9-]*|[a-z][a-z0-9-]*(?:[ \t]+[a-z_:][\w.:-]*(?:=(?:"[^"<>`]*"|'[^'<>`]*'|[^\s"'=<>`]+))?)*[ \t]*\/?|[a-z][a-z0-9+.-]*:[^\s<>`]*)>/gi;
const FOOTNOTE = /^\[\^[^\]\s`]{1,99}\]:/gm;
const CODE_IN_LABEL = /\]\[[^\][`]*`/;
const REGULAR_LINK = /\]\([^\s()<>`\\]*(?:[ \t]"[^"`\\\n]*")?\)/g;

/** Blanks the code in the lines of paragraphs; leaves it where other parsers may find its beginning or end elsewhere. */
function withoutCode(lines: readonly string[]): string {
  const isTable = lines.some((line) => /^[ \t>|:*+-]*$/.test(line));
  const written: string[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at + 1;
    while (end < lines.length && !/^ {0,3}[*+-] /.test(lines[end] ?? "")) end += 1;
    written.push(withoutCodeInBlock(lines.slice(at, end), isTable));
    at = end;
  }
  return written.join("\n");
}

/** The lines of a list item, or those before the first. */
function withoutCodeInBlock(lines: readonly string[], isTable: boolean): string {
  const text = lines.join("\n");
  // The name of a definition may begin code.
  if (text.replaceAll(FOOTNOTE, "").includes("]:")) return text;
  const [first = "", ...others] = lines;
  const isParagraph =
    !isTable && FIRST_OF_PARAGRAPH.test(first) && others.every((line) => NEXT_OF_PARAGRAPH.test(line));
  const masked = (isParagraph ? [text] : lines).map((part) => maskCode(part, isTable));
  if (!masked.every((part) => part !== undefined)) return text;
  const result = masked.join("\n");
  const rest = result
    .replaceAll(FOOTNOTE, "")
    .replaceAll(REGULAR_TAG, " ")
    .replaceAll(REGULAR_LINK, " ")
    .replaceAll(/\\[!-/:-@[-`{-~]/g, " ");
  return SUSPECT.test(rest) || CODE_IN_LABEL.test(rest) || result.split(/[\s<]/).some(isAddressWithCode)
    ? text
    : result;
}

const FIRST_OF_PARAGRAPH = /^ {0,3}(?:(?:[*+-]|\d{1,9}[.)]) )?[\p{L}"'(`]/u;
const NEXT_OF_PARAGRAPH = /^ *[\p{L}"'(`]/u;

/** @returns undefined if not all code in the text is certain to begin and to end there. */
function maskCode(text: string, isTable: boolean): string | undefined {
  let masked = "";
  let from = 0;
  let open: { length: number; end: number } | undefined;
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const end = index + run.length;
    if (open === undefined) {
      if (text[index - 1] === "\\") return undefined;
      open = { length: run.length, end };
      masked += text.slice(from, end);
    } else if (open.length === run.length) {
      const code = text.slice(open.end, index);
      if (isTable && code.replaceAll("\\|", "").includes("|")) return undefined;
      masked += " ".repeat(code.length) + run;
      open = undefined;
    } else continue;
    from = end;
  }
  return open === undefined ? masked + text.slice(from) : undefined;
}

/** An address that is written as such, which to GFM goes on to the next space. */
function isAddressWithCode(word: string): boolean {
  return word.includes("`") && /:\/\/|www\./i.test(word);
}

/** Number of different tags and addresses that are examined: more than any article has. */
const MAX_PIECES = 20_000;

class TagCheck {
  private readonly known = new Map<string, boolean>();

  /** Whether sanitising would keep all tags and addresses of the text, each by itself. */
  areClean(text: string, isHtml: boolean): boolean {
    for (const [, address = ""] of text.matchAll(/\][(:][\s>]*<?([^\s<>)]*)/g))
      if (!this.isCleanAddress(address.replaceAll("\\", ""))) return false;
    // Within a tag, no other character is escaped.
    const source = isHtml ? text : text.replaceAll(/\\[\\<]/g, "  ");
    const last = source.lastIndexOf(">");
    let starts: ReadonlySet<number> | undefined;
    let closed: ReadonlySet<string> | undefined;
    const isClosed = (name: string): boolean => {
      if (!OPAQUE.has(name)) return false;
      closed ??= new Set([...OPAQUE].filter((opaque) => source.includes(`</${opaque}`)));
      return closed.has(name);
    };
    for (const { 0: piece, index } of source.matchAll(/<[a-z!?][^<]*/gi)) {
      if (!isHtml && !isTag(piece)) {
        const address = /^<([a-z][a-z0-9+.-]*:[^\s<>]*)>/i.exec(piece)?.[1];
        if (address !== undefined && !this.isCleanAddress(address)) return false;
        continue;
      }
      if (/^<https?:\/\/[^\s<>"'`=]*>/i.test(piece)) continue;
      // A tag within a line needs its end in the same paragraph.
      if (!isHtml && last < index && !(starts ??= findStarts(source, last)).has(index)) continue;
      const tag = toTag(piece);
      if (!this.isCleanTag(tag, isClosed) || !isWhole(source, index, tag, isHtml)) return false;
    }
    return true;
  }

  private isCleanAddress(address: string): boolean {
    if (/^(?:https?:\/\/|[\w-]*(?:$|[/#?.]))/i.test(address) && !address.includes("&")) return true;
    return this.remember(` ${address}`, () => isCleanAddress(address));
  }

  private isCleanTag(tag: string, isClosed: (name: string) => boolean): boolean {
    const name = /^<([a-z][a-z0-9-]*)/i.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (name === "" ? !tag.startsWith("<!--") : !isAllowedElement(name)) return false;
    if (name !== "" && !OPAQUE.has(name) && tag.length === name.length + 2 && tag.endsWith(">")) return true;
    const isWithEnd = isClosed(name);
    const html = isWithEnd ? `${tag}</${name}>` : tag;
    return this.remember(html, () => {
      if (scanHtml(VOID.has(name) || isWithEnd ? html : `${tag}</${name}>`).clean) return true;
      const { removed, isRepaired } = sanitiseHtml(html);
      return isRepaired !== true && removed.every((what) => what.endsWith(" outside a table"));
    });
  }

  private remember(piece: string, examine: () => boolean): boolean {
    let isClean = this.known.get(piece);
    if (isClean !== undefined) return isClean;
    isClean = this.known.size < MAX_PIECES && examine();
    this.known.set(piece, isClean);
    return isClean;
  }
}

const VOID: ReadonlySet<string> = new Set(["br", "hr", "img"]);
/** They hide what follows until their end tag, which is another piece. */
const OPAQUE: ReadonlySet<string> = new Set(["audio", "iframe", "video"]);

function isTag(piece: string): boolean {
  return /^<(?:[a-z][a-z0-9-]*(?:[\s/>]|$)|!--|!\[CDATA\[|![a-z]|\?)/i.test(piece);
}

/** The places after `from` where a line may begin an HTML block. */
function findStarts(source: string, from: number): ReadonlySet<number> {
  const starts = new Set<number>();
  for (const { 0: start, index } of source.matchAll(LINE_START)) {
    const at = index + start.length - 1;
    if (at > from) starts.add(at);
  }
  return starts;
}

/** The piece up to the end of its tag. */
function toTag(piece: string): string {
  const comment = piece.startsWith("<!--") ? piece.indexOf("-->") + 3 : 0;
  if (comment > 2) return piece.slice(0, comment);
  const tag = /^<(?:"[^"]*"|'[^']*'|[^"'>])*>/.exec(piece)?.[0];
  return tag ?? piece.slice(0, piece.lastIndexOf(">") + 1 || piece.length);
}

/** Whether no parser ends an HTML block, or the list item or quote around it, between the lines of the tag. */
function isWhole(source: string, index: number, tag: string, isHtml: boolean): boolean {
  const [first = "", ...others] = tag.split("\n");
  if (others.length === 0) return true;
  const before = source.slice(source.lastIndexOf("\n", index) + 1, index);
  if (first.startsWith("<!--")) return before === "";
  const start = START.exec(before)?.[0] ?? "";
  // An inline tag that is cut is text.
  if (!isHtml && start !== before) return true;
  return /^ *$/.test(start) && others.every((line) => line.startsWith(start) && /^ *[a-z"'/]/i.test(line));
}

export function isCleanAddress(address: string): boolean {
  // Markdown parsers resolve character references in addresses, as HTML parsers do.
  const value = address.replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return sanitiseHtml(`<a href="${value}">x</a>`).removed.length === 0;
}
