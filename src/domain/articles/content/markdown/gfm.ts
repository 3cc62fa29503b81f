import type { Element, Parents, RootContent } from "hast";
import { CELL, CODE, EMBEDS, fenceFor, HEADING, inline, noteLabel, PARAGRAPH } from "./gfm-inline.ts";
import { attributeText, serialise } from "../html/tree.ts";
import { isSafeUrl } from "../html/urls.ts";
import { AppError } from "../../../system/errors.ts";

/**
 * Writes a sanitised tree as GFM. What Markdown cannot express is reduced to its text; frames and videos become links.
 *
 * Our own, because hast-util-to-mdast and mdast-util-to-markdown took 2–3 of an article's 4 ms, and were not linear.
 */
export function htmlToMarkdown(tree: Parents): string {
  const text = blocks(tree.children, { depth: 0, padding: new Padding() }).join("\n\n");
  return text === "" ? "" : `${text}\n`;
}

const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote caption center dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul".split(
    " ",
  ),
);

interface Within {
  depth: number;
  padding: Padding;
}

/** Deeper content is written as if it were at this depth: each level adds a prefix to every line. */
const MAX_DEPTH = 16;

/** Writes the blocks of a container. Inline content between them becomes a paragraph. */
function blocks(nodes: readonly RootContent[], within: Within): string[] {
  const written: string[] = [];
  let loose: RootContent[] = [];
  let before: Element | undefined;
  const flush = (): void => {
    const text = loose.length === 0 ? "" : inline(loose, PARAGRAPH);
    loose = [];
    if (text === "") return;
    written.push(text);
    before = undefined;
  };
  for (const node of nodes) {
    if (node.type !== "element" || !isBlock(node)) {
      loose.push(node);
      continue;
    }
    flush();
    const other = LISTS.has(node.tagName) && before?.tagName === node.tagName;
    const made = block(node, other, within);
    for (const text of made) written.push(text);
    // Two adjacent lists would be parsed as one, so the second gets another marker, and the third the first one again.
    if (made.length > 0) before = other ? undefined : node;
  }
  flush();
  return written;
}

/** Links and other inline elements that contain blocks count as blocks. */
function isBlock(node: Element): boolean {
  if (BLOCKS.has(node.tagName)) return true;
  if (EMBEDS.has(node.tagName)) return false;
  return node.children.some((child) => child.type === "element" && isBlock(child));
}

const LISTS: ReadonlySet<string> = new Set(["ul", "ol", "menu"]);

