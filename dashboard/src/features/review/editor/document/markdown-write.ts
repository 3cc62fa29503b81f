/** Writes blocks as Markdown: unchanged ones byte for byte, the others in the style of the source. */
import type { Mark, Node } from "prosemirror-model";
import { checkedOf, fingerprint, isNothing, isTight } from "./fingerprint.ts";
import type { Escapes } from "./escapes.ts";
import { type TextPlace, type TextStyle, writeText } from "./markdown-text.ts";
import type { KnownBlock, Origins } from "./origins.ts";
import { schema } from "./schema.ts";
import { isCode, isSpace, nodeToUnits, spliceUnits, type InlineUnit } from "./units.ts";

const { nodes } = schema;

export interface MarkdownStyle extends TextStyle {
  bullet: "-" | "*" | "+";
  ordered: "." | ")";
  /** How much of a changed block's source is kept: all but the changed characters, all but the changed runs, or nothing. */
  way: "narrow" | "wide" | "anew";
}

/** Writes a block in one way. */
export type Candidate = (escapes: Escapes) => string;

/** How careful a candidate is, in order. */
const CARES = [
  { care: "usual", addresses: "bare" },
  { care: "usual", addresses: "angled" },
  { care: "beside", addresses: "bare" },
  { care: "all", addresses: "bare" },
  { care: "all", addresses: "angled" },
] as const;

/** @returns the candidates, best first. The first one that reads back as the block is used. */
export function* writeMarkdown(node: Node, origins: Origins, style: MarkdownStyle): Generator<Candidate> {
  const other = style.emphasis === "*" ? "_" : "*";
  for (const cares of CARES) {
    for (const way of ["narrow", "wide", "anew"] as const) {
      for (const emphasis of [style.emphasis, other] as const) {
        yield (escapes) => writeBlock(node, origins, { ...style, ...cares, way, emphasis, escapes });
      }
    }
  }
  for (const emphasis of [style.emphasis, other] as const) {
    const last = { way: "anew", care: "all", addresses: "link", hasReferences: false } as const;
    yield (escapes) => writeBlock(node, origins, { ...style, ...last, emphasis, escapes });
  }
}

function writeBlock(node: Node, origins: Origins, style: MarkdownStyle): string {
  const known = style.way === "anew" ? null : origins.find(node);
  if (known !== null) {
    const written = writeSplices(node, known, style);
    if (written !== null) return written;
    if (isList(node)) {
      const items = writeItems(node, known, style);
      if (items !== null) return items;
    }
  }
  return writeAnew(node, style);
}

function isList(node: Node): boolean {
  return node.type === nodes.bullet_list || node.type === nodes.ordered_list;
}

interface Replacement {
  from: number;
  to: number;
  text: string;
}

/** Changes only the text in a block of unchanged structure. */
function writeSplices(node: Node, known: KnownBlock, style: MarkdownStyle): string | null {
  const found: Replacement[] = [];
  if (!collect(node, known.detail.node, known, style, found, false)) return null;
  const { start, end } = known.detail;
  let out = "";
  let at = start;
  for (const { from, to, text } of found) {
    if (from < at) return null;
    out += known.text(at, from) + text;
    at = to;
  }
  return out + known.text(at, end);
}

function collect(
  node: Node,
  before: Node,
  known: KnownBlock,
  style: MarkdownStyle,
  found: Replacement[],
  isNested: boolean,
): boolean {
  if (node === before || node.eq(before)) return true;
  if (!node.hasMarkup(before.type, before.attrs, before.marks)) return false;
  if (node.isTextblock) {
    const detail = known.sibling(Number(before.attrs["sid"]));
    if (!detail?.units) return fingerprint(node, "markdown") === fingerprint(before, "markdown");
    const splice = spliceUnits(detail.units, nodeToUnits(node), detail.inner, style.way === "wide");
    if (splice === null) return true;
    const { from, to, units, within } = splice;
    const isCell = isNested && before.attrs["tag"] === "";
    const isStart = from === detail.inner.start;
    const text = writeRun(
      units,
      node,
      { within, isLineStart: isStart, isOneLine: isCell || isOneLine(node), isCell },
      style,
    );
    // Another line would need the prefixes of the quotes and lists around it.
    if (isNested && text.includes("\n")) return false;
    found.push({ from, to, text });
    return true;
  }
  if (node.childCount !== before.childCount) return false;
  for (let index = 0; index < node.childCount; index += 1) {
    if (!collect(node.child(index), before.child(index), known, style, found, true)) return false;
  }
  return true;
}

