/** What constructs of many generators stand for, in Markdown or in HTML. */
import { boxTitle, saysItself } from "../../../domain/articles/content/markdown/blocks.ts";
import { escapeHtml } from "../../html/html-tree.ts";
import type { Made } from "./output.ts";

export type Language = "markdown" | "html";

export function codeBlock(codeLanguage: string, code: string, language: Language): Made {
  const name = /^[\w+#.-]+/.exec(codeLanguage)?.[0] ?? "";
  const lines = withoutEmptyEnds(code);
  if (language === "html") {
    const classes = name === "" ? "" : ` class="language-${escapeHtml(name)}"`;
    return { block: `<pre><code${classes}>${escapeHtml(`${lines}\n`)}</code></pre>` };
  }
  const longest = Math.max(2, ...Array.from(lines.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return { block: `${fence}${name}\n${lines}\n${fence}` };
}

/** Without the ends of the lines with the tags. */
function withoutEmptyEnds(code: string): string {
  const start = /^[ \t]*\n/.exec(code.slice(0, 200))?.[0].length ?? 0;
  const end = code.lastIndexOf("\n");
  return code.slice(start, end >= start && code.slice(end).trim() === "" ? end : code.length);
}

/** Kinds of boxes as a theme calls them, with the word that begins them where it is another. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["alert", "Note"],
  ["admonition", "Note"],
  ["box", "Note"],
  ["callout", "Note"],
  ["default", "Note"],
  ["primary", "Note"],
  ["secondary", "Note"],
  ["notice", "Note"],
  ["warn", "Warning"],
]);

/** The word with which a box begins: its title, else its kind. */
export function boxWord(kind: string, title: string): string {
  return boxTitle(kind, title) ?? KINDS.get(kind.toLowerCase()) ?? "Note";
}

/** A box, such as a note: a quote that begins with a bold word. */
export function box(title: string, inside: string, language: Language): Made {
  if (language === "html") {
    const head = title === "" ? "" : `<p><strong>${escapeHtml(title)}</strong></p>\n`;
    return { block: `<blockquote>\n${head}${inside.trim()}\n</blockquote>` };
  }
  const head = title === "" || saysItself(inside, title.trim()) ? [] : [`**${title.trim()}**`, ""];
  const lines = [...head, ...trimLines(inside).split("\n")];
  return { block: lines.map((line) => (line.trim() === "" ? ">" : `> ${line}`)).join("\n") };
}

/** Without empty lines around it; the indentation of its first line stays. */
export function trimLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? "" : lines.slice(first).join("\n");
}

export function details(summary: string, inside: string): Made {
  return { block: `<details>\n<summary>${escapeHtml(summary)}</summary>\n\n${trimLines(inside)}\n\n</details>` };
}

export interface Picture {
  src: string;
  alt?: string | undefined;
  caption?: string | undefined;
  /** Address to which a click leads. */
  link?: string | undefined;
}

/** @param isAlone nothing else is in its line. */
export function picture({ src, alt, caption, link }: Picture, language: Language, isAlone: boolean): Made {
  const about = alt ?? "";
  if (isAlone && caption !== undefined && caption.trim() !== "") {
    const image = `<img src="${escapeHtml(src)}" alt="${escapeHtml(about)}">`;
    const linked = link === undefined ? image : `<a href="${escapeHtml(link)}">${image}</a>`;
    return { block: `<figure>${linked}<figcaption>${captionHtml(caption)}</figcaption></figure>` };
  }
  if (language === "html") {
    const image = `<img src="${escapeHtml(src)}" alt="${escapeHtml(about)}">`;
    const linked = link === undefined ? image : `<a href="${escapeHtml(link)}">${image}</a>`;
    return caption === undefined ? linked : `${linked} ${captionHtml(caption)}`;
  }
  const image = `![${escapeBrackets(about)}](${destination(src)})`;
  const linked = link === undefined ? image : `[${image}](${destination(link)})`;
  const made = caption === undefined ? linked : `${linked} ${caption}`;
  return isAlone ? { block: made } : made;
}

/** A caption that has Markdown or tags is read as Markdown, which needs empty lines around it. */
function captionHtml(caption: string): string {
  return /[*_`<]|\]\(/.test(caption) ? `\n\n${caption.trim()}\n\n` : escapeHtml(caption.trim());
}

/** The words of a caption for an alternative text. */
export function plainCaption(caption = ""): string | undefined {
  const words = caption.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, "$1").replaceAll(/<[^<>]*>|[*_`]/g, "");
  return words === "" ? undefined : words;
}

export function link(text: string, address: string, language: Language): string {
  if (language === "html") return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
  return text === address && /^https?:\/\/[^\s<>]+$/.test(address)
    ? `<${address}>`
    : `[${escapeBrackets(text)}](${destination(address)})`;
}

/** An embed that becomes a link: its address alone. */
export function embed(address: string, language: Language, isAlone: boolean): Made {
  // An address without its host is a link only if it is written as one.
  if (language === "html" || !/^https?:/.test(address)) return link(address, address, language);
  return isAlone ? { block: address } : `<${address}>`;
}

function escapeBrackets(text: string): string {
  return text.replaceAll(/[[\]]/g, String.raw`\$&`);
}

/** An address as the target of a link. */
export function destination(address: string): string {
  return address
    .trim()
    .replaceAll(/[\s()<>]/g, (sign) => encodeURIComponent(sign).replace("(", "%28").replace(")", "%29"));
}

/** Addresses of embeds by the names of their tags; `$` is the id. */
const EMBEDS: Readonly<Record<string, string>> = {
  youtube: "https://www.youtube.com/watch?v=$",
  "youtube-lite": "https://www.youtube.com/watch?v=$",
  youtubelite: "https://www.youtube.com/watch?v=$",
  ytplaylist: "https://www.youtube.com/playlist?list=$",
  vimeo: "https://vimeo.com/$",
  gist: "https://gist.github.com/$",
  tweet: "https://x.com/i/status/$",
  twitter: "https://x.com/i/status/$",
  x: "https://x.com/i/status/$",
  instagram: "https://www.instagram.com/p/$/",
  bilibili: "https://www.bilibili.com/video/$",
  codepen: "https://codepen.io/pen/$",
  jsfiddle: "https://jsfiddle.net/$/",
  asciinema: "https://asciinema.org/a/$",
  speakerdeck: "https://speakerdeck.com/player/$",
  soundcloud: "https://soundcloud.com/$",
  spotify: "https://open.spotify.com/$",
  tiktok: "https://www.tiktok.com/embed/$",
  mastodon: "https://mastodon.social/$",
};

export function isEmbed(name: string): boolean {
  return Object.hasOwn(EMBEDS, name);
}

/** The address of an embed; `id` may be its address. Undefined: the id is none. */
export function embedAddress(name: string, id: string, user = ""): string | undefined {
  if (/^https?:\/\/\S+$/.test(id)) return id;
  const pattern = EMBEDS[name];
  if (pattern === undefined || !/^[\w./@:?=&%-]+$/.test(id)) return undefined;
  if (user !== "" && /^(?:tweet|twitter|x)$/.test(name))
    return `https://x.com/${encodeURIComponent(user)}/status/${id}`;
  if (user !== "" && name === "codepen") return `https://codepen.io/${encodeURIComponent(user)}/pen/${id}`;
  if (user !== "" && name === "gist") return `https://gist.github.com/${encodeURIComponent(user)}/${id}`;
  return pattern.replace("$", () => id);
}

/** The arguments of a tag: by their places, and by their names in lower case. */
export interface Arguments {
  places: string[];
  names: ReadonlyMap<string, string>;
}

const ARGUMENT =
  /([\w-]+)[ \t]*[=:](?!\/\/)[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|([^\s,"'`]+))|"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|([^\s,]+)/g;

export function readArguments(text: string): Arguments {
  const places: string[] = [];
  const names = new Map<string, string>();
  for (const found of text.matchAll(ARGUMENT)) {
    const [, name, ...values] = found;
    const value = values.find((one) => one !== undefined) ?? "";
    const plain = found[2] !== undefined || found[6] !== undefined ? value.replaceAll(/\\(["\\])/g, "$1") : value;
    if (name === undefined) places.push(plain);
    else names.set(name.toLowerCase(), plain);
  }
  return { places, names };
}

/** What is inside an unknown tag, behind its title. */
export function unwrapped(given: Arguments, inside: string, language: Language): Made {
  const title = named(given, "title", "name", "heading", "summary", "caption", "term", "label");
  const isBlock = title !== undefined || inside.includes("\n");
  if (!isBlock) return inside.trim();
  const text = trimLines(inside);
  return { block: title === undefined ? text : `${strongLine(title, language)}\n\n${text}` };
}

/** A paragraph of bold words. */
export function strongLine(text: string, language: Language): string {
  return language === "html" ? `<p><strong>${escapeHtml(text)}</strong></p>` : `**${text.trim()}**`;
}

/** The first of these arguments that is there. */
export function named({ names }: Arguments, ...wanted: string[]): string | undefined {
  for (const name of wanted) {
    const value = names.get(name);
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** What an unknown tag has for readers: its picture, or links to its addresses, and texts of several words. */
export function salvage(given: Arguments, language: Language, isAlone: boolean): Made {
  const values = [...given.places, ...given.names.values()];
  const src = values.find((value) => /[^.\s]\.(?:avif|gif|jpe?g|png|svg|webp)$/i.test(value));
  if (src !== undefined) {
    const alt =
      named(given, "alt") ?? named(given, "caption", "title") ?? values.find((value) => /\p{L} \p{L}/u.test(value));
    return picture({ src, alt, caption: named(given, "caption") }, language, isAlone);
  }
  const kept = values.flatMap((value) => {
    if (/^https?:\/\/[^\s<>"]+$/.test(value)) return link(value, value, language);
    return /\p{L}\s+\p{L}/u.test(value) ? (language === "html" ? escapeHtml(value) : value) : [];
  });
  return kept.join(" ");
}
