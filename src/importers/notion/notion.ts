/** Pages of a Notion export, as Markdown or HTML: `Name 0123456789abcdef0123456789abcdef.md`. */
import type { Element, ElementContent } from "hast";
import { Warnings } from "../../domain/articles/warnings.ts";
import { parseTime } from "../dates.ts";
import {
  attribute,
  elementsIn,
  elementText,
  findElement,
  hasClass,
  nodesToHtml,
  parseHtml,
} from "../html/html-tree.ts";
import { failedItem, type ImportContext } from "../import-item.ts";
import { plainName } from "../markdown/front-matter.ts";
import { readMarkdownFile } from "../markdown/markdown.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { describeHiding } from "../visibility.ts";

/** The page's id behind its name. */
const ID = / ([0-9a-f]{32})(?=\/|\.[a-z]+$)/g;

export function readNotionPage(name: string, text: string, context: ImportContext): ImportItem {
  try {
    const id = [...name.matchAll(ID)].at(-1)?.[1] ?? "";
    const language = name.endsWith(".md") ? "markdown" : "html";
    const warnings = new Warnings();
    const page = language === "markdown" ? readMarkdownPage(text) : readHtmlPage(text);
    if (page === null) return { kind: "skipped", source: name, reason: "It is no page of Notion." };
    const { data, hidden } = toFields(page, warnings);
    // The same as a file with front matter, which is in the order of these fields.
    const source = `${JSON.stringify(data, null, 1)}\n${page.body}`;
    const item = readMarkdownFile(name.replaceAll(ID, ""), source, language, context);
    if (item.kind !== "draft") return { ...item, source: name };
    warnings.addAll(item.warnings ?? []);
    const why = item.hidden ?? hidden;
    return {
      ...item,
      source: name,
      ref: `notion:${id}`,
      ...(why === null ? {} : { hidden: why }),
      warnings: warnings.list,
    };
  } catch (error) {
    return failedItem(name, error);
  }
}

interface Page {
  title: string;
  properties: { name: string; value: string }[];
  cover?: string | undefined;
  body: string;
}

/** A heading, lines with a property each, and the text. */
function readMarkdownPage(text: string): Page {
  const lines = text
    .replace(/^\uFEFF/, "")
    .replaceAll(/\r\n?/g, "\n")
    .split("\n");
  const [first = ""] = lines;
  const title = first.startsWith("# ") ? first.slice(2).trim() : "";
  let start = title === "" ? 0 : 1;
  while (lines[start]?.trim() === "") start++;
  const end = lines.findIndex((line, index) => index >= start && line.trim() === "");
  const found = lines.slice(start, end === -1 ? lines.length : end).map(toProperty);
  // A first paragraph may look like a property, but hardly like one with a name that databases have.
  const isTable =
    found.every((property) => property !== null) && found.some((property) => isKnown(property?.name ?? ""));
  const properties = isTable ? found.filter((property) => property !== null) : [];
  return { title, properties, body: withQuotes(lines.slice(isTable ? start + found.length : start)) };
}

function toProperty(line: string): Page["properties"][number] | null {
  const colon = line.indexOf(": ");
  if (colon < 1 || colon > 60 || !/^\p{L}/u.test(line)) return null;
  return { name: line.slice(0, colon), value: line.slice(colon + 2).trim() };
}

/** A callout is an `aside`, in which Markdown would be text. */
function withQuotes(lines: readonly string[]): string {
  let fence: string | null = null;
  let isInside = false;
  const done = lines.flatMap((line) => {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    if (fence === null && line.trim() === (isInside ? "</aside>" : "<aside>")) {
      isInside = !isInside;
      return isInside ? [] : [""];
    }
    return [isInside ? `> ${line}` : line];
  });
  return done.join("\n");
}

