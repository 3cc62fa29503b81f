/** HTML start tags: kept as written, or plain for new nodes. */
import { Mark, type Node } from "prosemirror-model";
import { schema } from "./schema.ts";

const { nodes, marks } = schema;

/** The start tag of a node or mark, as written or plain; empty for text without a tag. */
export function tagOf(item: Node | Mark): string {
  const tag: unknown = item.attrs["tag"];
  if (typeof tag === "string") {
    const isOther = item.type === marks.link && readAttribute(tag, "href") !== item.attrs["href"];
    return isOther ? withAttribute(tag, "href", String(item.attrs["href"])) : imageTag(item, tag);
  }
  return item instanceof Mark ? markTag(item) : nodeTag(item);
}

export function tagName(tag: string): string {
  return /^<([a-z][a-z0-9-]*)/i.exec(tag)?.[1]?.toLowerCase() ?? "";
}

/** Changes a heading's level and keeps its attributes. */
export function renameTag(tag: string, name: string): string {
  return tag.replace(/^<[a-z][a-z0-9-]*/i, `<${name}`);
}

export function withoutId(tag: string): string {
  return tag.replace(ID, "");
}

const ID = /\sid\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/i;

function imageTag(item: Node | Mark, tag: string): string {
  if (item instanceof Mark || item.type !== nodes.image) return tag;
  let written = tag;
  for (const name of ["src", "alt"] as const) {
    const value = String(item.attrs[name]);
    if ((readAttribute(written, name) ?? "") !== value) written = withAttribute(written, name, value);
  }
  return written;
}

function nodeTag(node: Node): string {
  const { attrs, type } = node;
  switch (type) {
    case nodes.paragraph:
      return "<p>";
    case nodes.heading:
      return `<h${attrs["level"]}>`;
    case nodes.code_block:
      return codeTag(String(attrs["info"]));
    case nodes.blockquote:
      return "<blockquote>";
    case nodes.bullet_list:
      return "<ul>";
    case nodes.ordered_list:
      return attrs["order"] === 1 ? "<ol>" : `<ol start="${attrs["order"]}">`;
    case nodes.list_item:
      return "<li>";
    case nodes.table:
      return "<table>";
    case nodes.table_row:
      return "<tr>";
    case nodes.table_cell:
    case nodes.table_header: {
      const spans = ["colspan", "rowspan"].map((name) => (attrs[name] === 1 ? "" : ` ${name}="${attrs[name]}"`));
      const align = attrs["align"] === null ? "" : ` align="${escapeAttribute(String(attrs["align"]))}"`;
      return `<${type === nodes.table_cell ? "td" : "th"}${spans.join("")}${align}>`;
    }
    case nodes.rule:
      return "<hr>";
    case nodes.container:
      return "<div>";
    case nodes.hard_break:
      return "<br>";
    case nodes.image: {
      const title = attrs["title"] === null ? "" : ` title="${escapeAttribute(String(attrs["title"]))}"`;
      return `<img src="${escapeAttribute(String(attrs["src"]))}" alt="${escapeAttribute(String(attrs["alt"]))}"${title}>`;
    }
    default:
      return "";
  }
}

function codeTag(info: string): string {
  const language = info.replace(/\s.*$/, "").replaceAll(/["<>&]/g, "");
  return language === "" ? "<pre><code>" : `<pre><code class="language-${language}">`;
}

function markTag(mark: Mark): string {
  switch (mark.type) {
    case marks.link: {
      const { href, title } = mark.attrs;
      const more = title === null ? "" : ` title="${escapeAttribute(String(title))}"`;
      return `<a href="${escapeAttribute(String(href))}"${more}>`;
    }
    case marks.strike:
      return "<s>";
    default:
      return `<${mark.type.name}>`;
  }
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\u00A0", "&nbsp;");
}

/** Finds an attribute in a start tag. The value is as written, including character references. */
function findAttribute(tag: string, name: string): { from: number; to: number; value: string } | null {
  for (const match of tag.matchAll(ATTRIBUTE)) {
    if (match[1]?.toLowerCase() !== name) continue;
    const value = match[2] ?? match[3] ?? match[4] ?? "";
    return { from: match.index, to: match.index + match[0].length, value };
  }
  return null;
}

const ATTRIBUTE = /\s([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

export function readAttribute(tag: string, name: string): string | null {
  const found = findAttribute(tag, name);
  return found === null ? null : decodeReferences(found.value);
}

export function withAttribute(tag: string, name: string, value: string): string {
  const written = ` ${name}="${escapeAttribute(value)}"`;
  const found = findAttribute(tag, name);
  if (found !== null) return tag.slice(0, found.from) + written + tag.slice(found.to);
  const end = tag.search(/\s*\/?>$/);
  return tag.slice(0, end) + written + tag.slice(end);
}

export function withoutAttribute(tag: string, name: string): string {
  const found = findAttribute(tag, name);
  return found === null ? tag : tag.slice(0, found.from) + tag.slice(found.to);
}

function decodeReferences(value: string): string {
  return value
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&#039;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#038;", "&")
    .replaceAll("&amp;", "&");
}