function block(node: Element, other: boolean, within: Within): string[] {
  const { tagName } = node;
  if (tagName === "p") return blocks(node.children, within);
  if (tagName === "pre") return [code(node)];
  if (tagName === "hr") return ["***"];
  if (tagName === "section" && node.properties["dataFootnotes"] !== undefined) return notes(node, within);
  if (tagName === "table")
    return hasPipeInCode(node) || isBeyondGfm(node)
      ? [toHtmlTable(node)]
      : writeTable(node, (cell) => cellText(cell), within.padding);
  const isDeep = within.depth >= MAX_DEPTH;
  if (LISTS.has(tagName) && !isDeep) return list(node, other, { ...within, depth: within.depth + 1 });
  if (tagName === "blockquote" && !isDeep) {
    const inside = blocks(node.children, { ...within, depth: within.depth + 1 });
    return inside.length === 0 ? [] : [prefixed(inside.join("\n\n"), "> ", ">", within.padding)];
  }
  if (/^h[1-6]$/.test(tagName)) {
    const text = inline(node.children, HEADING);
    // A trailing `#` would be dropped as a closing sequence.
    return text === "" ? [] : [`${"#".repeat(Number(tagName[1]))} ${text.replace(/#$/, String.raw`\#`)}`];
  }
  return blocks(node.children, within);
}

function notes(section: Element, within: Within): string[] {
  const written: string[] = [];
  for (const child of section.children) {
    if (child.type !== "element") continue;
    const items = child.tagName === "ol" ? child.children.filter((item) => item.type === "element") : [];
    if (items.length === 0 || items.some((item) => noteLabel(attributeText(item, "id")) === ""))
      for (const text of blocks([child], within)) written.push(text);
    else for (const item of items) written.push(note(item, within));
  }
  return written;
}

/** A renderer that knows no footnotes may read one of a single word as the definition of a link. */
function note(item: Element, within: Within): string {
  const inside = blocks(item.children, { ...within, depth: within.depth + 1 });
  const name = `[^${noteLabel(attributeText(item, "id"))}]:`;
  const [first = "", ...others] = inside;
  const start = first.split("\n", 1)[0] ?? "";
  const isText = item.children.every((child) => child.type !== "element" || child.tagName === "p");
  const isWord = /^\S*(?:\s+["'(].*)?$/.test(start);
  const isSafe = !isWord || (/^[\w./:#?=&%+-]+$/.test(first) && isSafeUrl("a", "href", first));
  const lines =
    isText && isSafe ? inside : isText ? [`${start} &nbsp;${first.slice(start.length)}`, ...others] : ["", ...inside];
  const text = prefixed(lines.join("\n\n"), "    ", "", within.padding);
  return isText ? `${name} ${text.slice(4)}` : name + text;
}

function list(node: Element, other: boolean, within: Within): string[] {
  const items = node.children.filter((child) => child.type === "element");
  if (items.length === 0) return [];
  let number = Number(node.properties["start"] ?? 1) || 1;
  let tight = true;
  const written = items.map((item) => {
    const marker = node.tagName === "ol" ? `${number}${other ? ")" : "."} ` : other ? "+ " : "- ";
    number += 1;
    const inside = blocks(LISTS.has(item.tagName) ? [item] : item.children, within);
    const first = inside[0] ?? "";
    if (inside.length > 2 || (inside.length === 2 && !/^(?:[-+] |1[.)] )/.test(inside[1] ?? ""))) tight = false;
    return { marker, inside, task: taskMark(item), first };
  });
  const gap = tight ? "\n" : "\n\n";
  const lines = written.map(({ marker, inside, task }) =>
    `${marker}${task}${prefixed(inside.join(gap), " ".repeat(marker.length), "", within.padding).trimStart()}`.trimEnd(),
  );
  return [lines.join(gap)];
}

function taskMark(item: Element): string {
  for (const child of item.children) {
    if (child.type === "text" && child.value.trim() === "") continue;
    if (child.type !== "element") return "";
    if (child.tagName === "p" || child.tagName === "label") return taskMark(child);
    if (child.tagName !== "input") return "";
    return child.properties["checked"] === true ? "[x] " : "[ ] ";
  }
  return "";
}

function code(node: Element): string {
  const text = rawText(node).replace(/\n$/, "");
  const fence = fenceFor(text, 3);
  return `${fence}${getLanguage(node)}\n${text}${text === "" ? "" : "\n"}${fence}`;
}

function getLanguage(node: Element): string {
  const child = node.children.find((candidate) => candidate.type === "element" && candidate.tagName === "code");
  const classes = `${child?.type === "element" ? attributeText(child, "className") : ""} ${attributeText(node, "className")}`;
  return /(?:^|\s)(?:language|lang)-([\w#+.-]+)/.exec(classes)?.[1] ?? "";
}

function rawText(node: Parents): string {
  let text = "";
  for (const child of node.children) {
    if (child.type === "text") text += child.value;
    else if (child.type === "element") text += child.tagName === "br" ? "\n" : rawText(child);
  }
  return text;
}

/** Writes a cell on one line; its blocks are separated by `<br>`. */
function cellText(cell: Parents): string {
  const parts: string[] = [];
  let loose: RootContent[] = [];
  const flush = (): void => {
    const text = loose.length === 0 ? "" : inline(loose, CELL);
    if (text !== "") parts.push(text);
    loose = [];
  };
  for (const child of cell.children) {
    if (child.type !== "element" || !isBlock(child)) loose.push(child);
    else {
      flush();
      const text = child.tagName === "pre" ? inline([{ ...child, tagName: "code" }], CELL) : cellText(child);
      if (text !== "") parts.push(text);
    }
  }
  flush();
  return parts.join("<br>");
}

/** Parsers disagree about where such code ends in a GFM table. */
function hasPipeInCode(node: Parents, isCode = false): boolean {
  return node.children.some((child) => {
    if (child.type === "text") return isCode && child.value.includes("|");
    return (
      child.type === "element" && hasPipeInCode(child, isCode || child.tagName === "pre" || CODE.has(child.tagName))
    );
  });
}

/** Whether a cell reaches down over others, or has code of several lines. */
function isBeyondGfm(node: Parents): boolean {
  return node.children.some((child) => {
    if (child.type !== "element") return false;
    if (child.tagName === "pre") return rawText(child).trimEnd().includes("\n");
    return Number(attributeText(child, "rowSpan")) > 1 || isBeyondGfm(child);
  });
}

function prefixed(text: string, prefix: string, empty: string, padding: Padding): string {
  const lines = text.split("\n");
  padding.add(lines.length * prefix.length);
  return lines.map((line) => (line === "" ? empty : prefix + line)).join("\n");
}

/** The first row is the header, since GFM has no tables without one. A cell over several columns leaves all but its first empty. */
function writeTable(node: Element, cellText: (cell: Parents) => string, padding: Padding): string[] {
  const rows: Element[][] = [];
  const captions: string[] = [];
  gather(node, rows, captions, cellText);
  const width = Math.min(MAX_COLUMNS, Math.max(0, ...rows.slice(0, MAX_MEASURED).map(countColumns)));
  if (width === 0) return captions;
  padding.add(rows.length * width * "| ".length);
  const lines = rows.map((cells) => line(cells, width, cellText));
  const marks = alignments(rows[0] ?? [], rows[1] ?? [], width);
  const [head, ...body] = lines;
  return [...captions, [head, `| ${marks.join(" | ")} |`, ...body].join("\n")];
}

/** On one line; references stand for what parsers could read as Markdown. */
function toHtmlTable(node: Element): string {
  const html = serialise({ type: "root", children: [node] }).replaceAll("\n", "&#10;");
  return html
    .split("<")
    .map((part, index) => {
      const end = part.indexOf(">") + 1;
      const tag = index === 0 || part.startsWith("!--") ? "" : `<${part.slice(0, end)}`;
      return tag + part.slice(end).replaceAll(MARKUP, toReference);
    })
    .join("");
}

const MARKUP = /[\\`*_[\]~|!{]/g;
const toReference = (mark: string): string => `&#${mark.charCodeAt(0)};`;

/** Guards against `colspan="1000000"`. */
const MAX_COLUMNS = 100;
/** Keeps `Math.max` within the number of arguments that a call may have. */
const MAX_MEASURED = 10_000;

function gather(node: Parents, rows: Element[][], captions: string[], cellText: (cell: Parents) => string): void {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    if (child.tagName === "tr") {
      const cells = child.children.filter((cell) => cell.type === "element");
      if (cells.length > 0) rows.push(cells);
    } else if (child.tagName === "caption") {
      const text = cellText(child);
      if (text !== "") captions.push(text);
    } else if (child.tagName !== "colgroup") gather(child, rows, captions, cellText);
  }
}

const getSpan = (cell: Element): number =>
  Math.min(MAX_COLUMNS, Math.max(1, Number(attributeText(cell, "colSpan")) || 1));

function countColumns(cells: readonly Element[]): number {
  let width = 0;
  for (const cell of cells) width += getSpan(cell);
  return width;
}

function line(cells: readonly Element[], width: number, cellText: (cell: Parents) => string): string {
  const texts: string[] = [];
  for (const cell of cells) {
    texts.push(cellText(cell));
    for (let span = getSpan(cell); span > 1; span -= 1) texts.push("");
  }
  while (texts.length < width) texts.push("");
  const row = texts.slice(0, width).map((text) => (text === "" ? " " : ` ${text} `));
  return `|${row.join("|")}|`;
}

const MARKS: Readonly<Record<string, string>> = { left: ":--", center: ":-:", right: "--:" };

function alignments(head: readonly Element[], body: readonly Element[], width: number): string[] {
  return Array.from({ length: width }, (_, column) => {
    const cell = head[column];
    const below = body[column];
    const align =
      (cell === undefined ? "" : attributeText(cell, "align")) ||
      (below === undefined ? "" : attributeText(below, "align"));
    return MARKS[align.toLowerCase()] ?? "---";
  });
}

/** In characters: as many as the longest article has, so that padding at most doubles its Markdown. */
const MAX_PADDING = 10_000_000;

/** Counts what Markdown adds to a text: line prefixes in quotes and lists, and cells that table rows lack. */
class Padding {
  #left = MAX_PADDING;

  /** @throws AppError `invalid` if the total is many times what any article needs. */
  add(characters: number): void {
    this.#left -= characters;
    if (this.#left >= 0) return;
    const message =
      "The content has so many lines in nested quotes or lists, or so many empty cells in tables, that it cannot be written " +
      "as Markdown; simplify it.";
    throw new AppError("invalid", message, { field: "content" });
  }
}
