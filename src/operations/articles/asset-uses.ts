/**
 * Finds the articles that use a picture. The result is kept in memory for websites whose picture library is open; only articles
 * that have changed since the last call are read again.
 */
import { setImmediate as breathe } from "node:timers/promises";
import { findDraftsWith, findTextsWith, listUsingArticles } from "../../store/articles/assets.ts";
import { listArticleRows } from "../../store/articles/purging.ts";
import type { Deps } from "../system/deps.ts";

const AT_ONCE = 256;
const HASH_LENGTH = 64;

interface WebsiteUses {
  after: { version: number; rowNo: number };
  /** The hashes that each article mentions, by its row number. */
  hashes: Map<number, ReadonlySet<string>>;
  scanning: Promise<void>;
}

export interface AssetUse {
  id: string;
  title: string;
  isInTrash: boolean;
}

export class AssetUses {
  readonly #store: Deps["store"];
  readonly #websites = new Map<string, WebsiteUses>();

  constructor({ store }: Pick<Deps, "store">) {
    this.#store = store;
  }

  /** The articles that use each of the pictures: in the text, as the main picture, or in unpublished changes. */
  async find(websiteId: string, hashes: readonly string[]): Promise<Map<string, AssetUse[]>> {
    const { hashes: mentioned } = await this.#refresh(websiteId);
    const drafts = await this.#store.read((db) => findDraftsWith(db, websiteId, `%${prefixOf(websiteId)}%`));
    const rows = new Map(hashes.map((hash) => [hash, new Set<number>()]));
    for (const [rowNo, all] of mentioned) for (const hash of all) rows.get(hash)?.add(rowNo);
    for (const { rowNo, text } of drafts) for (const hash of hashesIn(text, websiteId)) rows.get(hash)?.add(rowNo);
    const found = new Map<string, AssetUse[]>();
    await this.#store.read(async (db) => {
      for (const [hash, numbers] of rows) found.set(hash, await listUsingArticles(db, websiteId, [...numbers]));
    });
    return found;
  }

  async #refresh(websiteId: string): Promise<WebsiteUses> {
    const uses = this.#websites.get(websiteId) ?? {
      after: { version: 0, rowNo: 0 },
      hashes: new Map(),
      scanning: Promise.resolve(),
    };
    this.#websites.set(websiteId, uses);
    uses.scanning = uses.scanning.catch(() => undefined).then(() => this.#scan(websiteId, uses));
    await uses.scanning;
    return uses;
  }

  async #scan(websiteId: string, uses: WebsiteUses): Promise<void> {
    const pattern = `%${prefixOf(websiteId)}%`;
    for (;;) {
      const { batch, texts } = await this.#store.read(async (db) => {
        const batch = await listArticleRows(db, websiteId, uses.after, AT_ONCE);
        const numbers = batch.map(({ rowNo }) => rowNo);
        return { batch, texts: await findTextsWith(db, websiteId, numbers, pattern) };
      });
      for (const { rowNo } of batch) uses.hashes.delete(rowNo);
      for (const { rowNo, text } of texts) {
        uses.hashes.set(rowNo, new Set([...(uses.hashes.get(rowNo) ?? []), ...hashesIn(text, websiteId)]));
      }
      uses.after = batch.at(-1) ?? uses.after;
      if (batch.length < AT_ONCE) return;
      await breathe();
    }
  }
}

function prefixOf(websiteId: string): string {
  return `/assets/${websiteId}/`;
}

function hashesIn(text: string, websiteId: string): Set<string> {
  const prefix = prefixOf(websiteId);
  const found = new Set<string>();
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
    found.add(text.slice(at + prefix.length, at + prefix.length + HASH_LENGTH));
  }
  return found;
}
