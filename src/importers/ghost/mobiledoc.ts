import { renderCard } from "./ghost-cards.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { toText } from "../import-item.ts";
import { escapeHtml } from "../html/html-tree.ts";

/** Mobiledoc: sections refer by index to tables (github.com/bustle/mobiledoc-kit/blob/master/MOBILEDOC.md). */
const SECTIONS = { markup: 1, image: 2, list: 3, card: 10 } as const;

const BLOCK_TAGS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "aside", "pull-quote"]);
const MARKUP_TAGS = new Set(["a", "b", "strong", "i", "em", "code", "s", "u", "sub", "sup", "mark", "del", "strike"]);

/** Renders a Mobiledoc document, for posts whose HTML was not exported. */
export function renderMobiledoc(document: unknown): string {
  if (!isRecord(document)) return "";
  return toList(document["sections"])
    .map((section) => renderSection(toList(section), document))
    .filter((html) => html !== "")
    .join("\n");
}

/** The Markdown of a document with a single Markdown card, as in every post of Ghost 0 and 1. */
export function markdownOfMobiledoc(document: Record<string, unknown>): string | null {
  const [section, ...others] = toList(document["sections"]).filter((one) => !isEmptyParagraph(toList(one)));
  if (section === undefined || others.length > 0 || toList(section)[0] !== SECTIONS.card) return null;
  const [name, payload] = cardAt(document, toList(section)[1]);
  return /^(?:card-)?markdown$/.test(name) ? (toText(payload["markdown"]) ?? null) : null;
}

function renderSection(section: unknown[], document: Record<string, unknown>): string {
  const [kind, second, third] = section;
  switch (kind) {
    case SECTIONS.markup: {
      const tag = BLOCK_TAGS.has(String(second)) ? String(second) : "p";
      const html = renderMarkers(toList(third), document);
      const name = tag === "aside" || tag === "pull-quote" ? "blockquote" : tag;
      return html === "" ? "" : `<${name}>${html}</${name}>`;
    }
    case SECTIONS.image:
      return toText(second) === undefined ? "" : `<img src="${escapeHtml(String(second))}" alt="">`;
    case SECTIONS.list: {
      const tag = second === "ol" ? "ol" : "ul";
      const items = toList(third).map((item) => `<li>${renderMarkers(toList(item), document)}</li>`);
      return `<${tag}>${items.join("")}</${tag}>`;
    }
    case SECTIONS.card: {
      const [name, payload] = cardAt(document, second);
      return renderCard(name.replace(/^card-/, ""), payload) ?? "";
    }
    default:
      return "";
  }
}

/** Each marker is `[0 text or 1 atom, markups that open, how many close, text or atom]`. */
function renderMarkers(markers: unknown[], document: Record<string, unknown>): string {
  const open: string[] = [];
  let html = "";
  for (const marker of markers.map(toList)) {
    for (const index of toList(marker[1])) {
      const [tag, start] = markupAt(document, index);
      open.push(tag);
      html += start;
    }
    html += marker[0] === 1 ? renderAtom(document, marker[3]) : escapeHtml(asWritten(marker[3]));
    for (let count = Number(marker[2] ?? 0); count > 0 && open.length > 0; count -= 1) html += closing(open.pop());
  }
  while (open.length > 0) html += closing(open.pop());
  return html;
}

function markupAt(document: Record<string, unknown>, index: unknown): [string, string] {
  const [name, attributes] = toList(toList(document["markups"])[Number(index)]);
  const tag = MARKUP_TAGS.has(String(name)) ? String(name) : "";
  const pairs = toList(attributes);
  const href = tag === "a" ? pairs[pairs.indexOf("href") + 1] : undefined;
  const link = typeof href === "string" && pairs.includes("href") ? ` href="${escapeHtml(href)}"` : "";
  return [tag, tag === "" ? "" : `<${tag}${link}>`];
}

function closing(tag: string | undefined): string {
  return tag === undefined || tag === "" ? "" : `</${tag}>`;
}

function renderAtom(document: Record<string, unknown>, index: unknown): string {
  const [name, text] = toList(toList(document["atoms"])[Number(index)]);
  return name === "soft-return" ? "<br>" : escapeHtml(toText(text) ?? "");
}

function cardAt(document: Record<string, unknown>, index: unknown): [string, Record<string, unknown>] {
  const [name, payload] = toList(toList(document["cards"])[Number(index)]);
  return [toText(name) ?? "", isRecord(payload) ? payload : {}];
}

function isEmptyParagraph(section: unknown[]): boolean {
  return section[0] === SECTIONS.markup && toList(section[2]).length === 0;
}

/** Keeps leading and trailing blanks, which separate the text from its neighbours. */
function asWritten(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
