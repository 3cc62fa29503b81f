/**
 * Blocks that GFM does not have, or marked not: footnotes, containers, definition lists, formulas. Packages that add these to
 * marked lose notes that nothing refers to, write elements of their own, and are not bounded as bounded-lexer.ts bounds it.
 */
import type { Token, Tokens } from "marked";
import { formulaBlockAt } from "./formulas.ts";
import { withoutTrailing } from "../../../system/trailing.ts";

/** A footnote's text. It is shown at the end of the article. */
export interface Note extends Tokens.Generic {
  type: "note";
  label: string;
  tokens: Token[];
}

/** `:::tip`, `!!! note`. */
export interface Container extends Tokens.Generic {
  type: "container";
  kind: "quote" | "details" | "plain";
  tokens: Token[];
}

export interface DefinitionList extends Tokens.Generic {
  type: "definitions";
  items: { tag: "dt" | "dd"; tokens: Token[] }[];
  tokens: Token[];
}

/** A formula, which stays as it is. */
export interface Formula extends Tokens.Generic {
  type: "formula";
  text: string;
}

/** What the blocks need of the lexer. */
export interface BlockLexer {
  readBlocks: (source: string, isTight: boolean) => Token[];
  inline: (source: string) => Token[];
  /** @throws if the source is too much work. */
  addWork: (characters: number) => void;
  /** Containers without an end; each costs a scan of the rest. */
  unclosed: number;
  /** @throws if there are too many. */
  addNote: (note: Note) => void;
}

