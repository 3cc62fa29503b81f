/**
 * A document's meaning as comparable text: without source positions, and without what the source cannot express, such as a space at
 * the end of a paragraph. Documents with equal fingerprints read the same.
 */
import type { Mark, Node } from "prosemirror-model";
import { tagOf } from "./html-tags.ts";
import { schema } from "./schema.ts";
import { isCode, isSpace } from "./units.ts";

export type Format = "markdown" | "html";

const known: Record<Format, WeakMap<Node, string>> = { markdown: new WeakMap(), html: new WeakMap() };

export function fingerprint(node: Node, format: Format): string {
  const found = known[format].get(node);
  if (found !== undefined) return found;
  // The children's are put in as they are: quoted again at each level, their length would double with it.
  const made = `[${JSON.stringify(describe(node, format))},${contents(node, format)}]`;
  known[format].set(node, made);
  return made;
}

const { nodes, marks: markTypes } = schema;

function describe(node: Node, format: Format): unknown[] {
  const { attrs, type } = node;
  const isHtml = format === "html";
  const tag = isHtml ? tagOf(node) : "";
  switch (type) {
    case nodes.heading:
      return [type.name, attrs["level"], tag];
    case nodes.code_block:
      return [type.name, isHtml ? tag : attrs["info"]];
    case nodes.bullet_list:
      return [type.name, isHtml || isTight(node), tag];
    case nodes.ordered_list:
      return [type.name, isHtml || isTight(node), attrs["order"], tag];
    case nodes.list_item:
      return [type.name, checkedOf(node), tag];
    case nodes.table:
      return [type.name, isHtml ? [] : alignments(node), tag];
    case nodes.table_row:
      return [type.name, isHtml ? (attrs["section"] ?? "") : "", tag];
    case nodes.table_cell:
    case nodes.table_header:
      // In Markdown exactly the cells of the first row are headers.
      return isHtml ? [type.name, attrs["colspan"], attrs["rowspan"], tag] : ["cell", spansOf(node)];
    case nodes.footnote:
      return [type.name, attrs["label"]];
    case nodes.island:
      return [type.name, String(attrs["source"]).trim()];
    default:
      return [type.name, tag];
  }
}

/** The alignment of the columns, which the cells of the first row define. */
function alignments(table: Node): unknown[] {
  const found: unknown[] = [];
  table.firstChild?.forEach(({ attrs }) => found.push(attrs["align"]));
  return found;
}

/** Cells that span others, which Markdown cannot express. */
function spansOf({ attrs }: Node): unknown[] {
  return attrs["colspan"] === 1 && attrs["rowspan"] === 1 ? [] : [attrs["colspan"], attrs["rowspan"]];
}

/** In Markdown a whole list is either loose or tight; two paragraphs in one item make it loose. */
export function isTight(list: Node): boolean {
  let isLoose = false;
  let isLong = list.childCount > 1;
  list.forEach((item) => {
    let previous: Node | undefined;
    let blocks = 0;
    item.forEach((block) => {
      if (isNothing(block)) return;
      blocks += 1;
      if (block.type === nodes.paragraph && previous?.type === nodes.paragraph) isLoose = true;
      previous = block;
    });
    if (blocks > 1) isLong = true;
  });
  return !isLoose && (list.attrs["tight"] === true || !isLong);
}

/** Whether a task's box is checked; null for other items, because only text can follow a box. */
export function checkedOf(item: Node): boolean | null {
  const { firstChild, attrs } = item;
  const hasText = firstChild?.type === nodes.paragraph && !isNothing(firstChild);
  return hasText && typeof attrs["checked"] === "boolean" ? attrs["checked"] : null;
}

/** An empty paragraph without a tag, which neither format can express. */
export function isNothing(node: Node): boolean {
  return node.type === nodes.paragraph && !/[^ \n\t]/.test(node.textContent) && !hasLeaf(node);
}

function hasLeaf(node: Node): boolean {
  let found = false;
  node.forEach((child) => {
    if (!child.isText && child.type !== nodes.hard_break) found = true;
  });
  return found;
}

function contents(node: Node, format: Format): string {
  if (node.type === nodes.code_block) return JSON.stringify([node.textContent]);
  if (node.isTextblock) return JSON.stringify(inline(node, format));
  const parts: string[] = [];
  node.forEach((child) => {
    const isDropped = isNothing(child) && (format === "markdown" || child.attrs["tag"] === "") && !isCell(node);
    if (!isDropped) parts.push(fingerprint(child, format));
  });
  return `[${parts.join()}]`;
}

function isCell(node: Node): boolean {
  return node.type === nodes.table_cell || node.type === nodes.table_header;
}

type Part = { text: string; marks: string } | { leaf: string; marks: string };

function inline(block: Node, format: Format): unknown[] {
  const parts: Part[] = [];
  // Spaces are compared without marks: at the edge of bold text, the format decides whether they are inside it.
  let pending = false;
  const addText = (text: string, marks: string) => {
    const last = parts.at(-1);
    if (last !== undefined && "text" in last && last.marks === marks) last.text += text;
    else parts.push({ text, marks });
  };
  const flush = () => {
    const last = parts.at(-1);
    if (pending && last !== undefined && !isBreak(last)) addText(" ", "");
    pending = false;
  };
  block.forEach((child) => {
    const marks = child.marks.map((mark) => markKey(mark, format)).join();
    if (!child.isText) {
      const leaf = leafKey(child, format);
      if (leaf === BREAK) pending = false;
      else flush();
      parts.push({ leaf, marks: leaf === BREAK ? "" : marks });
      return;
    }
    if (isCode(child.marks)) {
      flush();
      addText(child.text ?? "", marks);
      return;
    }
    for (const text of child.text ?? "") {
      if (isSpace(text)) {
        pending = true;
      } else {
        flush();
        addText(text, marks);
      }
    }
  });
  if (format === "markdown") {
    while (isBreak(parts.at(-1))) parts.pop();
    while (isBreak(parts[0])) parts.shift();
  }
  return parts;
}

const BREAK = "break";

function isBreak(part: Part | undefined): boolean {
  return part !== undefined && "leaf" in part && part.leaf === BREAK;
}

function leafKey(node: Node, format: Format): string {
  const { attrs, type } = node;
  if (type === nodes.hard_break) return BREAK;
  if (type === nodes.footnote_reference) return JSON.stringify([type.name, attrs["label"]]);
  if (type === nodes.image) {
    const { src, alt, title } = attrs;
    return JSON.stringify(["image", src, alt, title ?? "", format === "html" ? tagOf(node) : ""]);
  }
  // A heading in Markdown has to be one line.
  return JSON.stringify([type.name, String(attrs["source"]).replaceAll(/\s+/g, " ")]);
}

function markKey(mark: Mark, format: Format): string {
  const tag = format === "html" || mark.type === markTypes.span ? tagOf(mark) : "";
  if (mark.type === markTypes.link) return JSON.stringify(["link", mark.attrs["href"], mark.attrs["title"] ?? "", tag]);
  return JSON.stringify([mark.type.name, tag]);
}
