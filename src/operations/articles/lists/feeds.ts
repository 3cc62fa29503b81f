/**
 * Feeds, sitemaps and llms.txt of published articles. A file is made when first asked for after a change, one at a time
 * in the process, websites in turns, in slices of the event loop, and kept compressed.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import {
  atomFeed,
  jsonFeed,
  llmsTxt,
  MAX_SITEMAP_ADDRESSES,
  rssFeed,
  type SiteArticle,
  sitemapEntries,
  sitemapIndex,
  sitemapFile,
  type Website as Site,
} from "../../../../client/src/site/index.ts";
import { absoluteUrls } from "../../../../client/src/site/absolute-urls.ts";
import { inLine } from "../../../../client/src/site/llms-txt.ts";
import { hasOriginalElsewhere } from "../../../../client/src/site/website.ts";
import type { ArticleSummary, StoredArticle } from "../../../../client/src/index.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { CONTENT_FIELDS } from "../../../domain/articles/api-format.ts";
import { FairQueue } from "../../../domain/system/fair-queue.ts";
import { isoTime } from "../../../domain/system/time.ts";
import { patternUrl, type Website } from "../../../domain/system/website.ts";
import { defaultSort, findDetail, publishedForms } from "../../../store/articles/article-queries.ts";
import { loadContents, loadOptionalFields } from "../../../store/articles/optional-fields.ts";
import { listTranslated } from "../../../store/articles/translations.ts";
import type { Snapshot } from "../../../store/store.ts";
import { findWebsite } from "../../../store/system/websites.ts";
import type { Deps } from "../../system/deps.ts";
import type { ReadModel } from "../read-model/read-model.ts";
import { absoluteMarkdown } from "./absolute-markdown.ts";

const FEED_ARTICLES = 20;
/** Characters of content in one feed, unless a single article has more. */
const MAX_FEED_LENGTH = 4 * 1024 * 1024;
const LISTED_ARTICLES = 1_000;
const MAX_DESCRIPTION = 1_000;
/** Articles read before other requests get their turn: one with as many labels as allowed takes 1.5 MB. */
const AT_ONCE = 50;
const CACHE_BYTES = 16 * 1024 * 1024;
/** Maximum number of files of one website that wait to be made. */
const MAX_WAITING = 50;

const FEEDS = {
  "atom.xml": { write: atomFeed, type: "application/atom+xml; charset=utf-8" },
  "rss.xml": { write: rssFeed, type: "application/rss+xml; charset=utf-8" },
  "feed.json": { write: jsonFeed, type: "application/feed+json; charset=utf-8" },
};
const LLMS_TYPE = "text/plain; charset=utf-8";
const SITEMAP_TYPE = "application/xml; charset=utf-8";
const MARKDOWN_TYPE = "text/markdown; charset=utf-8";
const SITEMAP_PART = /^sitemap-([1-9]\d{0,4})\.xml$/;
const MARKDOWN = /^articles\/([0-9a-f-]{36})\.md$/;

type Listed = ArticleSummary & SiteArticle;

export interface FeedFile {
  type: string;
  gzip: Buffer;
  etag: string;
}

export interface FeedsOptions {
  deps: Pick<Deps, "store">;
  readModel: Pick<ReadModel, "read">;
  /** The service's address, without a slash at the end; not from requests, which could make others' files. */
  baseUrl: () => string;
}

