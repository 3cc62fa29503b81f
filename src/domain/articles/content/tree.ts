import type { Element, Parents, Root } from "hast";
import { fromHtml } from "hast-util-from-html";

export const parse = (html: string): Root => fromHtml(html, { fragment: true });

/** A property's value as the text of its attribute. */
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
