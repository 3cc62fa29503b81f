/** Answers of Strapi's API: since version 5 an entry has its fields in itself, before under `attributes`. */
import type { ElementContent } from "hast";
import { isRecord } from "../../domain/articles/json-values.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { nodesToHtml } from "../html/html-tree.ts";
import { type ImportContext, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { bodiesOf, type Body, type CmsItem, NO_TEXT, textBody, titleOf, toCmsDraft } from "./cms-article.ts";
import { h, type Node, pictureOf, renderRichText, textNode, wordsOf } from "./rich-text.ts";

export function readStrapi(value: unknown): CmsItem[] | null {
  const data = isRecord(value) && value["jsonapi"] === undefined ? value["data"] : value;
  const entries = (Array.isArray(data) ? data : [data]).filter(isRecord);
  if (!entries.some(isEntry)) return null;
  return entries.map((entry) => (source, context) => toItem(flat(entry) as Node, source, context));
}

function isEntry(entry: Node): boolean {
  if (typeof entry["documentId"] === "string") return true;
  return isRecord(entry["attributes"]) && typeof entry["id"] === "number" && entry["type"] === undefined;
}

/** Entries and what they refer to, without `data` and `attributes` around their fields. */
function flat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flat);
  if (!isRecord(value)) return value;
  const names = Object.keys(value);
  if (names.length === 1 && names[0] === "data" && typeof value["data"] === "object") return flat(value["data"]);
  const { attributes, ...own } = value;
  const all = isRecord(attributes) && "id" in own ? { ...own, ...attributes } : value;
  return Object.fromEntries(Object.entries(all).map(([name, inner]) => [name, flat(inner)]));
}

function toItem(entry: Node, source: string, context: ImportContext): ImportItem {
  const warnings = new Warnings();
  const body = toBody(entry, warnings);
  if (titleOf(entry) === undefined || body === null) return { kind: "skipped", source, reason: NO_TEXT };
  const document = toText(entry["documentId"]);
  const id = document ?? toText(entry["id"]) ?? "";
  const locale = toText(entry["locale"]);
  const others = (Array.isArray(entry["localizations"]) ? entry["localizations"] : []).filter(isRecord);
  const ids = [entry, ...others].map((one) => Number(one["id"])).filter((one) => Number.isSafeInteger(one));
  const group = document ?? Math.min(...ids);
  return toCmsDraft(
    {
      source,
      // Before version 5, numbers are unique only within a type, which an answer does not name.
      ref: `strapi:${[id, document === undefined ? toText(entry["createdAt"]) : locale].filter(Boolean).join(":")}`,
      label: "Strapi",
      fields: entry,
      body,
      warnings,
      id,
      isPublished: "publishedAt" in entry ? entry["publishedAt"] !== null : undefined,
      published: entry["createdAt"],
      language: locale,
      translationGroup: others.length > 0 ? `strapi-${group}` : undefined,
    },
    context,
  );
}

function toBody(entry: Node, warnings: Warnings): Body | null {
  for (const value of bodiesOf(entry)) {
    if (typeof value === "string") {
      const body = textBody(value);
      if (body !== null) return body;
    }
    if (!Array.isArray(value)) continue;
    const list = value.filter(isRecord);
    if (list.some((node) => typeof node["__component"] === "string")) {
      const markdown = list.map((component) => fromComponent(component, warnings)).filter((part) => part !== "");
      if (markdown.length > 0) return { markdown: markdown.join("\n\n") };
    }
    if (list.some((node) => typeof node["type"] === "string" && Array.isArray(node["children"]))) {
      const content = nodesToHtml(renderRichText(list, { warnings }));
      if (content !== "") return { content };
    }
  }
  return null;
}

/** A component of a dynamic zone, as Markdown. Its name and fields are its makers'. */
function fromComponent(component: Node, warnings: Warnings): string {
  const { __component: name, id: _id, ...fields } = component;
  const kind = String(name);
  const parts: string[] = [];
  const others: Node = {};
  for (const [key, value] of Object.entries(fields)) {
    const list = (Array.isArray(value) ? value : [value]).filter(isRecord);
    const pictures = list.filter((file) => typeof file["url"] === "string" && "alternativeText" in file);
    if (/^(?:body|content|text|rich_?text|markdown|html)$/i.test(key) && typeof value === "string")
      parts.push(value.trim());
    else if (list.some((node) => Array.isArray(node["children"])))
      parts.push(nodesToHtml(renderRichText(list, { warnings })));
    else if (pictures.length > 0) parts.push(...pictures.map((file) => nodesToHtml([h("p", pictureNodes(file))])));
    else others[key] = value;
  }
  const words = wordsOf(others);
  const isQuote = /quote/i.test(kind);
  if (words !== "" && isQuote) parts.push(`— ${words}`);
  else if (words !== "") {
    warnings.add("construct_replaced", kind);
    parts.unshift(nodesToHtml([h("p", [textNode(words)])]));
  }
  const markdown = parts.filter((part) => part !== "").join("\n\n");
  return isQuote ? markdown.replaceAll(/^/gm, "> ") : markdown;
}

function pictureNodes(file: Node): ElementContent[] {
  const picture = pictureOf(file["url"], file["alternativeText"], undefined);
  return picture === null ? [] : [picture];
}
