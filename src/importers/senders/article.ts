/** Reads one article of a request: each field at the place that the mapping names, else by common names. */
import { createHash } from "node:crypto";
import type { ArticleInput } from "../../domain/articles/article.ts";
import { parseArticleJson } from "../../domain/articles/article-json.ts";
import { slugify } from "../../domain/articles/content/slug.ts";
import { ARTICLE_LIMITS } from "../../domain/articles/json-values.ts";
import { isExternalId, MAX_EXTERNAL_ID } from "../../domain/articles/origin.ts";
import type { Mapping, Place, SenderField } from "../../domain/articles/senders/dialect.ts";
import type { ArrivedArticle } from "../../domain/articles/senders/sender.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { ReadableArrival } from "../../operations/system/deps.ts";
import { renderLexical } from "../ghost/lexical.ts";
import { parseJson } from "./body.ts";
import { type Found, joinPlaces, NamedValues } from "./common-names.ts";
import { READERS, readImageAlt } from "./fields.ts";
import { isFilled, requestValue, valuesAt } from "./places.ts";
import { looksLikeHtml, type TextForm, withoutRepeats } from "./text.ts";

type Name = SenderField | "id";

/** Where an article stands in its request. */
export interface Holder {
  record: Record<string, unknown>;
  place: Place;
  /** The whole body; undefined if it is the article, or has several. */
  around: Record<string, unknown> | undefined;
}

export class SenderArticle {
  readonly places: Partial<Record<Name, Place>> = {};
  readonly #holder: Holder;
  readonly #arrival: ReadableArrival;
  readonly #names: NamedValues;
  readonly #namesAround: NamedValues | undefined;

  constructor(holder: Holder, arrival: ReadableArrival) {
    this.#holder = holder;
    this.#arrival = arrival;
    this.#names = new NamedValues(holder.record, holder.place);
    this.#namesAround = holder.around === undefined ? undefined : new NamedValues(holder.around, "");
  }

  /** The first usable value of the field. */
  read(name: Name): unknown {
    return this.#readAny(name, this.#mappedValues(name)) ?? this.#readAny(name, this.#namedValues(name));
  }

  #readAny(name: Name, candidates: Iterable<Found>): unknown {
    const read = READERS[name];
    for (const { value, place } of candidates) {
      const usable = isFilled(value) ? orUndefined(() => read(value, this.#arrival.websiteUrl)) : undefined;
      if (usable === undefined) continue;
      this.places[name] = place.slice(0, MAX_PLACE);
      if (name === "image") this.#readAltOf(value, place);
      return usable;
    }
    return undefined;
  }

  /** What identifies the article; its title only if nothing else does. */
  readId(title: string | undefined): string | undefined {
    const id = this.read("id");
    if (typeof id === "string") return toExternalId(id);
    const slug = this.read("slug");
    // The address may be the blog's, the same for each article: two would become one.
    const isAddress = /(?:^|\.)(?:url|permalink)$/i.test(this.places.slug ?? "") && title !== undefined;
    if (typeof slug === "string" && !isAddress) {
      this.places.id = this.places.slug ?? "";
      return toExternalId(slug);
    }
    if (title === undefined) return undefined;
    this.places.id = this.places.title ?? "";
    return IN_NO_SLUG.test(title) ? toExternalId(title) : slugify(title);
  }

  /** The text in its own form: a mapped one first, then HTML, which is what senders show. Undefined: there is none. */
  readText(): TextForm | undefined {
    return this.#readText((name) => this.#mappedValues(name)) ?? this.#readText((name) => this.#namedValues(name));
  }

  #readText(values: (name: Name) => Iterable<Found>): TextForm | undefined {
    const found = TEXTS.flatMap((name) => {
      const text = this.#readAny(name, values(name)) as string | undefined;
      const known = name === "content" ? this.#arrival.mapping.text : name;
      const form = text === undefined ? undefined : toTextForm(text, known);
      return form === undefined ? [] : [{ name, ...form }];
    });
    const chosen = found.find(({ form }) => form === "html") ?? found[0];
    for (const { name } of found) if (name !== chosen?.name) delete this.places[name];
    return chosen;
  }

