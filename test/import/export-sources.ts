/** Reads files of WordPress, Ghost, Medium, Squarespace and Jekyll with a few lines of its own. */
import { type DefaultTreeAdapterTypes, parse, serialize } from "parse5";
import { readMarkdownSource, type SourceArticle } from "./markdown-sources.ts";

/** `source`: as the report calls it, `blog.xml, item 3 (Its title)`. */
export function readExportSource(source: string, text: string): SourceArticle {
  const [, name = "", number = "1"] = /^(.*?)(?:, (?:item|post) (\d+).*)?$/s.exec(source) ?? [];
  if (name.endsWith(".xml")) return readItem(text, Number(number));
  if (name.endsWith(".json")) return readPost(findPosts(JSON.parse(text))[Number(number) - 1] ?? {});
  if (name.startsWith("medium")) return readMedium(text);
  const dated = /__(\d{4})-(\d\d?)-(\d\d?)-(.*)$/.exec(name);
  const article = readMarkdownSource(name.replace(/^.*?__\d{4}-\d\d?-\d\d?-/, ""), text);
  const [year = "", month = "", day = ""] = dated?.slice(1) ?? [];
  const ofName = dated === null ? undefined : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return { ...article, slug: undefined, tags: undefined, date: article.date ?? ofName };
}

function readItem(xml: string, number: number): SourceArticle {
  const item = Array.from(xml.matchAll(/<item>([\s\S]*?)<\/item>/g))[number - 1]?.[1] ?? "";
  const field = (tag: string): string | undefined => {
    const [, data, plain] =
      new RegExp(`<${tag}>\\s*(?:<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>|([^<]*))\\s*</${tag}>`).exec(item) ?? [];
    return data ?? plain;
  };
  const date = field("wp:post_date_gmt");
  return {
    html: paragraphs(field("content:encoded") ?? ""),
    title: field("title"),
    authors: undefined,
    tags: Array.from(
      item.matchAll(/<category domain="post_tag"[^>]*>(?:<!\[CDATA\[)?([^<\]]*)/g),
      ([, tag = ""]) => tag,
    ),
    slug: field("wp:post_name")?.replace(/^.*\//, "") || undefined,
    date: date === undefined || date.startsWith("0000") ? undefined : date.replace(" ", "T"),
  };
}

/** WordPress makes a paragraph of what empty lines are around; block comments are for its editor. */
function paragraphs(content: string): string {
  const parts = content.replaceAll(/<!--[\s\S]*?-->/g, "").split(/\n\s*\n/);
  return parts.map((part) => (/^\s*<\/?(?:\w+)/.test(part) ? part : `<p>${part}</p>`)).join("\n");
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function findPosts(json: unknown): Fields[] {
  if (Array.isArray(json))
    return json.flatMap((one) => (isFields(one) && "meta" in one ? findPosts(one) : isFields(one) ? [one] : []));
  if (!isFields(json)) return [];
  if (Array.isArray(json["posts"])) return json["posts"].filter(isFields);
  const inner = json["data"] ?? json["db"];
  return inner === undefined ? [json] : findPosts(inner);
}

function readPost(post: Fields): SourceArticle {
  const data = isFields(post["data"]) ? post["data"] : post;
  const text = (name: string): string | undefined => {
    const value = data[name];
    if (isFields(value) && "rendered" in value) return String(value["rendered"]);
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const lexical = text("lexical");
  const html =
    text("html") ?? text("content") ?? (lexical === undefined ? "" : lexicalTexts(JSON.parse(lexical)).join(""));
  const date = text("published_at") ?? text("date_gmt");
  return {
    html: html.replaceAll(/<!--[\s\S]*?-->/g, ""),
    title: text("title")?.replaceAll(/<[^>]*>/g, ""),
    authors: undefined,
    tags: undefined,
    slug: text("slug"),
    date,
  };
}

function lexicalTexts(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(lexicalTexts);
  if (!isFields(node)) return [];
  const own = typeof node["text"] === "string" ? [node["text"]] : [];
  const all = [...own, ...lexicalTexts(node["children"] ?? node["root"])];
  return node["type"] === "paragraph" ? [`<p>${all.join("")}</p>`] : all;
}

function readMedium(page: string): SourceArticle {
  const field = (start: RegExp): string | undefined => {
    const found = find(parse(page), start);
    return found === undefined ? undefined : serialize(found);
  };
  const title = field(/\bp-name\b/)?.replaceAll(/<[^>]*>/g, "");
  return {
    html: field(/\be-content\b/) ?? "",
    title,
    authors: undefined,
    tags: undefined,
    slug: undefined,
    date: /<time class="dt-published" datetime="([^"]*)"/.exec(page)?.[1],
  };
}

function find(node: DefaultTreeAdapterTypes.Node, pattern: RegExp): DefaultTreeAdapterTypes.Element | undefined {
  if ("attrs" in node && node.attrs.some(({ name, value }) => name === "class" && pattern.test(value))) return node;
  const children = "childNodes" in node ? node.childNodes : [];
  for (const child of children) {
    const found = find(child, pattern);
    if (found !== undefined) return found;
  }
  return undefined;
}
