import type { Element, Root, RootContent } from "hast";
import { parseAuthors } from "../article-fields.ts";
import { absoluteUrl } from "../urls.ts";
import { lifecycle, parseTime } from "../dates.ts";
import { languageFields, parsePath, withSlugInLanguage } from "../markdown/path-metadata.ts";
import { splitFrontMatter } from "../markdown/front-matter.ts";
import {
  attribute,
  elementsIn,
  findElement,
  hasClass,
  parseHtml,
  rebuild,
  nodesToHtml,
  elementText,
} from "./html-tree.ts";
import { toDraft, failedItem } from "../import-item.ts";
import { fileRef, type ImportItem } from "../../operations/articles/import/import-items.ts";
import type { ImportContext } from "../import-item.ts";
import { readMarkdownFile } from "../markdown/markdown.ts";
import { readMediumPost } from "./medium.ts";

/** Reads one HTML file: an article with front matter, a post of a Medium export, or a page with one `<article>`. */
export function readHtmlFile(name: string, text: string, context: ImportContext): ImportItem {
  try {
    if (splitFrontMatter(text.replace(/\r\n?/g, "\n")).data !== null)
      return readMarkdownFile(name, text, "html", context);
    const isPage = /<(?:html|head|body)\b/i.test(text);
    const tree = parseHtml(text, !isPage);
    const entry = findElement(tree, (element) => hasClass(element, "h-entry"));
    const body =
      entry === undefined ? undefined : findElement(entry, (element) => element.properties["dataField"] === "body");
    if (entry !== undefined && body !== undefined) return readMediumPost(name, entry, body, context);
    return isPage ? readPage(name, tree, context) : readFragment(name, tree, context);
  } catch (error) {
    return failedItem(name, error);
  }
}

function readPage(name: string, tree: Root, context: ImportContext): ImportItem {
  const articles = [...elementsIn(tree)].filter((element) => element.tagName === "article");
  const article = articles[0];
  if (article === undefined || articles.length > 1) {
    const why = article === undefined ? "without front matter and without an <article>" : "that lists several articles";
    return { kind: "skipped", source: name, reason: `It is an HTML page ${why}.` };
  }
  const heading = findElement(article, isTopHeading);
  const titleElement = heading ?? findElement(tree, (element) => element.tagName === "title");
  const canonical = findElement(
    tree,
    (element) =>
      element.tagName === "link" && attribute(element, "href") !== undefined && getRel(element) === "canonical",
  );
  const url = absoluteUrl(attribute(canonical, "href"), context.websiteUrl);
  const time = findElement(article, (element) => element.tagName === "time");
  const place = parsePath(name);
  const item = toDraft(name, fileRef("html", name), {
    title: oneLine(titleElement) ?? findMeta(tree, "og:title"),
    slug: place.slug,
    ...languageFields(place, context),
    content: nodesToHtml(withoutHeading(article, heading)),
    excerpt: findMeta(tree, "description"),
    authors: parseAuthors(findMeta(tree, "author")) ?? parseAuthors(oneLine(findElement(article, isAuthor))),
    meta_description: findMeta(tree, "description"),
    featured_image_url: absoluteUrl(findMeta(tree, "og:image"), url ?? context.websiteUrl),
    platform_url: url,
    ...lifecycle(
      {
        state: null,
        date:
          parseTime(findMeta(tree, "article:published_time")) ?? parseTime(attribute(time, "dateTime")) ?? place.date,
        updated: parseTime(findMeta(tree, "article:modified_time")),
      },
      context.now,
    ),
  });
  return withSlugInLanguage(item, place);
}

/** An HTML fragment without a page around it is an article if it has a title. */
function readFragment(name: string, tree: Root, context: ImportContext): ImportItem {
  const heading = findElement(tree, isTopHeading);
  if (heading === undefined) {
    return { kind: "skipped", source: name, reason: "It is a bit of HTML without front matter and without an <h1>." };
  }
  const place = parsePath(name);
  const item = toDraft(name, fileRef("html", name), {
    title: oneLine(heading),
    slug: place.slug,
    ...languageFields(place, context),
    content: nodesToHtml(withoutHeading(tree, heading)),
    ...lifecycle({ state: null, date: place.date }, context.now),
  });
  return withSlugInLanguage(item, place);
}

function isAuthor(element: Element): boolean {
  return element.tagName === "a" && getRel(element).split(" ").includes("author");
}

function isTopHeading(element: Element): boolean {
  return element.tagName === "h1";
}

function withoutHeading(node: Root | Element, heading: Element | undefined): Element["children"] {
  const children: readonly RootContent[] = node.children;
  const content = children.filter((child) => child.type !== "doctype");
  return rebuild(content, (element) => (element === heading ? "drop" : "keep"));
}

function oneLine(element: Element | undefined): string | undefined {
  return element === undefined ? undefined : elementText(element).replace(/\s+/g, " ");
}

function findMeta(tree: Root, name: string): string | undefined {
  const meta = findElement(
    tree,
    (element) =>
      element.tagName === "meta" && (element.properties["name"] === name || element.properties["property"] === name),
  );
  return attribute(meta, "content");
}

function getRel(element: Element): string {
  const rel = element.properties["rel"];
  return Array.isArray(rel) ? rel.join(" ") : String(rel);
}
