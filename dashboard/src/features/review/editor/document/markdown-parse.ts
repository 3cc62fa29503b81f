/** Parses Markdown into a document, with the source position of each block. */
import type * as Mdast from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmAutolinkLiteralFromMarkdown } from "mdast-util-gfm-autolink-literal";
import { gfmFootnoteFromMarkdown } from "mdast-util-gfm-footnote";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { gfmAutolinkLiteral } from "micromark-extension-gfm-autolink-literal";
import { gfmFootnote } from "micromark-extension-gfm-footnote";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
import type { Mark, Node } from "prosemirror-model";
import { formulas } from "./formulas.ts";
import { alignText, type BlockDetail, type Parsed } from "./parsed.ts";
import { schema } from "./schema.ts";
import { collapseUnits, type InlineUnit, unitsToNodes } from "./units.ts";

/** `firstSid`: number of the first block. A block that is parsed alone keeps the numbers that it has in its document. */
export function parseMarkdown(source: string, firstSid = 0): Parsed {
  return new MarkdownReader(source, firstSid).read();
}

/** The renderer's dialect. What it has beyond GFM is text here, and formulas are text in which no sign has a meaning. */
export function toTree(source: string): Mdast.Root {
  // Its transforms find links in parsed text, which has no positions any more.
  const { transforms: _, ...autolinks } = gfmAutolinkLiteralFromMarkdown();
  return fromMarkdown(source, {
    extensions: [gfmAutolinkLiteral(), gfmFootnote(), gfmStrikethrough(), gfmTable(), gfmTaskListItem(), formulas],
    mdastExtensions: [
      autolinks,
      gfmFootnoteFromMarkdown(),
      gfmStrikethroughFromMarkdown(),
      gfmTableFromMarkdown(),
      gfmTaskListItemFromMarkdown(),
    ],
  });
}

const { nodes, marks } = schema;

interface Range {
  start: number;
  end: number;
}

interface Made {
  node: Node;
  inner: Range;
  children: number[];
  units: InlineUnit[] | null;
}

class MarkdownReader {
  readonly #source: string;
  readonly #details = new Map<number, BlockDetail>();
  readonly #definitions = new Map<string, Mdast.Definition>();
  #next: number;

  constructor(source: string, firstSid: number) {
    this.#source = source;
    this.#next = firstSid;
  }

