import { replaceBetween } from "./between.ts";
import { paragraphs } from "./paragraphs.ts";
import { escapeHtml } from "./plain-text.ts";
import type { Attachment } from "./wordpress-post.ts";

/** HTML of what WordPress stores: its shortcodes and its unmarked paragraphs are made into it only on display. */
export function contentOfWordPress(raw: string, attachments: ReadonlyMap<string, Attachment>): string {
  const text = eagerImages(shortcodes(raw.replace(/\r\n?/g, "\n"), attachments));
  // Since 2018 the editor marks its blocks and paragraphs; what has none of that was written for `wpautop`.
  return /<!-- wp:|<p[\s>]/.test(text) ? text.trim() : paragraphs(text);
}

function shortcodes(raw: string, attachments: ReadonlyMap<string, Attachment>): string {
  if (!/\[|wp-block-embed/.test(raw)) return raw;
  let text = replaceBetween(raw, /\[caption\b([^\][]*)\]/g, /\[\/caption\]/g, (start, inside) =>
    caption(start[1] ?? "", inside),
  );
  for (const name of ["code", "sourcecode"]) {
    text = replaceBetween(
      text,
      new RegExp(`\\[${name}\\b([^\\][]*)\\]`, "g"),
      new RegExp(`\\[/${name}\\]`, "g"),
      (start, code) => codeBlock(start[1] ?? "", code),
    );
  }
  return (
    text
      .replace(/\[embed\b[^\][]*\]\s*(https?:\/\/[^\s[<]+)\s*\[\/embed\]/g, (_tag, url: string) => link(url))
      .replace(/\[(?:audio|video)\b([^\][]*)\](?:\s*\[\/(?:audio|video)\])?/g, (tag, attributes: string) =>
        media(tag, attributes),
      )
      .replace(/\[gallery\b([^\][]*)\]/g, (tag, attributes: string) => gallery(tag, attributes, attachments))
      // The boxes of page builders are layout around the text.
      .replace(/\[\/?(?:vc|et_pb|fusion|av|fl|cs)_[\w-]*[^\][]*\]/g, "")
      .replace(
        /(<div class="wp-block-embed__wrapper">)\s*(https?:\/\/[^\s<]+)\s*(<\/div>)/g,
        (_tag, open: string, url: string, close: string) => `${open}${link(url)}${close}`,
      )
  );
}

function caption(attributes: string, inside: string): string {
  const image = /^\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*<\/a>)?)([\s\S]*)$/.exec(inside);
  if (image === null) return inside;
  const words = image[2]?.trim() || attributeOf(attributes, "caption");
  const captionPart = words === undefined ? "" : `<figcaption>${words}</figcaption>`;
  return `\n\n<figure>${image[1]}${captionPart}</figure>\n\n`;
}

function media(tag: string, attributes: string): string {
  const url = ["src", "mp4", "mp3", "m4v", "m4a", "webm", "ogg", "ogv", "wav"].flatMap(
    (name) => attributeOf(attributes, name) ?? [],
  )[0];
  return url === undefined ? tag : link(url);
}

function gallery(tag: string, attributes: string, attachments: ReadonlyMap<string, Attachment>): string {
  const images = (attributeOf(attributes, "ids") ?? "").split(",").flatMap((id) => attachments.get(id.trim()) ?? []);
  if (images.length === 0) return tag;
  const shown = images.map(({ url, alt }) => `<img src="${escapeHtml(url)}" alt="${escapeHtml(alt ?? "")}">`);
  return `\n\n<figure>${shown.join("")}</figure>\n\n`;
}

function codeBlock(attributes: string, code: string): string {
  const language = attributeOf(attributes, "lang(?:uage)?");
  const classes = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
  const text = code
    .replace(/^\n|\n$/g, "")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
  return `\n\n<pre><code${classes}>${text}</code></pre>\n\n`;
}

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}=(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`).exec(attributes);
  return value?.[1] ?? value?.[2] ?? value?.[3];
}

function link(url: string): string {
  const address = escapeHtml(url.replaceAll("&amp;", "&"));
  return `<a href="${address}">${address}</a>`;
}

/** Images that a script would load late have no `src`, and a copy for readers without scripts. */
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
