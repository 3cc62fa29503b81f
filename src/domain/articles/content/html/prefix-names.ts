import type { Element, Parents, Root } from "hast";
import { propertyText } from "./tree.ts";

/** GitHub's prefix. Each `id` and `name` is a property of `window`, and could replace a variable of the page. */
export const PREFIX = "user-content-";

/** Whether the value of an `id` or a `name` may be kept. */
export function isPrefixed(value: string): boolean {
  return value === "" || value.startsWith(PREFIX);
}

/** An address within the article without the prefix: Markdown has no ids, and its renderers generate their own. */
export function withoutPrefix(href: string): string {
  return href.startsWith(`#${PREFIX}`) ? `#${href.slice(PREFIX.length + 1)}` : href;
}

/** Prefixes each `id` and `name` in place, and references to them but no others. @returns whether there were any. */
export function prefixNames(tree: Root): boolean {
  const renamed = new Set<string>();
  const elements: Element[] = [];
  collectElements(tree, elements);
  for (const { properties } of elements) {
    for (const property of NAMES) {
      if (properties[property] === undefined) continue;
      const name = propertyText(property, properties[property]);
      if (isPrefixed(name)) continue;
      renamed.add(name);
      properties[property] = PREFIX + name;
    }
  }
  if (renamed.size === 0) return false;
  for (const { properties } of elements) {
    for (const property of ADDRESSES) {
      if (properties[property] === undefined) continue;
      const address = propertyText(property, properties[property]);
      if (address.startsWith("#") && refersTo(renamed, address.slice(1))) {
        properties[property] = `#${PREFIX}${address.slice(1)}`;
      }
    }
    for (const property of REFERENCES) {
      if (properties[property] === undefined) continue;
      const names = propertyText(property, properties[property]).split(/\s+/);
      const value = names.map((name) => (renamed.has(name) ? PREFIX + name : name)).join(" ");
      Object.assign(properties, { [property]: value });
    }
  }
  return true;
}

const NAMES = ["id", "name"] as const;
const ADDRESSES = ["href", "useMap"] as const;
const REFERENCES = [
  "headers",
  "itemRef",
  "ariaControls",
  "ariaDescribedBy",
  "ariaDetails",
  "ariaFlowTo",
  "ariaLabelledBy",
  "ariaOwns",
] as const;

function refersTo(names: ReadonlySet<string>, fragment: string): boolean {
  if (names.has(fragment)) return true;
  try {
    return names.has(decodeURIComponent(fragment));
  } catch {
    return false;
  }
}

function collectElements(parent: Parents, found: Element[]): void {
  for (const child of parent.children) {
    if (child.type !== "element") continue;
    for (const _ in child.properties) {
      found.push(child);
      break;
    }
    collectElements(child, found);
  }
}
