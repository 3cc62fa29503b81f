/** What kramdown, the Markdown of Jekyll, has beyond GFM: lists of attributes, extensions, Markdown within HTML. */
import { replaceBetween } from "../../delimited.ts";
import { escapeHtml } from "../../html/html-tree.ts";
import { writePieces } from "./output.ts";
import { findTags, type TagSyntax } from "./tags.ts";

const NO_TAGS: TagSyntax = { forms: [], read: () => null, isVerbatim: () => false };

export function convertKramdown(text: string): string {
  const commented = text.includes("{::comment")
    ? replaceBetween(text, /\{::comment\}/g, /\{:\/(?:comment)?\}/g, () => "")
    : text;
  const hasMarkdown = /\smarkdown=/.test(commented);
  if (!hasMarkdown && !/\{:|^\^$|^\*\[/m.test(commented)) return commented;
  let isFirst = true;
  const abbreviations = new Map<string, string>();
  if (commented.includes("*[")) {
    for (const line of commented.split("\n")) {
      const [short, long] = readAbbreviation(line) ?? [];
      if (short !== undefined && long !== undefined && abbreviations.size < MAX_ABBREVIATIONS)
        abbreviations.set(short, long);
    }
  }
  return writePieces(findTags(commented, NO_TAGS, "markdown"), {
    tag: () => "",
    text(part) {
      const made = convertText(hasMarkdown ? openHtml(part) : part, isFirst);
      isFirst = false;
      return abbreviations.size === 0 ? made : abbreviate(made, abbreviations);
    },
    code: (code) => code,
  });
}

/** Reads `*[HTML]: Hypertext Markup Language`: what the letters stand for. */
function readAbbreviation(line: string): [string, string] | null {
  const end = line.startsWith("*[") ? line.indexOf("]:") : -1;
  return end < 3 ? null : [line.slice(2, end), line.slice(end + 2).trim()];
}

/** Each costs a search in the text. */
const MAX_ABBREVIATIONS = 100;

/** Says what an abbreviation stands for where it is first used. */
function abbreviate(text: string, abbreviations: Map<string, string>): string {
  const lines = text.split("\n").filter((line) => readAbbreviation(line) === null);
  let made = lines.join("\n");
  for (const [short, long] of abbreviations) {
    const at = findWord(made, short);
    if (at < 0) continue;
    abbreviations.delete(short);
    made = `${made.slice(0, at)}<abbr title="${escapeHtml(long)}">${short}</abbr>${made.slice(at + short.length)}`;
  }
  return made;
}

/** Index of a word that is no part of an address or a tag. */
function findWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = (text[at - 1] ?? " ") + (text[at + word.length] ?? " ");
    if (!/[\p{L}\p{N}/"=<>&;_@#-]/u.test(around)) return at;
  }
  return -1;
}

/** @param isFirst no code is before the text. */
function convertText(text: string, isFirst: boolean): string {
  const lines: string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.replace(/^[ \t>]+/, "").trimEnd();
    // Code by its indentation follows an empty line.
    if (/^(?: {4}|\t)/.test(line) && (lines.at(-1) ?? "").trim() === "") {
      lines.push(line);
      continue;
    }
    const isLine = index > 0 || isFirst;
    if (isLine && words.startsWith("{:") && words.endsWith("}") && words.indexOf("}") === words.length - 1) {
      takeAttributes(words, lines);
      continue;
    }
    if (isLine && words === "^") continue;
    lines.push(line.includes("{:") ? withoutAttributes(line, isLine) : line);
  }
  return lines.join("\n");
}

/** Attributes in a line of their own: the id of a heading is kept. A list that is replaced by the contents goes. */
function takeAttributes(attributes: string, lines: string[]): void {
  const last = lines.at(-1) ?? "";
  if (/^\{:\s{0,9}toc\b/.test(attributes)) {
    if (/^[ \t]{0,9}(?:[-*+]|\d{1,9}\.)[ \t]/.test(last)) lines.pop();
    return;
  }
  const id = /\s#([^\s{}#.]+)|^\{:#([^\s{}#.]+)/.exec(attributes);
  const name = id?.[1] ?? id?.[2];
  if (name !== undefined && /^ {0,3}#{1,6}[ \t]/.test(last) && !last.includes("{#"))
    lines[lines.length - 1] = `${last.trimEnd()} {#${name}}`;
}

/** Without the attributes of links, pictures, emphasis and code. Those of a heading are read with it. */
function withoutAttributes(line: string, isLine: boolean): string {
  const isHeading = /^ {0,3}#{1,6}[ \t]/.test(line);
  const inner = line
    .replaceAll(/\{::?\/?(?:nomarkdown|options)?(?:[ \t][^{}]*)?\/?\}/g, (found) =>
      /^\{:(?::|\/)/.test(found) ? "" : found,
    )
    .replaceAll(/([)\]*_>])\{:[^{}]*\}/g, "$1");
  if (!isLine && inner.startsWith("{:")) return inner.slice(inner.indexOf("}") + 1);
  if (isHeading) return inner;
  // Those of a list's item, or of a cell, are before its text.
  return inner.replace(/^([ \t]*(?:[-*+]|\d{1,9}\.)[ \t]+)\{:[^{}]*\}[ \t]*/, "$1");
}

/** Markdown within an element needs empty lines around it, and no element around a paragraph. */
function openHtml(text: string): string {
  if (!text.includes("markdown=")) return text;
  /** Names of the elements that are open, and whether each has Markdown. */
  const open: { name: string; isMarkdown: boolean }[] = [];
  return text.replaceAll(
    /<(\/?)([a-z][a-z0-9]*)(|[\s/][^<>]*)>/g,
    (found, slash: string, name: string, attributes: string) => {
      if (!CONTAINERS.has(name)) return found;
      if (slash === "") {
        const isMarkdown = /\smarkdown=/.test(attributes);
        open.push({ name, isMarkdown });
        if (!isMarkdown) return found;
        if (name === "p") return "\n\n";
        const others = attributes.replace(/\smarkdown=(?:"[^"]*"|'[^']*'|\w+)/, "");
        return `<${name}${others}>\n\n`;
      }
      const at = open.findLastIndex((one) => one.name === name);
      if (at < 0) return found;
      const [closed] = open.splice(at);
      if (closed?.isMarkdown !== true) return open.at(-1)?.isMarkdown === true ? `${found}\n\n` : found;
      return name === "p" ? "\n\n" : `\n\n</${name}>\n\n`;
    },
  );
}

const CONTAINERS: ReadonlySet<string> = new Set(
  "article aside blockquote details div figure figcaption p section".split(" "),
);