/** Names of properties, without case and separators, by the field that they give. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  date: [
    "date",
    "publishdate",
    "publisheddate",
    "publicationdate",
    "publishedat",
    "publishedon",
    "publishon",
    "postdate",
    "published",
  ],
  created_at: ["created", "createdtime", "createdat", "createdon", "datecreated"],
  updated_at: ["lasteditedtime", "lastedited", "updated", "updatedat", "lastupdated", "edited"],
  status: ["status", "state", "stage"],
  tags: ["tags", "tag", "labels", "keywords", "multiselect"],
  categories: ["category", "categories", "topic", "topics"],
  authors: ["author", "authors", "writer", "by", "createdby", "owner"],
  excerpt: ["description", "summary", "excerpt", "subtitle"],
  slug: ["slug"],
  meta_title: ["metatitle", "seotitle"],
  meta_description: ["metadescription", "seodescription"],
};

function fieldOf(name: string): string | undefined {
  const plain = plainName(name);
  return Object.entries(FIELDS).find(([, names]) => names.includes(plain))?.[0];
}

function isKnown(name: string): boolean {
  return fieldOf(name) !== undefined;
}

/** States in which a page is shown to everybody. */
const SHOWN = /^(?:published|live|public|done|complete|completed|posted|online|veröffentlicht|publié|publicado)$/i;

/** The page's properties as front matter. Without a state that says otherwise, it waits: Notion has no public site. */
function toFields(
  { title, properties, cover }: Page,
  warnings: Warnings,
): { data: Record<string, unknown>; hidden: string | null } {
  const data: Record<string, unknown> = { ...(title === "" ? {} : { title }), status: "pending" };
  let hidden: string | null = null;
  for (const { name, value } of properties) {
    const field = fieldOf(name);
    const isSwitch = /^(?:yes|no)$/i.test(value);
    if (value === "") continue;
    if (field === "status" || (isSwitch && plainName(name) === "published")) {
      const isShown = isSwitch ? /^yes$/i.test(value) : SHOWN.test(value);
      if (isShown) data["status"] = "published";
      else hidden = describeHiding("draft", `${name}: ${value}`);
    } else if (field === "date" || field === "created_at" || field === "updated_at") {
      const at = parseTime(value.replace(/^@/, "").split("→", 1)[0]?.trim());
      if (at === null) warnings.add("date_guessed", `${name}: ${value}`);
      else data[field] ??= new Date(at).toISOString();
    } else if (field === "tags" || field === "categories" || field === "authors") {
      data[field] ??= value.split(",").flatMap((label) => label.trim() || []);
    } else if (field === undefined) {
      warnings.add("element_removed", `property ${name}: ${value}`);
    } else {
      data[field] ??= value;
    }
  }
  if (cover !== undefined) data["cover"] = /^[a-z]+:/i.test(cover) ? cover : `./${cover}`;
  return { data: hidden === null ? data : { ...data, status: "pending" }, hidden };
}

function readHtmlPage(text: string): Page | null {
  const tree = parseHtml(text, false);
  const article = findElement(tree, ({ tagName }) => tagName === "article");
  const body = article && findElement(article, (element) => hasClass(element, "page-body"));
  if (article === undefined || body === undefined) return null;
  const heading = findElement(article, (element) => hasClass(element, "page-title"));
  const table = findElement(article, (element) => hasClass(element, "properties"));
  const rows = table === undefined ? [] : [...elementsIn(table)].filter(({ tagName }) => tagName === "tr");
  const cover = findElement(article, (element) => hasClass(element, "page-cover-image"));
  const all = [...elementsIn(body)];
  const targets = new Set(all.flatMap((element) => attribute(element, "href")?.replace(/^#/, "") ?? []));
  return {
    title: heading === undefined ? "" : lineOf(heading),
    properties: rows.map(rowProperty),
    cover: attribute(cover, "src"),
    body: nodesToHtml(convert(body.children, targets)),
  };
}

function rowProperty(row: Element): Page["properties"][number] {
  const cells = [...elementsIn(row)];
  const name = cells.find(({ tagName }) => tagName === "th");
  const value = cells.find(({ tagName }) => tagName === "td");
  const labels = cells.filter((element) => hasClass(element, "selected-value") || hasClass(element, "user"));
  const box = cells.find((element) => hasClass(element, "checkbox"));
  const shown =
    box !== undefined
      ? hasClass(box, "checkbox-on")
        ? "Yes"
        : "No"
      : labels.length > 0
        ? labels.map(lineOf).join(", ")
        : value === undefined
          ? ""
          : lineOf(value);
  return { name: name === undefined ? "" : lineOf(name), value: shown };
}

function convert(nodes: readonly ElementContent[], targets: ReadonlySet<string>): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type !== "element") return [node];
    const of = (name: string) => hasClass(node, name);
    const { tagName } = node;
    if (tagName === "style" || tagName === "script" || of("table_of_contents")) return [];
    if (of("katex") || of("katex-display")) return formula(node);
    if (of("callout")) return [element("blockquote", {}, callout(node, targets))];
    if (of("bookmark")) return bookmark(node);
    if (of("checkbox")) return [{ type: "text", value: of("checkbox-on") ? "☑ " : "☐ " }];
    const children = convert(node.children, targets);
    const isLayout =
      tagName === "div" || of("toggle") || (tagName === "li" && isToggle(node)) || isZoom(node) || of("equation");
    if (isLayout) return children;
    if (tagName === "figure" && children.every((child) => child.type === "element" && child.tagName === "p"))
      return children;
    return [{ ...node, properties: meaningful(node, targets), children }];
  });
}

