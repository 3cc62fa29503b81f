/** Contentful: exports of a space, answers of its delivery and management APIs. */
import type { ElementContent } from "hast";
import { isRecord } from "../../domain/articles/json-values.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { nodesToHtml } from "../html/html-tree.ts";
import { type ImportContext, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import {
  bodiesOf,
  type Body,
  type CmsItem,
  NO_TEXT,
  textBody,
  titleOf,
  toCmsDraft,
  whyNotOfType,
} from "./cms-article.ts";
import { h, linked, type Node, pictureOf, renderRichText, replaced, textNode, wordsOf } from "./rich-text.ts";

interface Space {
  /** Entries and assets by their ids. */
  linked: Map<string, Node>;
  /** The default one first; empty: fields have one value. */
  locales: string[];
}

export function readContentful(value: unknown): CmsItem[] | null {
  if (!isRecord(value)) return null;
  const includes = isRecord(value["includes"]) ? value["includes"] : {};
  const sent = value["entries"] ?? value["items"] ?? [value];
  const entries = (Array.isArray(sent) ? sent : []).filter(isEntry);
  if (entries.length === 0) return null;
  const others = [value["assets"], includes["Entry"], includes["Asset"]].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const all = [...entries, ...others.filter(isEntry)];
  const space: Space = {
    linked: new Map(all.map((entry) => [idOf(entry), entry])),
    locales: readLocales(value["locales"], all),
  };
  return entries.flatMap((entry) => {
    const locales = localesOf(entry, space);
    return locales.map((locale): CmsItem => (source, context) => {
      const named = locales.length === 1 ? source : `${source} (${locale})`;
      return toItem(entry, locale, space, named, context);
    });
  });
}

function isEntry(value: unknown): value is Node & { sys: Node; fields: Node } {
  if (!isRecord(value) || !isRecord(value["sys"]) || !isRecord(value["fields"])) return false;
  return value["sys"]["type"] === "Entry" || value["sys"]["type"] === "Asset";
}

function sysOf(entry: Node): Node {
  return isRecord(entry["sys"]) ? entry["sys"] : {};
}

function idOf(entry: Node): string {
  return String(sysOf(entry)["id"]);
}

function typeOf(entry: Node): string {
  const type = sysOf(entry)["contentType"];
  return isRecord(type) && isRecord(type["sys"]) ? String(type["sys"]["id"]) : "";
}

/** An export lists the locales; elsewhere the fields of entries without a locale of their own have them as keys. */
function readLocales(given: unknown, entries: Node[]): string[] {
  const listed = (Array.isArray(given) ? given : []).filter(isRecord);
  const codes = listed.toSorted((one, other) => Number(other["default"] === true) - Number(one["default"] === true));
  if (codes.length > 0) return codes.map(({ code }) => String(code));
  const found = new Set<string>();
  for (const entry of entries) {
    if (typeof sysOf(entry)["locale"] === "string" || !isRecord(entry["fields"])) continue;
    for (const field of Object.values(entry["fields"])) {
      const keys = isRecord(field) ? Object.keys(field) : [];
      if (keys.length === 0 || !keys.every((key) => /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(key))) return [];
      for (const key of keys) found.add(key);
    }
  }
  return [...found];
}

/** Those that an entry has a title in; null: its fields have no locales. */
function localesOf(entry: Node, { locales }: Space): (string | null)[] {
  if (typeof sysOf(entry)["locale"] === "string" || locales.length === 0) return [null];
  const titled = locales.filter((locale) => titleOf(fieldsIn(entry, [locale])) !== undefined);
  return titled.length === 0 ? [null] : titled;
}

/** The fields in the first of the locales that has them. */
function fieldsIn(entry: Node, locales: readonly string[]): Node {
  const fields = isRecord(entry["fields"]) ? entry["fields"] : {};
  if (typeof sysOf(entry)["locale"] === "string" || locales.length === 0) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, values]) => {
      const locale = isRecord(values) ? locales.find((one) => values[one] !== undefined) : undefined;
      return [name, isRecord(values) && locale !== undefined ? values[locale] : undefined];
    }),
  );
}

