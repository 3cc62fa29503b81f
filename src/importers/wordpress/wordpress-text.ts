import { replaceBetween } from "../delimited.ts";
import { wpautop } from "./wpautop.ts";
import { type BlockSources, type RenderedBlocks, renderBlocks } from "./wordpress-blocks.ts";
import { escapeHtml } from "../html/html-tree.ts";
import type { Attachment } from "./library.ts";

/** What a post's text takes from elsewhere in its export. */
export interface TextSources extends BlockSources {
  attachments?: ReadonlyMap<string, Attachment>;
  /** The files that were uploaded to the post, in order. */
  own?: readonly Attachment[];
  /** Settings with a file for podcasts: its address, then its size and its type. */
  enclosures?: readonly string[];
}

/** Renders the stored text, in which WordPress converts blocks, shortcodes and unmarked paragraphs only on display. */
export function contentOfWordPress(raw: string, sources: TextSources = {}): RenderedBlocks {
  // Authors and `rostrum export` write a bracket as an entity where it begins no shortcode; WordPress undoes it, too.
  const text = eagerImages(shortcodes(raw.replace(/\r\n?/g, "\n"), sources)).replaceAll("&#91;", "[");
  // Since 2018 the editor marks blocks and paragraphs; a text without such marks was written for `wpautop`.
  const { html, doubt } = renderBlocks(/<!-- wp:|<p[\s>]/.test(text) ? text.trim() : wpautop(text), sources);
  return { html: html + enclosureLinks(html, sources.enclosures ?? []), doubt };
}

function enclosureLinks(html: string, enclosures: readonly string[]): string {
  const urls = new Set(enclosures.map((enclosure) => enclosure.trim().split("\n", 1)[0]?.trim() ?? ""));
  return [...urls]
    .filter((url) => isAddress(url) && !html.includes(url) && !html.includes(escapeHtml(url)))
    .map((url) => `\n<p>${link(url)}</p>`)
    .join("");
}

function shortcodes(raw: string, sources: TextSources): string {
  if (!/\[|wp-block-embed/.test(raw)) return raw;
  let text = replaceBetween(raw, /\[caption\b([^\][]*)\]/g, /\[\/caption\]/g, (start, inside) =>
    caption(start[1] ?? "", inside),
  );
  text = replaceBetween(text, /\[code\b([^\][]*)\]/g, /\[\/code\]/g, (start, code) => codeBlock(start[1] ?? "", code));
  text = replaceBetween(text, /\[sourcecode\b([^\][]*)\]/g, /\[\/sourcecode\]/g, (start, code) =>
    codeBlock(start[1] ?? "", code),
  );
  text = replaceBetween(text, /\[embed\b[^\][]*\]/g, /\[\/embed\]/g, ([start], inside) => {
    const url = inside.trim();
    return isAddress(url) ? link(url) : `${start}${inside}[/embed]`;
  });
  text = replaceBetween(text, /<div class="wp-block-embed__wrapper">/g, /<\/div>/g, ([start], inside) => {
    const url = inside.trim();
    return `${start}${isAddress(url) ? link(url) : inside}</div>`;
  });
  return (
    text
      .replace(/\[(audio|video)\b([^\][]*)\](?:\s*\[\/(?:audio|video)\])?/g, (tag, kind: string, attributes: string) =>
        media(tag, kind, attributes, sources),
      )
      .replace(/\[gallery\b([^\][]*)\]/g, (tag, attributes: string) => gallery(tag, attributes, sources))
      // Page builder boxes are layout around the text.
      .replace(/\[\/?(?:vc|et_pb|fusion|av|fl|cs)_[^\][]*\]/g, "")
  );
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s[<]+$/.test(text);
}

function caption(attributes: string, inside: string): string {
  const image = /^\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*<\/a>)?)([\s\S]*)$/.exec(inside);
  if (image === null) return inside;
  const words = image[2]?.trim() || getAttribute(attributes, "caption");
  const captionPart = words === undefined ? "" : `<figcaption>${words}</figcaption>`;
  return `\n\n<figure>${image[1]}${captionPart}</figure>\n\n`;
}

/** Without an address it plays the files that were uploaded to the post. */
function media(tag: string, kind: string, attributes: string, { own = [] }: TextSources): string {
  const url = ["src", "mp4", "mp3", "m4v", "m4a", "webm", "ogg", "ogv", "wav", "flac"].flatMap(
    (name) => getAttribute(attributes, name) ?? [],
  )[0];
  if (url !== undefined) return link(url);
  const files = own.filter((file) => hasEnding(file, kind === "audio" ? AUDIO : VIDEO));
  return files.length === 0 ? tag : files.map((file) => link(file.url)).join("<br>\n");
}

const AUDIO = /^(?:mp3|m4a|ogg|oga|wav|flac)$/i;
const VIDEO = /^(?:mp4|m4v|webm|ogv|mov)$/i;
const IMAGE = /^(?:jpe?g|png|gif|webp|avif|svg|bmp)$/i;

function hasEnding({ url }: Attachment, kind: RegExp): boolean {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  return kind.test(path.slice(path.lastIndexOf(".") + 1));
}

/** Without ids it shows the pictures that were uploaded to the post. */
function gallery(tag: string, attributes: string, { attachments, own = [] }: TextSources): string {
  const given = getAttribute(attributes, "ids") ?? getAttribute(attributes, "include");
  const left = new Set(listed(getAttribute(attributes, "exclude")));
  const images =
    given === undefined
      ? own.filter((file) => hasEnding(file, IMAGE) && !left.has(file.id))
      : listed(given).flatMap((id) => attachments?.get(id) ?? []);
  if (images.length === 0) return tag;
  const shown = images.map(({ url, alt }) => `<img src="${escapeHtml(url)}" alt="${escapeHtml(alt ?? "")}">`);
  return `\n\n<figure>${shown.join("")}</figure>\n\n`;
}

function listed(ids: string | undefined): string[] {
  return (ids ?? "").split(",").map((id) => id.trim());
}

function codeBlock(attributes: string, code: string): string {
  const language = getAttribute(attributes, "lang") ?? getAttribute(attributes, "language");
  const classes = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
  const text = code
    .replace(/^\n|\n$/g, "")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
  return `\n\n<pre><code${classes}>${text}</code></pre>\n\n`;
}

function getAttribute(attributes: string, name: string): string | undefined {
  for (const [, key, double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
    if (key === name) return double ?? single ?? bare;
  }
  return undefined;
}

const ATTRIBUTE = /(?<!\S)([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g;

function link(url: string): string {
  const address = escapeHtml(url.replaceAll("&amp;", "&"));
  return `<a href="${address}">${address}</a>`;
}

/** Lazily loaded images have their URL in a data attribute, which becomes `src`; their `<noscript>` copy is removed. */
function eagerImages(text: string): string {
  if (!/data-(?:lazy-)?src=/.test(text)) return text;
  return text
    .replace(/<noscript>\s*<img\b[^<>]*>\s*<\/noscript>/gi, "")
    .replace(/<img\b[^<>]*>/gi, (image) =>
      /\ssrc=/.test(image) && !/\ssrc=["']data:/.test(image)
        ? image
        : image.replace(/\ssrc=(["']).*?\1/, "").replace(/\sdata-(?:lazy-)?src=/, " src="),
    );
}
