import type { Element, Root, RootContent } from "hast";
import { type Handle, type State, toMdast } from "hast-util-to-mdast";
import { Marked } from "marked";
import { gfmToMarkdown } from "mdast-util-gfm";
import { toMarkdown } from "mdast-util-to-markdown";
import { AppError } from "../errors.ts";
import { attributeText } from "./tree.ts";

const marked = new Marked({ gfm: true });

/** HTML of GFM, not yet sanitised: HTML inside the Markdown stays as it is. */
export function markdownToHtml(markdown: string): string {
  try {
    return marked.parse(markdown, { async: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError("invalid", "The Markdown is nested too deep; simplify its lists and quotes.", {
      field: "markdown",
      cause: error,
    });
  }
}

/** GFM of a sanitised tree. Frames and videos, which Markdown does not have, become links. */
export function htmlToMarkdown(tree: Root): string {
  const mdast = toMdast(withoutPositions(tree), { handlers: { iframe: embed, video: embed, audio: embed } });
  return toMarkdown(mdast, { bullet: "-", emphasis: "_", rule: "-", extensions: [GFM] });
}

/** hast-util-to-mdast copies its tree, and positions are two thirds of that. */
function withoutPositions(tree: Root): Root {
  return { type: "root", children: tree.children.map((child) => bare(child)) };
}

function bare<Node extends RootContent>(node: Node): Node {
  if (node.type !== "element") return { ...node, position: undefined };
  const { tagName, properties } = node;
  return { type: "element", tagName, properties, children: node.children.map((child) => bare(child)) } as Node;
}

const GFM = gfmToMarkdown({ tablePipeAlign: false });

const embed: Handle = (state: State, node: Element) => {
  const url = attributeText(node, "src") || sourceOf(node);
  if (url === "") return undefined;
  const title = attributeText(node, "title") || url;
  const result = { type: "link" as const, url, title: null, children: [{ type: "text" as const, value: title }] };
  state.patch(node, result);
  return result;
};

function sourceOf(node: Element): string {
  for (const child of node.children)
    if (child.type === "element" && child.tagName === "source") return attributeText(child, "src");
  return "";
}
