/**
 * What the WordPress protocol names by numbers: posts, pictures, tags and categories, each within one sender. A number that a client
 * was told keeps its meaning.
 */
import { hash } from "node:crypto";
import type { ArticleInput } from "../../../domain/articles/article.ts";
import { type Asset, assetPath, findAssetHash } from "../../../domain/articles/assets/asset.ts";
import { readLabels } from "../../../domain/articles/json-values.ts";
import type { ArrivedArticle, Sender } from "../../../domain/articles/senders/sender.ts";
import { senderSource } from "../../../domain/articles/senders/sender.ts";
import { labelKey } from "../../../domain/system/collation.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { singleLine } from "../../../domain/system/foreign-text.ts";
import { frequentLabels } from "../../../store/articles/article-lists.ts";
import { findAssetAnywhere, findAssetByHash, findAssets } from "../../../store/articles/assets.ts";
import { findOrigin } from "../../../store/articles/origins.ts";
import {
  addNumber,
  findNumber,
  findNumbered,
  findRepeatedPost,
  listNumbers,
  listSenderPosts,
  lockSender,
  type Numbered,
  type NumberKind,
  type SenderPost,
  toPostValue,
} from "../../../store/articles/senders/sender-numbers.ts";
import type { Snapshot, Writer } from "../../../store/store.ts";
import type { Deps } from "../../system/deps.ts";
import { findPublicationRequest } from "../write/publication-requests.ts";
import { readSent, type SentArticle } from "./sent-articles.ts";

export type TermKind = Extract<NumberKind, "tag" | "category">;

export interface Term {
  number: number;
  name: string;
}

/** The category of posts that have none, which every WordPress has, and clients take without asking. */
export const UNCATEGORIZED: Term = { number: 1, name: "Uncategorized" };

/** A client that got no answer sends the same again. */
const REPEATED_WITHIN_MS = 600_000;
const MAX_TERMS = 5_000;
const MAX_WEBSITE_TERMS = 200;
const MAX_LISTED = 5_000;

/** The number of the post that this request makes: that of a request with the same content in the last ten minutes, or a new one. */
export function numberPost(
  deps: Pick<Deps, "store" | "clock">,
  sender: Sender,
  content: string | Buffer,
): Promise<number> {
  const bodyHash = hash("sha256", content);
  return deps.store.write(async (db) => {
    await lockSender(db, sender.id);
    const now = deps.clock();
    const repeated = await findRepeatedPost(db, sender.id, bodyHash, now - REPEATED_WITHIN_MS);
    return repeated ?? addNumber(db, sender, "post", toPostValue(now, bodyHash), 1);
  });
}

export async function isPost({ store }: Pick<Deps, "store">, sender: Sender, number: number): Promise<boolean> {
  return (await store.read((db) => findNumbered(db, sender.id, "post", [number]))).length > 0;
}

/**
 * The post with names for numbers, of which unknown ones are left out. A new post may lack a title or a text, as in WordPress. Another
 * article is returned as it is.
 *
 * @param base the address before `/assets/`.
 */
export function namePost(
  { store }: Pick<Deps, "store">,
  sender: Sender,
  article: ArrivedArticle,
  base: string,
): Promise<ArrivedArticle> {
  const { externalId, input, numbers } = article;
  if (numbers === undefined) return Promise.resolve(article);
  const { categories, tags, featuredMedia } = numbers;
  return store.read(async (db) => {
    const isKnown = (await findOrigin(db, sender.websiteId, senderSource(sender.id, externalId))) !== undefined;
    if (!isKnown && isEmpty(input)) return { ...article, problem: "Content, title, and excerpt are empty." };
    const named: ArticleInput = isKnown ? { ...input } : completePost(input);
    if (categories !== undefined) {
      named.categories = [...(await getNames(db, sender, "category", categories)), ...(input.categories ?? [])];
    }
    if (tags !== undefined) named.tags = [...(await getNames(db, sender, "tag", tags)), ...(input.tags ?? [])];
    const asset = featuredMedia == null ? undefined : await findMedia(db, sender, featuredMedia);
    if (asset !== undefined) {
      named.featuredImageUrl = base + assetPath(asset);
      named.featuredImageAlt = asset.alt === "" ? null : asset.alt;
    } else if (featuredMedia === null) {
      named.featuredImageUrl = null;
      named.featuredImageAlt = null;
    }
    return { ...article, input: named };
  });
}

function isEmpty({ title, content, markdown, excerpt }: ArticleInput): boolean {
  return [title, content, markdown, excerpt].every((text) => (text ?? "").trim() === "");
}

function completePost(input: ArticleInput): ArticleInput {
  const { title = "", content, markdown } = input;
  const hasText = content !== undefined || markdown !== undefined;
  return { ...input, title: title.trim() === "" ? "(no title)" : title, ...(hasText ? {} : { content: "" }) };
}

async function getNames(db: Snapshot, sender: Sender, kind: TermKind, numbers: readonly number[]): Promise<string[]> {
  const found = await findNumbered(db, sender.id, kind, numbers);
  return numbers.flatMap((number) => found.find((one) => one.number === number)?.value ?? []);
}

export interface ShownPost {
  number: number;
  sent: SentArticle;
  /** Whether its publication is asked for. */
  isAskedFor: boolean;
  categories: number[];
  tags: number[];
  /** 0: it has none that was uploaded. */
  featuredMedia: number;
}