function isToggle({ children }: Element): boolean {
  return (
    children.every((child) => child.type !== "element" || child.tagName === "details") &&
    children.some((child) => child.type === "element")
  );
}

/** A link around a picture that leads to the picture. */
function isZoom(node: Element): boolean {
  const picture = node.tagName === "a" ? findElement(node, ({ tagName }) => tagName === "img") : undefined;
  return picture !== undefined && attribute(picture, "src") === attribute(node, "href");
}

/** The sign before it is the beginning of its text. */
function callout(node: Element, targets: ReadonlySet<string>): ElementContent[] {
  const icon = findElement(node, (child) => hasClass(child, "icon"));
  const sign = icon === undefined ? "" : lineOf(icon);
  const children = convert(
    node.children.filter(
      (child) =>
        icon === undefined ||
        child.type !== "element" ||
        (child !== icon && findElement(child, (inner) => inner === icon) === undefined),
    ),
    targets,
  ).filter((child) => child.type !== "text" || child.value.trim() !== "");
  const start: ElementContent[] = sign === "" ? [] : [{ type: "text", value: `${sign} ` }];
  const [first, ...others] = children;
  if (first?.type === "element" && first.tagName === "p")
    return [{ ...first, children: [...start, ...first.children] }, ...others];
  const isInline = children.every(
    (child) =>
      child.type === "text" ||
      /^(?:a|b|br|code|em|i|mark|s|span|strong|u)$/.test(child.type === "element" ? child.tagName : ""),
  );
  return isInline ? [element("p", {}, [...start, ...children])] : [element("p", {}, start), ...children];
}

function bookmark(node: Element): ElementContent[] {
  const href = attribute(node, "href") ?? "";
  const part = (name: string) => {
    const found = findElement(node, (child) => hasClass(child, name));
    return found === undefined ? "" : lineOf(found);
  };
  const link = element("a", { href }, [{ type: "text", value: part("bookmark-title") || href }]);
  const description = part("bookmark-description");
  const more: ElementContent[] = description === "" ? [] : [{ type: "text", value: ` – ${description}` }];
  return [element("p", {}, [link, ...more])];
}

/** As the author wrote it. */
function formula(node: Element): ElementContent[] {
  const source = findElement(node, ({ tagName }) => tagName === "annotation");
  if (source === undefined) return [node];
  const text = elementText(source);
  return hasClass(node, "katex-display")
    ? [element("p", {}, [{ type: "text", value: `$$${text}$$` }])]
    : [{ type: "text", value: `$${text}$` }];
}

function meaningful({ tagName, properties }: Element, targets: ReadonlySet<string>): Element["properties"] {
  const kept = Object.entries(properties).filter(
    ([name, value]) =>
      (name === "id" && targets.has(String(value))) ||
      (name === "className" && tagName === "code") ||
      !/^(?:id|className|style|open|data[A-Z].*)$/.test(name),
  );
  return Object.fromEntries(kept);
}

function lineOf(node: Element): string {
  return elementText(node).replaceAll(/\s+/g, " ");
}

function element(tagName: string, properties: Element["properties"], children: ElementContent[]): Element {
  return { type: "element", tagName, properties, children };
}
