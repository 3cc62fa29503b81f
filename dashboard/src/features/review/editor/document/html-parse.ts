/** Parses HTML into a document, with the source position of each block. Blocks that the editor does not know become islands. */
import type { Node } from "prosemirror-model";
import { parseFragment } from "parse5";
import type { BlockDetail, Parsed } from "./parsed.ts";
import { schema } from "./schema.ts";
import { collapseUnits, type InlineUnit, unitsToNodes } from "./units.ts";
import { type ChildNode, CONTAINERS, type Element, isBlank, isElement, isInline, LINES } from "./html-elements.ts";
import { inlineUnits } from "./html-inline.ts";
import { readAttribute } from "./html-tags.ts";
import { alignCode, extent, NotEditable, type TagPlace, placeOf, type Range } from "./html-places.ts";

/** `firstSid`: number of the first block. A block that is parsed alone keeps the numbers that it has in its document. */
export function parseHtml(source: string, firstSid = 0): Parsed {
  const { childNodes } = parseFragment(source, { sourceCodeLocationInfo: true });
  return new HtmlReader(source, firstSid).read(childNodes);
}

const { nodes } = schema;

class HtmlReader {
  readonly #source: string;
  readonly #details = new Map<number, BlockDetail>();
  #next: number;

  constructor(source: string, firstSid: number) {
    this.#source = source;
    this.#next = firstSid;
  }

  read(children: readonly ChildNode[]): Parsed {
    const blocks = this.#blocks(children, { start: 0, end: this.#source.length }, true);
    return { blocks, details: this.#details };
  }

  /** Parses the content of an element. `isTop`: unknown content becomes an island here, not further up. */
  #blocks(children: readonly ChildNode[], inside: Range, isTop = false): number[] {
    const found: number[] = [];
    let run: ChildNode[] = [];
    let cursor = inside.start;
    const flush = () => {
      if (run.length > 0) cursor = this.#bare(run, found, cursor);
      run = [];
    };
    for (let index = 0; index < children.length; index += 1) {
      const child = children[index] as ChildNode;
      if (isInline(child, run.length > 0)) {
        if (run.length > 0 || !isBlank(child)) run.push(child);
        continue;
      }
      flush();
      const [whole, count] = this.#extent(children, index, cursor, inside.end);
      if (whole === null) {
        if (!isTop) throw new NotEditable();
        this.#island(found, { start: cursor, end: inside.end });
        return found;
      }
      this.#gap(found, { start: cursor, end: whole.start });
      if (count > 1) this.#island(found, whole);
      else this.#block(child, whole, found);
      index += count - 1;
      cursor = whole.end;
    }
    flush();
    this.#gap(found, { start: cursor, end: inside.end });
    return found;
  }

