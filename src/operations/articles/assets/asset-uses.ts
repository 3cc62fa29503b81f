/** The articles that use a picture, in memory while the library is open: only changed versions are read again. */
import { setImmediate as yieldToRequests } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import {
  findDraftsWith,
  findTextsWith,
  findUnsavedWith,
  listAssetHashes,
  listDraftSizes,
  listExistingArticles,
  listUnsavedTexts,
  listUsingArticles,
} from "../../../store/articles/assets.ts";
import { contentSizes } from "../../../store/articles/optional-fields.ts";
import { listArticleRows } from "../../../store/articles/purging.ts";
import type { Deps } from "../../system/deps.ts";

const AT_ONCE = 256;
/** Texts that are read at once; or one, if it is longer. After them, others have their turn. */
const MAX_BYTES_AT_ONCE = 1024 * 1024;
const HASH_LENGTH = 64;
/** Pictures of one article. */
const MAX_PICTURES = 1_000;
/** Mentions of pictures in one article, as a picture may be mentioned often. */
const MAX_MENTIONS = 10_000;
const MAX_WEBSITES = 50;
const HASHES_AT_ONCE = 1_000;
/** Articles that are named for each picture. */
const MAX_NAMED = 100;

/** Keys of the pictures that a text mentions. */
type Mentioned = ReadonlySet<string>;

interface WebsiteUses {
  after: { version: number; rowNo: number };
  /** By the row numbers of articles. */
  texts: Map<number, Mentioned>;
  drafts: Map<number, { savedAt: number; mentioned: Mentioned }>;
  /** Working copies by their accounts and ids, and held changes by their sources. */
  unsaved: Map<string, { savedAt: number; mentioned: Mentioned }>;
  scanning: Promise<void>;
}

export interface AssetUse {
  id: string;
  title: string;
  isInTrash: boolean;
}

export interface Uses {
  count: number;
  /** The first of them. */
  articles: AssetUse[];
  /** Whether somebody has typed a text with it that is not saved, or a source's held change has it. */
  isInUnsavedText: boolean;
}

export class AssetUses {
  readonly #store: Deps["store"];
  readonly #websites = new LRUCache<string, WebsiteUses>({ max: MAX_WEBSITES });

  constructor({ store }: Pick<Deps, "store">) {
    this.#store = store;
  }

