import type { Element, Parents } from "hast";
import { AppError } from "../../../system/errors.ts";
import { serialise } from "../html/serialise.ts";
import { attributeText } from "../html/tree.ts";

/**
 * Writes a GFM table. Its first row is the header, since GFM has no tables without one. A cell that spans several
 * columns leaves all but its first empty.
 */
export function writeTable(node: Element, cellText: (cell: Parents) => string, padding: Padding): string[] {
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

/**
 * Writes the table as HTML on one line. References stand for what parsers would otherwise read as Markdown where they take the tags
 * for parts of a paragraph.
 */
export function toHtmlTable(node: Element): string {
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
export class Padding {
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
