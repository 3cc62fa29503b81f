/** What people are told of an article's text: what its source had besides, and what leads nowhere in it. */
import type { Element, Parents, Root } from "hast";
import { describeLostWords, isSevereLoss } from "../lost-words.ts";
import { type Warning, Warnings } from "../../warnings.ts";
import type { Losses } from "./loss.ts";
import { withoutPrefix, PREFIX } from "./prefix-names.ts";
import type { Sanitised } from "./sanitise.ts";
import { findSourceMarkup } from "./source-markup.ts";
import { propertyText } from "./tree.ts";
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
