import type { Element, Parents, RootContent } from "hast";
import { attributeName } from "./schema.ts";
import { propertyText } from "./tree.ts";

/**
 * Writes a sanitised tree, which contains only elements and attributes of the schema. Unlike hast-util-to-html, it also
 * escapes `<` and `>` in attributes: a value such as `</noscript><img onerror=…>` then stays a value even where a page
 * puts the article into an element whose content is parsed as text.
 */
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

function escapeAttribute(text: string): string {
  return /[&<>"]/.test(text) ? text.replaceAll(/[&<>"]/g, entity) : text;
}
