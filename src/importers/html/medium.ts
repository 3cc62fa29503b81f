import type { Element } from "hast";
import { parseAuthors } from "../article-fields.ts";
import { absoluteUrl } from "../urls.ts";
import { lifecycle, parseTime } from "../dates.ts";
import { describeHiding } from "../visibility.ts";
import { attribute, elementsIn, findElement, hasClass, rebuild, nodesToHtml, elementText } from "./html-tree.ts";
import { toDraft } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import type { ImportContext } from "../import-item.ts";

/** Reads a file of a Medium export's `posts`: an `h-entry` with its text in `section[data-field=body]`. */
export function readMediumPost(name: string, entry: Element, body: Element, context: ImportContext): ImportItem {
  const subtitle = findElement(entry, (element) => element.properties["dataField"] === "subtitle");
  const title = toLine(findElement(entry, (element) => hasClass(element, "p-name")));
  const ownTitle = findElement(body, (element) => hasClass(element, "graf--title"));
  if (subtitle === undefined && ownTitle === undefined && isComment(title, body)) {
    return { kind: "skipped", source: name, reason: "It is a comment on someone's post, not an article." };
  }
  const canonical = attribute(
    findElement(entry, (element) => hasClass(element, "p-canonical")),
    "href",
  );
  const time = findElement(entry, (element) => element.tagName === "time" && hasClass(element, "dt-published"));
  const excerpt = toLine(subtitle);
  const content = nodesToHtml(cleanBody(body, title, excerpt));
  const address = postAddress(canonical ?? originalLink(entry));
  const image = findElement(body, (element) => element.tagName === "img");
  const tags = [...elementsIn(entry)].filter((element) => hasClass(element, "p-tag")).map((tag) => elementText(tag));
  const author = findElement(entry, (element) => hasClass(element, "p-author"));
  const url = absoluteUrl(canonical, null);
  const hidden = /(?:^|\/)draft_/.test(name) ? describeHiding("draft", "draft_") : null;
  return toDraft(
    name,
    `medium:${address.id ?? address.slug ?? name.normalize("NFC")}`,
    {
      title,
      slug: address.slug,
      content,
      excerpt,
      authors: parseAuthors({ name: toLine(author), url: attribute(author, "href") }),
      tags: tags.length === 0 ? undefined : tags,
      featured_image_url: absoluteUrl(attribute(image, "src"), null),
      featured_image_alt: attribute(image, "alt"),
      platform_url: url,
      platform_post_id: address.id,
      ...lifecycle({ state: null, hidden, date: parseTime(attribute(time, "dateTime")) }, context.now),
    },
    hidden,
  );
}

/** Medium's title of a comment is the beginning of its text. */
function isComment(title: string | undefined, body: Element): boolean {
  const first = findElement(body, (element) => hasClass(element, "graf"));
  const start = title?.replace(/…$/, "").trim() ?? "";
  return first?.tagName === "p" && (toLine(first) ?? "").startsWith(start);
}

/** Drafts have no URL yet, only a link to themselves. */
function originalLink(entry: Element): string | undefined {
  for (const element of elementsIn(entry)) {
    const href = attribute(element, "href");
    if (href?.startsWith("https://medium.com/p/") === true) return href;
  }
  return undefined;
}

/** `…/a-title-0a1b2c3d4e5f`, `…/0a1b2c3d4e5f` or `…/p/0a1b2c3d4e5f`. */
function postAddress(canonical: string | undefined): { slug: string | undefined; id: string | undefined } {
  const last = canonical?.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "";
  const parts = /^(?:(.+)-)?([0-9a-f]{8,14})$/.exec(last);
  if (parts === null) return { slug: last === "" ? undefined : last, id: undefined };
  return { slug: parts[1], id: parts[2] };
}

/** Removes layout wrappers, and the title and subtitle, which are separate fields of the article. */
function cleanBody(body: Element, title: string | undefined, subtitle: string | undefined): Element["children"] {
  let isFirst = true;
  const nodes = rebuild(body.children, (element) => {
    if (hasClass(element, "graf--title") && toLine(element) === title) return "drop";
    if (hasClass(element, "graf--subtitle") && toLine(element) === subtitle) return "drop";
    if (hasClass(element, "aspectRatioPlaceholder-fill")) return "drop";
    if (hasClass(element, "section-divider") && element.tagName === "hr") {
      const isOpening = isFirst;
      isFirst = false;
      return isOpening ? "drop" : "keep";
    }
    return element.tagName === "section" || element.tagName === "div" ? "unwrap" : "keep";
  });
  const blocks = nodes.filter((node) => node.type !== "text" || node.value.trim() !== "");
  const all = [...elementsIn({ type: "root", children: blocks })];
  const targets = new Set(all.map((element) => attribute(element, "href")?.replace(/^#/, "")));
  for (const element of all) element.properties = meaningful(element, targets);
  return blocks.flatMap((node) => [node, { type: "text", value: "\n" }]);
}

/** Removes the editor's own names and sizes, except ids that links in the text refer to. */
function meaningful(element: Element, targets: ReadonlySet<string | undefined>): Element["properties"] {
  const kept = Object.entries(element.properties).filter(
    ([name, value]) =>
      (name === "id" && targets.has(String(value))) || !/^(?:id|name|className|style|data[A-Z].*)$/.test(name),
  );
  return Object.fromEntries(kept);
}

function toLine(element: Element | undefined): string | undefined {
  if (element === undefined) return undefined;
  const line = elementText(element).replace(/\s+/g, " ");
  return line === "" ? undefined : line;
}
