/** Substack's export: `posts.csv`, and a file with the text of each post in `posts/`. */
import type { Element, ElementContent } from "hast";
import { isRecord } from "../../domain/articles/json-values.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { type CsvRow, parseCsv } from "../csv.ts";
import { lifecycle, parseTime } from "../dates.ts";
import {
  attribute,
  elementsIn,
  elementText,
  escapeHtml,
  hasClass,
  nodesToHtml,
  parseHtml,
  plainLine,
  titleOfSlug,
} from "../html/html-tree.ts";
import { failedItem, type ImportContext, toDraft, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { absoluteUrl } from "../urls.ts";
import { describeHiding } from "../visibility.ts";

/** The rows by the names of their files. @param name the path of the table within the import. Null: it is not Substack's. */
export function readSubstackPosts(name: string, text: string): Map<string, CsvRow> | null {
  const rows = parseCsv(text);
  const first = rows[0];
  if (first?.["post_id"] === undefined || first["post_date"] === undefined) return null;
  const folder = name.slice(0, -"posts.csv".length);
  return new Map(rows.map((row) => [`${folder}posts/${row["post_id"] ?? ""}.html`, row]));
}

/** What the table says of a post whose file is not there. */
export function missingPost(name: string, row: CsvRow): ImportItem {
  const title = toText(row["title"]);
  const reason = `The table of posts lists ${title === undefined ? "it" : `“${title}”`}, but its text is not in the export.`;
  return { kind: "skipped", source: name, reason };
}

export function readSubstackPost(name: string, text: string, row: CsvRow, context: ImportContext): ImportItem {
  try {
    const type = row["type"] ?? "";
    const isPage = type === "page" && context.include?.includes("page") === true;
    if ((type === "page" && !isPage) || type === "thread")
      return { kind: "skipped", source: name, reason: `It is a ${type} of the publication, not a post.` };
    const [, id = "", slug] = /^(\d+)(?:\.(.+))?$/.exec(row["post_id"] ?? "") ?? [];
    const hidden = whyHidden(row);
    const warnings = new Warnings();
    const content = toContent(text, row, warnings);
    const title = toText(row["title"]) ?? (slug === undefined ? firstWords(content) : titleOfSlug(slug));
    if (toText(row["title"]) === undefined) warnings.add("metadata_guessed", `title: ${title}`);
    const date = parseTime(row["post_date"]);
    const item = toDraft(
      name,
      `substack:${id === "" ? (row["post_id"] ?? name) : id}`,
      {
        title,
        slug,
        content,
        excerpt: toText(row["subtitle"]),
        // A new address of the website leads from the old one here.
        aliases: slug === undefined ? undefined : [`/p/${slug}`],
        platform_post_id: id === "" ? undefined : id,
        ...lifecycle({ state: hidden === null ? "published" : "draft", hidden, date }, context.now),
      },
      hidden,
    );
    return item.kind === "draft" ? { ...item, warnings: warnings.list } : item;
  } catch (error) {
    return failedItem(name, error);
  }
}

/** A title for a draft that has none yet. */
function firstWords(content: string): string {
  const words = plainLine(content);
  return words.length > 60 ? `${words.slice(0, 59).toWellFormed()}…` : words;
}

function whyHidden(row: CsvRow): string | null {
  const [published, audience = ""] = [row["is_published"], row["audience"]];
  if (published !== "true") return describeHiding("draft", `is_published: ${published ?? ""}`);
  return audience === "" || audience === "everyone" ? null : describeHiding("closed", `audience: ${audience}`);
}

function toContent(text: string, row: CsvRow, warnings: Warnings): string {
  const tree = parseHtml(text, true);
  const notes: Element[] = [];
  const nodes = tree.children.filter((node): node is ElementContent => node.type !== "doctype");
  const html = nodesToHtml(convert(nodes, { notes, warnings }));
  const list = notes.length === 0 ? "" : nodesToHtml([element("ol", {}, notes)]);
  const podcast = absoluteUrl(row["podcast_url"], null);
  const link = podcast === undefined || html.includes(podcast) ? "" : `<p>${linkHtml(podcast, podcast)}</p>`;
  return [html, link, list].filter((part) => part !== "").join("\n");
}

interface Conversion {
  notes: Element[];
  warnings: Warnings;
}

/** Calls to subscribe, share and comment, which are of the platform. */
const CALLS = [
  "button-wrapper",
  "captioned-button-wrap",
  "subscription-widget-wrap",
  "subscription-widget-wrap-editor",
  "install-substack-app-embed",
  "community-chat",
  "directMessage",
  "paywall-jump",
  "cta-caption",
];
/** Only the platform has what is in them. */
const OF_PLATFORM: Readonly<Record<string, string>> = {
  "native-video-embed": "a video that only Substack has",
  "native-audio-embed": "a recording that only Substack has",
  "poll-embed": "a poll",
};

function convert(nodes: readonly ElementContent[], conversion: Conversion): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type !== "element") return [node];
    const of = (name: string) => hasClass(node, name);
    if (CALLS.some(of)) return [];
    const lost = Object.entries(OF_PLATFORM).find(([name]) => of(name));
    if (lost !== undefined) {
      conversion.warnings.add("element_removed", lost[1]);
      return [];
    }
    if (of("footnote-anchor")) return [element("sup", {}, [plainLink(node)])];
    if (of("footnote")) {
      conversion.notes.push(toNote(node, conversion));
      return [];
    }
    if (of("latex-rendered")) return toFormula(node);
    if (of("image-gallery-embed")) return toGallery(node);
    if (of("pullquote") || of("callout-block")) return [element("blockquote", {}, convert(node.children, conversion))];
    const link = toLink(node);
    if (link !== null) {
      conversion.warnings.add("embed_replaced", attribute(link, "href") ?? "");
      return [element("p", {}, [link])];
    }
    const children = convert(node.children, conversion);
    // A picture's link leads to the same picture.
    if (node.tagName === "div" || node.tagName === "picture" || of("image-link")) return children;
    return node.tagName === "source" ? [] : [{ ...node, properties: meaningful(node.properties), children }];
  });
}

