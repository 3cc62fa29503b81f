import type { Element, ElementContent, Nodes, Root, RootContent } from "hast";
import { toHtml } from "hast-util-to-html";
import { toText } from "hast-util-to-text";
import { repairHtml } from "../../domain/articles/content/html/repair.ts";
import { scanHtml } from "../../domain/articles/content/html/html-scanner.ts";
import { parseTree } from "../../domain/articles/content/html/tree.ts";
import { AppError } from "../../domain/system/errors.ts";

export function parseHtml(html: string, fragment: boolean): Root {
  const repaired = repairHtml(html);
  // Rejects HTML that would take a parser too long.
  scanHtml(repaired);
  return limitDepth(() => parseTree(repaired, { fragment }));
}

export function nodesToHtml(nodes: RootContent[]): string {
  return limitDepth(() => toHtml({ type: "root", children: nodes })).trim();
}

export function elementText(node: Nodes): string {
  return limitDepth(() => toText(node)).trim();
}

/** Trees are traversed recursively, here and in the libraries. */
function limitDepth<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError("invalid", "Its HTML is nested too deeply. Simplify it.", { cause: error });
  }
}

/** Every element below `node`, in document order. */
export function* elementsIn(node: Root | Element): Generator<Element> {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    yield child;
    yield* elementsIn(child);
  }
}

export function findElement(node: Root | Element, matches: (element: Element) => boolean): Element | undefined {
  for (const element of elementsIn(node)) if (matches(element)) return element;
  return undefined;
}

export function hasClass(element: Element, name: string): boolean {
  const classes = element.properties["className"];
  return Array.isArray(classes) && classes.includes(name);
}

/** An attribute by its hast name (`dateTime`, `dataField`). */
export function attribute(element: Element | undefined, name: string): string | undefined {
  const value = element?.properties[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Copies the nodes; `decide` says of each element whether to keep (and process its children), unwrap or drop it. */
export function rebuild(
  nodes: readonly ElementContent[],
  decide: (element: Element) => "keep" | "unwrap" | "drop",
): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type !== "element") return [node];
    const decision = decide(node);
    if (decision === "drop") return [];
    const children = rebuild(node.children, decide);
    return decision === "unwrap" ? children : [{ ...node, children }];
  });
}

/** The visible text of an HTML fragment: titles and summaries may contain tags and entities. */
export function plainText(html: string): string {
  return /[<&]/.test(html) ? elementText(parseHtml(html, true)) : html.trim();
}

/** As `plainText`, on one line, for titles. */
export function plainLine(html: string): string {
  return plainText(html).replace(/\s+/g, " ");
}

const INLINE_TAG =
  /<\/?(?:a|abbr|b|bdi|br|cite|code|del|em|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u|wbr)(?:\s[^<>`]*)?\/?>/gi;
/** Limit of the text between the brackets of a link, so that many of them take linear time. */
const LINK = /!?\[([^[\]\n]{0,500})\]\((?:[^()\s]|\([^()\s]*\)){1,2000}\)/g;

/** The text of a field that is HTML or Markdown for some generators and plain for others; what is between backticks stays. */
export function plainField(written: string): string {
  if (!/[<&[]/.test(written)) return written;
  const parts = written.replace(LINK, "$1").split("`");
  const plain = parts.map((part, at) => (at % 2 === 1 && at < parts.length - 1 ? part : withoutMarkup(part)));
  return plain.join("`").trim();
}

function withoutMarkup(text: string): string {
  const bare = text.replace(INLINE_TAG, "");
  if (!/&(?:#\w{1,8}|\w{2,24});/.test(bare)) return bare;
  // The parser trims what stands between two parts in backticks.
  const [before, after] = [/^\s/.test(bare) ? " " : "", /\s$/.test(bare) ? " " : ""];
  return before + plainText(bare.replaceAll("<", "&lt;")) + after;
}

/** A title derived from the slug: `my-first_post` becomes "My first post". */
export function titleOfSlug(slug: string): string {
  const words = slug.replace(/[-_\s]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
