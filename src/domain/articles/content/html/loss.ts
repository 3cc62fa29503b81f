import type { TextLoss } from "../../text-loss.ts";
import type { ExcessCells } from "../markdown/bounded-lexer.ts";
import { isLetter, SourceIndex } from "./source-index.ts";
import { findLostWords, type LostWords } from "../lost-words.ts";
import { collapse } from "./tree.ts";

/** A loss of more than this share of the text is reported. */
const MAX_LOST_SHARE = 0.1;
/** In characters; a smaller loss is a word or two in a very short article. */
const MIN_LOST = 20;

export interface Losses {
  /** null if at most a tenth is missing, or hardly anything. */
  text: TextLoss | null;
  /** null if no word is missing. Cells of Markdown tables are not looked at. */
  words: LostWords | null;
}

export const NO_LOSSES: Losses = { text: null, words: null };

/**
 * Checks how much visible text was lost between the source and the article. Uses no parser, which may be what lost it:
 * it looks only at tags, and counts what is between them.
 *
 * @param html the source, unchanged. @param made the sanitised HTML, and its visible text. @param excess the table
 * cells that its Markdown has besides.
 */
export function findLosses(
  html: string,
  made: { html: string; text: string },
  excess: ExcessCells | null = null,
): Losses {
  if (made.html === html && excess === null) return NO_LOSSES;
  const source = estimateText(html, false);
  const result = estimateText(made.html, true);
  return {
    text: findTextLoss(source, { text: made.text, estimated: result }, excess),
    words: source === result ? null : findLostWords(source, result),
  };
}