/** Undefined: the sender has brought no such post, it is in the trash, or it was deleted permanently. */
export async function showPost(
  deps: Pick<Deps, "store">,
  sender: Sender,
  number: number,
): Promise<ShownPost | undefined> {
  const sent = await readSent(deps, sender, String(number));
  if (sent === undefined) return undefined;
  const { categories = [], tags = [], featuredImageUrl = null } = sent.input;
  return {
    number,
    sent,
    isAskedFor: (await deps.store.read((db) => findPublicationRequest(db, sent.article))) !== null,
    categories: await numberTerms(deps, sender, "category", categories),
    tags: await numberTerms(deps, sender, "tag", tags),
    featuredMedia: await numberFeatured(deps, sender, featuredImageUrl),
  };
}

async function numberFeatured(deps: Pick<Deps, "store">, sender: Sender, url: string | null): Promise<number> {
  const file = url === null ? undefined : findAssetHash(sender.websiteId, url);
  if (file === undefined) return 0;
  const asset = await deps.store.read((db) => findAssetByHash(db, sender.websiteId, file));
  return asset === undefined ? 0 : numberMedia(deps, sender, asset.id);
}

export function listPosts({ store }: Pick<Deps, "store">, sender: Sender): Promise<SenderPost[]> {
  return store.read((db) => listSenderPosts(db, sender.id, MAX_LISTED));
}

/** The numbers of these names, in their order; those that have none get one. */
async function numberTerms(
  { store }: Pick<Deps, "store">,
  sender: Sender,
  kind: TermKind,
  names: readonly string[],
): Promise<number[]> {
  if (names.length === 0) return [];
  const known = await store.read((db) => listNumbers(db, sender.id, kind, MAX_TERMS));
  const numbers = new Map(known.map(({ number, value }) => [labelKey(value), number]));
  const missing = names.filter((name) => !numbers.has(labelKey(name)));
  if (missing.length > 0) {
    const added = await store.write(async (db) => {
      await lockSender(db, sender.id);
      return addTerms(db, sender, kind, missing);
    });
    for (const { number, value } of added) numbers.set(labelKey(value), number);
  }
  return names.flatMap((name) => numbers.get(labelKey(name)) ?? []);
}

/** @param db with the sender locked. @returns all that the sender has. */
async function addTerms(db: Writer, sender: Sender, kind: TermKind, names: readonly string[]): Promise<Numbered[]> {
  const all = await listNumbers(db, sender.id, kind, MAX_TERMS);
  const known = new Set(all.map(({ value }) => labelKey(value)));
  for (const value of names) {
    if (known.has(labelKey(value)) || all.length >= MAX_TERMS) continue;
    known.add(labelKey(value));
    const number = await addNumber(db, sender, kind, value, UNCATEGORIZED.number + 1);
    all.push({ number, value });
  }
  return all;
}

/** Those that the sender has made or seen, and the most frequent of the website. */
export async function listTerms(deps: Pick<Deps, "store">, sender: Sender, kind: TermKind): Promise<Term[]> {
  const frequent = await deps.store.read((db) => frequentLabels(db, sender.websiteId, kind, MAX_WEBSITE_TERMS));
  await numberTerms(deps, sender, kind, frequent);
  const all = await deps.store.read((db) => listNumbers(db, sender.id, kind, MAX_TERMS));
  const terms = all.map(({ number, value }) => ({ number, name: value }));
  return kind === "category" ? [UNCATEGORIZED, ...terms] : terms;
}

/** @returns the term, and whether it is new. @throws AppError `invalid`. */
export async function addTerm(
  { store }: Pick<Deps, "store">,
  sender: Sender,
  kind: TermKind,
  given: string,
): Promise<{ term: Term; isNew: boolean }> {
  const [name] = readLabels("name", [singleLine(given)]);
  if (name === undefined) throw new AppError("invalid", "A name is required for this term.", { field: "name" });
  return store.write(async (db) => {
    await lockSender(db, sender.id);
    const before = await listNumbers(db, sender.id, kind, MAX_TERMS);
    const known = before.find(({ value }) => labelKey(value) === labelKey(name));
    if (known !== undefined) return { term: { number: known.number, name: known.value }, isNew: false };
    if (before.length >= MAX_TERMS) throw new AppError("invalid", `There are ${MAX_TERMS} terms already, the most.`);
    return { term: { number: await addNumber(db, sender, kind, name, UNCATEGORIZED.number + 1), name }, isNew: true };
  });
}

/** The number of a picture, which it gets if it has none. */
export async function numberMedia({ store }: Pick<Deps, "store">, sender: Sender, assetId: string): Promise<number> {
  const find = (db: Snapshot) => findNumber(db, sender.id, "media", assetId);
  return (
    (await store.read(find)) ??
    store.write(async (db) => {
      await lockSender(db, sender.id);
      return (await find(db)) ?? addNumber(db, sender, "media", assetId, 1);
    })
  );
}

async function findMedia(db: Snapshot, sender: Sender, number: number): Promise<Asset | undefined> {
  const [found] = await findNumbered(db, sender.id, "media", [number]);
  const asset = found === undefined ? undefined : await findAssetAnywhere(db, found.value);
  return asset?.websiteId === sender.websiteId ? asset : undefined;
}

/** Undefined: there is none of that number, or it was deleted. */
export function readMedia({ store }: Pick<Deps, "store">, sender: Sender, number: number): Promise<Asset | undefined> {
  return store.read((db) => findMedia(db, sender, number));
}

/** The sender's pictures, the newest first. */
export function listMedia({ store }: Pick<Deps, "store">, sender: Sender): Promise<{ number: number; asset: Asset }[]> {
  return store.read(async (db) => {
    const all = await listNumbers(db, sender.id, "media", MAX_LISTED);
    const ids = all.map(({ value }) => value);
    const assets = new Map((await findAssets(db, sender.websiteId, ids)).map((asset) => [asset.id, asset]));
    return all.flatMap(({ number, value }) => {
      const asset = assets.get(value);
      return asset === undefined ? [] : [{ number, asset }];
    });
  });
}
