/** The addresses in an article's texts, cached while these stay: the service fetches no others for its readers. */
import { setImmediate as yieldToRequests } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { findAddresses, toAddress } from "../../../domain/articles/content/addresses.ts";
import { patternUrl } from "../../../domain/system/website.ts";
import { findArticle } from "../../../store/articles/articles.ts";
import { listEarlierTexts, listTexts, textsVersion } from "../../../store/articles/article-texts.ts";
import type { Snapshot } from "../../../store/store.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Deps } from "../../system/deps.ts";
import { noSuchArticle } from "../write/article-persistence.ts";

/** Characters of all cached addresses. */
const MAX_CACHED = 8_000_000;
/** Addresses of one article. */
const MAX_ADDRESSES = 10_000;
/** Addresses after which others have their turn. */
const SLICE = 500;

type Addresses = ReadonlySet<string>;

export class ArticleAddresses {
  readonly #store: Deps["store"];
  /** By article, account, the version of the texts, and whether they are earlier ones. */
  readonly #found = new LRUCache<string, Addresses>({
    maxSize: MAX_CACHED,
    sizeCalculation: (addresses, key) => key.length + [...addresses].reduce((sum, one) => sum + one.length + 50, 0),
  });

  constructor({ store }: Pick<Deps, "store">) {
    this.#store = store;
  }

  /** The URLs among these that the article contains. @throws AppError `not_found`. */
  async filter(
    { websiteId, articleId, accountId }: { websiteId: string; articleId: string; accountId: string },
    urls: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const { owner, bases, version } = await this.#store.read(async (db) => {
      const article = await findArticle(db, websiteId, articleId);
      if (article === undefined) throw noSuchArticle(articleId);
      const website = await loadWebsite(db, websiteId);
      return {
        owner: article,
        bases: [website.url, article.platformUrl, patternUrl(website, article)].filter((url) => url !== null),
        version: await textsVersion(db, article, accountId),
      };
    });
    const key = `${articleId} ${accountId} ${version}`;
    const found = new Set<string>();
    const sources = [
      {
        name: "now",
        list: async (db: Snapshot) => [owner.featuredImageUrl ?? "", ...(await listTexts(db, owner, accountId))],
      },
      { name: "earlier", list: (db: Snapshot) => listEarlierTexts(db, owner.rowNo) },
    ];
    for (const { name, list } of sources) {
      const missing = urls.filter((url) => !found.has(url));
      if (missing.length === 0) break;
      const addresses = await this.#load(`${key} ${name}`, list, bases);
      for (const url of missing) if (addresses.has(toAddress(url) ?? "")) found.add(url);
    }
    return found;
  }

  async #load(key: string, list: (db: Snapshot) => Promise<string[]>, bases: readonly string[]): Promise<Addresses> {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const addresses = new Set<string>();
    let count = 0;
    for (const text of await this.#store.read(list)) {
      for (const address of findAddresses(text, bases)) {
        if (addresses.size < MAX_ADDRESSES) addresses.add(address);
        if (++count % SLICE === 0) await yieldToRequests();
      }
    }
    this.#found.set(key, addresses);
    return addresses;
  }
}
