import { AppError } from "../../domain/system/errors.ts";
import { renderCard } from "./ghost-cards.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { toText } from "../import-item.ts";
import { escapeHtml } from "../html/html-tree.ts";

type Node = Record<string, unknown>;

/** The bits of a text's `format`, innermost element first. */
const FORMATS = [
  [16, "code"],
  [2, "em"],
  [1, "strong"],
  [4, "s"],
  [8, "u"],
  [32, "sub"],
  [64, "sup"],
  [128, "mark"],
] as const;

/** More nesting than any author uses; far below the limit of the stack. */
const MAX_DEPTH = 200;

/** Nodes that hold lines of text; cards are others. */
const BLOCKS: ReadonlySet<unknown> = new Set(
  "paragraph heading extended-heading quote extended-quote aside list code".split(" "),
);

/** Renders a Lexical document, Ghost's format since version 5, for posts whose HTML was not exported. */
export function renderLexical(document: unknown): string {
  const root = isRecord(document) && isRecord(document["root"]) ? document["root"] : {};
  return blocks(root, 0);
}

function blocks(node: Node, depth: number): string {
  assertDepth(depth);
  return getChildren(node)
    .map((child) => block(child, depth))
    .filter((html) => html !== "")
    .join("\n");
}

function block(node: Node, depth: number): string {
  switch (node["type"]) {
    case "paragraph":
      return getChildren(node).length === 0 ? "" : `<p>${inline(node, depth)}</p>`;
    case "heading":
    case "extended-heading": {
      const tag = /^h[1-6]$/.test(String(node["tag"])) ? String(node["tag"]) : "h2";
      return `<${tag}>${inline(node, depth)}</${tag}>`;
    }
    case "quote":
    case "extended-quote":
    case "aside":
      return `<blockquote>${content(node, depth)}</blockquote>`;
    case "list":
      return list(node, depth);
    case "code": {
      const code = inline(node, depth).replaceAll("<br>", "\n");
      return node["code"] === undefined ? `<pre><code>${code}</code></pre>` : (renderCard("code", node) ?? "");
    }
    default:
      return (
        renderCard(String(node["type"]), node) ??
        (getChildren(node).length > 0 ? content(node, depth) : text(node) || unknownEmbed(node))
      );
  }
}

/** Of a node that holds lines, or other blocks. */
function content(node: Node, depth: number): string {
  const isOfBlocks = getChildren(node).some(({ type }) => BLOCKS.has(type));
  return isOfBlocks ? blocks(node, depth + 1) : inline(node, depth);
}

function unknownEmbed({ url }: Node): string {
  const address = toText(url);
  return address === undefined ? "" : `<p><a href="${escapeHtml(address)}">${escapeHtml(address)}</a></p>`;
}

function list(node: Node, depth: number): string {
  const tag = node["tag"] === "ol" || node["listType"] === "number" ? "ol" : "ul";
  let items = "";
  for (const item of getChildren(node)) {
    const isNested = getChildren(item).some((child) => child["type"] === "list");
    // Lexical puts a nested list into its own item; in HTML it belongs to the previous item.
    if (isNested && items.endsWith("</li>")) items = `${items.slice(0, -5)}${content(item, depth + 1)}</li>`;
    else items += `<li>${content(item, depth + 1)}</li>`;
  }
  return `<${tag}>${items}</${tag}>`;
}

function inline(node: Node, depth: number): string {
  assertDepth(depth);
  return getChildren(node)
    .map((child) => {
      switch (child["type"]) {
        case "linebreak":
          return "<br>";
        case "tab":
          return "\t";
        case "link":
        case "autolink":
          return `<a href="${escapeHtml(toText(child["url"]) ?? "")}">${inline(child, depth + 1)}</a>`;
        case "list":
          return list(child, depth + 1);
        default:
          return renderCard(String(child["type"]), child) ?? (text(child) || inline(child, depth + 1));
      }
    })
    .join("");
}

/** Also of nodes that are unknown here. */
function text(node: Node): string {
  const bits = typeof node["format"] === "number" ? node["format"] : 0;
  let html = escapeHtml(typeof node["text"] === "string" ? node["text"] : "");
  if (html !== "") for (const [bit, tag] of FORMATS) if ((bits & bit) !== 0) html = `<${tag}>${html}</${tag}>`;
  return html;
}

function assertDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new AppError("invalid", "Its text is nested too deeply. Simplify it.");
}

function getChildren(node: Node): Node[] {
  return Array.isArray(node["children"]) ? node["children"].filter(isRecord) : [];
}
