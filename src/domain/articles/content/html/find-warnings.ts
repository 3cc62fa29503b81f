/** What people are told of an article's text: what its source had besides, and what leads nowhere in it. */
import type { Element, Parents, Root } from "hast";
import { describeLostWords, isSevereLoss } from "../lost-words.ts";
import { type Warning, Warnings } from "../../warnings.ts";
import type { Losses } from "./loss.ts";
import { withoutPrefix, PREFIX } from "./prefix-names.ts";
import type { Sanitised } from "./sanitise.ts";
import { propertyText, UNSEEN } from "./tree.ts";
import type { Anchor, DocumentStats } from "./text.ts";

export interface Reported {
  made: Pick<Sanitised, "tree" | "removed" | "gone" | "embeds">;
  stats: Pick<DocumentStats, "anchors" | "pictures">;
  text: string;
  losses: Losses;
  /** Cells of Markdown tables that the article lacks. */
  cells: readonly string[];
}

export function findWarnings({ made, stats, text, losses, cells }: Reported): Warning[] {
  const found = new Warnings();
  const { words } = losses;
  if (words !== null) found.add("words_lost", describeLostWords(words), losses.text !== null || isSevereLoss(words));
  else if (losses.text !== null && cells.length === 0) found.add("words_lost", `“${losses.text.lost}”`, true);
  for (const cell of cells) found.add("words_lost", cell, losses.text !== null);
  for (const markup of findSourceMarkup(made.tree, text)) found.add("source_markup", markup);
  for (const name of made.gone) if (isOfInterest(name)) found.add("element_removed", name);
  for (const address of made.embeds) found.add("embed_replaced", address);
  for (const { src } of stats.pictures)
    if (leadsNowhere(src) && !OWN_PICTURE.test(src)) found.add("picture_missing", src || "no address");
  for (const what of made.removed) {
    if (/ URL in (?:data-\S+|src|srcset|poster) /.test(what)) found.add("picture_missing", what);
    else if (what.includes(" URL in href ")) found.add("link_dead", what);
  }
  for (const { text: label, href } of stats.anchors) {
    if (!href.startsWith("#") && leadsNowhere(href)) found.add("link_dead", href === "" ? `“${label}”` : href);
  }
  for (const href of findDeadAnchors(made.tree, stats.anchors)) found.add("anchor_dead", withoutPrefix(href));
  return found.list;
}

/** Those without which a reader misses nothing, as their text stays: the frame of a page, and Office's own names. */
const QUIET: ReadonlySet<string> = new Set(
  "<!doctype> <base> <body> <head> <html> <link> <meta> <noscript> <title>".split(" "),
);
const isOfInterest = (name: string): boolean => !QUIET.has(name) && !name.includes(":");

/** An address that depends on the page that shows the article, or on the machine of its author. */
function leadsNowhere(address: string): boolean {
  if (address.startsWith("/") && !address.startsWith("//")) return false;
  const scheme = /^([a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?/i.exec(address);
  if (scheme?.[1] === undefined && scheme?.[2] === undefined) return !address.startsWith("?");
  return LOCAL_HOST.test(scheme[2] ?? "");
}

/** A picture of this service, whose address is local as long as no public one is set. */
const OWN_PICTURE = /\/assets\/[0-9a-f-]{36}\/[0-9a-f]{64}\//;

const LOCAL_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])(?::\d+)?$/i;