/** Without what the editor notes for itself. */
function meaningful(properties: Element["properties"]): Element["properties"] {
  const kept = Object.entries(properties).filter(
    ([name]) => !/^(?:className|data[A-Z].*|style|target|rel)$/.test(name),
  );
  return Object.fromEntries(kept);
}

/** The mark of a note, and the way back. */
function plainLink(node: Element): Element {
  const { id, href } = node.properties;
  return element("a", { ...(id === undefined ? {} : { id }), href }, [{ type: "text", value: elementText(node) }]);
}

function toNote(node: Element, conversion: Conversion): Element {
  const number = [...elementsIn(node)].find((child) => hasClass(child, "footnote-number"));
  const content = [...elementsIn(node)].find((child) => hasClass(child, "footnote-content"));
  const children = convert(content?.children ?? node.children, conversion);
  const back = element("a", { href: number?.properties["href"] }, [{ type: "text", value: "↩︎" }]);
  const last = children.findLast((child) => child.type === "element");
  const target = last?.type === "element" && last.tagName === "p" ? last : null;
  if (target !== null) target.children = [...target.children, { type: "text", value: " " }, back];
  return element("li", { id: number?.properties["id"] }, target === null ? [...children, back] : children);
}

/** What the editor keeps of an embed, as JSON. */
function dataOf(node: Element): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(attribute(node, "dataAttrs") ?? "{}");
    return isRecord(data) ? data : {};
  } catch {
    return {};
  }
}

function toFormula(node: Element): ElementContent[] {
  const formula = toText(dataOf(node)["persistentExpression"]);
  return formula === undefined ? [node] : [element("p", {}, [{ type: "text", value: `$$${formula}$$` }])];
}

function toGallery(node: Element): ElementContent[] {
  const { gallery } = dataOf(node);
  const { images, caption, alt } = isRecord(gallery) ? gallery : {};
  const pictures = (Array.isArray(images) ? images : []).flatMap((image: unknown) => {
    const src = absoluteUrl(isRecord(image) ? image["src"] : null, null);
    return src === undefined ? [] : [element("img", { src, alt: toText(alt) ?? "" }, [])];
  });
  const text = toText(caption);
  const title = text === undefined ? [] : [element("figcaption", {}, [{ type: "text", value: text }])];
  return pictures.length === 0 ? [node] : [element("figure", {}, [...pictures, ...title])];
}

const SHOWN = new Set(["img", "iframe", "video", "audio", "a"]);

/** A link in place of an embed without anything that can be shown. */
function toLink(node: Element): Element | null {
  if (attribute(node, "dataAttrs") === undefined || SHOWN.has(node.tagName)) return null;
  if ([...elementsIn(node)].some(({ tagName }) => SHOWN.has(tagName))) return null;
  const data = dataOf(node);
  const instagram = toText(data["instagram_id"]);
  const url =
    absoluteUrl(data["url"] ?? data["targetUrl"] ?? data["canonical_url"], null) ??
    (instagram === undefined ? undefined : `https://www.instagram.com/p/${encodeURIComponent(instagram)}/`);
  if (url === undefined) return null;
  const words = elementText(node) || toText(data["title"] ?? data["full_text"]) || url;
  return element("a", { href: url }, [{ type: "text", value: words.replaceAll(/\s+/g, " ") }]);
}

function linkHtml(url: string, text: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
}

function element(tagName: string, properties: Element["properties"], children: ElementContent[]): Element {
  return { type: "element", tagName, properties, children };
}