  imageAlt: string | undefined;

  #readAltOf(image: unknown, place: Place): void {
    const found = readImageAlt(image);
    if (found === undefined) return;
    this.imageAlt = found.alt;
    this.places.image_alt = `${place}.${found.name}`;
  }

  *#mappedValues(name: Name): Generator<Found> {
    const { record, place: holder, around } = this.#holder;
    for (const place of this.#mappedPlaces(name)) {
      const ofRequest = requestValue(this.#arrival.request, place);
      if (ofRequest !== undefined) {
        yield { ...ofRequest, place };
        continue;
      }
      for (const value of joined(record, place)) yield { value, place: joinPlaces(holder, place) };
      if (around !== undefined) for (const value of joined(around, place)) yield { value, place };
    }
  }

  *#namedValues(name: Name): Generator<Found> {
    yield* this.#names.find(name);
    if (this.#namesAround !== undefined) yield* this.#namesAround.find(name, true);
  }

  #mappedPlaces(name: Name): readonly Place[] {
    const { id, fields } = this.#arrival.mapping;
    return (name === "id" ? id : fields?.[name]) ?? [];
  }
}

const MAX_PLACE = 200;

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** `id+language` is both with a colon between, if both are there. */
function joined(record: Record<string, unknown>, place: Place): unknown[] {
  if (!place.includes("+")) return valuesAt(record, place);
  const parts = place.split("+").map((part) => valuesAt(record, part)[0]);
  return parts.every((part) => part != null && part !== "") ? [parts.map(String).join(":")] : [];
}

