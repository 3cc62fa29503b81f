/** The text of an article as a sender gives it: which form it has, and what it repeats of title and featured picture. */
import type { Element, Root } from "hast";
import { textContent, UNSEEN } from "../../domain/articles/content/html/tree.ts";
import { AppError } from "../../domain/system/errors.ts";
import { attribute, elementsIn, nodesToHtml, parseHtml } from "../html/html-tree.ts";
import { toText } from "../import-item.ts";
import { splitFrontMatter } from "../markdown/front-matter.ts";
import { takeHeading } from "../markdown/structure.ts";
import { absoluteUrl } from "../urls.ts";

export interface TextForm {
  form: "html" | "markdown";
  text: string;
}

interface Around {
  /** Undefined: a heading at the start becomes the title. */
  title: string | undefined;
  image: string | undefined;
  websiteUrl: string | null;
}

const BLOCKS = /<\/(?:p|h[1-6]|ul|ol|li|div|section|article|figure|blockquote|table|pre)\s*>/gi;
const INLINE = /<(?:br|p|a|b|i|strong|em|img|span|code)\b[^<>]*>/i;
const MARKS = /^ {0,3}(?:#{1,6} |[-*+] |\d{1,9}\. |> |```|~~~|\|)|\]\(|\*\*/gm;

/** Which of the two a text is. Markdown may have some HTML inside, and HTML some stars. */
export function looksLikeHtml(text: string): boolean {
  const blocks = count(text, BLOCKS);
  const marks = count(text, MARKS);
  return blocks === 0 ? marks === 0 && INLINE.test(text) : blocks >= marks;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _match of text.matchAll(pattern)) found += 1;
  return found;
}

/** Removes a heading and a picture that the page around the text shows anyway, unless nothing would be left. */
export function withoutRepeats(given: TextForm, around: Around): { text: string; title: string | undefined } {
  return given.form === "html" ? tidyHtml(given.text, around) : tidyMarkdown(given.text, around);
}

const MEDIA = new Set(["img", "iframe", "video", "audio", "embed", "object"]);

/** Elements that only hold others. */
const WRAPPERS = new Set(["html", "body", "article", "main", "section", "header", "div"]);

function tidyHtml(html: string, { title, image, websiteUrl }: Around): { text: string; title: string | undefined } {
  const isPage = /<(?:html|head|body)\b/i.test(html);
  if (!isPage && !mayRepeat(html, image)) return { text: html, title };
  const tree = parseHtml(html, !isPage);
  const body = [...elementsIn(tree)].find(({ tagName }) => isPage && tagName === "body") ?? tree;
  const first = findFirst(body);
  const heading = first !== null && first !== "text" && first.element.tagName === "h1" ? first : undefined;
  const line = heading === undefined ? "" : textContent(heading.element);
  const isRepeated = line !== "" && (title === undefined || isSameLine(line, title));
  if (heading !== undefined && isRepeated) remove(heading);
  for (const { properties } of [...elementsIn(body)].filter(({ tagName }) => tagName === "img")) {
    const address = absoluteUrl(properties["src"], websiteUrl);
    if (address !== undefined && address !== properties["src"]) properties["src"] = address;
  }
  const picture = image === undefined ? undefined : findPicture(body);
  const isRepeatedPicture = picture !== undefined && isSamePicture(picture.picture.properties["src"], image);
  if (isRepeatedPicture && !isInFigure(picture)) remove(picture);
  const shown = isRepeated ? line : undefined;
  if (textContent(body) === "" && ![...elementsIn(body)].some(({ tagName }) => MEDIA.has(tagName))) {
    return { text: html, title: title ?? shown };
  }
  const children: readonly Root["children"][number][] = body.children;
  return { text: nodesToHtml([...children]), title: title ?? shown };
}

/** Where a heading that begins the text must be found. */
const START = 5000;

