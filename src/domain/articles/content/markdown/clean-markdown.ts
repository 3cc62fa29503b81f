import type { Parents, Root } from "hast";
import { AppError } from "../../../system/errors.ts";
import { escapeMarkdown } from "./escape-markdown.ts";
import { htmlToMarkdown } from "./gfm.ts";
import { markdownToHtml, readMarkdown } from "./markdown.ts";
import { isCleanAddress, isCleanForOtherParsers } from "./other-parsers.ts";
import { type Sanitised, sanitiseHtml } from "../html/sanitise.ts";
import { collectStats, visibleText } from "../html/text.ts";
import { collapse } from "../html/tree.ts";

/**
 * Returns an author's Markdown in a form that may be delivered. Receivers render it themselves, so it must hold nothing
 * that is removed from the article's HTML: no raw scripts, handlers or styles, no `javascript:` links. Nor may it hold a tag such as
 * `<script>` without an end, which is text in the article's HTML, and would take in the rest of a receiver's page, or anything of
 * the kind that is code or text to our parser alone.
 *
 * Clean Markdown is kept byte for byte. Otherwise only the blocks that are not clean are rewritten; if that would
 * change the article, all of it is derived from the sanitised HTML.
 *
 * @param tree the article's sanitised HTML. @param rendered the result of rendering this very source, if available.
 */
export function cleanMarkdown(markdown: string, tree: Root, rendered?: Rendered): string {
  const kept = unlessUnreadable(() => (isClean(markdown, rendered) ? markdown : repairMarkdown(markdown, tree)));
  if (kept !== undefined) return kept;
  const derived = htmlToMarkdown(tree);
  // Our own Markdown is read alike by all parsers.
  if (unlessUnreadable(() => !isUnclean(render(derived))) === true) return derived;
  // Reached only if even the derived Markdown is unreadable or unclean: nothing but its text can be trusted.
  return `${escapeMarkdown(visibleText(collectStats(tree).blocks))}\n`;
}

/** Returns undefined for Markdown beyond our parser's limits, which an earlier version may have accepted. */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") return undefined;
    throw error;
  }
}

function repairMarkdown(markdown: string, tree: Root): string | undefined {
  const cleaned = cleanBlocks(markdown);
  const isSame = isClean(cleaned) && isSameArticle(render(cleaned).tree, tree);
  return isSame ? cleaned : undefined;
}

type Rendered = Pick<Sanitised, "removed" | "isRepaired">;

const render = (markdown: string): Sanitised => sanitiseHtml(markdownToHtml(markdown));

function isClean(markdown: string, rendered: Rendered = render(markdown)): boolean {
  return !isUnclean(rendered) && isCleanForOtherParsers(markdown);
}

function isUnclean({ removed, isRepaired }: Rendered): boolean {
  return removed.length > 0 || isRepaired === true;
}

function cleanBlocks(markdown: string): string {
  const { blocks, addresses } = readMarkdown(markdown);
  const hasUnclean = !addresses.every(isCleanAddress);
  let clean = "";
  let isGone = false;
  for (const { type, raw, html } of blocks) {
    // Drops the empty lines after a removed block.
    if (type === "space" && isGone) continue;
    const written = type === "def" && hasUnclean ? "" : cleanBlock(type, raw, html, hasUnclean);
    isGone = written === "";
    if (!isGone) clean += written;
  }
  return clean.trim() === "" ? "" : `${clean.trimEnd()}\n`;
}

/** If one address is unclean, all definitions are dropped, and what uses them is rewritten with the address inline. */
function cleanBlock(type: string, raw: string, html: string, isWithoutDefinitions: boolean): string {
  const sanitised = sanitiseHtml(html);
  const isKept = !isUnclean(sanitised) && !(isWithoutDefinitions && raw.includes("]")) && isCleanForOtherParsers(raw);
  if (isKept) return raw;
  const { tree, html: kept } = sanitised;
  // An empty line would end the HTML block, and what follows it would be parsed as Markdown.
  const asHtml = type === "html" ? kept.replaceAll(/\n\s*\n/g, "\n") : undefined;
  const written = asHtml !== undefined && isCleanForOtherParsers(asHtml) ? asHtml : htmlToMarkdown(tree);
  return written.trim() === "" ? "" : written.trimEnd() + raw.slice(raw.trimEnd().length);
}

function isSameArticle(one: Root, other: Root): boolean {
  return (
    collapse(visibleText(collectStats(one).blocks)) === collapse(visibleText(collectStats(other).blocks)) &&
    outline(one).join() === outline(other).join()
  );
}

const LEADS: ReadonlySet<string> = new Set(["a", "img"]);
const STRUCTURE: ReadonlySet<string> = new Set(
  "audio blockquote h1 h2 h3 h4 h5 h6 iframe li pre table td th tr video".split(" "),
);

function outline(node: Parents, found: string[] = []): string[] {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    const { href, src } = child.properties;
    // Markdown cannot express a link or an image whose address was removed.
    const isNamed = LEADS.has(child.tagName) ? href !== undefined || src !== undefined : STRUCTURE.has(child.tagName);
    if (isNamed) found.push(child.tagName);
    outline(child, found);
  }
  return found;
}