function isOneLine(node: Node): boolean {
  return node.type === nodes.heading;
}

function writeRun(units: readonly InlineUnit[], node: Node, place: TextPlace, style: TextStyle): string {
  if (node.type === nodes.code_block) return units.map(({ text }) => text).join("");
  return writeText(units, place, style);
}

/** Writes a list in which some items have changed, and keeps the others as they are. */
function writeItems(list: Node, known: KnownBlock, style: MarkdownStyle): string | null {
  const { detail, text, sibling } = known;
  const old = detail.children.flatMap((sid) => sibling(sid) ?? []);
  const [first] = old;
  if (first === undefined || isTight(list) !== isTight(detail.node)) return null;
  const indent = text(detail.start, first.start);
  const marker = /^(?:[-*+]|(\d{1,9})([.)]))[ \t]+/.exec(text(first.start, first.end));
  if (marker === null || indent.trim() !== "") return null;
  const inner = { ...style };
  if (marker[2] === "." || marker[2] === ")") inner.ordered = marker[2];
  else inner.bullet = marker[0][0] as "-";
  const gap = isTight(list) ? "\n" : "\n\n";
  let out = indent;
  let number = Number(list.attrs["order"] ?? 1);
  let previous: Node | null = null;
  list.forEach((item) => {
    const was = old.find(({ node }) => node.attrs["sid"] === item.attrs["sid"]);
    if (previous !== null) {
      const isNeighbour = was !== undefined && was.previous !== null && was.previous === previous.attrs["sid"];
      out += isNeighbour ? text(old[old.indexOf(was) - 1]?.end ?? 0, was.start) : gap + indent;
    }
    previous = item;
    const kept = was === undefined ? null : keepItem(item, was.node, known, inner);
    out += kept ?? indentLines(writeItem(item, markerOf(list, number, inner), isTight(list), inner), indent);
    number += 1;
  });
  return out;
}

function keepItem(item: Node, before: Node, known: KnownBlock, style: MarkdownStyle): string | null {
  const detail = known.sibling(Number(before.attrs["sid"]));
  if (detail === undefined) return null;
  return writeSplices(item, { ...known, detail }, style);
}

function indentLines(text: string, indent: string): string {
  return text.replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
}

/** Without blanks at the end; other spaces are text. */
function trimBlanks(text: string): string {
  return text.replace(/(?<! ) +$/, "");
}

const NOTE_INDENT = "    ";

