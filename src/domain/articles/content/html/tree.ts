import type { Element, Parents, Root, RootContent } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import * as parse5 from "parse5";
import { attributeName } from "./schema.ts";

/** Parses as a browser does. Without the nodes' positions in the source, which take two fifths of the time. */
export function parseTree(html: string, { fragment = true } = {}): Root {
  const read = fragment ? parse5.parseFragment : parse5.parse;
  return fromParse5(read(html, { scriptingEnabled: false })) as Root;
}

export function propertyText(property: string, value: Element["properties"][string]): string {
  if (Array.isArray(value)) return value.join(property === "srcSet" || property === "coords" ? ", " : " ");
  return value === null || value === undefined || typeof value === "boolean" ? "" : String(value);
}

export function attributeText(node: Element, property: string): string {
  return propertyText(property, node.properties[property]);
}

/** All text below a node, with white space collapsed, without what is never shown. */
export function textContent(node: Parents): string {
  const parts: string[] = [];
  collect(node, parts);
  return collapse(parts.join(""));
}

export function collapse(text: string): string {
  return (UNEVEN.test(text) ? text.replaceAll(/\s+/g, " ") : text).trim();
}

const UNEVEN = /[^\S ]| {2}/;

/** Elements whose text is never shown. */
export const UNSEEN: ReadonlySet<string> = new Set(
  "audio canvas datalist head iframe noembed noframes noscript object rp script style svg template textarea title video".split(
    " ",
  ),
);

function collect(node: Parents, parts: string[]): void {
  for (const child of node.children) {
    if (child.type === "text") parts.push(child.value);
    else if (child.type === "element") {
      if (child.tagName === "br") parts.push(" ");
      else if (!UNSEEN.has(child.tagName)) collect(child, parts);
    }
  }
}

/** Unlike hast-util-to-html, escapes `<` and `>` in attributes: a page may put the article into a `<noscript>`. */
export function serialise(tree: Parents): string {
  return writeAll(tree.children);
}

const VOID: ReadonlySet<string> = new Set("area br col hr img input source track wbr".split(" "));

function writeAll(nodes: readonly RootContent[]): string {
  let html = "";
  for (const node of nodes) {
    if (node.type === "text") html += escapeText(node.value);
    else if (node.type === "element") html += writeElement(node);
    else if (node.type === "comment") html += `<!--${node.value}-->`;
  }
  return html;
}

function writeElement(node: Element): string {
  let html = `<${node.tagName}`;
  for (const [property, value] of Object.entries(node.properties)) {
    if (value === null || value === undefined || value === false) continue;
    html += ` ${attributeName(property)}`;
    if (value !== true) html += `="${escapeAttribute(propertyText(property, value))}"`;
  }
  html += ">";
  if (VOID.has(node.tagName)) return html;
  // A parser drops the first line break of a <pre>.
  const first = node.tagName === "pre" ? node.children[0] : undefined;
  if (first?.type === "text" && first.value.startsWith("\n")) html += "\n";
  return `${html}${writeAll(node.children)}</${node.tagName}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const entity = (character: string): string => ENTITIES[character] ?? character;

export function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replaceAll(/[&<>]/g, entity) : text;
}

export function escapeAttribute(text: string): string {
  return /[&<>"]/.test(text) ? text.replaceAll(/[&<>"]/g, entity) : text;
}