export class Feeds {
  readonly #deps: FeedsOptions["deps"];
  readonly #readModel: FeedsOptions["readModel"];
  readonly #baseUrl: FeedsOptions["baseUrl"];
  readonly #made = new LRUCache<string, FeedFile>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (file) => file.gzip.length + 500,
  });
  readonly #making = new Map<string, Promise<FeedFile | undefined>>();
  readonly #turns = new FairQueue({ capacity: 1, maxWaiting: MAX_WAITING });

  constructor({ deps, readModel, baseUrl }: FeedsOptions) {
    this.#deps = deps;
    this.#readModel = readModel;
    this.#baseUrl = baseUrl;
  }

  /** `name`: such as `sitemap.xml`. @returns undefined for no such file, or without feeds. @throws AppError `busy`. */
  async read(websiteId: string, name: string): Promise<FeedFile | undefined> {
    if (!isFile(name)) return undefined;
    const found = await this.#find(websiteId);
    if (found === undefined) return undefined;
    const { website, version } = found;
    const key = JSON.stringify([
      websiteId,
      name,
      version,
      website.url,
      website.name,
      website.urlPattern,
      website.language,
    ]);
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    let making = this.#making.get(key);
    if (making === undefined) {
      if (this.#turns.isFull(websiteId)) {
        throw new AppError("busy", "Too many feeds are being made at the moment; try again in a few seconds.");
      }
      making = this.#turns
        .run(websiteId, async () => {
          const file = await this.#make(website, name);
          if (file !== undefined) this.#made.set(key, file);
          return file;
        })
        .finally(() => this.#making.delete(key));
      this.#making.set(key, making);
    }
    return making;
  }

  /** The website, if its feeds are turned on, and the version of what is published there. */
  async #find(websiteId: string): Promise<{ website: Website; version: string } | undefined> {
    try {
      return await this.#readModel.read(websiteId, async ({ db, view }) => {
        const website = await findWebsite(db, websiteId);
        if (website === undefined || !website.servesFeeds || website.url === null) return undefined;
        return { website, version: `${view.epoch} ${view.publishedVersion}` };
      });
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  async #make(website: Website, name: string): Promise<FeedFile | undefined> {
    const site = toSite(website);
    const base = `${this.#baseUrl()}/feeds/${website.id}`;
    const markdownOf = MARKDOWN.exec(name)?.[1];
    if (markdownOf !== undefined) return this.#markdown(website, site.url, markdownOf);
    const feed = Object.hasOwn(FEEDS, name) ? FEEDS[name as keyof typeof FEEDS] : undefined;
    if (feed !== undefined) {
      const articles = await this.#newest(website.id, FEED_ARTICLES, withContents);
      for (const article of articles) {
        article.content = await inTurns(
          absoluteUrls(article.content, findFolder(site.url, findPage(website, article))),
        );
      }
      return toFile(feed.type, feed.write(site, articles, { feedUrl: `${base}/${name}`, hasAbsoluteUrls: true }));
    }
    if (name === "llms.txt") {
      const rowNos = await this.#newest(website.id, LISTED_ARTICLES, (_db, found) => Promise.resolve(found));
      const articles: ArticleSummary[] = [];
      for await (const batch of this.#inBatches(rowNos)) articles.push(...batch.map(toListed));
      return toFile(
        LLMS_TYPE,
        llmsTxt(site, articles, ({ id }) => `${base}/articles/${id}.md`),
      );
    }
    const part = name === "sitemap.xml" ? 0 : Number(SITEMAP_PART.exec(name)?.[1] ?? Number.NaN);
    return Number.isNaN(part) ? undefined : this.#sitemap(website, site, part, base);
  }

  /** `part`: 0 for the sitemap itself, which is an index of its parts if there are too many articles for one. */
  async #sitemap(website: Website, site: Site, part: number, base: string): Promise<FeedFile | undefined> {
    const all = await this.#published(website.id);
    const parts = Math.ceil(all.length / MAX_SITEMAP_ADDRESSES);
    if (part === 0 && parts > 1) {
      const addresses = Array.from({ length: parts }, (_one, index) => `${base}/sitemap-${index + 1}.xml`);
      return toFile(SITEMAP_TYPE, sitemapIndex(addresses));
    }
    if (part > 0 && (parts < 2 || part > parts)) return undefined;
    const start = Math.max(0, part - 1) * MAX_SITEMAP_ADDRESSES;
    const rowNos = all.slice(start, start + MAX_SITEMAP_ADDRESSES);
    const entries: string[] = [];
    for await (const batch of this.#inBatches(rowNos)) {
      const articles = batch.filter((article) => !hasOriginalElsewhere(article, site.url));
      if (articles.length > 0) entries.push(sitemapEntries(site, await this.#withAlternates(website, articles)));
    }
    return toFile(SITEMAP_TYPE, sitemapFile(entries.join("\n")));
  }

  /** Reads the rows that are still published, in their order. */
  async *#inBatches(rowNos: Uint32Array): AsyncGenerator<Listed[]> {
    for (let at = 0; at < rowNos.length; at += AT_ONCE) {
      yield await this.#deps.store.read((db) => siteArticles(db, rowNos.slice(at, at + AT_ONCE)));
      await new Promise(setImmediate);
    }
  }

  /** Adds the pages of the articles' translations, if there are any. */
  async #withAlternates(website: Website, articles: readonly (ArticleSummary & SiteArticle)[]) {
    const ids = articles.map(({ id }) => id);
    const found = await this.#deps.store.read((db) => listTranslated(db, website.id, ids));
    if (found.size === 0) return articles;
    return articles.map((article) => {
      const pages = new Map<string, string>();
      for (const { language: named, ...page } of found.get(article.id) ?? []) {
        const language = named ?? website.language;
        if (language !== null && !pages.has(language))
          pages.set(language, findPage(website, { ...page, language: named }));
      }
      if (pages.size < 2) return article;
      return Object.assign(article, { alternates: Array.from(pages, ([language, url]) => ({ language, url })) });
    });
  }

  #published(websiteId: string): Promise<Uint32Array> {
    return this.#readModel.read(websiteId, (snapshot) =>
      snapshot.order({ status: "published", sort: defaultSort("published"), filter: {} }),
    );
  }

  #newest<T>(websiteId: string, count: number, load: (db: Snapshot, rowNos: Uint32Array) => Promise<T>) {
    return this.#readModel.read(websiteId, async (snapshot) => {
      const list = {
        status: "published",
        sort: defaultSort("published"),
        filter: {},
        limit: count,
        offset: 0,
      } as const;
      return load(snapshot.db, (await snapshot.page(list)).rowNos);
    });
  }

  async #markdown(website: Website, siteUrl: string, id: string): Promise<FeedFile | undefined> {
    const found = await this.#deps.store.read(async (db) => {
      const row = await findDetail(db, website.id, id);
      if (row?.status !== "published") return undefined;
      const [article] = await siteArticles(db, Uint32Array.of(row.row_no));
      return article && { article, markdown: await loadContent(db, row.row_no, "markdown") };
    });
    if (found === undefined) return undefined;
    const { article, markdown } = found;
    const text = await inTurns(absoluteMarkdown(markdown, findFolder(siteUrl, findPage(website, article))));
    return toFile(MARKDOWN_TYPE, `# ${inLine(article.title)}\n\n${text}`);
  }
}