/** Most texts repeat nothing: they are kept as they were written, and not parsed for it. */
function mayRepeat(html: string, image: string | undefined): boolean {
  const name = image?.split(/[?#]/, 1)[0]?.split("/").at(-1);
  return (
    /<h1\b/i.test(html.slice(0, START)) ||
    (name !== undefined && html.includes(name)) ||
    /<img\b[^<>]*\ssrc\s*=\s*["']?(?!https?:|data:)[^\s"'<>]/i.test(html)
  );
}

interface Inside {
  parent: Root | Element;
  element: Element;
}

function remove({ parent, element }: Inside): void {
  const at = (parent.children as unknown[]).indexOf(element);
  if (at !== -1) parent.children.splice(at, 1);
}

/** The first element that shows something; `text` if other text comes before it, null if there is nothing. */
function findFirst(parent: Root | Element): Inside | "text" | null {
  for (const child of parent.children) {
    if (child.type === "text" && child.value.trim() !== "") return "text";
    if (child.type !== "element" || UNSEEN.has(child.tagName)) continue;
    if (!WRAPPERS.has(child.tagName)) return { parent, element: child };
    const inner = findFirst(child);
    if (inner !== null) return inner;
  }
  return null;
}

/** The first picture with all that stands around nothing but it; a caption of its own keeps it. */
function findPicture(parent: Root | Element): (Inside & { picture: Element }) | undefined {
  for (const child of parent.children) {
    if (child.type !== "element") continue;
    if (child.tagName === "img") return { parent, element: child, picture: child };
    const inner = findPicture(child);
    if (inner !== undefined) return isAround(child, inner) ? { ...inner, parent, element: child } : inner;
  }
  return undefined;
}

function isInFigure({ parent }: Inside): boolean {
  return parent.type === "element" && parent.tagName === "figure";
}

function isAround(outer: Element, { element, picture }: Inside & { picture: Element }): boolean {
  const alt = attribute(picture, "alt") ?? "";
  return (
    ["figure", "picture", "p", "a", "div"].includes(outer.tagName) &&
    outer.children.every((child) => {
      if (child === element || child.type === "comment") return true;
      if (child.type === "text") return child.value.trim() === "";
      if (child.type !== "element") return false;
      const caption = child.tagName === "figcaption" ? textContent(child) : "";
      return (
        child.tagName === "source" || (child.tagName === "figcaption" && (caption === "" || isSameLine(caption, alt)))
      );
    })
  );
}

function tidyMarkdown(markdown: string, around: Around): { text: string; title: string | undefined } {
  const { plain, titled } = withoutFrontMatter(markdown.replaceAll(/\r\n?/g, "\n"));
  const title = around.title ?? titled;
  const heading = takeHeading(plain);
  const isRepeated = heading !== null && (title === undefined || isSameLine(heading.title, title));
  const body = isRepeated ? heading.body : plain;
  const text = withoutPicture(withAbsolutePictures(body, around.websiteUrl), around.image);
  return { text: text.trim() === "" ? markdown : text, title: title ?? heading?.title };
}

/** Some send the file that a site would have, whose fields they send beside it, too. */
function withoutFrontMatter(markdown: string): { plain: string; titled?: string | undefined } {
  try {
    const { data, body } = splitFrontMatter(markdown);
    return data === null ? { plain: markdown } : { plain: body.trimStart(), titled: toText(data["title"]) };
  } catch (error) {
    if (error instanceof AppError) return { plain: markdown };
    throw error;
  }
}

function withAbsolutePictures(markdown: string, websiteUrl: string | null): string {
  return markdown.replaceAll(
    /(!\[[^[\]\n]*\]\()([^\s()<>]+)/g,
    (_all, start: string, address: string) => start + (absoluteUrl(address, websiteUrl) ?? address),
  );
}

function withoutPicture(markdown: string, image: string | undefined): string {
  const at = image === undefined ? -1 : markdown.indexOf("![");
  if (at === -1) return markdown;
  const start = markdown.lastIndexOf("\n", at) + 1;
  const next = markdown.indexOf("\n", at);
  const end = next === -1 ? markdown.length : next;
  const source = /^!\[[^[\]\n]*\]\(([^\s()<>]+)(?:\s[^()\n]*)?\)$/.exec(markdown.slice(start, end).trim())?.[1];
  return source !== undefined && isSamePicture(source, image)
    ? (markdown.slice(0, start) + markdown.slice(end + 1)).trim()
    : markdown;
}

function isSameLine(one: string, other: string): boolean {
  return toLetters(one) === toLetters(other);
}

function toLetters(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Sizes are asked for after the question mark. */
function isSamePicture(one: unknown, other: unknown): boolean {
  return withoutSize(one) === withoutSize(other);
}

function withoutSize(address: unknown): string {
  const text = String(address);
  const path = text.split(/[?#]/, 1)[0] ?? "";
  return /\.(?:avif|gif|jpe?g|png|svg|webp)$/i.test(path) ? path : text;
}
