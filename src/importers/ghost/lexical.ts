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

/** Renders a Lexical document, Ghost's format since version 5, for posts whose HTML was not exported. */
export function renderLexical(document: unknown): string {
  const root = isRecord(document) && isRecord(document["root"]) ? document["root"] : {};
  return getChildren(root)
    .map((node) => block(node, 0))
    .filter((html) => html !== "")
    .join("\n");
}

function block(node: Node, depth: number): string {
  switch (node["type"]) {
    case "paragraph":
      return node["children"] === undefined || getChildren(node).length === 0 ? "" : `<p>${inline(node, depth)}</p>`;
    case "heading":
    case "extended-heading": {
      const tag = /^h[1-6]$/.test(String(node["tag"])) ? String(node["tag"]) : "h2";
      return `<${tag}>${inline(node, depth)}</${tag}>`;
    }
    case "quote":
    case "extended-quote":
    case "aside":
      return `<blockquote>${inline(node, depth)}</blockquote>`;
    case "list":
      return list(node, depth);
    default:
      return renderCard(String(node["type"]), node) ?? inline(node, depth);
  }
}

function list(node: Node, depth: number): string {
  const tag = node["tag"] === "ol" || node["listType"] === "number" ? "ol" : "ul";
  let items = "";
  for (const item of getChildren(node)) {
    const isNested = getChildren(item).some((child) => child["type"] === "list");
    // Lexical puts a nested list into its own item; in HTML it belongs to the previous item.
    if (isNested && items.endsWith("</li>")) items = `${items.slice(0, -5)}${inline(item, depth)}</li>`;
    else items += `<li>${inline(item, depth)}</li>`;
  }
  return `<${tag}>${items}</${tag}>`;
}

function inline(node: Node, depth: number): string {
  if (depth > MAX_DEPTH) throw new AppError("invalid", "Its text is nested too deeply. Simplify it.");
  return getChildren(node)
    .map((child) => {
      switch (child["type"]) {
        case "text":
        case "extended-text":
        case "code-highlight":
          return formatted(child);
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
          return renderCard(String(child["type"]), child) ?? inline(child, depth + 1);
      }
    })
    .join("");
}

function formatted(node: Node): string {
  const bits = typeof node["format"] === "number" ? node["format"] : 0;
  let html = escapeHtml(typeof node["text"] === "string" ? node["text"] : "");
  for (const [bit, tag] of FORMATS) if ((bits & bit) !== 0) html = `<${tag}>${html}</${tag}>`;
  return html;
}

function getChildren(node: Node): Node[] {
  return Array.isArray(node["children"]) ? node["children"].filter(isRecord) : [];
}
