/** Sanity: datasets as NDJSON, and answers of queries. */
import { isRecord } from "../../domain/articles/json-values.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import { nodesToHtml } from "../html/html-tree.ts";
import type { ImportFile } from "../import-file.ts";
import { peekText } from "../import-file.ts";
import { type ImportContext, type ReadItem, toText } from "../import-item.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { readLines } from "../json/ndjson.ts";
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
import { isPortableText, renderPortableText } from "./portable-text.ts";
import type { Node } from "./rich-text.ts";

/** What references lead to: people, labels and pictures, by their ids. */
interface Dataset {
  named: Map<string, { name?: string; url?: string }>;
  /** Ids of published documents; a draft beside one is what somebody is working on. */
  published: Set<string>;
}

const MAX_NAME = 500;

export function readSanity(value: unknown): CmsItem[] | null {
  const given = isRecord(value) ? (value["result"] ?? value) : value;
  const documents = [given].flat().filter(isRecord);
  if (!documents.some(isDocument)) return null;
  const dataset = newDataset();
  for (const document of documents) addTo(dataset, document);
  return documents.map((document) => (source, context) => toItem(document, dataset, source, context));
}

/** Whether NDJSON has documents of Sanity, by its first line. */
export function isSanityNdjson(head: Uint8Array): boolean {
  const [line = ""] = peekText(head).trimStart().split("\n", 1);
  return line.startsWith("{") && line.includes('"_id":') && line.includes('"_type":');
}

/** Reads the lines twice: what an article refers to may come after it. */
export async function* readSanityNdjson(file: ImportFile, context: ImportContext): AsyncGenerator<ReadItem> {
  const dataset = newDataset();
  const toSource = (line: number) => `${file.name}, line ${line}`;
  const { begin: _begin, ...all } = context;
  const collect = (source: string, value: unknown): ImportItem => {
    if (isRecord(value)) addTo(dataset, value);
    return { kind: "skipped", source, reason: "" };
  };
  const half = { ...file, open: (share = 1) => file.open(share / 2) };
  for await (const _item of readLines(half, all, { toSource, toItem: collect }));
  const toDocument = (source: string, value: unknown): ImportItem =>
    isRecord(value) && typeof value["_type"] === "string"
      ? toItem(value, dataset, source, context)
      : { kind: "failed", source, reason: "It is not a document of Sanity." };
  yield* readLines(half, context, { toSource, toItem: toDocument });
}

function newDataset(): Dataset {
  return { named: new Map(), published: new Set() };
}

function isDocument(value: Node): boolean {
  return typeof value["_id"] === "string" && typeof value["_type"] === "string";
}

function addTo({ named, published }: Dataset, document: Node): void {
  const id = toText(document["_id"]);
  if (id === undefined) return;
  if (!id.startsWith("drafts.")) published.add(id);
  const name = toText(document["name"]) ?? toText(document["title"]);
  const url = toText(document["url"]);
  named.set(id, {
    ...(name === undefined ? {} : { name: name.slice(0, MAX_NAME) }),
    ...(url === undefined ? {} : { url }),
  });
}

function toItem(document: Node, dataset: Dataset, source: string, context: ImportContext): ImportItem {
  const type = toText(document["_type"]) ?? "";
  const isSystem = /^(?:sanity|system|assist|translation)\./.test(type);
  if (isSystem) return { kind: "skipped", source, reason: `It is of Sanity's own type ${type}.` };
  const reason = whyNotOfType(type, context);
  if (reason !== null) return { kind: "skipped", source, reason };
  const warnings = new Warnings();
  const pictureUrl = (image: Node) => imageUrl(image, dataset);
  const body = toBody(document, { warnings, pictureUrl });
  if (titleOf(document) === undefined || body === null) return { kind: "skipped", source, reason: NO_TEXT };
  const given = toText(document["_id"]) ?? "";
  const isDraft = given.startsWith("drafts.");
  const id = given.replace(/^drafts\./, "");
  if (isDraft && dataset.published.has(id)) {
    const reason = "It is a draft of an article that is published; the published one is imported.";
    return { kind: "skipped", source, reason };
  }
  const fields = Object.entries(document).map(([name, value]) => [name, followed(value, dataset)]);
  return toCmsDraft(
    {
      source,
      ref: `sanity:${id}`,
      label: "Sanity",
      fields: Object.fromEntries(fields) as Node,
      body,
      warnings,
      id,
      isPublished: isDraft ? false : undefined,
      published: document["_createdAt"],
      created: document["_createdAt"],
      updated: document["_updatedAt"],
      language: document["language"] ?? document["__i18n_lang"],
    },
    context,
  );
}

function toBody(
  document: Node,
  options: { warnings: Warnings; pictureUrl: (image: Node) => string | undefined },
): Body | null {
  for (const value of bodiesOf(document)) {
    if (typeof value === "string") {
      const body = textBody(value);
      if (body !== null) return body;
    }
    if (!isPortableText(value)) continue;
    const content = nodesToHtml(renderPortableText(value, options));
    if (content !== "") return { content };
  }
  return null;
}

function followed(value: unknown, dataset: Dataset): unknown {
  if (isPortableText(value)) return nodesToText(value);
  if (Array.isArray(value)) return value.map((item: unknown) => followed(item, dataset));
  if (!isRecord(value)) return value;
  if (typeof value["_ref"] === "string") return dataset.named.get(value["_ref"]);
  if ("asset" in value || "_sanityAsset" in value) return { url: imageUrl(value, dataset), alt: value["alt"] };
  return value;
}

/** An excerpt may be portable text. */
function nodesToText(blocks: readonly unknown[]): string {
  const texts = blocks.filter(isRecord).map(({ children }) => {
    const spans = (Array.isArray(children) ? children : []).filter(isRecord);
    return spans.map(({ text }) => (typeof text === "string" ? text : "")).join("");
  });
  return texts.join(" ");
}

/** The address of a picture, if the dataset has its asset; an export has it as a file beside it. */
function imageUrl(image: Node, { named }: Dataset): string | undefined {
  const asset = isRecord(image["asset"]) ? image["asset"] : {};
  const exported = toText(image["_sanityAsset"])?.replace(/^image@file:\/\/\.\//, "");
  return toText(asset["url"]) ?? named.get(toText(asset["_ref"]) ?? "")?.url ?? toText(image["url"]) ?? exported;
}
