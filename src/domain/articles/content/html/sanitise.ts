import type { Comment, Element, Parents, Root, RootContent } from "hast";
import { sanitize } from "hast-util-sanitize";
import { AppError } from "../../../system/errors.ts";
import { prefixNames } from "./prefix-names.ts";
import { repairHtml } from "./repair.ts";
import { isAllowedAttribute, isPlainComment, MAX_DEPTH, NEEDED_ATTRIBUTE, scanHtml } from "./html-scanner.ts";
import {
  ADDRESS_LISTS,
  allowedProperty,
  attributeName,
  DROPPED_WITH_CONTENT,
  INSIDE_TABLE,
  isAllowedElement,
  SCHEMA,
  SCHEMES,
} from "./schema.ts";
import { linkOfEmbed, linkOfFilled, placed } from "./embeds.ts";
import { isPlainWrapper, nameElement, nameStyle, uniteLazyPictures } from "./foreign-markup.ts";
import { parseFast } from "./html-fast-path.ts";
import { attributeText, collapse, escapeText, parseTree, propertyText, serialise, textContent } from "./tree.ts";
import { getScheme, tidyUrl, tidyVideoUrl } from "./urls.ts";

export interface Sanitised {
  html: string;
  tree: Root;
  /** Names of removed elements, attributes and URL schemes, without repetitions. */
  removed: string[];
  /** The removed elements of which only the content is left. */
  gone: string[];
  /** Addresses of embeds in whose place there is a link. */
  embeds: string[];
  /** Whether all text of the source is certain to be in it; omitted if that has to be checked. */
  isWhole?: boolean;
}

/** A longer list would add nothing for its reader. */
export const MAX_REMOVED = 50;

/** Keeps clean HTML; the result is clean. @throws AppError `invalid` if it is too deep or has too many elements. */
export function sanitiseHtml(source: string): Sanitised {
  const wellFormed = source.isWellFormed() ? source : source.toWellFormed();
  const fast = sanitiseFast(wellFormed);
  if (fast !== undefined) return fast;
  const html = repairHtml(wellFormed);
  const scan = scanHtml(html);
  const tree = parseTree(html);
  const removed = new Set<string>();
  for (const name of scan.foreign) if (DROPPED_BY_PARSER.has(name)) removed.add(`<${name}>`);
  const sanitizer = new Sanitizer(removed);
  sanitizer.all(tree, false, 0);
  // Both checks must agree: a mistake in the scanner alone lets nothing through.
  if (scan.clean && removed.size === 0) return { html, tree, ...NOTHING_REMOVED };
  prefixNames(tree);
  const { gone, embeds } = sanitizer;
  const others = { removed: [...removed], gone: [...gone], embeds: [...embeds] };
  return { ...written(sanitize(tree, SCHEMA) as Root | Element), ...others };
}

const NOTHING_REMOVED: Pick<Sanitised, "removed" | "gone" | "embeds"> = { removed: [], gone: [], embeds: [] };

/** The fast path of most articles, which need only the prefix of their names; undefined for the others. */
function sanitiseFast(source: string): Sanitised | undefined {
  const tree = parseFast(source);
  if (tree === undefined) return undefined;
  const removed = new Set<string>();
  new Sanitizer(removed).all(tree, false, 0);
  if (removed.size > 0) return undefined;
  if (!prefixNames(tree) && scanHtml(source).clean) return { html: source, tree, ...NOTHING_REMOVED };
  const html = serialise(tree);
  return scanHtml(html).clean ? { html, tree, ...NOTHING_REMOVED, isWhole: true } : undefined;
}

/** A fragment parser drops these without a trace. */
const DROPPED_BY_PARSER: ReadonlySet<string> = new Set(["html", "head", "body", "frameset", "frame", "!doctype"]);

/** Serialises a sanitised tree. hast-util-sanitize returns the child itself if the root has only one. */
function written(tree: Root | Element): Pick<Sanitised, "html" | "tree"> {
  const root: Root = tree.type === "root" ? tree : { type: "root", children: [tree] };
  const html = serialise(root);
  if (scanHtml(html).clean) return { html, tree: root };
  // No known input gets here. If one does, its text is all that can be trusted.
  const text = escapeText(textContent(root));
  return { html: text, tree: parseTree(text) };
}

/** Removes from a tree, in place, what the schema does not allow, and records it. */
class Sanitizer {
  readonly gone = new Set<string>();
  readonly embeds = new Set<string>();
  private readonly removed: Set<string>;
  /** Open links, in which there may be no other. */
  private links = 0;

  constructor(removed: Set<string>) {
    this.removed = removed;
  }

