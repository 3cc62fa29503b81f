/**
 * The editor's document schema. `tag` is the HTML start tag as written: null for a new node, "" for text without a tag of its own.
 * `sid` is the number of the source block from which a node came; null for a new block. `reference` is how Markdown refers to a
 * link definition, and `label` which one.
 */
import {
  type Attrs,
  type AttributeSpec,
  type DOMOutputSpec,
  type MarkSpec,
  type NodeSpec,
  Schema,
} from "prosemirror-model";
import { cleanAddress, safeAddress } from "./addresses.ts";
import { embedSource, findFrame } from "./embeds.ts";

const none: AttributeSpec = { default: null };
const origin: Record<string, AttributeSpec> = { sid: none, tag: none };

const nodes = {
  doc: { content: "block+" },
  paragraph: {
    content: "inline*",
    group: "block",
    attrs: origin,
    parseDOM: [{ tag: "p" }, { tag: "figcaption" }, { tag: "dt" }, { tag: "dd" }],
    toDOM: ({ attrs }) => ["p", isTagOf(attrs, "figcaption") ? { "data-caption": "" } : {}, 0],
  },
  heading: {
    content: "inline*",
    group: "block",
    defining: true,
    attrs: { ...origin, level: { default: 2 } },
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
    toDOM: (node) => [`h${node.attrs["level"]}`, 0],
  },
  code_block: {
    content: "text*",
    group: "block",
    marks: "",
    code: true,
    defining: true,
    attrs: { ...origin, info: { default: "" } },
    parseDOM: [
      {
        tag: "pre",
        preserveWhitespace: "full",
        getAttrs: (element) => ({ info: element.getAttribute("data-language") ?? "" }),
      },
    ],
    toDOM: (node) => ["pre", { "data-language": String(node.attrs["info"]) }, ["code", 0]],
  },
  blockquote: {
    content: "block+",
    group: "block",
    defining: true,
    attrs: origin,
    parseDOM: [{ tag: "blockquote" }],
    toDOM: () => ["blockquote", 0],
  },
  bullet_list: {
    content: "list_item+",
    group: "block",
    attrs: { ...origin, tight: { default: true } },
    parseDOM: [{ tag: "ul" }],
    toDOM: () => ["ul", 0],
  },
  ordered_list: {
    content: "list_item+",
    group: "block",
    attrs: { ...origin, tight: { default: true }, order: { default: 1 } },
    parseDOM: [{ tag: "ol", getAttrs: (element) => ({ order: Number(element.getAttribute("start") ?? 1) || 1 }) }],
    toDOM: (node) => ["ol", { start: String(node.attrs["order"]) }, 0],
  },
  list_item: {
    content: "block+",
    defining: true,
    attrs: { ...origin, checked: none },
    parseDOM: [{ tag: "li", getAttrs: (element) => ({ checked: readChecked(element) }) }],
    toDOM: (node) => {
      const checked: unknown = node.attrs["checked"];
      return checked === null ? ["li", 0] : ["li", { "data-checked": checked === true ? "true" : "false" }, 0];
    },
  },
  table: {
    content: "table_row+",
    group: "block",
    tableRole: "table",
    isolating: true,
    attrs: origin,
    parseDOM: [{ tag: "table" }],
    toDOM: () => ["table", ["tbody", 0]],
  },
  table_row: {
    content: "(table_cell | table_header)*",
    tableRole: "row",
    attrs: { ...origin, section: none },
    parseDOM: [{ tag: "tr" }],
    toDOM: () => ["tr", 0],
  },
  table_cell: cell("cell", "td"),
  table_header: cell("header_cell", "th"),
  rule: {
    group: "block",
    attrs: origin,
    parseDOM: [{ tag: "hr" }],
    toDOM: () => ["hr"],
  },
  /** The text of a footnote in Markdown. */
  footnote: {
    content: "block+",
    group: "block",
    defining: true,
    attrs: { sid: none, label: { default: "" } },
    parseDOM: [{ tag: "div[data-footnote]", getAttrs: (element) => ({ label: element.dataset["footnote"] ?? "" }) }],
    toDOM: (node) => ["div", { "data-footnote": String(node.attrs["label"]) }, 0],
  },
  /** An HTML element that contains blocks, such as a section or a figure. */
  container: {
    content: "block+",
    group: "block",
    defining: true,
    attrs: origin,
    toDOM: ({ attrs }) => {
      const isFigure = isTagOf(attrs, "figure");
      const isGallery = isFigure && /\bgallery\b/.test(String(attrs["tag"]));
      return ["div", { "data-container": isFigure ? "figure" : "", ...(isGallery && { "data-gallery": "" }) }, 0];
    },
  },
  /** Source that the editor does not parse: displayed, moved and deleted as a whole, and edited as source. */
  island: {
    group: "block",
    atom: true,
    draggable: true,
    // `label`: of a link definition in Markdown.
    attrs: { sid: none, source: { default: "" }, label: none },
    parseDOM: [{ tag: "div[data-embed]", getAttrs: readEmbed }],
    toDOM: (node) => ["pre", { "data-island": "" }, String(node.attrs["source"])],
  },
  text: { group: "inline" },
  hard_break: {
    group: "inline",
    inline: true,
    selectable: false,
    linebreakReplacement: true,
    attrs: { tag: none },
    parseDOM: [{ tag: "br" }],
    toDOM: () => ["br"],
  },
  image: {
    group: "inline",
    inline: true,
    draggable: true,
    attrs: { src: { default: "" }, alt: { default: "" }, title: none, tag: none, reference: none, label: none },
    parseDOM: [
      {
        tag: "img[src]",
        getAttrs: (element) => ({
          src: cleanAddress(element.getAttribute("src") ?? ""),
          alt: element.getAttribute("alt") ?? "",
          title: element.getAttribute("title"),
        }),
      },
    ],
    toDOM: (node) => ["img", { src: safeAddress(String(node.attrs["src"])), alt: String(node.attrs["alt"]) }],
  },
  footnote_reference: {
    group: "inline",
    inline: true,
    atom: true,
    attrs: { label: { default: "" } },
    parseDOM: [{ tag: "sup[data-footnote]", getAttrs: (element) => ({ label: element.dataset["footnote"] ?? "" }) }],
    toDOM: (node) => ["sup", { "data-footnote": String(node.attrs["label"]) }, String(node.attrs["label"])],
  },
  inline_island: {
    group: "inline",
    inline: true,
    atom: true,
    draggable: true,
    attrs: { source: { default: "" } },
    parseDOM: [
      { tag: 'input[type="checkbox"]', getAttrs: (box) => ({ source: boxSource(box.hasAttribute("checked")) }) },
    ],
    toDOM: (node) => ["code", { "data-island": "" }, String(node.attrs["source"])],
  },
} satisfies Record<string, NodeSpec>;