/** "About C", "About C++" and "About C#" have one slug, as have all titles without a letter. */
const IN_NO_SLUG = /[\p{S}#]|^[^\p{L}\p{N}]*$/u;

function toExternalId(id: string): string {
  const line = id.replaceAll(/\p{Cc}+/gu, " ").trim();
  if (isExternalId(line)) return line;
  const digest = createHash("sha256").update(line).digest("hex");
  return `${line.slice(0, MAX_EXTERNAL_ID - digest.length).toWellFormed()}${digest}`;
}

const TEXTS = ["html", "markdown", "content"] as const;

/** Lexical is what Ghost stores; a text without any tag is no HTML, whatever its field is called. */
function toTextForm(text: string, form?: "html" | "markdown"): TextForm | undefined {
  if (/^\s*\{\s*"root"/.test(text)) {
    const rendered = renderLexical(parseJson(text));
    return rendered.trim() === "" ? undefined : { form: "html", text: rendered };
  }
  if (form === "markdown") return { form, text };
  const isHtml = form === "html" ? /<[a-z]/i.test(text) : looksLikeHtml(text);
  return { form: isHtml ? "html" : "markdown", text };
}

/** Which field of our JSON article each field becomes. */
const TARGETS = {
  slug: "slug",
  excerpt: "excerpt",
  meta_description: "meta_description",
  meta_title: "meta_title",
  image: "featured_image_url",
  image_alt: "featured_image_alt",
  language: "language",
  keyword: "target_keyword",
  keywords: "seo_keywords",
  tags: "tags",
  categories: "categories",
  author: "authors",
  canonical_url: "canonical_url",
} as const satisfies Partial<Record<SenderField, string>>;
const TEXT_LIMITS: Partial<Record<Name, number>> = {
  excerpt: 10_000,
  meta_description: 10_000,
  meta_title: 1000,
  image_alt: 5000,
  keyword: 500,
};

/** @param isWanted whether the event asks to publish; a status of the article takes precedence. */
export function readArticle(holder: Holder, arrival: ReadableArrival, isWanted: boolean): ArrivedArticle {
  const article = new SenderArticle(holder, arrival);
  const given = article.read("title") as string | undefined;
  try {
    const text = article.readText();
    const fields: ArticleInput = {};
    for (const [name, target] of Object.entries(TARGETS) as [keyof typeof TARGETS, string][]) {
      Object.assign(fields, readOptional(article, name, target));
    }
    const image = fields.featuredImageUrl ?? undefined;
    const tidy =
      text === undefined
        ? { text: "", title: given }
        : withoutRepeats(text, { title: given, image, websiteUrl: arrival.websiteUrl });
    if (given === undefined && tidy.title !== undefined) article.places.title = placeOfText(article);
    const title = tidy.title?.slice(0, ARTICLE_LIMITS.title);
    const externalId = article.readId(title);
    const request = asksToPublish(article, isWanted) ? ({ status: "published" } as const) : {};
    const missing = whyIncomplete(title, text === undefined ? undefined : tidy.text, arrival.mapping);
    if (title === undefined || text === undefined || externalId === undefined || missing !== null) {
      return { externalId: externalId ?? "", input: {}, places: article.places, problem: missing };
    }
    const body = parseArticleJson({ title, [text.form === "html" ? "content" : "markdown"]: tidy.text });
    return { externalId, input: { ...body, ...fields, ...request }, places: article.places, problem: null };
  } catch (error) {
    const externalId = article.readId(given) ?? "";
    return { externalId, input: {}, places: article.places, problem: describeProblem(error) };
  }
}

/** The reason of an article that cannot be read. Anything but a refusal is a bug and is thrown. */
export function describeProblem(error: unknown): string {
  // Recursion, here and in the libraries, ends with a RangeError on what is nested too deeply.
  if (error instanceof RangeError) return "It is nested too deeply.";
  if (error instanceof AppError) return error.message;
  throw error;
}

/** A field that an article cannot have as it is written is left out: it must not keep the text from arriving. */
function readOptional(article: SenderArticle, name: keyof typeof TARGETS, target: string): ArticleInput {
  const value = article.read(name) ?? (name === "image_alt" ? article.imageAlt : undefined);
  if (value === undefined) return {};
  const limit = TEXT_LIMITS[name];
  const short = typeof value === "string" && limit !== undefined ? value.slice(0, limit) : value;
  const field = orUndefined(() => parseArticleJson({ [target]: short }));
  if (field === undefined) delete article.places[name];
  return field ?? {};
}

function placeOfText({ places }: SenderArticle): Place {
  return places.html ?? places.markdown ?? places.content ?? "";
}

const SHOWN = /^(?:publish|published|live|public|scheduled|schedule|future)$/;

/** A time of publication asks for it, too, unless the article is called a draft. It is not kept: people publish. */
function asksToPublish(article: SenderArticle, isWanted: boolean): boolean {
  const status = article.read("status") as string | undefined;
  const at = article.read("published_at");
  if (status !== undefined && /^(?:draft|pending|private|review|in_review|unpublished)$/.test(status)) return false;
  return isWanted || at !== undefined || (status !== undefined && SHOWN.test(status));
}

function whyIncomplete(title: string | undefined, text: string | undefined, { fields }: Mapping): string | null {
  const hasText = text !== undefined && text.trim() !== "";
  if (hasText && title !== undefined) return null;
  const wanted = hasText ? (["title"] as const) : (["html", "markdown", "content"] as const);
  const mapped = wanted.flatMap((name) => fields?.[name] ?? []);
  const names = hasText
    ? "title, headline and name"
    : "content_html, html, content_markdown, markdown, content and body";
  const places = [...mapped, names].join(", ");
  const what = hasText
    ? "a text but no title"
    : title === undefined
      ? "neither a title nor a text"
      : "a title but no text";
  return `It has ${what}; the names looked for were ${places}.`;
}