  /** Checks source between two blocks that made no node, such as an end tag without a start tag. */
  #gap(found: number[], { start, end }: Range): void {
    const text = this.#source.slice(start, end);
    if (text.trim() === "") return;
    const from = start + text.length - text.trimStart().length;
    this.#island(found, { start: from, end: from + text.trim().length });
  }

  /** The source of a child, together with following children that overlap it. */
  #extent(children: readonly ChildNode[], index: number, from: number, to: number): [Range | null, number] {
    let whole: Range | null = null;
    let count = 0;
    for (const child of children.slice(index)) {
      const range = extent(child);
      if (whole !== null && (range === null ? !isBlank(child) : range.start < whole.end)) {
        if (range !== null) whole = { start: Math.min(whole.start, range.start), end: Math.max(whole.end, range.end) };
      } else if (whole !== null) {
        break;
      } else if (range === null) {
        return [null, 0];
      } else {
        whole = range;
      }
      count += 1;
    }
    if (whole === null || whole.start < from || whole.end > to) return [null, 0];
    return [whole, count];
  }

  #island(found: number[], { start, end }: Range): void {
    const sid = this.#next;
    this.#next += 1;
    const node = nodes.island.create({ sid, source: this.#source.slice(start, end) });
    this.#add(found, sid, node, { start, end, inner: { start, end } }, [], null);
  }

  #add(
    found: number[],
    sid: number,
    node: Node,
    place: TagPlace,
    children: number[],
    units: InlineUnit[] | null,
  ): void {
    this.#details.set(sid, { node, ...place, children, previous: found.at(-1) ?? null, units });
    found.push(sid);
  }

  /** Parses text without an element of its own. @returns where it ends. */
  #bare(run: readonly ChildNode[], found: number[], cursor: number): number {
    const ranges = run.map((child) => extent(child));
    const start = ranges[0]?.start ?? -1;
    const end = ranges.at(-1)?.end ?? -1;
    if (start < cursor || end < start) throw new NotEditable();
    let units: InlineUnit[];
    try {
      units = collapseUnits(inlineUnits(this.#source, run, { start, end }));
    } catch (error) {
      if (!(error instanceof NotEditable)) throw error;
      this.#gap(found, { start: cursor, end });
      return end;
    }
    const first = units[0]?.start;
    const last = units.at(-1)?.end;
    if (first === undefined || last === undefined) {
      this.#gap(found, { start: cursor, end });
      return end;
    }
    // Markup around the first and the last character belongs to the paragraph.
    const text = this.#source.slice(start, end);
    const place = {
      start: start + text.length - text.trimStart().length,
      end: start + text.trimEnd().length,
    };
    this.#gap(found, { start: cursor, end: place.start });
    const sid = this.#next;
    this.#next += 1;
    const node = nodes.paragraph.create({ sid, tag: "" }, unitsToNodes(units));
    this.#add(found, sid, node, { ...place, inner: place }, [], units);
    return end;
  }

  #block(child: ChildNode, whole: Range, found: number[]): void {
    const sid = this.#next;
    this.#next += 1;
    try {
      if (!isElement(child)) throw new NotEditable();
      const { node, place, children, units } = this.#element(child, sid);
      this.#add(found, sid, node, place, children, units);
    } catch (error) {
      if (!(error instanceof NotEditable)) throw error;
      for (let made = sid; made < this.#next; made += 1) this.#details.delete(made);
      this.#next = sid;
      this.#island(found, whole);
    }
  }

  #element(
    element: Element,
    sid: number,
  ): { node: Node; place: TagPlace; children: number[]; units: InlineUnit[] | null } {
    const place = placeOf(element);
    const tag = this.#source.slice(place.start, place.inner.start);
    const attrs = { sid, tag };
    const { tagName: name, childNodes } = element;
    const text = (type: "paragraph" | "heading", more = {}) => {
      const units = collapseUnits(inlineUnits(this.#source, childNodes, place.inner));
      return { node: nodes[type].create({ ...attrs, ...more }, unitsToNodes(units)), place, children: [], units };
    };
    const parent = (type: ParentName, children: number[], more = {}) => {
      const content = children.map((one) => this.#detail(one).node);
      if (content.length === 0) throw new NotEditable();
      return { node: nodes[type].createChecked({ ...attrs, ...more }, content), place, children, units: null };
    };
    const blocks = () => this.#blocks(childNodes, place.inner);
    if (name === "p") return text("paragraph");
    if (/^h[1-6]$/.test(name)) return text("heading", { level: Number(name.slice(1)) });
    if (name === "hr") return { node: nodes.rule.create(attrs), place, children: [], units: null };
    if (name === "pre") return this.#code(element, sid, place);
    if (name === "blockquote") return parent("blockquote", blocks());
    if (name === "ul") return parent("bullet_list", this.#items(childNodes, place.inner));
    if (name === "ol") {
      const order = Number(element.attrs.find((one) => one.name === "start")?.value ?? 1);
      if (!Number.isInteger(order)) throw new NotEditable();
      return parent("ordered_list", this.#items(childNodes, place.inner), { order });
    }
    if (name === "table") return parent("table", this.#rows(childNodes, place.inner));
    if (LINES.has(name) && childNodes.every((child) => isInline(child, true))) return text("paragraph");
    if (LINES.has(name) || CONTAINERS.has(name)) return parent("container", blocks());
    throw new NotEditable();
  }

  #detail(sid: number): BlockDetail {
    const detail = this.#details.get(sid);
    if (detail === undefined) throw new NotEditable();
    return detail;
  }

  #items(children: readonly ChildNode[], inside: Range): number[] {
    const found: number[] = [];
    this.#eachElement(children, inside, (item) => {
      if (item.tagName !== "li") throw new NotEditable();
      const sid = this.#next;
      this.#next += 1;
      const place = placeOf(item);
      const within = this.#blocks(item.childNodes, place.inner);
      const content = within.map((one) => this.#detail(one).node);
      if (content.length === 0) content.push(nodes.paragraph.create({ tag: "" }));
      const tag = this.#source.slice(place.start, place.inner.start);
      this.#add(found, sid, nodes.list_item.create({ sid, tag }, content), place, within, null);
    });
    return found;
  }

  #rows(children: readonly ChildNode[], inside: Range): number[] {
    const found: number[] = [];
    const widths: number[] = [];
    const addRow = (row: Element, section: string) => {
      const sid = this.#next;
      this.#next += 1;
      const place = placeOf(row);
      const within = this.#cells(row.childNodes, place.inner);
      const content = within.map((one) => this.#detail(one).node);
      const tag = this.#source.slice(place.start, place.inner.start);
      this.#add(found, sid, nodes.table_row.create({ sid, tag, section }, content), place, within, null);
      // Cells that span several rows count in each of them.
      const index = found.length - 1;
      for (const { attrs } of content) {
        for (let down = 0; down < Number(attrs["rowspan"]); down += 1) {
          widths[index + down] = (widths[index + down] ?? 0) + Number(attrs["colspan"]);
        }
      }
    };
    this.#eachElement(children, inside, (child) => {
      const { tagName: name } = child;
      if (name === "tr") addRow(child, "");
      else if (!["thead", "tbody", "tfoot"].includes(name)) throw new NotEditable();
      else if (child.sourceCodeLocation) {
        const place = placeOf(child);
        // Writing the table would lose a table part that has attributes or no rows.
        const tag = this.#source.slice(place.start, place.inner.start);
        if (child.childNodes.every((one) => isBlank(one)) || tag.toLowerCase() !== `<${name}>`) throw new NotEditable();
        this.#eachElement(child.childNodes, place.inner, (row) => addRow(row, name));
      } else {
        for (const row of child.childNodes) if (isElement(row)) addRow(row, "");
      }
    });
    const isEven = widths.length === found.length && widths.every((width) => width === widths[0] && width > 0);
    if (!isEven) throw new NotEditable();
    return found;
  }

  #cells(children: readonly ChildNode[], inside: Range): number[] {
    const found: number[] = [];
    this.#eachElement(children, inside, (cell) => {
      const { tagName: name } = cell;
      if (name !== "td" && name !== "th") throw new NotEditable();
      const sid = this.#next;
      this.#next += 1;
      const place = placeOf(cell);
      const within = this.#blocks(cell.childNodes, place.inner);
      const content = within.map((one) => this.#detail(one).node);
      if (content.length === 0) content.push(nodes.paragraph.create({ tag: "" }));
      if (content.length > 1 || content[0]?.type !== nodes.paragraph) throw new NotEditable();
      const tag = this.#source.slice(place.start, place.inner.start);
      const [colspan = 1, rowspan = 1] = ["colspan", "rowspan"].map((one) => {
        const value = Number(cell.attrs.find((attribute) => attribute.name === one)?.value ?? 1);
        if (!Number.isInteger(value) || value < 1 || value > MAX_SPAN) throw new NotEditable();
        return value;
      });
      const type = name === "td" ? nodes.table_cell : nodes.table_header;
      this.#add(
        found,
        sid,
        type.create({ sid, tag, colspan, rowspan, align: readAttribute(tag, "align") }, content),
        place,
        within,
        null,
      );
    });
    return found;
  }

  /** Calls back for each element. Only white space may stand between them. */
  #eachElement(children: readonly ChildNode[], inside: Range, onElement: (element: Element) => void): void {
    let cursor = inside.start;
    for (const child of children) {
      if (isBlank(child)) continue;
      if (!isElement(child)) throw new NotEditable();
      const place = child.sourceCodeLocation ? placeOf(child) : null;
      if (place !== null) {
        if (this.#source.slice(cursor, place.start).trim() !== "" || place.start < cursor) throw new NotEditable();
        cursor = place.end;
      } else {
        // The parser has added a `tbody`.
        for (const row of child.childNodes) cursor = Math.max(cursor, extent(row)?.end ?? cursor);
      }
      onElement(child);
    }
    if (cursor > inside.end || this.#source.slice(cursor, inside.end).trim() !== "") throw new NotEditable();
  }

  #code(
    element: Element,
    sid: number,
    place: TagPlace,
  ): { node: Node; place: TagPlace; children: number[]; units: InlineUnit[] | null } {
    let { inner } = place;
    let { childNodes } = element;
    const [only] = childNodes;
    let language = "";
    if (childNodes.length === 1 && only !== undefined && isElement(only) && only.tagName === "code") {
      const code = placeOf(only);
      if (code.start !== inner.start || code.end !== inner.end) throw new NotEditable();
      ({ inner } = code);
      language =
        /(?:^|\s)lang(?:uage)?-(\S+)/.exec(only.attrs.find(({ name }) => name === "class")?.value ?? "")?.[1] ?? "";
      ({ childNodes } = only);
    }
    const values = childNodes.map((child) => {
      if (child.nodeName !== "#text") throw new NotEditable();
      return "value" in child ? child.value : "";
    });
    const value = values.join("");
    const tag = this.#source.slice(place.start, inner.start);
    const range = { ...inner };
    // A line break directly after the start tag is not part of the text.
    if (tag.toLowerCase().startsWith("<pre") && !tag.toLowerCase().includes("<code")) {
      if (this.#source.startsWith("\r\n", range.start)) range.start += 2;
      else if (this.#source[range.start] === "\n") range.start += 1;
    }
    const places = alignCode(this.#source, value, range);
    if (places === null) throw new NotEditable();
    const units = places.map((one, index) => ({ ...one, text: value[index] as string, leaf: null, marks: [] }));
    const content = value === "" ? [] : [schema.text(value)];
    const node = nodes.code_block.create({ sid, tag, info: language }, content);
    return { node, place: { ...place, inner }, children: [], units };
  }
}

const MAX_SPAN = 100;

type ParentName = "blockquote" | "bullet_list" | "ordered_list" | "table" | "container";
