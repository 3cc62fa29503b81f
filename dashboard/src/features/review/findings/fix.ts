/** Fixes a finding in the source of the text. What cannot be told for certain is left to the writer. */
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import type { ArticleChanges, ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { indexText } from "../comments/text-index.ts";
import { findInText } from "./places.ts";

/** The edit that fixes the finding; null: somebody has to look at it. */
export function proposeFix({ article, source, markdown }: ReviewedArticle, finding: Finding): ArticleChanges | null {
  if (finding.field === "title") {
    const title = fixField(finding, article.title);
    return title === null ? null : { title };
  }
  if (finding.field === "meta_description") {
    const fixed = fixField(finding, article.meta_description ?? "");
    return fixed === null ? null : { meta_description: fixed };
  }
  const shown = new DOMParser().parseFromString(`<article>${article.content}</article>`, "text/html");
  const index = indexText(shown);
  const given = { text: index.text, ...(findInText(index, finding) ?? { start: 0, end: 0 }) };
  const fixed = fixSource(finding, {
    ...given,
    source: source === "html" ? article.content : markdown,
    format: source,
  });
  if (fixed === null) return null;
  return source === "html" ? { content: fixed } : { markdown: fixed };
}

export interface FixedText {
  source: string;
  format: "markdown" | "html";
  /** The visible text, without white space. */
  text: string;
  /** The place of the finding in it. */
  start: number;
  end: number;
}

export function fixSource({ fix, kind }: Finding, given: FixedText): string | null {
  switch (fix) {
    case "delete":
    case "remove_copy":
      return replacePassage(given, () => "");
    case "decode":
      return kind === "mojibake" ? replacePassage(given, repairEncoding) : unescapeEntities(given.source);
    case "unwrap":
      return given.format === "markdown" ? unwrapFence(given.source) : null;
    case "strip_parameter":
      return changed(given.source, given.source.replaceAll(TRACKING, stripParameter));
    default:
      return null;
  }
}

/** Mends a title or a meta description. */
export function fixField({ fix, kind, quote }: Finding, text: string): string | null {
  if (fix === "decode") return changed(text, kind === "mojibake" ? repairEncoding(text) : decodeEntities(text));
  if (fix !== "delete") return null;
  const at = text.indexOf(quote);
  if (quote === "" || at < 0 || text.includes(quote, at + 1)) return null;
  return changed(text, tidy(text.slice(0, at), text.slice(at + quote.length)));
}

/** Replaces the passage where the source has its words as often as the text does. */
function replacePassage({ source, format, text, start, end }: FixedText, change: (found: string) => string) {
  const words = text.slice(start, end);
  const written = format === "html" ? escapeHtml(words) : words;
  const squeezed = source.replaceAll(/\s+/g, "");
  const [inText, inSource] = [findAll(text, words), findAll(squeezed, written)];
  const at = inSource[inText.indexOf(start)];
  if (at === undefined || inText.length !== inSource.length) return null;
  const [from, to] = [unsqueeze(source, at), unsqueeze(source, at + written.length - 1) + 1];
  const put = change(source.slice(from, to));
  if (put === "") return changed(source, tidy(source.slice(0, from), source.slice(to)));
  return changed(source, source.slice(0, from) + put + source.slice(to));
}

/** Without the space, or the empty lines, that would be left. */
function tidy(before: string, after: string): string {
  if (/(?:^|\n)\s*$/.test(before) && /^\s*(?:\n|$)/.test(after)) {
    const [start, rest] = [before.trimEnd(), after.trimStart()];
    return start === "" || rest === "" ? start + rest : `${start}\n\n${rest}`;
  }
  return /(?:^|\s)$/.test(before) ? before + after.replace(/^ +/, "") : before + after;
}

function findAll(text: string, part: string): number[] {
  const found: number[] = [];
  if (part === "") return found;
  for (let at = text.indexOf(part); at >= 0 && found.length < 1_000; at = text.indexOf(part, at + 1)) {
    found.push(at);
  }
  return found;
}

/** The index of the character with this number, white space not counted. */
function unsqueeze(source: string, no: number): number {
  let left = no;
  for (let at = 0; at < source.length; at++) {
    if (/\s/.test(source.charAt(at))) continue;
    if (left-- === 0) return at;
  }
  return source.length;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const ESCAPED = /(?:&amp;|\\&)(?:amp;)?(#\d{2,5}|[a-z]{2,8});/gi;

/** So that readers see the character. In code somebody may mean what is written. */
function unescapeEntities(source: string): string | null {
  return /`|<(?:pre|code)\b/i.test(source) ? null : changed(source, source.replaceAll(ESCAPED, "&$1;"));
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp;)?(#\d{2,5}|[a-z]{2,8});/gi, (whole, name: string) => {
    const decoded = new DOMParser().parseFromString(`&${name};`, "text/html").body.textContent;
    return decoded === `&${name};` ? whole : decoded;
  });
}

/** The characters of Windows-1252 from 0x80 on, in their order. */
const CP1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Reads the characters as the UTF-8 that they were. */
function repairEncoding(text: string): string {
  return text.replaceAll(/[\u0080-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2,}/g, (found) => {
    const bytes = Array.from(found, (character) => {
      const special = CP1252.indexOf(character);
      return special >= 0 ? 0x80 + special : character.charCodeAt(0);
    });
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes));
    } catch {
      return found;
    }
  });
}

/** The article inside one code block. */
function unwrapFence(source: string): string | null {
  const fence = /^\s*(`{3,}|~{3,})[^\n`]*\n/.exec(source);
  const [opening = "", marks = ""] = fence ?? [];
  const body = source.slice(opening.length).trimEnd();
  if (fence === null || !body.endsWith(`\n${marks}`)) return null;
  return body.slice(0, -marks.length).trim();
}

const TRACKING =
  /([?&]|&amp;)(?:utm_source|ref|source)=(?:chatgpt(?:\.com)?|openai|chat\.openai\.com|perplexity(?:\.ai)?|copilot(?:\.com)?|claude(?:\.ai)?|gemini)(?![\w.-])(&amp;|&)?/gi;

function stripParameter(_whole: string, before: string, after: string | undefined): string {
  if (after === undefined) return "";
  return before;
}

function changed(before: string, after: string): string | null {
  return after === before ? null : after;
}
