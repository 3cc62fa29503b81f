/** Renderers of Markdown, each with raw HTML switched on, and what of their output a browser would run. */
import { createRequire } from "node:module";
import { marked } from "marked";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { toHast } from "mdast-util-to-hast";
import { toHtml } from "hast-util-to-html";
import { micromark } from "micromark";
import { gfmAutolinkLiteral, gfmAutolinkLiteralHtml } from "micromark-extension-gfm-autolink-literal";
import { gfmStrikethrough, gfmStrikethroughHtml } from "micromark-extension-gfm-strikethrough";
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { isAllowedAttribute } from "../../src/domain/articles/content/html/html-scanner.ts";
import { allowedProperty, isAllowedElement } from "../../src/domain/articles/content/html/schema.ts";

// Neither package has types.
const require = createRequire(import.meta.url);
const commonmark = require("commonmark") as {
  Parser: new () => { parse: (text: string) => unknown };
  HtmlRenderer: new (options: { safe: boolean }) => { render: (tree: unknown) => string };
};
const MarkdownIt = require("markdown-it") as new (options: { html: boolean; linkify: boolean }) => {
  render: (text: string) => string;
};

const [parser, writer] = [new commonmark.Parser(), new commonmark.HtmlRenderer({ safe: false })];
const markdownIt = new MarkdownIt({ html: true, linkify: true });
const DANGEROUS = { allowDangerousHtml: true, allowDangerousProtocol: true } as const;

export const RENDERERS: Readonly<Record<string, (markdown: string) => string>> = {
  marked: (text) => marked.parse(text, { async: false }),
  "markdown-it": (text) => markdownIt.render(text),
  "commonmark.js": (text) => writer.render(parser.parse(text)),
  micromark: (text) => micromark(text, DANGEROUS),
  "micromark with GFM": (text) =>
    micromark(text, {
      ...DANGEROUS,
      extensions: [gfmAutolinkLiteral(), gfmStrikethrough(), gfmTable()],
      htmlExtensions: [gfmAutolinkLiteralHtml(), gfmStrikethroughHtml(), gfmTableHtml()],
    }),
  "remark-rehype": (text) => {
    const tree = fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
    return toHtml(toHast(tree, { allowDangerousHtml: true }), { allowDangerousHtml: true });
  },
};

const END = '<b id="the-end"></b>';

/**
 * @returns what a page that shows this HTML gets beyond what sanitising keeps: elements, attributes, addresses; null if there
 * is nothing of the kind. A tag or an element that goes on beyond the text, into the rest of the page, is such a thing as well.
 */
export function findLive(html: string): string | null {
  let hasEnd = false;
  const check = (node: DefaultTreeAdapterTypes.ChildNode): string | null => {
    if (node.nodeName === "#comment" || !("tagName" in node)) return null;
    const { tagName, attrs } = node;
    if (!isAllowedElement(tagName)) return `<${tagName}>`;
    if (attrs.some(({ value }) => value === "the-end")) hasEnd = true;
    for (const { name, value } of attrs) {
      // Alignment and widths in a table, and the names of footnotes.
      if (
        /^(?:style|rel|rev|data-[a-z-]+)$/.test(name) &&
        /^(?:(?:text-align|width): ?(?:left|right|center|\d+%);?|[\w -]*)$/.test(value)
      )
        continue;
      if (allowedProperty(tagName, name) === undefined || !isAllowedAttribute(tagName, name, value))
        return `${name}=${value.slice(0, 80)} on <${tagName}>`;
    }
    return checkAll(node.childNodes);
  };
  const checkAll = (nodes: readonly DefaultTreeAdapterTypes.ChildNode[]): string | null => {
    for (const node of nodes) {
      const live = check(node);
      if (live !== null) return live;
    }
    return null;
  };
  const live = checkAll(parseFragment(html + END, { scriptingEnabled: false }).childNodes);
  return live ?? (hasEnd ? null : "markup without an end");
}