  /** The articles that use each of the pictures: in the text, as the main picture, or in unpublished changes. */
  async find(websiteId: string, hashes: readonly string[]): Promise<Map<string, Uses>> {
    const { texts, drafts, unsaved } = await this.#refresh(websiteId);
    const typed = union([...unsaved.values()].map(({ mentioned }) => mentioned));
    const rows = new Map(hashes.map((hash) => [toKey(hash), new Set<number>()]));
    for (const [rowNo, mentioned] of texts) for (const key of mentioned) rows.get(key)?.add(rowNo);
    for (const [rowNo, { mentioned }] of drafts) for (const key of mentioned) rows.get(key)?.add(rowNo);
    return this.#store.read(async (db) => {
      const found = new Map<string, Uses>();
      for (const hash of hashes) {
        const all = [...(rows.get(toKey(hash)) ?? [])];
        const articles = await listUsingArticles(db, websiteId, all.slice(0, MAX_NAMED));
        // Purged articles are missing in the list.
        const count = all.length > MAX_NAMED ? all.length : articles.length;
        found.set(hash, { count, articles, isInUnsavedText: typed.has(toKey(hash)) });
      }
      return found;
    });
  }

  /** All articles that use the picture. */
  async listUsing(websiteId: string, hash: string): Promise<AssetUse[]> {
    const { texts, drafts } = await this.#refresh(websiteId);
    const key = toKey(hash);
    const rows = new Set([...texts].filter(([, mentioned]) => mentioned.has(key)).map(([rowNo]) => rowNo));
    for (const [rowNo, { mentioned }] of drafts) if (mentioned.has(key)) rows.add(rowNo);
    return this.#store.read((db) => listUsingArticles(db, websiteId, [...rows]));
  }

  /** Returns the pictures that neither an article nor an unsaved text uses. */
  async filterUnused<T extends { hash: string }>(websiteId: string, assets: readonly T[]): Promise<T[]> {
    const used = await this.#findUsed(websiteId);
    return assets.filter(({ hash }) => !used.has(toKey(hash)));
  }

  async countUnused(websiteId: string): Promise<number> {
    const used = await this.#findUsed(websiteId);
    let count = 0;
    for (let after: string | undefined = ""; after !== undefined;) {
      const from: string = after;
      const hashes = await this.#store.read((db) => listAssetHashes(db, websiteId, from, HASHES_AT_ONCE));
      count += hashes.filter((hash) => !used.has(toKey(hash))).length;
      after = hashes.length < HASHES_AT_ONCE ? undefined : hashes.at(-1);
    }
    return count;
  }

  async #findUsed(websiteId: string): Promise<Mentioned> {
    const { texts, drafts, unsaved } = await this.#refresh(websiteId);
    const mentioning = [...texts].filter(([, mentioned]) => mentioned.size > 0).map(([rowNo]) => rowNo);
    const existing = new Set(await this.#store.read((db) => listExistingArticles(db, websiteId, mentioning)));
    for (const rowNo of mentioning) if (!existing.has(rowNo)) texts.delete(rowNo);
    return union([...texts.values(), ...[...drafts.values(), ...unsaved.values()].map(({ mentioned }) => mentioned)]);
  }

  async #refresh(websiteId: string): Promise<WebsiteUses> {
    const uses = this.#websites.get(websiteId) ?? {
      after: { version: 0, rowNo: 0 },
      texts: new Map(),
      drafts: new Map(),
      unsaved: new Map(),
      scanning: Promise.resolve(),
    };
    this.#websites.set(websiteId, uses);
    uses.scanning = uses.scanning
      .catch(() => undefined)
      .then(() => this.#scanTexts(websiteId, uses))
      .then(() => this.#scanDrafts(websiteId, uses))
      .then(() => this.#scanUnsaved(websiteId, uses));
    await uses.scanning;
    return uses;
  }

  async #scanTexts(websiteId: string, uses: WebsiteUses): Promise<void> {
    for (;;) {
      const { batch, sizes } = await this.#store.read(async (db) => {
        const batch = await listArticleRows(db, websiteId, uses.after, AT_ONCE);
        const numbers = batch.map(({ rowNo }) => rowNo);
        return { batch, sizes: await contentSizes(db, numbers, ["html"]) };
      });
      for (const { rowNo } of batch) uses.texts.delete(rowNo);
      const rows = batch.map(({ rowNo }) => ({ rowNo, bytes: sizes.get(rowNo) ?? 0 }));
      await this.#eachText(websiteId, rows, findTextsWith, (rowNo, text) => {
        uses.texts.set(rowNo, new Set([...(uses.texts.get(rowNo) ?? []), ...findMentioned(text, websiteId)]));
      });
      uses.after = batch.at(-1) ?? uses.after;
      if (batch.length < AT_ONCE) return;
    }
  }

  async #scanDrafts(websiteId: string, uses: WebsiteUses): Promise<void> {
    const all = await this.#store.read((db) => listDraftSizes(db, websiteId));
    const changed = all.filter(({ rowNo, savedAt }) => uses.drafts.get(rowNo)?.savedAt !== savedAt);
    const texts = new Map<number, Mentioned>();
    await this.#eachText(websiteId, changed, findDraftsWith, (rowNo, text) => {
      texts.set(rowNo, findMentioned(text, websiteId));
    });
    const read = new Set(changed.map(({ rowNo }) => rowNo));
    uses.drafts = new Map(
      all.map(({ rowNo, savedAt }) => {
        const mentioned = read.has(rowNo) ? texts.get(rowNo) : uses.drafts.get(rowNo)?.mentioned;
        return [rowNo, { savedAt, mentioned: mentioned ?? NONE }];
      }),
    );
  }

  async #scanUnsaved(websiteId: string, uses: WebsiteUses): Promise<void> {
    const found: WebsiteUses["unsaved"] = new Map();
    for (const { savedAt, ...copy } of await this.#store.read((db) => listUnsavedTexts(db, websiteId))) {
      const key = `${copy.accountId ?? ""}/${copy.id}`;
      const known = uses.unsaved.get(key);
      if (known?.savedAt === savedAt) {
        found.set(key, known);
        continue;
      }
      const text = await this.#store.read((db) => findUnsavedWith(db, websiteId, copy, toPattern(websiteId)));
      found.set(key, { savedAt, mentioned: text === undefined ? NONE : findMentioned(text, websiteId) });
      await yieldToRequests();
    }
    uses.unsaved = found;
  }

  /** Calls `onText` for each text that mentions pictures of the website. */
  async #eachText(
    websiteId: string,
    rows: readonly { rowNo: number; bytes: number }[],
    find: typeof findTextsWith,
    onText: (rowNo: number, text: string) => void,
  ): Promise<void> {
    const pattern = toPattern(websiteId);
    for (let at = 0; at < rows.length;) {
      const numbers: number[] = [];
      for (let bytes = 0; at < rows.length; at++) {
        const row = rows[at];
        bytes += row?.bytes ?? 0;
        if (row === undefined || (numbers.length > 0 && bytes > MAX_BYTES_AT_ONCE)) break;
        numbers.push(row.rowNo);
      }
      const texts = await this.#store.read((db) => find(db, websiteId, numbers, pattern));
      for (const { rowNo, text } of texts) onText(rowNo, text);
      await yieldToRequests();
    }
  }
}

const NONE: Mentioned = new Set();

function prefixOf(websiteId: string): string {
  return `/assets/${websiteId}/`;
}

/** A pattern for `LIKE`. */
function toPattern(websiteId: string): string {
  return `%${prefixOf(websiteId)}%`;
}

function union(sets: readonly Mentioned[]): Mentioned {
  const all = new Set<string>();
  for (const set of sets) for (const key of set) all.add(key);
  return all;
}

function findMentioned(text: string, websiteId: string): Mentioned {
  const prefix = prefixOf(websiteId);
  const found = new Set<string>();
  let mentions = 0;
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + prefix.length)) {
    if (++mentions > MAX_MENTIONS || found.size >= MAX_PICTURES) break;
    const key = toKey(text.slice(at + prefix.length, at + prefix.length + HASH_LENGTH));
    if (key !== "") found.add(key);
  }
  return found;
}

/** A compact text of its own: a slice would keep the whole article in memory. Empty if it is no hash. */
function toKey(hash: string): string {
  const bytes = Buffer.from(hash, "hex");
  return bytes.length === HASH_LENGTH / 2 ? bytes.toString("latin1") : "";
}