function isFile(name: string): boolean {
  const isNamed = name === "llms.txt" || name === "sitemap.xml" || Object.hasOwn(FEEDS, name);
  return isNamed || SITEMAP_PART.test(name) || MARKDOWN.test(name);
}

/** Without what llms.txt does not say, as many are in memory at once. */
function toListed(article: ArticleSummary): ArticleSummary {
  const { excerpt, meta_description: description } = article;
  const short = { excerpt: shorten(excerpt), meta_description: description === null ? null : shorten(description) };
  return { ...article, ...short, categories: [], tags: [], seo_keywords: [] };
}

function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 2 * MAX_DESCRIPTION));
  return characters.slice(0, MAX_DESCRIPTION).join("");
}

function toSite(website: Website): Site {
  const url = `${website.url ?? ""}/`;
  return {
    url,
    title: website.name,
    language: website.language ?? undefined,
    addressOf: (article) => findPage(website, article),
  };
}

/** The URL of the article's page, if it is one: what is reported, or a pattern makes of a slug, need not be. */
function findPage(
  website: Website,
  article: Pick<SiteArticle, "id" | "slug" | "platform_url" | "language"> & Partial<Pick<SiteArticle, "published_at">>,
): string {
  const { id, slug, platform_url: reported, language = null, published_at: published } = article;
  const publishedAt = published == null ? null : Date.parse(published);
  return (
    [reported, patternUrl(website, { id, slug, language, publishedAt })].find(
      (one) => one !== null && URL.canParse(one),
    ) ?? `${website.url ?? ""}/blog/${encodeURIComponent(slug)}`
  );
}

/** Reads the rows that are still published, in their order. */
async function siteArticles(db: Snapshot, rowNos: Uint32Array): Promise<Listed[]> {
  const found = new Map((await publishedForms(db, Array.from(rowNos))).map((row) => [row.row_no, row]));
  const originals = await loadOptionalFields(db, [...found.keys()], ["canonical_url"]);
  return Array.from(rowNos).flatMap((rowNo) => {
    const row = found.get(rowNo);
    if (row === undefined) return [];
    const form = JSON.parse(row.list_form) as ArticleSummary;
    return [{ ...form, ...originals.get(rowNo), language: row.language, updated_at: isoTime(row.updated_at) }];
  });
}

/** The first of these articles with their contents, as many as a feed can hold. */
async function withContents(db: Snapshot, rowNos: Uint32Array): Promise<(StoredArticle & SiteArticle)[]> {
  const found: (StoredArticle & SiteArticle)[] = [];
  let length = 0;
  const additions = await loadOptionalFields(db, Array.from(rowNos), ["authors", "language"]);
  // One snapshot: all rows are there.
  for (const [index, article] of (await siteArticles(db, rowNos)).entries()) {
    const content = await loadContent(db, rowNos[index] ?? 0, "html");
    length += content.length;
    if (index > 0 && length > MAX_FEED_LENGTH) break;
    found.push(Object.assign(article, { content }, additions.get(rowNos[index] ?? 0)));
  }
  return found;
}

async function loadContent(db: Snapshot, rowNo: number, format: "html" | "markdown"): Promise<string> {
  const content = (await loadContents(db, [rowNo], [format])).get(rowNo)?.[CONTENT_FIELDS[format]];
  return typeof content === "string" ? content : "";
}

/** The folder of the article's page, which its relative addresses refer to; the website's for a page elsewhere. */
function findFolder(websiteUrl: string, page: string): string {
  const folder = URL.parse(".", page);
  return folder?.origin === new URL(websiteUrl).origin ? folder.href : websiteUrl;
}

/** Lets others have their turns. Readers of these files have no page whose address relative ones could refer to. */
async function inTurns(work: Generator<undefined, string>): Promise<string> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await new Promise(setImmediate);
  }
}

async function toFile(type: string, text: string): Promise<FeedFile> {
  const packed = await promisify(gzip)(text);
  return { type, gzip: packed, etag: `W/"${createHash("sha256").update(packed).digest("base64url").slice(0, 22)}"` };
}