function writeAnew(node: Node, style: MarkdownStyle): string {
  const { attrs, type } = node;
  switch (type) {
    case nodes.paragraph:
      return writeLine(node, style, { isOneLine: false, isCell: false });
    case nodes.heading: {
      const text = writeLine(node, style, { isOneLine: true, isCell: false }).replace(/(#+)$/, String.raw`\$1`);
      return trimBlanks(`${"#".repeat(Number(attrs["level"]))} ${text}`);
    }
    case nodes.code_block:
      return writeCode(node);
    case nodes.rule:
      // In an item that begins with a dash, dashes would be one line with it.
      return style.care !== "usual" && style.bullet === "-" ? "***" : "---";
    case nodes.island:
      return String(attrs["source"]);
    case nodes.blockquote:
      return writeAll(node, style, "\n\n")
        .split("\n")
        .map((line) => (line === "" ? ">" : `> ${line}`))
        .join("\n");
    case nodes.footnote:
      return trimBlanks(`[^${attrs["label"]}]: ${indentLines(writeAll(node, style, "\n\n"), NOTE_INDENT)}`);
    case nodes.bullet_list:
    case nodes.ordered_list: {
      const items: string[] = [];
      let number = Number(attrs["order"] ?? 1);
      const tight = isTight(node);
      node.forEach((item) => {
        items.push(writeItem(item, markerOf(node, number, style), tight, style));
        number += 1;
      });
      return items.join(tight ? "\n" : "\n\n");
    }
    case nodes.table:
      return writeTable(node, style);
    default:
      return writeAll(node, style, "\n\n");
  }
}

function writeLine(node: Node, style: MarkdownStyle, more: Pick<TextPlace, "isOneLine" | "isCell">): string {
  const place = { within: [] satisfies Mark[], isLineStart: !more.isCell && !more.isOneLine, ...more };
  return writeText(trimUnits(nodeToUnits(node)), place, style);
}

/** Removes spaces and breaks at the ends, where Markdown cannot have any. */
function trimUnits(units: readonly InlineUnit[]): readonly InlineUnit[] {
  let from = 0;
  let to = units.length;
  while (isGone(units[from])) from += 1;
  while (to > from && isGone(units[to - 1])) to -= 1;
  return units.slice(from, to);
}

function isGone(unit: InlineUnit | undefined): boolean {
  if (unit === undefined) return false;
  if (unit.leaf !== null) return unit.leaf.type === nodes.hard_break;
  return isSpace(unit.text) && !isCode(unit.marks);
}

function writeAll(parent: Node, style: MarkdownStyle, gap: string): string {
  const written: string[] = [];
  let previous: Node | null = null;
  let { bullet, ordered } = style;
  parent.forEach((child) => {
    if (isNothing(child)) return;
    // Adjacent lists are distinguished by their markers.
    if (previous !== null && previous.type === child.type && isList(child)) {
      bullet = bullet === "-" ? "*" : "-";
      ordered = ordered === "." ? ")" : ".";
    }
    written.push(writeAnew(child, { ...style, bullet, ordered }));
    previous = child;
  });
  return written.join(gap);
}

function markerOf(list: Node, number: number, style: MarkdownStyle): string {
  return list.type === nodes.ordered_list ? `${number}${style.ordered}` : style.bullet;
}

function writeItem(item: Node, marker: string, tight: boolean, style: MarkdownStyle): string {
  const checked = checkedOf(item);
  const box = checked === null ? "" : checked ? "[x] " : "[ ] ";
  const text = box + writeAll(item, style, tight ? "\n" : "\n\n");
  const indent = " ".repeat(marker.length + 1);
  return trimBlanks(`${marker} ${text}`).replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
}

function writeCode(node: Node): string {
  const text = node.textContent;
  const info = String(node.attrs["info"]);
  const sign = info.includes("`") ? "~" : "`";
  let longest = 2;
  for (const [run] of text.matchAll(sign === "`" ? /`{3,}/g : /~{3,}/g)) longest = Math.max(longest, run.length);
  const fence = sign.repeat(longest + 1);
  return `${fence}${info}\n${text === "" ? "" : `${text}\n`}${fence}`;
}

const ALIGNMENTS: Readonly<Record<string, string>> = { left: ":--", center: ":-:", right: "--:" };

function writeTable(table: Node, style: MarkdownStyle): string {
  const lines: string[] = [];
  table.forEach((row, _, index) => {
    const cells: string[] = [];
    const rules: string[] = [];
    row.forEach((cell) => {
      const paragraph = cell.firstChild;
      const text = paragraph === null ? "" : writeLine(paragraph, style, { isOneLine: true, isCell: true });
      cells.push(text.replaceAll("\n", " "));
      rules.push(ALIGNMENTS[String(cell.attrs["align"])] ?? "---");
    });
    lines.push(`| ${cells.join(" | ")} |`);
    if (index === 0) lines.push(`| ${rules.join(" | ")} |`);
  });
  return lines.join("\n");
}
