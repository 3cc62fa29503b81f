/** What a reader finds in a page, read by parse5 and nothing of ours. */
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface Facts {
  /** Texts between two breaks of the layout, with single spaces. */
  blocks: string[];
  /** With its level, as in `2 Why`. */
  headings: string[];
  codes: string[];
  links: { href: string; text: string }[];
  pictures: string[];
  /** Rows of cells. */
  tables: string[];
  /** References to footnotes. */
  footnotes: number;
  ids: Set<string>;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const BREAKS = set(
  "address article aside blockquote caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul",
);
/** Browsers show nothing of them, or what a reader does not count as words of the article. */
const UNSEEN = set("head script style template title noscript iframe object audio video datalist");

export function readFacts(html: string): Facts {
  const found: Facts = {
    blocks: [],
    headings: [],
    codes: [],
    links: [],
    pictures: [],
    tables: [],
    footnotes: 0,
    ids: new Set(),
  };
  let text = "";
  const flush = () => {
    const block = squeeze(text);
    if (block !== "") found.blocks.push(block);
    text = "";
  };
  const walk = (node: Node): void => {
    if (node.nodeName === "#text" && "value" in node) text += node.value;
    if (!("childNodes" in node)) return;
    if (!("tagName" in node)) return node.childNodes.forEach(walk);
    const { tagName } = node;
    note(node, found);
    if (isNote(node) || UNSEEN.has(tagName)) return;
    if (tagName === "br") text += " ";
    // A task.
    if (tagName === "input") text += attribute(node, "checked") === undefined ? "[ ] " : "[x] ";
    const breaks = BREAKS.has(tagName);
    if (breaks) flush();
    node.childNodes.forEach(walk);
    if (breaks) flush();
  };
  walk(parseFragment(html));
  flush();
  return found;
}

function note(node: Element, found: Facts): void {
  const { tagName } = node;
  const id = attribute(node, "id") ?? (tagName === "a" ? attribute(node, "name") : undefined);
  if (id !== undefined) found.ids.add(id);
  if (attribute(node, "data-footnote-ref") !== undefined) found.footnotes += 1;
  if (isNote(node)) return;
  if (/^h[1-6]$/.test(tagName)) found.headings.push(`${tagName.slice(1)} ${squeeze(textOf(node))}`);
  if (tagName === "pre") found.codes.push(rawText(node).replace(/\n$/, ""));
  const href = attribute(node, "href");
  if (tagName === "a" && href !== undefined) found.links.push({ href, text: squeeze(textOf(node)) });
  const src = attribute(node, "src");
  if (tagName === "img" && src !== undefined) found.pictures.push(src);
  if (tagName === "table") found.tables.push(rowsOf(node).join("\n"));
}

/** The number of a footnote, the way back from it, and the heading over all of them. */
function isNote(node: Element): boolean {
  return (
    attribute(node, "data-footnote-ref") !== undefined ||
    attribute(node, "data-footnote-backref") !== undefined ||
    /\bfootnote-label\b/.test(attribute(node, "id") ?? "")
  );
}

function rowsOf(node: Element): string[] {
  return node.childNodes.flatMap((child) => {
    if (!("tagName" in child) || child.tagName === "table") return [];
    if (child.tagName !== "tr") return rowsOf(child);
    const cells = child.childNodes.filter((cell) => cell.nodeName === "td" || cell.nodeName === "th");
    return [cells.map((cell) => squeeze(textOf(cell))).join(" | ")];
  });
}

function textOf(node: Node): string {
  if (node.nodeName === "#text" && "value" in node) return node.value;
  if (!("childNodes" in node) || ("tagName" in node && (isNote(node) || UNSEEN.has(node.tagName)))) return "";
  const inner = node.childNodes.map(textOf).join("");
  return node.nodeName === "br" ? "\n" : "tagName" in node && BREAKS.has(node.tagName) ? ` ${inner} ` : inner;
}

function rawText(node: Node): string {
  if (node.nodeName === "#text" && "value" in node) return node.value;
  if (node.nodeName === "br") return "\n";
  return "childNodes" in node ? node.childNodes.map(rawText).join("") : "";
}

function attribute(node: Element, name: string): string | undefined {
  return node.attrs.find((one) => one.name === name)?.value;
}

export function squeeze(text: string): string {
  return text.normalize().replaceAll(/\s+/g, " ").trim();
}
