import { replaceBetween } from "../delimited.ts";
import { wpautop } from "./wpautop.ts";
import { escapeHtml } from "../html/html-tree.ts";

/** An image of the media library, with the fields that an article needs. */
export interface Attachment {
  id: string;
  url: string;
  alt: string | undefined;
}

/** Renders the stored text, in which WordPress converts shortcodes and unmarked paragraphs to HTML only on display. */
export function contentOfWordPress(raw: string, attachments: ReadonlyMap<string, Attachment>): string {
  // Authors and `rostrum export` write a bracket as an entity where it begins no shortcode; WordPress undoes it, too.
  const text = eagerImages(shortcodes(raw.replace(/\r\n?/g, "\n"), attachments)).replaceAll("&#91;", "[");
  // Since 2018 the editor marks blocks and paragraphs; a text without such marks was written for `wpautop`.
  return /<!-- wp:|<p[\s>]/.test(text) ? text.trim() : wpautop(text);
}

function shortcodes(raw: string, attachments: ReadonlyMap<string, Attachment>): string {
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
      .replace(/\[(?:audio|video)\b([^\][]*)\](?:\s*\[\/(?:audio|video)\])?/g, (tag, attributes: string) =>
        media(tag, attributes),
      )
      .replace(/\[gallery\b([^\][]*)\]/g, (tag, attributes: string) => gallery(tag, attributes, attachments))
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

function media(tag: string, attributes: string): string {
  const url = ["src", "mp4", "mp3", "m4v", "m4a", "webm", "ogg", "ogv", "wav"].flatMap(
    (name) => getAttribute(attributes, name) ?? [],
  )[0];
  return url === undefined ? tag : link(url);
}

function gallery(tag: string, attributes: string, attachments: ReadonlyMap<string, Attachment>): string {
  const images = (getAttribute(attributes, "ids") ?? "").split(",").flatMap((id) => attachments.get(id.trim()) ?? []);
  if (images.length === 0) return tag;
  const shown = images.map(({ url, alt }) => `<img src="${escapeHtml(url)}" alt="${escapeHtml(alt ?? "")}">`);
  return `\n\n<figure>${shown.join("")}</figure>\n\n`;
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