  read(): Parsed {
    const { children } = toTree(this.#source);
    this.#define(children);
    return { blocks: this.#blocks(children, true), details: this.#details };
  }

  #define(children: readonly Mdast.RootContent[]): void {
    for (const child of children) {
      if (child.type === "definition") {
        // The first definition of a name wins.
        if (!this.#definitions.has(child.identifier)) this.#definitions.set(child.identifier, child);
      } else if ("children" in child) {
        this.#define(child.children);
      }
    }
  }

  #blocks(children: readonly Mdast.RootContent[], isTop = false): number[] {
    const found: number[] = [];
    for (const child of children) {
      const sid = this.#next;
      this.#next += 1;
      const range = rangeOf(child);
      if (isTop) range.start = this.#lineStart(range.start);
      const { node, ...more } = this.#block(child, sid, range);
      this.#details.set(sid, { node, ...range, ...more, previous: found.at(-1) ?? null });
      found.push(sid);
    }
    return found;
  }

  /** A block includes its indentation. */
  #lineStart(start: number): number {
    let from = start;
    while (from > 0 && (this.#source[from - 1] === " " || this.#source[from - 1] === "\t")) from -= 1;
    return from === 0 || this.#source[from - 1] === "\n" || this.#source[from - 1] === "\r" ? from : start;
  }

  #nodes(sids: readonly number[]): Node[] {
    return sids.flatMap((sid) => this.#details.get(sid)?.node ?? []);
  }

  #block(block: Mdast.RootContent, sid: number, range: Range): Made {
    const leaf = (node: Node): Made => ({ node, inner: range, children: [], units: null });
    const text = (type: "paragraph" | "heading", children: readonly Mdast.PhrasingContent[], attrs = {}): Made => {
      const { units, isExact, inner } = this.#text(children, range);
      const node = nodes[type].create({ sid, ...attrs }, unitsToNodes(units));
      return { node, inner, children: [], units: isExact ? units : null };
    };
    switch (block.type) {
      case "paragraph":
        return text("paragraph", block.children);
      case "heading":
        return text("heading", block.children, { level: block.depth });
      case "thematicBreak":
        return leaf(nodes.rule.create({ sid }));
      case "code":
        return this.#code(block, sid, range);
      case "blockquote": {
        const children = this.#blocks(block.children);
        const content = this.#nodes(children);
        return { node: nodes.blockquote.create({ sid }, orEmpty(content)), inner: range, children, units: null };
      }
      case "footnoteDefinition": {
        const children = this.#blocks(block.children);
        const attrs = { sid, label: block.label ?? block.identifier };
        const node = nodes.footnote.create(attrs, orEmpty(this.#nodes(children)));
        return { node, inner: range, children, units: null };
      }
      case "list":
        return this.#list(block, sid, range);
      case "table":
        return this.#table(block, sid, range);
      case "definition":
        return leaf(nodes.island.create({ sid, source: this.#slice(range), label: block.identifier }));
      case "html":
        return leaf(nodes.island.create({ sid, source: block.value }));
      default:
        return leaf(nodes.island.create({ sid, source: this.#slice(range) }));
    }
  }

  #slice({ start, end }: Range): string {
    return this.#source.slice(start, end);
  }

  #list(list: Mdast.List, sid: number, range: Range): Made {
    const items: number[] = [];
    for (const item of list.children) {
      const itemSid = this.#next;
      this.#next += 1;
      const place = rangeOf(item);
      const children = this.#blocks(item.children);
      const attrs = { sid: itemSid, checked: item.checked ?? null };
      const node = nodes.list_item.create(attrs, orEmpty(this.#nodes(children)));
      const previous = items.at(-1) ?? null;
      this.#details.set(itemSid, { node, ...place, inner: place, children, previous, units: null });
      items.push(itemSid);
    }
    const tight = list.spread !== true && list.children.every((item) => item.spread !== true);
    const node =
      list.ordered === true
        ? nodes.ordered_list.create({ sid, tight, order: list.start ?? 1 }, this.#nodes(items))
        : nodes.bullet_list.create({ sid, tight }, this.#nodes(items));
    return { node, inner: range, children: items, units: null };
  }

  #table(table: Mdast.Table, sid: number, range: Range): Made {
    const columns = table.children[0]?.children.length ?? 0;
    // The renderer drops cells beyond the header's columns; the editor must not.
    if (columns === 0 || table.children.some((row) => row.children.length > columns)) {
      const node = nodes.island.create({ sid, source: this.#slice(range) });
      return { node, inner: range, children: [], units: null };
    }
    const rows: number[] = [];
    table.children.forEach((row, index) => {
      const rowSid = this.#next;
      this.#next += 1;
      const cells: number[] = [];
      for (let column = 0; column < columns; column += 1) {
        const cell = row.children[column];
        const cellSid = this.#next;
        const paragraphSid = cellSid + 1;
        this.#next += 2;
        const place = cell === undefined ? { start: rangeOf(row).end, end: rangeOf(row).end } : rangeOf(cell);
        const { units, isExact, inner } = this.#text(cell?.children ?? [], place);
        const paragraph = nodes.paragraph.create({ sid: paragraphSid, tag: "" }, unitsToNodes(units));
        const isKnown = isExact && units.length > 0;
        this.#details.set(paragraphSid, {
          node: paragraph,
          ...place,
          inner,
          children: [],
          previous: null,
          units: isKnown ? units : null,
        });
        const type = index === 0 ? nodes.table_header : nodes.table_cell;
        const node = type.create({ sid: cellSid, align: table.align?.[column] ?? null }, paragraph);
        const previous = cells.at(-1) ?? null;
        this.#details.set(cellSid, { node, ...place, inner: place, children: [paragraphSid], previous, units: null });
        cells.push(cellSid);
      }
      const place = rangeOf(row);
      const node = nodes.table_row.create({ sid: rowSid }, this.#nodes(cells));
      const previous = rows.at(-1) ?? null;
      this.#details.set(rowSid, { node, ...place, inner: place, children: cells, previous, units: null });
      rows.push(rowSid);
    });
    return { node: nodes.table.create({ sid }, this.#nodes(rows)), inner: range, children: rows, units: null };
  }

  #code(code: Mdast.Code, sid: number, range: Range): Made {
    const value = code.value.replaceAll(/\r\n?/g, "\n");
    const info = [code.lang, code.meta].filter((part) => part !== null && part !== undefined).join(" ");
    const node = nodes.code_block.create({ sid, info }, value === "" ? [] : [schema.text(value)]);
    const units = value === "" ? null : this.#codeUnits(value, range);
    const inner = units === null ? range : { start: units[0]?.start ?? 0, end: units.at(-1)?.end ?? 0 };
    return { node, inner, children: [], units };
  }

  /** Fenced code: each line ends where a line of the source ends. */
  #codeUnits(value: string, range: Range): InlineUnit[] | null {
    const isFenced = /^[ \t]*(?:`{3}|~{3})/.test(this.#slice(range));
    if (!isFenced) return null;
    const units: InlineUnit[] = [];
    let at = nextLine(this.#source, range.start);
    const lines = value.split("\n");
    for (const [index, line] of lines.entries()) {
      const end = lineEnd(this.#source, at);
      const start = end - line.length;
      if (start < at || end > range.end || this.#source.slice(start, end) !== line) return null;
      const last = units.at(-1);
      if (last !== undefined) last.end = start;
      for (let place = start; place < end; place += 1)
        units.push(plain(this.#source[place] as string, place, place + 1));
      at = nextLine(this.#source, end);
      if (index < lines.length - 1) units.push(plain("\n", end, at));
    }
    return units;
  }

  /** Parses the text of one block. Characters that cannot be found in the source are kept without a position. */
  #text(
    children: readonly Mdast.PhrasingContent[],
    range: Range,
  ): { units: InlineUnit[]; isExact: boolean; inner: Range } {
    const reader = { isExact: true };
    const units = collapseUnits(children.flatMap((child) => this.#inline(child, [], reader)));
    const [first] = children;
    const last = children.at(-1);
    const inner =
      first === undefined || last === undefined
        ? { start: range.end, end: range.end }
        : { start: rangeOf(first).start, end: rangeOf(last).end };
    return { units, isExact: reader.isExact, inner };
  }

  #inline(node: Mdast.PhrasingContent, within: readonly Mark[], reader: { isExact: boolean }): InlineUnit[] {
    const range = rangeOf(node);
    const leaf = (made: Node): InlineUnit[] => [{ text: "", leaf: made, marks: within, ...range }];
    const inside = (mark: Mark, children: readonly Mdast.PhrasingContent[]) =>
      children.flatMap((child) => this.#inline(child, mark.addToSet(within), reader));
    const island = () => leaf(nodes.inline_island.create({ source: this.#slice(range) }));
    switch (node.type) {
      case "text":
        return this.#characters(node.value, range, within, reader);
      case "emphasis":
        return inside(marks.em.create(), node.children);
      case "strong":
        return inside(marks.strong.create(), node.children);
      case "delete":
        return inside(marks.strike.create(), node.children);
      case "inlineCode": {
        const mark = marks.code.create().addToSet(within);
        const ticks = /^`+/.exec(this.#slice(range))?.[0].length ?? 0;
        const value = node.value.replaceAll(/\r\n?|\n/g, " ");
        const from = this.#source.indexOf(value, range.start + ticks);
        const isFound = from !== -1 && from - range.start - ticks <= 1 && from + value.length <= range.end - ticks;
        return Array.from({ length: value.length }, (_, index) => ({
          text: value[index] as string,
          leaf: null,
          marks: mark,
          start: isFound ? from + index : range.start,
          end: isFound ? from + index + 1 : range.end,
        }));
      }
      case "link": {
        if (node.children.length === 0) return island();
        return inside(marks.link.create({ href: node.url, title: node.title ?? null }), node.children);
      }
      case "linkReference": {
        const target = this.#definitions.get(node.identifier);
        const last = node.children.at(-1);
        if (target === undefined || last === undefined) return island();
        const reference = this.#source.slice(rangeOf(last).end + 1, range.end);
        const attrs = { href: target.url, title: target.title ?? null, reference, label: node.identifier };
        return inside(marks.link.create(attrs), node.children);
      }
      case "image":
        return leaf(nodes.image.create({ src: node.url, alt: toAlt(node.alt), title: node.title ?? null }));
      case "imageReference": {
        const target = this.#definitions.get(node.identifier);
        if (target === undefined) return island();
        const reference = this.#slice(range);
        const { url: src, title = null } = target;
        const attrs = { src, alt: toAlt(node.alt), title, reference, label: node.identifier };
        return leaf(nodes.image.create(attrs));
      }
      case "footnoteReference":
        return leaf(nodes.footnote_reference.create({ label: node.label ?? node.identifier }));
      case "break":
        return leaf(nodes.hard_break.create());
      case "html":
        return /^<br\s*\/?>$/i.test(node.value) ? leaf(nodes.hard_break.create({ tag: node.value })) : island();
      default:
        return island();
    }
  }

  #characters(value: string, range: Range, within: readonly Mark[], reader: { isExact: boolean }): InlineUnit[] {
    const places = alignText(this.#source, value, range, true);
    if (places === null) reader.isExact = false;
    return Array.from({ length: value.length }, (_, index) => ({
      text: value[index] as string,
      leaf: null,
      marks: within,
      ...(places?.[index] ?? range),
    }));
  }
}

function plain(text: string, start: number, end: number): InlineUnit {
  return { text, leaf: null, marks: [], start, end };
}

function orEmpty(content: readonly Node[]): readonly Node[] {
  return content.length === 0 ? [nodes.paragraph.create()] : content;
}

function rangeOf(node: Mdast.Node): Range {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

function lineEnd(source: string, from: number): number {
  let end = from;
  while (end < source.length && source[end] !== "\n" && source[end] !== "\r") end += 1;
  return end;
}

function nextLine(source: string, from: number): number {
  const end = lineEnd(source, from);
  return source.startsWith("\r\n", end) ? end + 2 : Math.min(end + 1, source.length);
}

/** Alternative text is one line, whatever the line breaks of its source. */
function toAlt(alt: string | null | undefined): string {
  return (alt ?? "").replaceAll(/\s+/g, " ");
}