  all(parent: Parents, inTable: boolean, depth: number): void {
    if (depth > 4 * MAX_DEPTH)
      throw new AppError("invalid", "The content is nested too deep; simplify it.", { field: "content" });
    if (uniteLazyPictures(parent)) this.note("<noscript>");
    const kept: RootContent[] = [];
    for (const child of parent.children) {
      if (child.type === "text") kept.push(child);
      else if (child.type === "element" && child.tagName === "math") {
        this.note("<math>");
        if (!isSpoken(parent)) kept.push({ type: "text", value: formulaText(child) });
      } else if (child.type === "element") this.element(child, parent, inTable, depth, kept);
      else if (child.type === "comment" && isPlainComment(child.value)) kept.push(child satisfies Comment);
      else this.note(child.type === "comment" ? "comment with markup" : "<!doctype>");
    }
    parent.children = kept as Element["children"];
  }

  private element(node: Element, parent: Parents, inTable: boolean, depth: number, kept: RootContent[]): void {
    nameElement(node);
    const { tagName } = node;
    const refusal = refusedElement(node, inTable);
    if (refusal !== undefined) {
      this.note(refusal);
      const link = this.links > 0 ? undefined : linkOfEmbed(node);
      const inPlace = link === undefined ? undefined : placed(link, parent);
      if (link === undefined || inPlace === undefined) this.add(this.gone, refusal);
      else {
        kept.push(inPlace);
        this.add(this.embeds, attributeText(link, "href"));
      }
      if (DROPPED_WITH_CONTENT.has(tagName)) return;
      return this.unwrap(node, inTable, depth, kept);
    }
    if (isPlainWrapper(node)) {
      this.note(`style on <${tagName}>`);
      return this.unwrap(node, inTable, depth, kept);
    }
    if (nameStyle(node, depth)) this.note("style on <span>");
    const link = this.links > 0 ? undefined : linkOfFilled(node);
    this.properties(node);
    if (tagName === "iframe") node.children = [];
    else {
      if (tagName === "a") this.links += 1;
      this.all(node, inTable || tagName === "table", depth + 1);
      if (tagName === "a") this.links -= 1;
    }
    if (link !== undefined) {
      node.children.push(link);
      this.add(this.embeds, attributeText(link, "href"));
    }
    kept.push(node);
  }

  private unwrap(node: Element, inTable: boolean, depth: number, kept: RootContent[]): void {
    this.all(node, inTable, depth + 1);
    for (const child of node.children) kept.push(child);
  }

  private properties(node: Element): void {
    for (const [property, raw] of Object.entries(node.properties)) {
      const name = attributeName(property);
      const text = propertyText(property, raw);
      const url = ADDRESS_LISTS.has(property) || SCHEMES[property] !== undefined;
      const value = url ? tidyUrl(text) : text;
      if (allowedProperty(node.tagName, name) === undefined) this.refuse(node, property);
      else if (!isAllowedAttribute(node.tagName, name, value)) {
        this.note(`${getScheme(value)} URL in ${name} on <${node.tagName}>`);
        Reflect.deleteProperty(node.properties, property);
      } else if (url) node.properties[property] = value;
    }
  }

  private refuse(node: Element, property: string): void {
    this.note(`${attributeName(property)} on <${node.tagName}>`);
    Reflect.deleteProperty(node.properties, property);
  }

  private note(what: string): void {
    this.add(this.removed, what);
  }

  private add(list: Set<string>, what: string): void {
    if (list.size < MAX_REMOVED) list.add(what.slice(0, 200));
  }
}

/** Why the element is removed, as it will be reported; `undefined` if it may stay. */
function refusedElement(node: Element, inTable: boolean): string | undefined {
  const { tagName } = node;
  const needed = NEEDED_ATTRIBUTE.get(tagName);
  if (tagName === "iframe" && needed !== undefined) {
    const source = tidyVideoUrl(propertyText(needed, node.properties[needed]));
    if (isAllowedAttribute(tagName, needed, source)) {
      node.properties[needed] = source;
      return undefined;
    }
    return `<iframe> of ${getHost(source)}`;
  }
  if (tagName === "input")
    return isAllowedAttribute(tagName, "type", propertyText("type", node.properties["type"])) ? undefined : "<input>";
  if (!isAllowedElement(tagName)) return `<${tagName}>`;
  return INSIDE_TABLE.has(tagName) && !inTable ? `<${tagName}> outside a table` : undefined;
}

/** Whether a formula is the twin, for screen readers, of what a script has drawn of it. */
function isSpoken(parent: Parents): boolean {
  if (parent.type !== "element") return false;
  const classes = propertyText("className", parent.properties["className"]);
  return parent.tagName === "mjx-assistive-mml" || /\b(?:katex-mathml|MJX_Assistive_MathML)\b/.test(classes);
}

/** The TeX that a formula in MathML carries, or else its words. */
function formulaText(math: Element): string {
  const tex = findTex(math, 0);
  return tex === undefined ? collapse(textContent(math)) : `\\(${tex}\\)`;
}

function findTex(parent: Parents, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  for (const child of parent.children) {
    if (child.type !== "element") continue;
    const isTex = child.tagName === "annotation" && child.properties["encoding"] === "application/x-tex";
    const tex = isTex ? textContent(child).trim() : findTex(child, depth + 1);
    if (tex !== undefined && tex !== "") return tex;
  }
  return undefined;
}

function getHost(url: string): string {
  return URL.parse(url)?.host || "no address";
}
