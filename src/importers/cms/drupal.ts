/** Answers of Drupal's JSON:API. */
import { isRecord } from "../../domain/articles/json-values.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { type ImportContext, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { type CmsItem, NO_TEXT, titleOf, toCmsDraft, whyNotOfType } from "./cms-article.ts";
import type { Node } from "./rich-text.ts";

export function readDrupal(value: unknown): CmsItem[] | null {
  if (!isRecord(value)) return null;
  const entries = [value["data"]].flat().filter(isRecord);
  if (!entries.some(({ type }) => typeof type === "string" && type.startsWith("node--"))) return null;
  const included = (Array.isArray(value["included"]) ? value["included"] : []).filter(isRecord);
  const byId = new Map(included.map((one) => [String(one["id"]), one]));
  return entries.map((entry) => (source, context) => toItem(entry, byId, source, context));
}

function toItem(entry: Node, byId: Map<string, Node>, source: string, context: ImportContext): ImportItem {
  const type = String(entry["type"]).replace(/^node--/, "");
  const reason = whyNotOfType(type, context);
  if (reason !== null) return { kind: "skipped", source, reason };
  const attributes = isRecord(entry["attributes"]) ? entry["attributes"] : {};
  const text = findText(attributes);
  const content = toText(text["processed"] ?? text["value"]);
  if (titleOf(attributes) === undefined || content === undefined) return { kind: "skipped", source, reason: NO_TEXT };
  const related = Object.entries(isRecord(entry["relationships"]) ? entry["relationships"] : {}).map(([name, one]) => [
    name,
    follow(isRecord(one) ? one["data"] : undefined, byId),
  ]);
  const relations = Object.fromEntries(related) as Node;
  const path = isRecord(attributes["path"]) ? attributes["path"] : {};
  const id = toText(entry["id"]);
  const language = toText(attributes["langcode"]);
  const alias = toText(path["alias"]);
  return toCmsDraft(
    {
      source,
      ref: `drupal:${[id, attributes["default_langcode"] === false ? language : undefined].filter(Boolean).join(":")}`,
      label: "Drupal",
      fields: {
        ...relations,
        ...attributes,
        author: relations["field_author"] ?? relations["uid"],
        excerpt: text["summary"],
        url: alias,
        // `promote`, `sticky` and the like are no fields of an article; `status` is its state.
        status: undefined,
      },
      body: text["format"] === "markdown" && text["processed"] == null ? { markdown: content } : { content },
      warnings: new Warnings(),
      id,
      isPublished: typeof attributes["status"] === "boolean" ? attributes["status"] : undefined,
      created: attributes["created"],
      updated: attributes["changed"],
      language: language === "und" || language === "zxx" ? undefined : language,
    },
    context,
  );
}

function findText(attributes: Node): Node {
  const values = [attributes["body"], attributes["field_body"], ...Object.values(attributes)];
  return values.filter(isRecord).find((value) => "value" in value && "format" in value) ?? {};
}

/** What a relationship leads to: a term, a person, a file, or a medium with a file. */
function follow(data: unknown, byId: Map<string, Node>, depth = 0): unknown {
  if (Array.isArray(data))
    return data.map((one: unknown) => follow(one, byId, depth)).filter((one) => one !== undefined);
  if (!isRecord(data)) return undefined;
  const target = byId.get(String(data["id"]));
  if (target === undefined || !isRecord(target["attributes"])) return undefined;
  const { attributes } = target;
  const alt = isRecord(data["meta"]) ? data["meta"]["alt"] : undefined;
  const uri = isRecord(attributes["uri"]) ? toText(attributes["uri"]["url"]) : undefined;
  if (uri !== undefined) return { url: uri, alt };
  const relationships = isRecord(target["relationships"]) ? target["relationships"] : {};
  const media = relationships["field_media_image"];
  if (isRecord(media) && depth === 0) return follow(media["data"], byId, 1);
  return { ...attributes, name: attributes["display_name"] ?? attributes["name"] ?? attributes["title"] };
}