function toItem(entry: Node, locale: string | null, space: Space, source: string, context: ImportContext): ImportItem {
  const type = typeOf(entry);
  const reason = whyNotOfType(type, context);
  if (reason !== null) return { kind: "skipped", source, reason };
  const locales = locale === null ? space.locales : [locale, ...space.locales.slice(0, 1)];
  const warnings = new Warnings();
  const fields = fieldsIn(entry, locales);
  const body = toBody(fields, locales, space, warnings);
  if (titleOf(fields) === undefined || body === null) return { kind: "skipped", source, reason: NO_TEXT };
  const sys = sysOf(entry);
  const id = idOf(entry);
  const isDefault = locale === null || locale === space.locales[0];
  // Only answers of the delivery API name a revision: they have nothing but what is published.
  const isPublished = "publishedVersion" in sys || "publishedAt" in sys || "revision" in sys;
  const spaceId =
    isRecord(sys["space"]) && isRecord(sys["space"]["sys"]) ? toText(sys["space"]["sys"]["id"]) : undefined;
  const isTranslated = space.locales.length > 1 || typeof sys["locale"] === "string";
  return toCmsDraft(
    {
      source,
      ref: `contentful:${[spaceId, id, isDefault ? undefined : locale].filter(Boolean).join(":")}`,
      label: "Contentful",
      fields: withTags(
        Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, followed(field, locales, space)])),
        entry,
      ),
      body,
      warnings,
      id,
      isPublished: isPublished && !("archivedAt" in sys || "archivedVersion" in sys),
      published: sys["firstPublishedAt"] ?? sys["publishedAt"] ?? sys["createdAt"],
      created: sys["createdAt"],
      updated: sys["updatedAt"],
      // Every space has a locale, which says nothing if there is only one.
      language: isTranslated ? (locale ?? sys["locale"]) : undefined,
      translationGroup: locale !== null && localesOf(entry, space).length > 1 ? `contentful-${id}` : undefined,
    },
    context,
  );
}

/** Contentful's own tags, which are no fields. */
function withTags(fields: Node, entry: Node): Node {
  const tags = isRecord(entry["metadata"]) ? entry["metadata"]["tags"] : undefined;
  if (fields["tags"] !== undefined || !Array.isArray(tags) || tags.length === 0) return fields;
  return { ...fields, tags: tags.filter(isRecord).map(idOf) };
}

/** What a link leads to, as an object with a name or an address. */
function followed(value: unknown, locales: string[], space: Space): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => followed(item, locales, space));
  if (!isRecord(value) || !isRecord(value["sys"])) return value;
  const target = isRecord(value["fields"]) ? value : space.linked.get(idOf(value));
  if (target === undefined) return undefined;
  const fields = fieldsIn(target, locales);
  const file = isRecord(fields["file"]) ? toText(fields["file"]["url"]) : undefined;
  if (file === undefined) return fields;
  return { url: withScheme(file), alt: fields["description"] ?? fields["title"] };
}

function withScheme(url: string): string {
  return url.startsWith("//") ? `https:${url}` : url;
}

function toBody(fields: Node, locales: string[], space: Space, warnings: Warnings): Body | null {
  for (const value of bodiesOf(fields)) {
    if (typeof value === "string") {
      const body = textBody(value);
      if (body !== null) return body;
    }
    if (!isRecord(value) || value["nodeType"] !== "document") continue;
    const content = nodesToHtml(renderDocument(value, locales, space, warnings));
    if (content !== "") return { content };
  }
  return null;
}

/** @param depth entries within entries; they may hold each other. */
function renderDocument(
  document: Node,
  locales: string[],
  space: Space,
  warnings: Warnings,
  depth = 0,
): ElementContent[] {
  const embed = (node: Node, children: ElementContent[]): ElementContent[] | null => {
    const kind = String(node["nodeType"]);
    if (!/^(?:embedded-|asset-|entry-|resource-)/.test(kind)) return null;
    const target = isRecord(node["data"]) ? node["data"]["target"] : undefined;
    const found = followed(target, locales, space);
    if (!isRecord(found)) {
      warnings.add(kind.startsWith("embedded-asset") ? "picture_missing" : "link_dead", wordsOf(children) || kind);
      return children;
    }
    const url = toText(found["url"]);
    if (kind === "asset-hyperlink") return linked(url, children);
    if (kind === "embedded-asset-block") return asset(found, url);
    if (kind.endsWith("-hyperlink")) {
      warnings.add("link_dead", `the entry ${toText(titleOf(found)) ?? kind}`);
      return children;
    }
    const inner = Object.values(found).find((value) => isRecord(value) && value["nodeType"] === "document");
    if (isRecord(inner) && depth < 5) {
      return replaced(kind, renderDocument(inner, locales, space, warnings, depth + 1), warnings);
    }
    const pictures = Object.values(found).flatMap((value) => {
      const file = followed(value, locales, space);
      return isRecord(file) && typeof file["url"] === "string" ? asset(file, file["url"]) : [];
    });
    const words = wordsOf(found);
    const isInline = kind.endsWith("-inline");
    if (words === "" && pictures.length > 0) return pictures;
    return [...pictures, ...replaced(kind, isInline && words !== "" ? [textNode(words)] : words, warnings)];
  };
  return renderRichText(document["content"], { warnings, embed });
}

function asset({ alt }: Node, url: string | undefined): ElementContent[] {
  if (url === undefined) return [];
  const isPicture = /\.(?:png|jpe?g|gif|webp|avif|svg)(?:\?|$)/i.test(url) || url.startsWith("https://images.");
  const picture = pictureOf(url, alt, undefined);
  return isPicture && picture !== null ? [picture] : [h("p", linked(url, [textNode(toText(alt) ?? url)]))];
}