/** In nesting order, outermost first. */
const marks = {
  link: {
    inclusive: false,
    attrs: { href: {}, title: none, tag: none, reference: none, label: none },
    parseDOM: [
      {
        tag: "a[href]",
        getAttrs: (element) => ({
          href: cleanAddress(element.getAttribute("href") ?? ""),
          title: element.getAttribute("title"),
        }),
      },
    ],
    toDOM: (mark): DOMOutputSpec => {
      const href = String(mark.attrs["href"]);
      return ["a", { href: safeAddress(href), title: href }, 0];
    },
  },
  strong: {
    attrs: { tag: none },
    parseDOM: [{ tag: "strong" }, { tag: "b" }, { style: "font-weight", getAttrs: isBold }],
    toDOM: () => ["strong", 0],
  },
  em: {
    attrs: { tag: none },
    parseDOM: [{ tag: "em" }, { tag: "i" }, { style: "font-style=italic" }],
    toDOM: () => ["em", 0],
  },
  strike: {
    attrs: { tag: none },
    parseDOM: [{ tag: "s" }, { tag: "del" }, { tag: "strike" }, { style: "text-decoration=line-through" }],
    toDOM: () => ["s", 0],
  },
  /** Any other inline HTML element: its tag is kept, and some are displayed with their usual style. */
  span: {
    excludes: "",
    attrs: { tag: {}, name: {} },
    toDOM: (mark) => {
      const name = String(mark.attrs["name"]);
      return [SHOWN.has(name) ? name : "span", { "data-element": name }, 0];
    },
  },
  code: {
    attrs: { tag: none },
    parseDOM: [{ tag: "code" }, { tag: "tt" }],
    toDOM: () => ["code", 0],
  },
} satisfies Record<string, MarkSpec>;

export const schema = new Schema({ nodes, marks });

const SHOWN: ReadonlySet<string> = new Set(["u", "sub", "sup", "mark", "kbd", "small", "ins"]);

function isTagOf(attrs: Attrs, name: string): boolean {
  return new RegExp(`^<${name}[\\s>]`, "i").test(String(attrs["tag"] ?? ""));
}

function cell(role: string, name: string): NodeSpec {
  return {
    content: "paragraph",
    tableRole: role,
    isolating: true,
    attrs: { ...origin, colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: none, align: none },
    parseDOM: [
      {
        tag: name,
        getAttrs: (element: HTMLElement) => ({
          colspan: Number(element.getAttribute("colspan") ?? 1) || 1,
          rowspan: Number(element.getAttribute("rowspan") ?? 1) || 1,
        }),
      },
    ],
    toDOM: (node) => {
      const { colspan, rowspan, align } = node.attrs;
      return [
        name,
        {
          ...(colspan !== 1 && { colspan: String(colspan) }),
          ...(rowspan !== 1 && { rowspan: String(rowspan) }),
          ...(align !== null && { "data-align": String(align) }),
        },
        0,
      ];
    },
  };
}

/** A task's box in HTML, as the publisher keeps it. */
export function boxSource(isChecked: boolean): string {
  return `<input type="checkbox"${isChecked ? " checked" : ""} disabled>`;
}

function readChecked(item: HTMLElement): boolean | null {
  const checked = item.getAttribute("data-checked");
  return checked === null ? null : checked === "true";
}

/** A pasted frame; the publisher removes all others. */
function readEmbed(element: HTMLElement): { source: string } | false {
  const embed = findFrame(element.getAttribute("data-embed") ?? "");
  return embed === null ? false : { source: embedSource(embed) };
}

function isBold(weight: string): null | false {
  return weight === "bold" || weight === "bolder" || Number(weight) >= 600 ? null : false;
}
