/** Writes blocks as HTML: unchanged ones byte for byte, the others in the style of the source. */
import type { Mark, Node } from "prosemirror-model";
import { fingerprint, isNothing } from "./fingerprint.ts";
import { escapeText, tagName, tagOf } from "./html-tags.ts";
import type { KnownBlock, Origins } from "./origins.ts";
import { schema } from "./schema.ts";
import { mostFrequent } from "./edited-source.ts";
import { isCode, isSameMarks, isSpace, nodeToUnits, spliceUnits, type InlineUnit } from "./units.ts";

const { nodes } = schema;

/** How much of the source is kept: all but the changed characters, all but the changed runs, or only the tags. */
export const HTML_WAYS = ["narrow", "wide", "anew"] as const;
export type HtmlWay = (typeof HTML_WAYS)[number];

export function writeHtml(node: Node, origins: Origins, way: HtmlWay): string {
  const known = way === "anew" ? null : origins.find(node);
  if (known !== null && isSame(node, known)) return known.text(known.detail.start, known.detail.end);
  if (node.type === nodes.island) return String(node.attrs["source"]);
  const open = tagOf(node);
  if (node.type === nodes.rule) return open;
  return open + contents(node, known, origins, way) + close(node, open, known);
}

function isSame(node: Node, { detail }: KnownBlock): boolean {
  return node === detail.node || node.eq(detail.node) || fingerprint(node, "html") === fingerprint(detail.node, "html");
}

function close(node: Node, open: string, known: KnownBlock | null): string {
  if (open === "") return "";
  const before = known === null ? "" : tagOf(known.detail.node);
  // Code that gets a language gets an element more.
  const isSameDepth = before.split("<").length === open.split("<").length;
  if (known !== null && tagName(before) === tagName(open) && isSameDepth) {
    const written = known.text(known.detail.inner.end, known.detail.end);
    if (written !== "") return written;
  }
  const names = [...open.matchAll(/<([a-z][a-z0-9-]*)/gi)].map((match) => match[1] ?? "");
  const isNested = node.type === nodes.code_block && names.length > 1;
  return isNested ? `</${names[1]}></${names[0]}>` : `</${names[0]}>`;
}

function contents(node: Node, known: KnownBlock | null, origins: Origins, way: HtmlWay): string {
  if (!node.isTextblock) return writeChildren(node, known, origins, way);
  const isCode = node.type === nodes.code_block;
  const write = (units: readonly InlineUnit[], within: readonly Mark[]) =>
    isCode ? escapeText(units.map(({ text }) => text).join("")) : writeUnits(units, within);
  const after = nodeToUnits(node);
  if (known?.detail.units) {
    const { inner, units } = known.detail;
    const splice = spliceUnits(units, after, inner, way === "wide");
    if (splice === null) return known.text(inner.start, inner.end);
    const { from, to } = splice;
    return known.text(inner.start, from) + write(splice.units, splice.within) + known.text(to, inner.end);
  }
  const text = write(after, []);
  // The first line break in `pre` would be dropped.
  return isCode && text.startsWith("\n") ? `\n${text}` : text;
}

function writeChildren(node: Node, known: KnownBlock | null, origins: Origins, way: HtmlWay): string {
  const old = known?.detail.children.flatMap((sid) => known.sibling(sid) ?? []) ?? [];
  const isLined = LINED.has(node.type.name);
  const [first] = old;
  const last = old.at(-1);
  let out = "";
  let previous: Node | null = null;
  let section = "";
  const between = mostFrequent(old.slice(1).map((one, index) => known?.text(old[index]?.end ?? 0, one.start) ?? ""));
  node.forEach((child) => {
    if (isNothing(child) && child.attrs["tag"] === "") return;
    const sid: unknown = child.attrs["sid"];
    const detail = old.find((one) => one.node.attrs["sid"] === sid);
    let gap: string;
    if (previous === null) {
      gap =
        known !== null && first !== undefined ? known.text(known.detail.inner.start, first.start) : isLined ? "\n" : "";
    } else if (
      known !== null &&
      detail !== undefined &&
      detail.previous !== null &&
      detail.previous === previous.attrs["sid"]
    ) {
      gap = known.text(old[old.indexOf(detail) - 1]?.end ?? 0, detail.start);
    } else {
      gap = between ?? (isLined || child.type.isBlock ? "\n" : "");
    }
    if (known === null && child.type === nodes.table_row) {
      const now = String(child.attrs["section"] ?? "");
      if (now !== section) gap += (section === "" ? "" : `</${section}>`) + (now === "" ? "" : `<${now}>`);
      section = now;
    }
    out += gap + writeHtml(child, origins, way);
    previous = child;
  });
  if (section !== "") out += `</${section}>`;
  if (known !== null && last !== undefined) return out + known.text(last.end, known.detail.inner.end);
  return out + (isLined && previous !== null ? "\n" : "");
}

const LINED: ReadonlySet<string> = new Set(["bullet_list", "ordered_list", "table", "blockquote", "container"]);

/** Writes text within marks that are already open. */
function writeUnits(units: readonly InlineUnit[], within: readonly Mark[]): string {
  let out = "";
  let open: readonly Mark[] = within;
  const turnTo = (marks: readonly Mark[]) => {
    let shared = 0;
    while (
      shared < open.length &&
      shared < marks.length &&
      isSameMarks([open[shared] as Mark], [marks[shared] as Mark])
    ) {
      shared += 1;
    }
    for (const mark of open.slice(shared).toReversed()) out += `</${tagName(tagOf(mark))}>`;
    for (const mark of marks.slice(shared)) out += tagOf(mark);
    open = marks;
  };
  let text = "";
  const flush = () => {
    out += escapeText(text);
    text = "";
  };
  for (const [index, unit] of units.entries()) {
    const marks = isSpace(unit.text) && !isCode(unit.marks) ? marksOfBlank(units, index, within) : unit.marks;
    if (!isSameMarks(marks, open)) {
      flush();
      turnTo(marks);
    }
    if (unit.leaf === null) {
      text += unit.text;
      continue;
    }
    flush();
    const isIsland = unit.leaf.type === nodes.inline_island;
    out += isIsland ? String(unit.leaf.attrs["source"]) : tagOf(unit.leaf);
  }
  flush();
  turnTo(within);
  return out;
}

/** A space has no marks of its own, so that no element contains only a space. */
function marksOfBlank(units: readonly InlineUnit[], index: number, within: readonly Mark[]): readonly Mark[] {
  const left = units.slice(0, index).findLast(isShown)?.marks ?? within;
  const right = units.slice(index).find(isShown)?.marks ?? within;
  return (units[index]?.marks ?? []).filter((mark) => mark.isInSet(left) && mark.isInSet(right));
}

function isShown(unit: InlineUnit): boolean {
  return unit.leaf !== null || !isSpace(unit.text);
}