function findTextLoss(
  source: string,
  made: { text: string; estimated: string },
  excess: ExcessCells | null,
): TextLoss | null {
  const total = countCharacters(source) + (excess?.characters ?? 0);
  const isLoss = (length: number): boolean => total - length >= MIN_LOST && total - length > MAX_LOST_SHARE * total;
  let kept = countCharacters(made.text);
  if (!isLoss(kept)) return null;
  // Text that the author hides with `hidden` is kept, although it is not visible.
  kept = Math.max(kept, countCharacters(made.estimated));
  if (!isLoss(kept)) return null;
  const missing = total - kept;
  const isInTables = excess !== null && 2 * excess.characters > missing;
  return { missing, total, ...(isInTables ? describeGap(excess) : findGap(source, `${made.text} ${made.estimated}`)) };
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Elements whose content is never text of the article, however long it is. */
const NO_TEXT = words("datalist desc head metadata script style template title");
/** Words on both sides of their tags are different words. Only elements that an article has, or loses with their words. */
const BREAKS = words(
  "address article aside blockquote br caption center dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr img li main menu nav ol optgroup option p pre search section select summary table tbody td " +
    "text textarea tfoot th thead tr ul",
);
/** Elements with a sentence for browsers that cannot show the medium; anything longer was swallowed. */
const FALLBACKS = words("applet audio iframe noembed noframes object video");
const MAX_FALLBACK = 300;
/** A script or style has at least one of these in `CODE_DENSITY` characters, more than prose has. */
const CODE_CHARACTERS = /[{}();=<>]/g;
const CODE_DENSITY = 60;
const CODE_START = 100;
/** A longer tag has a quote that was never closed. */
const MAX_TAG = 20_000;
const MAX_ATTRIBUTES = 250;

/** The text that a reader would see, in one pass; an element with a lot of text is assumed to have swallowed it. */
function estimateText(source: string, isClean: boolean): string {
  const index = new SourceIndex(source);
  const parts: string[] = [];
  /** End of the text that elements are known to have swallowed. */
  let swallowedTo = 0;
  let at = 0;
  while (at < source.length) {
    const start = index.next("<", at);
    parts.push(source.slice(at, start));
    at = start + 1;
    if (start >= source.length) break;
    if (index.lower.startsWith("<!--", start)) {
      const end = index.next("-->", start + 4);
      at = end < source.length ? end + 3 : start + 4;
      continue;
    }
    if (index.lower.startsWith("<![cdata[", start)) {
      at = start + 9;
      continue;
    }
    const code = source.charCodeAt(at);
    if (!isLetter(code) && code !== SLASH && code !== BANG && code !== QUESTION) {
      parts.push("<");
      continue;
    }
    const end = tagEnd(source, index, start);
    if (end < 0) continue;
    const name = /^\/?[a-z][^\s/>]*/.exec(index.lower.slice(start + 1, start + 20))?.[0] ?? "";
    at = end;
    if (BREAKS.has(code === SLASH ? name.slice(1) : name)) parts.push(" ");
    if (name === "math") at = formulaEnd(source, index, start, end);
    if (source[end - 2] === "/" || !(NO_TEXT.has(name) || FALLBACKS.has(name))) continue;
    const close = index.nextTag(`</${name}`, end);
    if (close >= source.length || close <= swallowedTo) continue;
    if (isClean || holdsNoText(name, source.slice(start, end), source.slice(end, close))) at = close;
    else swallowedTo = close;
  }
  return parts
    .join("")
    .replaceAll(SPACE_REFERENCE, " ")
    .replaceAll(/&(#\w{1,8}|\w{2,24});/g, (_, name: string) => SIGNS.get(name) ?? "·");
}

/** A word ends at these. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }),
);

/** The end of a formula whose TeX the article keeps instead, or that is the twin of a drawn one; otherwise `end`. */
function formulaEnd(source: string, index: SourceIndex, start: number, end: number): number {
  const close = index.nextTag("</math", end);
  const isTwin = /katex-mathml|mjx-assistive-mml|MJX_Assistive_MathML/.test(
    source.slice(Math.max(0, start - 200), start),
  );
  return close < source.length && (isTwin || index.next("application/x-tex", end) < close) ? close : end;
}

/** White space as a reference, with which editors fill empty paragraphs; it does not count as text either. */
const SPACE_REFERENCE =
  /&(?:nbsp|NonBreakingSpace|emsp|ensp|emsp1[34]|thinsp|ThinSpace|hairsp|puncsp|numsp|Tab|NewLine|#0*(?:9|1[0-3]|32|160|819[2-9]|820[0-2])|#[xX]0*(?:9|[a-dA-D]|20|[aA]0|200[0-9aA]));/g;

function holdsNoText(name: string, tag: string, content: string): boolean {
  if (hasSwallowed(name, content)) return false;
  if (FALLBACKS.has(name))
    return content.length <= MAX_FALLBACK || countCharacters(content.replaceAll(/<[^<>]*>/g, "")) <= MAX_FALLBACK;
  const isBare = tag.length === name.length + 2;
  if (!isBare || content.length <= MAX_FALLBACK || (name !== "script" && name !== "style")) return true;
  return (
    /[{};=]/.test(content.slice(0, CODE_START)) ||
    (content.match(CODE_CHARACTERS)?.length ?? 0) * CODE_DENSITY >= content.length
  );
}

/** Whether another such element's end tag ends it, or one in a later paragraph. Scripts and drawings can nest. */
function hasSwallowed(name: string, content: string): boolean {
  if (name === "script" || name === "style") return false;
  if (!NESTING.has(name) && content.toLowerCase().includes(`<${name}`)) return true;
  return BLOCK_TAG.exec(content)?.[1] === "/";
}

const NESTING = words("math object optgroup option svg template");
const BLOCK_TAG = /<(\/?)(?:blockquote|div|h[1-6]|li|p|section|td)[\s>]/i;

/** Index after the tag that begins at `start`; negative if it is not a tag. */
function tagEnd(source: string, index: SourceIndex, start: number): number {
  let end = index.next(">", start);
  const first = end < source.length ? end + 1 : -1;
  // A `>` within quotes is part of the value.
  for (let from = start, attributes = 0; end < source.length; attributes += 1) {
    const value = Math.min(index.next('="', from), index.next("='", from)) + 2;
    if (value > end) return end + 1;
    const close = index.next(source.charAt(value - 1), value);
    // The quote of the next tag, whose attribute has no value then.
    if (close >= source.length || source[close - 1] === "=" || close - start > MAX_TAG || attributes > MAX_ATTRIBUTES)
      return first;
    from = close + 1;
    end = index.next(">", from);
  }
  return first;
}

const [SLASH, BANG, QUESTION] = [0x2f, 0x21, 0x3f];

function countCharacters(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // ASCII by itself: a regular expression for each space took half of the time.
    if (code < 0xa0) {
      if (code > 0x20 || code < 0x09 || (code > 0x0d && code < 0x20)) length += 1;
    } else if (!/\s/.test(text.charAt(at))) length += 1;
  }
  return length;
}

const WINDOW = 4;
const MAX_MISSES = 100;
const SHOWN = 80;

/** Finds the first four consecutive words that the text lacks. */
function findGap(source: string, text: string): { after: string; lost: string } {
  const there = collapse(text);
  const all = collapse(source).split(" ");
  let from = 0;
  let misses = 0;
  for (let at = 0; at < all.length && misses < MAX_MISSES; at += WINDOW) {
    const some = all.slice(at, at + WINDOW);
    const found = there.indexOf(some.join(" "), from);
    if (found >= 0) from = found;
    // Character references are not resolved here, nor are spaces where an element ends within a word.
    else if (!some.some((word) => word.includes("·")) && there.indexOf(some.at(-1) ?? "", from) < 0) {
      let kept = WINDOW;
      while (kept > 0 && there.indexOf(some.slice(0, kept).join(" "), from) < 0) kept -= 1;
      return { after: quoteWords(all, at + kept - 8, at + kept).slice(-SHOWN), lost: startingAt(all, at + kept) };
    } else misses += 1;
  }
  return { after: "", lost: startingAt(all, 0) };
}

function describeGap({ first }: ExcessCells): { after: string; lost: string } {
  return {
    after: collapse(first.before).slice(-SHOWN).toWellFormed(),
    lost: startingAt(collapse(first.text).split(" "), 0),
  };
}

function startingAt(all: readonly string[], at: number): string {
  return `${quoteWords(all, at, at + 12).slice(0, SHOWN)}…`;
}

function quoteWords(all: readonly string[], from: number, to: number): string {
  return all.slice(Math.max(0, from), to).join(" ").trim();
}