/** Whether a text may have such blocks; most have none. */
export const mayHaveExtraBlocks = (source: string): boolean =>
  source.includes("[^") || source.includes("$$") || /(?:^|[ \t>])(?::|!!!|\?{3}|\\\[)/m.test(source);

/** @returns the block at the beginning of the source, if it is one of these. */
export function extraBlock(source: string, lexer: BlockLexer): Token | undefined {
  const start = skipBlanks(source, 0);
  if (start > 3) return undefined;
  switch (source[start]) {
    case "[":
      return readNote(source, lexer) ?? readDefinitions(source, lexer);
    case "$":
    case "\\":
      return readFormula(source, lexer) ?? readDefinitions(source, lexer);
    case ":":
      return readContainer(source, lexer);
    case "!":
    case "?":
      return readAdmonition(source, lexer) ?? readDefinitions(source, lexer);
    default:
      return readDefinitions(source, lexer);
  }
}

/** Where such a block begins in the paragraph at the beginning of the source, after its first line. */
export function findExtraBlock(source: string): number | undefined {
  for (let at = source.indexOf("\n") + 1; at > 0 && at < source.length; at = source.indexOf("\n", at) + 1) {
    const line = source.slice(at, at + MAX_LABEL);
    if (/^ {0,3}(?:\[\^[^\s\]\\^[]+\]:|:{3,}[ \t]*[\w{]|\$\$[ \t]*\n)/.test(line)) return at;
    if (/^[ \t]*\n/.test(line) || BLOCK_START.test(line)) return undefined;
  }
  return undefined;
}

const MAX_LABEL = 200;

function readNote(source: string, lexer: BlockLexer): Note | undefined {
  const start = /^ {0,3}\[\^([^\s\]\\^[]{1,190})\]:[ \t]*/.exec(source);
  if (start?.[1] === undefined) return undefined;
  const { raw, body } = readIndented(source, start[0].length, true);
  lexer.addWork(raw.length);
  const note: Note = { type: "note", raw, label: start[1].toLowerCase(), tokens: lexer.readBlocks(body, false) };
  lexer.addNote(note);
  return note;
}

const isBlank = (line: string): boolean => line.trim() === "";

/** A line that goes on no paragraph. */
const BLOCK_START =
  /^ {0,3}(?:>|={1,}[ \t]*$|[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}|<|:{3}|\||\[\^[^\s\]]{1,190}\]:|(?:\*[ \t]*){3}|(?:-[ \t]*){3}|(?:_[ \t]*){3})/;

/**
 * Reads the rest of a line, and the lines that belong to it: those that are indented, also after empty ones, and, if
 * `isLazy`, those that go on its paragraph.
 */
function readIndented(
  source: string,
  from: number,
  isLazy: boolean,
  indented = /^(?: {4}| {0,3}\t)/,
): { raw: string; body: string } {
  let end = lineEnd(source, from);
  const lines = [source.slice(from, end)];
  let empty = 0;
  let isOpen = isLazy && !isBlank(lines[0] ?? "");
  for (let at = end; at < source.length;) {
    const next = lineEnd(source, at + 1);
    const line = source.slice(at + 1, next);
    at = next;
    if (isBlank(line)) {
      empty += 1;
      isOpen = false;
      if (next >= source.length) break;
      continue;
    }
    const inner = indented.exec(line);
    if (inner === null && (!isOpen || empty > 0 || BLOCK_START.test(line) || DEFINITION.test(line))) break;
    for (; empty > 0; empty -= 1) lines.push("");
    lines.push(inner === null ? line : line.slice(inner[0].length));
    isOpen = isLazy;
    end = next;
  }
  return { raw: source.slice(0, Math.min(end + 1, source.length)), body: lines.join("\n") };
}

function readFormula(source: string, lexer: BlockLexer): Formula | undefined {
  const { formula, read } = formulaBlockAt(source);
  lexer.addWork(read);
  return formula === "" ? undefined : { type: "formula", raw: formula, text: formula.trim() };
}

/** Kinds of boxes, with the word that begins them where it is not their name. */
const BOXES: ReadonlyMap<string, string> = new Map(
  "abstract attention bug caution check danger error example failure faq help hint important info note question quote success summary tip todo warning"
    .split(" ")
    .map((name): [string, string] => [name, name.charAt(0).toUpperCase() + name.slice(1)])
    .concat([
      ["cite", "Quote"],
      ["tldr", "Summary"],
      ["warn", "Warning"],
    ]),
);

/** The word or the title with which a box begins; undefined for kinds that nobody knows. */
export function boxTitle(kind: string, title: string): string | undefined {
  return title.trim() === "" ? BOXES.get(kind.toLowerCase()) : title.trim();
}

/** Whether the text of a box begins with its bold word itself: `**Note:** Mind this.` */
export function saysItself(text: string, word: string): boolean {
  const said = /^\s{0,20}(?:\*\*|__)([^*_\n]{1,60})(?:\*\*|__)/.exec(text.slice(0, 200))?.[1]?.trim();
  return said?.replace(/[:.]$/, "").toLowerCase() === word.toLowerCase();
}

const OPENER = /^ {0,3}:{3,}[ \t]*(?:\{[ \t]*)?\.?([a-z][\w-]{0,40})([^]*)$/i;

/**
 * A container ends at its own `:::`; those in it have theirs. Without one, what begins a box is text, as nobody knows where
 * the box should end; any other name stands for a form of its site's, and goes.
 */
function readContainer(source: string, lexer: BlockLexer): Container | undefined {
  const first = lineEnd(source, 0);
  const opener = OPENER.exec(source.slice(0, first));
  if (opener === null || lexer.unclosed >= MAX_UNCLOSED) return undefined;
  const [, name = "", rest = ""] = opener;
  let fence = "";
  let depth = 1;
  for (let at = first; at < source.length;) {
    const next = lineEnd(source, at + 1);
    const line = source.slice(at + 1, next).trim();
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence) && mark === line) fence = "";
    } else if (mark !== "") fence = mark;
    else if (/^:{3,}$/.test(line)) depth -= 1;
    else if (line.startsWith(":::") && OPENER.test(line)) depth += 1;
    if (depth === 0) {
      lexer.addWork(next);
      const raw = source.slice(0, Math.min(next + 1, source.length));
      return box(raw, name, containerTitle(rest), source.slice(first + 1, at), lexer);
    }
    at = next;
  }
  lexer.unclosed += 1;
  const isBox = BOXES.has(name.toLowerCase()) || name.toLowerCase() === "details";
  if (isBox || !/^(?:\{[^{}]*\})?$/.test(rest.trim())) return undefined;
  return { type: "container", raw: source.slice(0, Math.min(first + 1, source.length)), kind: "plain", tokens: [] };
}

const MAX_UNCLOSED = 20;

/** The title in ` Mind this`, `[Mind this]{#id}`, `{title="Mind this"}` or `}`. */
function containerTitle(rest: string): string {
  const label = /^\[([^\]]*)\]/.exec(rest)?.[1];
  if (label !== undefined) return label;
  const attribute = /\btitle="([^"]*)"/.exec(rest)?.[1];
  if (attribute !== undefined) return attribute;
  const [open, close] = [rest.indexOf("{"), rest.indexOf("}")];
  const shown = close >= 0 && (open < 0 || close < open) ? rest.slice(close + 1) : rest;
  return withoutTrailing((shown.split("{")[0] ?? "").trim(), ":");
}

function box(raw: string, name: string, title: string, body: string, lexer: BlockLexer): Container {
  const isDetails = name.toLowerCase() === "details";
  const shown = isDetails ? title.trim() : (boxTitle(name, title) ?? "");
  const head: Token[] =
    shown === "" || (!isDetails && saysItself(body, shown))
      ? []
      : [isDetails ? summary(shown, lexer) : strongLine(shown, lexer.inline(shown))];
  const tokens = [...head, ...lexer.readBlocks(body, false)];
  const isBox = BOXES.has(name.toLowerCase());
  return { type: "container", raw, kind: isDetails ? "details" : isBox ? "quote" : "plain", tokens };
}

