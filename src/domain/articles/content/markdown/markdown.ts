import { getDefaults, Parser } from "marked";
import { AppError } from "../../../system/errors.ts";
import { BoundedLexer, type ExcessCells, TooMuchMarkdown } from "./bounded-lexer.ts";
import { ArticleRenderer } from "./renderer.ts";
import { isSafeUrl } from "../html/urls.ts";

/** Renders GFM as HTML that is not yet sanitised. @throws AppError `invalid` for what takes too long to parse. */
export function markdownToHtml(markdown: string): string {
  return renderMarkdown(markdown).html;
}

/** Like `markdownToHtml`, with the table cells that are left out; null if there are none. */
export function renderMarkdown(markdown: string): { html: string; excess: ExcessCells | null } {
  const options = { ...getDefaults(), gfm: true };
  try {
    const lexer = new BoundedLexer(options, markdown.length);
    const tokens = lexer.lex(markdown);
    const renderer = new ArticleRenderer(tokens, lexer.notes);
    const body = Parser.parse(tokens, { ...options, renderer, extensions: renderer.extensions });
    const html = renderer.prefixLinks(body + renderer.writeNotes());
    return { html, excess: renderer.excess };
  } catch (error) {
    const why = error instanceof TooMuchMarkdown ? error.message : "is nested too deep";
    if (!(error instanceof TooMuchMarkdown || error instanceof RangeError)) throw error;
    throw new AppError("invalid", `The Markdown ${why}; simplify it.`, { field: "markdown", cause: error });
  }
}

/**
 * Whether an author's Markdown may be delivered as it is: it has nothing of which any parser could make a tag or an
 * attribute, since what is code to ours may be a script to a receiver's. So no `<`, however written, no address with an
 * unsafe scheme, no quotation mark in an address or a title, and no attribute in braces.
 */
export function isSafeInAnyMarkdownParser(markdown: string): boolean {
  if (LESS_THAN.test(markdown) || ATTRIBUTES.test(markdown)) return false;
  for (const { 0: start, index } of markdown.matchAll(/\][(:]/g))
    if (!isSafeTarget(markdown, index + start.length, start === "](")) return false;
  return true;
}

const LESS_THAN = /<|&(?:lt|nvlt|#x?0{0,20}(?:60|3c))/i;

const ATTRIBUTES = /\{[^{}]*\b(?:on[a-z]+|style|href|src|srcdoc|action|formaction)\s*=/i;

/** Whether any address that a parser could read here is safe, with its title. Linear: reads to the next `]`. */
function isSafeTarget(text: string, from: number, isInline: boolean): boolean {
  const start = skipSpace(text, from);
  const end = findAddressEnd(text, start);
  if (end < 0 || !isSafeUrl("a", "href", text.slice(start, end).replaceAll("\\", ""))) return false;
  const next = skipSpace(text, end);
  // The title of a definition is in its line or in the next one.
  const isTitle = next > end && /["'(]/.test(text[next] ?? "") && (isInline || isOneBreak(text.slice(end, next)));
  if (!isTitle) return !isInline || text[next] === ")";
  TITLE.lastIndex = next;
  if (!TITLE.test(text)) return false;
  const rest = skipSpace(text, TITLE.lastIndex);
  return isInline ? text[rest] === ")" : rest === text.length || text.slice(TITLE.lastIndex, rest).includes("\n");
}

const TITLE = /"[^"\]\\]*"|'[^'"\]\\]*'/y;

/** Also skips the markers of quotes, which may begin a line between an address and its title. */
function skipSpace(text: string, from: number): number {
  let at = from;
  while (/[\s>]/.test(text[at] ?? "")) at += 1;
  return at;
}

const isOneBreak = (space: string): boolean => space.indexOf("\n") === space.lastIndexOf("\n");

/** @returns a negative index if the address has a quotation mark or a bracket, or parentheses within parentheses. */
function findAddressEnd(text: string, from: number): number {
  let isInParentheses = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (/\s/.test(character) || (character === ")" && !isInParentheses)) return at;
    if (/["'[\]]/.test(character) || (character === "(" && isInParentheses)) return -1;
    if (character === "(" || character === ")") isInParentheses = character === "(";
    else if (character === "\\" && /[()\\]/.test(text[at + 1] ?? "")) at += 1;
  }
  return text.length;
}