function findDeadAnchors(tree: Root, anchors: readonly Anchor[]): string[] {
  const inside = anchors.filter(({ href }) => href.length > 1 && href.startsWith("#") && href.toLowerCase() !== "#top");
  if (inside.length === 0) return [];
  const names = new Set<string>();
  collectNames(tree, names);
  const has = (name: string): boolean => names.has(name) || names.has(PREFIX + name);
  return inside.map(({ href }) => href).filter((href) => !has(href.slice(1)) && !has(decode(href.slice(1))));
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function collectNames(parent: Parents, names: Set<string>): void {
  for (const child of parent.children) {
    if (child.type !== "element") continue;
    addNames(child, names);
    collectNames(child, names);
  }
}

function addNames({ properties }: Element, names: Set<string>): void {
  if (properties["id"] !== undefined) names.add(propertyText("id", properties["id"]));
  if (properties["name"] !== undefined) names.add(propertyText("name", properties["name"]));
}

/** Whether there can be any: most articles need no closer look. */
const HINT =
  /\{[{%:]|:::|\[\^|!?\[[!/[]|!!!|\?\?\?|<(?:\/?[A-Z]|!--)|(?:^|\n)(?:import|export) |\[(?:toc|gallery|playlist|audio|video)\]|\[[a-z][\w-]{1,40} [\w-]{1,40}=/i;
const MAX_SHOWN = 100;
/** A line's beginning is far longer than what is looked for. */
const MAX_LINE = 20_000;

/** With `close`, the construct reaches to there; `isClosed`: without it, there is none. */
const CONSTRUCTS: readonly { begins: RegExp; close?: string; isClosed?: true }[] = [
  { begins: /\{\{[<%]/g, close: "}}" },
  { begins: /\{%-?\s*\w/g, close: "%}" },
  { begins: /\{\{-?\s*[^{}\s]/g, close: "}}", isClosed: true },
  { begins: /\{:\s*[.#:\w][^{}\n]{0,200}\}/g },
  { begins: /(?<![^\s>]):::+(?!:)/g },
  { begins: /\[\^[\w.-]{1,50}\]/g },
  { begins: /\[![a-z]{2,20}\][+-]?/gi },
  { begins: /!\[\[[^[\]\n]{1,200}\]\]/g },
  { begins: /\[\/[a-z][\w-]{1,40}\]/g },
  { begins: /^(?:!!!|\?\?\?\+?) +["\w]/g },
  { begins: /\[[a-z][\w-]{1,40} [\w-]{1,40}=["'“”][^[\]\n]{0,300}\]/g },
  { begins: /^\[(?:\[toc\]|toc|gallery|playlist|audio|video)\]$/gi },
  { begins: /<!--/g },
  { begins: /<\/[A-Z][\w.]{0,60}>/g },
  { begins: /<[A-Z][\w.]{0,60}(?:\s[^<>\n]{0,300})?\/>/g },
  { begins: /<[A-Z][\w.]{0,60}\s+[\w-]{1,60}=/g, close: ">", isClosed: true },
  { begins: /^<[A-Z][\w.]{0,60}>/g },
  { begins: /^import [^\n]{1,300} from ["'][^"'\n]{1,300}["']/g },
  { begins: /^export (?:const|default|function) /g },
];

/** Markup of generators and editors that all readers see: each construct that is found, as a line of text begins with it or contains it; code and formulas are left out. */
function findSourceMarkup(tree: Root, text: string): string[] {
  if (!HINT.test(text)) return [];
  const found = new Set<string>();
  for (const line of readProse(tree).split(/\n+/)) {
    const written = line.trim().slice(0, MAX_LINE);
    if (written === "" || !HINT.test(written)) continue;
    const prose = withoutFormulas(written);
    for (const { begins, close, isClosed } of CONSTRUCTS) {
      begins.lastIndex = 0;
      const match = begins.exec(prose);
      if (match === null) continue;
      const end = close === undefined ? -1 : prose.indexOf(close, match.index + match[0].length);
      if (end < 0 && isClosed === true) continue;
      const isShort = end >= 0 && end - match.index < MAX_SHOWN;
      const last = isShort ? end + (close?.length ?? 0) : match.index + Math.max(match[0].length, MAX_SHOWN / 2);
      found.add(prose.slice(match.index, last));
      break;
    }
  }
  return [...found];
}

const CODE: ReadonlySet<string> = new Set("code kbd math pre samp tt var".split(" "));
const BREAKS =
  /^(?:address|article|aside|blockquote|br|caption|d[dlt]|details|div|fig\w+|footer|h[1-6r]|header|li|main|[ou]l|p|section|summary|t\w+)$/;

function readProse(tree: Root): string {
  const parts: string[] = [];
  collect(tree, parts);
  return parts.join("");
}

function collect(parent: Parents, parts: string[]): void {
  for (const child of parent.children) {
    if (child.type === "text") parts.push(child.value);
    else if (child.type === "element" && !UNSEEN.has(child.tagName)) {
      const isBreak = BREAKS.test(child.tagName);
      if (isBreak) parts.push("\n");
      // Something was there: what stands on both sides of it is not one construct.
      if (CODE.has(child.tagName)) parts.push("\u00a0");
      else collect(child, parts);
      if (isBreak) parts.push("\n");
    }
  }
}

/** Braces have another meaning in TeX. */
function withoutFormulas(line: string): string {
  const text = line.includes("$") ? line.replaceAll(FORMULA, " ") : line;
  let rest = "";
  let from = 0;
  for (let start = text.indexOf("\\("); start >= 0; start = text.indexOf("\\(", from)) {
    const end = text.indexOf("\\)", start);
    if (end < 0) break;
    rest += `${text.slice(from, start)} `;
    from = end + 2;
  }
  return rest + text.slice(from);
}

const FORMULA = /\$\$[^$]{1,2000}\$\$|\$[^$\s][^$]{0,1000}\$/g;