function summary(text: string, lexer: BlockLexer): Token {
  return { type: "summary", raw: "", text, tokens: lexer.inline(text) };
}

/** A paragraph of one bold phrase. */
export function strongLine(text: string, tokens: Token[]): Tokens.Paragraph {
  return { type: "paragraph", raw: "", text, tokens: [{ type: "strong", raw: "", text, tokens }] };
}

function readAdmonition(source: string, lexer: BlockLexer): Container | undefined {
  const end = lineEnd(source, 0);
  const start = /^(!!!|\?{3}\+?)[ \t]{1,8}([a-z][\w-]{0,40})/i.exec(source.slice(0, end));
  if (start === null) return undefined;
  const [, sign = "", name = ""] = start;
  const title = source.slice(0, end).split('"')[1];
  const { raw, body } = readIndented(source, end, false);
  if (isBlank(body)) return undefined;
  lexer.addWork(raw.length);
  const shown = title ?? boxTitle(name, "") ?? name.charAt(0).toUpperCase() + name.slice(1);
  const isDetails = sign.startsWith("?");
  const isSaid = shown === "" || (!isDetails && saysItself(body, shown));
  const head: Token[] = isSaid ? [] : [isDetails ? summary(shown, lexer) : strongLine(shown, lexer.inline(shown))];
  const tokens = [...head, ...lexer.readBlocks(body.replace(/^\n+/, ""), false)];
  return { type: "container", raw, kind: isDetails ? "details" : "quote", tokens };
}

const MAX_TERMS = 3;
const DEFINITION = /^ {0,3}:[ \t]+(?=\S)/;

/** Terms on lines of their own, each followed by lines that begin with a colon. */
function readDefinitions(source: string, lexer: BlockLexer): DefinitionList | undefined {
  const items: DefinitionList["items"] = [];
  let at = 0;
  for (let more = readTerms(source, at); more !== undefined; more = readTerms(source, at)) {
    for (const term of more.terms) items.push({ tag: "dt", tokens: lexer.inline(term) });
    at = more.end;
    for (let loose = more.isLoose; ;) {
      const start = DEFINITION.exec(source.slice(at, at + 80));
      if (start === null) break;
      const { raw, body } = readIndented(source.slice(at), start[0].length, true, /^(?: {2,4}|\t)/);
      at += raw.length;
      items.push({ tag: "dd", tokens: lexer.readBlocks(body, !loose && !/\n[ \t]*\n/.test(body)) });
      const gap = /^(?:[ \t]*\n)+/.exec(source.slice(at, at + 200))?.[0].length ?? 0;
      if (gap > 0 && DEFINITION.test(source.slice(at + gap, at + gap + 80))) {
        at += gap;
        loose = true;
      }
    }
  }
  if (items.length === 0) return undefined;
  lexer.addWork(at);
  return { type: "definitions", raw: source.slice(0, at), items, tokens: items.flatMap(({ tokens }) => tokens) };
}

/** @returns undefined unless terms begin at `from`, or after empty lines, and a definition follows them. */
function readTerms(source: string, from: number): { terms: string[]; isLoose: boolean; end: number } | undefined {
  let at = from;
  const gap = from === 0 ? 0 : (/^(?:[ \t]*\n)+/.exec(source.slice(at, at + 200))?.[0].length ?? 0);
  at += gap;
  const terms: string[] = [];
  while (at < source.length) {
    const end = lineEnd(source, at);
    const line = source.slice(at, Math.min(end, at + MAX_TERM));
    // The usual paragraph is left after its first line.
    if (terms.length === 0 && (end - at > MAX_TERM || end >= source.length)) return undefined;
    if (DEFINITION.test(line)) return terms.length === 0 ? undefined : { terms, isLoose: false, end: at };
    if (end - at > MAX_TERM || end >= source.length) return undefined;
    if (isBlank(line)) {
      const isDefined = terms.length === 1 && DEFINITION.test(source.slice(end + 1, end + 80));
      return isDefined ? { terms, isLoose: true, end: end + 1 } : undefined;
    }
    if (terms.length === MAX_TERMS || /^(?: {4}| {0,3}\t)/.test(line) || BLOCK_START.test(line)) return undefined;
    terms.push(line.trim());
    at = end + 1;
  }
  return undefined;
}

const MAX_TERM = 200;

function skipBlanks(source: string, from: number): number {
  let at = from;
  while (source[at] === " ") at += 1;
  return at;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
