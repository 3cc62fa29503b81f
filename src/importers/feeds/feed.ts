/** Feeds (RSS, Atom), and Blogger's export, which is an Atom feed of everything that the blog has. */
import { parseAliases, parseAuthors } from "../article-fields.ts";
import { lifecycle, parseTime } from "../dates.ts";
import { escapeHtml, plainLine, plainText, titleOfSlug } from "../html/html-tree.ts";
import type { ImportFile } from "../import-file.ts";
import { beginItem, type ImportContext, NoArticles, type ReadItem, toDraft, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { AppError } from "../../domain/system/errors.ts";
import { absoluteUrl, slugOfPath } from "../urls.ts";
import { describeHiding } from "../visibility.ts";
import { feedEntries, type FeedEntry, type FeedPart } from "./feed-entries.ts";

export async function* readFeed(file: ImportFile, context: ImportContext): AsyncGenerator<ReadItem> {
  let count = 0;
  for await (const entry of feedEntries(file.open())) {
    if (entry.kind === "entry") {
      count += 1;
      if (OF_BLOG.test(kindOf(entry) ?? "")) continue;
      const bytes = entry.parts.reduce((sum, { text }) => sum + text.length, 0);
      yield beginItem(context, file.name, bytes, () => entryItem(entry, file.name, context));
      continue;
    }
    if (count === 0) throw new AppError("invalid", `${entry.reason} Nothing was read: download it again.`);
    const before =
      count === 1 ? "The entry before this place was read" : `The ${count} entries before this place were read`;
    const reason = `${entry.reason} ${before}, what comes after it was not.`;
    yield { kind: "failed", source: file.name, reason };
  }
  if (count === 0) throw new NoArticles("It is a feed without entries.");
}

/** What Blogger's export has besides texts. */
const OF_BLOG = /^(?:settings|template)$/;

/** Of Blogger's entries: `post`, `page`, `comment`, `settings`, `template`. Undefined: it is not Blogger's. */
function kindOf({ parts }: FeedEntry): string | undefined {
  const category = parts.find(
    ({ name, attributes }) => name === "category" && attributes["scheme"]?.endsWith("g/2005#kind"),
  );
  return category?.attributes["term"]?.split("#").at(-1) ?? textOf(parts, "blogger:type")?.toLowerCase();
}

function entryItem(entry: FeedEntry, file: string, context: ImportContext): ImportItem {
  const { parts, feed, number } = entry;
  const kind = kindOf(entry);
  const titlePart = find(parts, "title");
  const name = titlePart === undefined ? undefined : toText(lineOf(titlePart, entry.isAtom));
  const source = `${file}, entry ${number}${name === undefined ? "" : ` (${name.length > 80 ? `${name.slice(0, 79)}…` : name})`}`;
  const status = textOf(parts, "blogger:status")?.toLowerCase() ?? "";
  if (kind === "comment") return { kind: "skipped", source, reason: "It is a comment." };
  if (kind === "page" && context.include?.includes("page") !== true)
    return { kind: "skipped", source, reason: "It is a page, not a post." };
  if (status.includes("trash")) return { kind: "skipped", source, reason: "It is in the trash of the site." };
  if (entry.isTooLarge)
    return {
      kind: "failed",
      source,
      reason: "It is larger than 20 MB or has more than 10,000 parts, the most that one article may have.",
    };
  const warnings = new Warnings();
  const site = absoluteUrl(addressOf(feed), null) ?? context.websiteUrl;
  const url = absoluteUrl(addressOf(parts) ?? textOf(parts, "blogger:filename"), site);
  const slug = url === undefined ? undefined : slugOfPath(new URL(url).pathname);
  const { content, summary, isSummary } = textsOf(parts);
  const isDraft = textOf(parts, "app:control>app:draft") === "yes" || status === "draft";
  const hidden = isDraft
    ? describeHiding("draft", kind === undefined ? "app:draft" : "draft")
    : isSummary
      ? "The feed has only a summary of it."
      : null;
  if (isSummary) warnings.add("words_lost", "The feed has only a summary.");
  const date = firstTime(parts, DATES);
  if (date === null && hidden === null) {
    const [written] = DATES.flatMap((field) => textOf(parts, field) ?? []);
    warnings.add(
      "date_guessed",
      written === undefined ? "The feed has none." : `${written} (not a date that can be read)`,
    );
  }
  const title = name ?? (slug === undefined ? firstWords(content) : titleOfSlug(slug));
  const isBlogger = kind !== undefined;
  const labels = labelsOf(parts);
  const image = imageOf(parts, url ?? site);
  const item = toDraft(
    source,
    `feed:${textOf(parts, "guid") ?? textOf(parts, "id") ?? url ?? title}`,
    {
      title,
      slug,
      content: content + enclosures(parts, content),
      excerpt: summary,
      authors: authorsOf(parts) ?? authorsOf(feed),
      [isBlogger ? "tags" : "categories"]: labels.length === 0 ? undefined : labels,
      featured_image_url: image,
      // Before publication there is no page at it.
      platform_url: isDraft ? undefined : url,
      aliases: isBlogger && url !== undefined && !isDraft ? parseAliases([new URL(url).pathname]) : undefined,
      ...lifecycle(
        {
          state: hidden !== null ? "draft" : status === "scheduled" ? "scheduled" : "published",
          hidden,
          date,
          updated: firstTime(parts, ["updated", "modified", "dcterms:modified", "atom:updated"]),
        },
        context.now,
      ),
    },
    hidden,
  );
  return item.kind === "draft" ? { ...item, warnings: warnings.list } : item;
}

/** The text, and the summary beside it. `isSummary`: there is nothing else, and it is the text. */
const DATES = ["published", "pubDate", "issued", "dc:date", "dcterms:created", "updated"];

function textsOf(parts: readonly FeedPart[]): { content: string; summary: string | undefined; isSummary: boolean } {
  const whole =
    find(parts, "content:encoded") ?? parts.find(({ name, text }) => name === "content" && text.trim() !== "");
  const short = find(parts, "description") ?? find(parts, "summary");
  if (whole === undefined) {
    const content = short === undefined ? "" : htmlOf(short);
    // RSS has no other place for the whole text.
    const isWhole =
      short === undefined ||
      (short.name === "description" && /<(?:p|div|br|h[1-6]|ul|ol)\b/i.test(content) && !CUT.test(plainText(content)));
    return { content, summary: undefined, isSummary: !isWhole };
  }
  const content = htmlOf(whole);
  const text = short === undefined ? "" : plainText(htmlOf(short)).replaceAll(/\s+/g, " ").trim();
  const isOwn = text !== "" && text.length <= MAX_SUMMARY && !CUT.test(text);
  return { content, summary: isOwn ? text : undefined, isSummary: false };
}

const MAX_SUMMARY = 1_000;
/** Where a program has cut a text. */
const CUT = /(?:…|\.\.\.|\[…\]|\[\.\.\.\]|Read more|Continue reading)[^\p{L}]{0,10}$/iu;

function isHtml({ name, attributes }: FeedPart): boolean {
  const { type } = attributes;
  return type === undefined ? !/^(?:title|summary|content)$/.test(name) : /html/.test(type);
}

/** Text of Atom without a type is plain; RSS has HTML everywhere. */
function htmlOf(part: FeedPart): string {
  if (isHtml(part)) return part.text.trim();
  const paragraphs = part.text.split(/\n\s*\n/).map((text) => text.trim());
  return paragraphs.flatMap((text) => (text === "" ? [] : `<p>${escapeHtml(text)}</p>`)).join("\n");
}

/** Atom's titles are plain text unless they say otherwise, RSS' ones may be HTML. */
function lineOf(part: FeedPart, isAtom: boolean): string {
  const isPlain = (part.attributes["type"] ?? (isAtom ? "text" : "html")) === "text";
  return isPlain ? part.text.replaceAll(/\s+/g, " ").trim() : plainLine(part.text);
}

function addressOf(parts: readonly FeedPart[]): string | undefined {
  const original = textOf(parts, "feedburner:origLink");
  if (original !== undefined) return original;
  const links = parts.filter(
    ({ name, attributes }) => name === "link" && (attributes["rel"] ?? "alternate") === "alternate",
  );
  const guid = find(parts, "guid");
  return (
    links.map(({ attributes, text }) => attributes["href"] ?? toText(text)).find((link) => link !== undefined) ??
    (guid?.attributes["isPermaLink"] === "false" ? undefined : toText(guid?.text))
  );
}

/** RSS writes `a@b.example (Ann)`; Blogger `Unknown` for nobody. */
function authorsOf(parts: readonly FeedPart[]): ReturnType<typeof parseAuthors> {
  const names = parts.flatMap(({ name, text }) => {
    if (!/^(?:dc:creator|author|author>name|itunes:author|managingEditor)$/.test(name)) return [];
    const given = plainLine(text);
    const inBrackets = /^[^\s@]+@[^\s@]+ \(([^()]+)\)$/.exec(given)?.[1];
    return given === "Unknown" ? [] : [inBrackets ?? given];
  });
  return parseAuthors(names);
}

function labelsOf(parts: readonly FeedPart[]): string[] {
  const labels = parts.flatMap(({ name, attributes, text }) => {
    if (name !== "category" || attributes["scheme"]?.endsWith("g/2005#kind") === true) return [];
    return toText(plainLine(attributes["label"] ?? attributes["term"] ?? text)) ?? [];
  });
  return [...new Set(labels)];
}

function imageOf(parts: readonly FeedPart[], base: string | null): string | undefined {
  const picture = parts.find(({ name, attributes }) => {
    if (/(?:^|>)media:thumbnail$/.test(name)) return true;
    const isImage = attributes["medium"] === "image" || attributes["type"]?.startsWith("image/") === true;
    return isImage && /(?:^|>)(?:media:content|enclosure)$/.test(name);
  });
  // Blogger's thumbnails are 72 pixels wide.
  const url = absoluteUrl(picture?.attributes["url"], base)?.replace(/\/s72-[a-z0-9-]*c\//, "/s1600/");
  return url;
}

/** Recordings become links. */
function enclosures(parts: readonly FeedPart[], content: string): string {
  const urls = parts.flatMap(({ name, attributes }) => {
    const isFile = name === "enclosure" || (name === "link" && attributes["rel"] === "enclosure");
    if (!isFile || attributes["type"]?.startsWith("image/") === true) return [];
    return absoluteUrl(attributes["url"] ?? attributes["href"], null) ?? [];
  });
  return [...new Set(urls)]
    .filter((url) => !content.includes(url) && !content.includes(escapeHtml(url)))
    .map((url) => `\n<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`)
    .join("");
}

function firstTime(parts: readonly FeedPart[], names: readonly string[]): number | null {
  for (const name of names) {
    const at = parseTime(textOf(parts, name));
    if (at !== null) return at;
  }
  return null;
}

function firstWords(content: string): string | undefined {
  const words = plainLine(content);
  return words === "" ? undefined : words.length > 60 ? `${words.slice(0, 59).toWellFormed()}…` : words;
}

function find(parts: readonly FeedPart[], name: string): FeedPart | undefined {
  return parts.find((part) => part.name === name && part.text.trim() !== "");
}

function textOf(parts: readonly FeedPart[], name: string): string | undefined {
  return toText(find(parts, name)?.text);
}
