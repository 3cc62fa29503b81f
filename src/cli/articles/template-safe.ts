/** Markdown that Jekyll, Eleventy and Hugo show as it is, and in which they execute nothing. */

/** What Liquid and Nunjucks execute. */
const TEMPLATE = /\{[{%#]/;
/** What Hugo executes, in code, too; and what ends `raw`. */
const ACTIVE = /\{\{[<%]|\{%[-+]?\s*(?:endraw|$)/;
const ACTIVE_BRACE = /\{(?=\{[<%]|%[-+]?\s*(?:endraw|$))/g;
/** The line that opens a block of code, with the quotes and lists around it. */
const FENCE = /^([ >]*(?:(?:[-+*]|\d{1,9}[.)])[ >]+){0,20})(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]/;
const INDENTED = /^(?: {4}|\t)/;

/**
 * Liquid and Nunjucks leave what is between the two comments as it is, and everything else shows no comments. Hugo's
 * shortcodes are written with an entity, and code that has one as HTML, as there are no entities in Markdown's code.
 */
export function templateSafe(markdown: string): string {
  if (!TEMPLATE.test(markdown)) return markdown;
  const text = ACTIVE.test(markdown) ? withoutActive(markdown.replaceAll("\r\n", "\n").split("\n")) : markdown;
  return `<!-- {% raw %} -->\n${text}\n\n<!-- {% endraw %} -->`;
}

function withoutActive(lines: readonly string[]): string {
  const done: string[] = [];
  let text: string[] = [];
  let isInList = false;
  const endText = () => {
    if (text.length > 0) done.push(safeText(text.join("\n")));
    text = [];
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line);
    const mark = fence?.[2] ?? "";
    const info = line.slice(fence?.[0].length ?? 0);
    // A run of three backticks with another behind it is code within a line.
    const isFence = fence !== null && !(mark.startsWith("`") && info.includes("`"));
    const isCode = !isInList && INDENTED.test(line) && (lines[at - 1] ?? "").trim() === "";
    const end = isFence ? endOfFence(lines, at, mark) : isCode ? endOfIndented(lines, at) : at;
    if (isFence || isCode) {
      endText();
      const block = lines.slice(at, end + 1);
      if (!ACTIVE.test(block.join("\n"))) done.push(...block);
      else if (isFence) done.push(fenceAsHtml(block, fence[1] ?? "", info));
      else done.push(codeAsHtml("", block.map((one) => one.replace(INDENTED, "")).join("\n")));
    } else {
      if (line.trim() !== "" && !/^\s/.test(line)) isInList = LIST_ITEM.test(line);
      text.push(line);
      // Code within a line ends with its paragraph.
      if (line.trim() === "") endText();
    }
    at = end + 1;
  }
  endText();
  return done.join("\n");
}

/** The last line of the block, which is that of the text if nothing ends it. */
function endOfFence(lines: readonly string[], start: number, mark: string): number {
  const character = mark.charAt(0);
  for (let at = start + 1; at < lines.length; at++) {
    const inside = (lines[at] ?? "").replace(/^[ >]+/, "").trimEnd();
    if (inside.length >= mark.length && inside === character.repeat(inside.length)) return at;
  }
  return lines.length - 1;
}

function endOfIndented(lines: readonly string[], start: number): number {
  let last = start;
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (INDENTED.test(line)) last = at;
    else if (line.trim() !== "") break;
  }
  return last;
}

function fenceAsHtml(block: readonly string[], prefix: string, info: string): string {
  const isClosed = block.length > 1 && /^[ >]*(?:`{3,}|~{3,})\s*$/.test(block.at(-1) ?? "");
  const inside = block.slice(1, isClosed ? -1 : undefined);
  const language = info.trim().split(/[\s{]/, 1)[0] ?? "";
  const [first = "", ...others] = inside.map((line) => withoutPrefix(line, prefix.length));
  // The lines go on in the quotes and lists in which the block began.
  const before = prefix.replaceAll(/[^>\s]/g, " ");
  return prefix + codeAsHtml(language, [first, ...others].join("\n")).replaceAll("\n", `\n${before}`);
}

/** The line without its indentation and `>` marks, of which at most `length` are removed. */
function withoutPrefix(line: string, length: number): string {
  let at = 0;
  while (at < length && (line[at] === " " || line[at] === ">")) at++;
  return line.slice(at);
}

function codeAsHtml(language: string, code: string): string {
  const classes = language === "" ? "" : ` class="language-${entities(language)}"`;
  const text = code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<pre><code${classes}>${text.replaceAll("{", "&#123;")}</code></pre>`;
}

/** Code within lines becomes HTML; in the rest a brace is an entity. */
function safeText(text: string): string {
  if (!ACTIVE.test(text)) return text;
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index }));
  let done = "";
  let at = 0;
  const next = nextOfSameLength(runs);
  for (let i = 0; i < runs.length; i++) {
    const open = runs[i];
    const close = next[i];
    if (open === undefined || close === undefined || text[open.index - 1] === "\\") continue;
    const end = runs[close];
    if (end === undefined) continue;
    const code = text.slice(open.index + open.length, end.index);
    done += plainText(text.slice(at, open.index));
    // A brace in front of the element would make a shortcode with its bracket.
    if (ACTIVE.test(code)) done = done.replace(/\{$/, "&#123;") + inlineCode(code);
    else done += text.slice(open.index, end.index + end.length);
    at = end.index + end.length;
    i = close;
  }
  return done + plainText(text.slice(at));
}

/** For each run of backticks, which later one is as long. */
function nextOfSameLength(runs: readonly { length: number }[]): (number | undefined)[] {
  const seen = new Map<number, number>();
  const next: (number | undefined)[] = [];
  for (let i = runs.length - 1; i >= 0; i--) {
    const { length } = runs[i] ?? { length: 0 };
    next[i] = seen.get(length);
    seen.set(length, i);
  }
  return next;
}

function plainText(text: string): string {
  return text.replaceAll(ACTIVE_BRACE, "&#123;");
}

function inlineCode(code: string): string {
  const line = code.replaceAll("\n", " ");
  const isPadded = line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "";
  return `<code>${entities(isPadded ? line.slice(1, -1) : line)}</code>`;
}

/** Markdown reads what is between HTML's tags in a line. */
function entities(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`);
}
