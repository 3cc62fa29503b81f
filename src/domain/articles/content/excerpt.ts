import { collectStats, visibleText } from "./html/text.ts";
import { collapse, parseTree } from "./html/tree.ts";
import { repairHtml } from "./html/repair.ts";
import { scanHtml } from "./html/html-scanner.ts";

/** In characters as people count them (graphemes). */
export const EXCERPT_LENGTH = 160;

/** The author's own summary as plain text, or else the beginning of the article, cut at a word boundary. */
export function toExcerpt(own: string | null, text: string): string {
  const summary = own === null ? "" : plainText(own);
  return summary === "" ? beginning(text) : summary;
}

function plainText(source: string): string {
  if (!/[<&]/.test(source)) return collapse(source);
  const html = repairHtml(source);
  // Throws for markup that a parser would take too long to read.
  scanHtml(html);
  return collapse(visibleText(collectStats(parseTree(html)).blocks));
}

function beginning(text: string): string {
  return latinBeginning(text) ?? cutAtWord(collapse(text.slice(0, MAX_LENGTH)));
}

/** More than enough for 160 characters, yet little to segment in a long article. */
const MAX_LENGTH = 100 * EXCERPT_LENGTH;
/** `cutAtWord` reads less of a line in a Latin script. */
const LATIN_LENGTH = 3 * EXCERPT_LENGTH;

/** Reads only the start of the article; undefined if that is not enough, or not in a Latin script. */
function latinBeginning(text: string): string | undefined {
  const line = collapse(text.slice(0, 2 * LATIN_LENGTH));
  return line.length > LATIN_LENGTH && IS_LATIN.test(line) ? cutAtWord(line) : undefined;
}

/** There are no combining characters below U+0300. */
const IS_LATIN = /^[\0-\u02ff]*$/;

function cutAtWord(line: string): string {
  const end = measureLength(line, EXCERPT_LENGTH);
  if (end === line.length) return line;
  return `${line.slice(0, wordEnd(line, end)).trimEnd()}…`;
}

function measureLength(line: string, count: number): number {
  const start = line.slice(0, count + 1);
  if (IS_LATIN.test(start)) return Math.min(count, line.length);
  let seen = 0;
  for (const grapheme of GRAPHEMES.segment(line)) {
    if (seen === count) return grapheme.index;
    seen += 1;
  }
  return line.length;
}

/** The last word boundary at or before `end`, or `end` itself if a single word is longer than that. */
function wordEnd(line: string, end: number): number {
  if (line[end] === " ") return end;
  const space = line.lastIndexOf(" ", end);
  if (space > end / 2) return space;
  // Scripts without spaces: segments enough text after the cut to see the word that it would divide.
  let boundary = 0;
  for (const word of WORDS.segment(line.slice(0, end + EXCERPT_LENGTH))) {
    if (word.index > end) break;
    boundary = word.index;
  }
  return boundary > end / 2 ? boundary : end;
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });
const WORDS = new Intl.Segmenter("en", { granularity: "word" });
