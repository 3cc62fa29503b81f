/** Brings a copy of the published articles up to date. */
import { Articles, type ContentFormat, queryOf } from "./articles.ts";
import type { EventPage } from "./events.ts";
import { type ArticleStore, type CopyState, type StoredArticle, storedOf } from "./stores/store.ts";
import type { ReadOptions, RequestOptions, Transport } from "./transport.ts";
import type { FeedEvent, RequestedFields, WebsiteState } from "./types.ts";

export interface SyncOptions extends RequestOptions {
  /** The forms of the content to store. Default `html`; see `ContentFormat`. */
  format?: readonly ContentFormat[] | undefined;
  /**
   * Only articles in this language, a BCP 47 tag. Where each language has slugs of its own, keep a copy for each: `getBySlug` then
   * finds the article that is meant.
   */
  lang?: string | undefined;
  /** Other fields to store. They are read again when the article changes, so none that depends on other articles. */
  include?:
    | readonly Exclude<
        keyof RequestedFields,
        "previous_slugs" | "translations" | "neighbours" | "featured_image" | "review_record"
      >[]
    | undefined;
}

/** The part of a store that an update needs. */
export type SyncStore = Pick<ArticleStore, "state" | "ids" | "apply">;

export interface SyncResult {
  /** Ids of articles that are new or were read again. */
  changed: string[];
  /** Ids of articles that are no longer published. */
  removed: string[];
}

const PAGE = 100;
/** From this many events on, ids are compared instead. */
const MAX_EVENTS = 1000;
/** Maximum number of articles to read one by one; if more have changed, the whole copy is made again. */
const MAX_SINGLE = 100;
/** How far before the last update to read changes: `Date` has whole seconds, and the processes of a service may differ slightly. */
const OVERLAP_MS = 2000;

/**
 * While nothing has changed this is one request, which a 304 answers. Else it reads the articles that were saved since the
 * last look (an import makes no events) and the events since then (a deletion is nothing else). What changes while it reads is
 * found by the next look, because the state that it stores was read first.
 *
 * @throws RostrumError when the service cannot be reached; the copy is then what it was, or partly newer.
 */
export async function sync(transport: Transport, store: SyncStore, options: SyncOptions = {}): Promise<SyncResult> {
  const before = await store.state();
  const now = await readState(transport, options);
  if (before === null || !isContinued(before, now)) return await copyAll(transport, store, now, options);
  if (now.version === before.version && now.sequence === before.sequence) return { changed: [], removed: [] };

  const changed = new Map<string, StoredArticle>();
  const updated_since = new Date(before.date - OVERLAP_MS).toISOString();
  for await (const article of readAll(transport, { updated_since }, options)) changed.set(article.id, article);
  const events = await readLastEvents(transport, before, now, options);
  const known = new Set(await store.ids());
  const removed = new Set<string>();
  // Articles with an event that were not read: they are gone, or the clocks of the service's processes differ.
  const unread = new Set<string>();
  for (const [id, event] of events ?? []) {
    if (changed.has(id)) continue;
    if (event !== "article.deleted") unread.add(id);
    else if (known.has(id)) removed.add(id);
  }
  if (now.languages !== undefined && unread.size <= MAX_SINGLE) {
    for (const id of unread) {
      if (await isInLanguage(transport, id, now.languages, options)) continue;
      unread.delete(id);
      if (known.has(id)) removed.add(id);
    }
  }
  const expected = new Set([...known, ...changed.keys(), ...unread]).size - removed.size;
  if (events === null || expected !== (await readTotal(transport, options))) {
    const published = await readIds(transport, options);
    for (const id of known) if (!published.has(id)) removed.add(id);
    for (const id of published) if (!known.has(id) && !changed.has(id)) unread.add(id);
    for (const id of removed) if (published.has(id)) removed.delete(id);
  }
  if (unread.size > MAX_SINGLE) return await copyAll(transport, store, now, options);
  for (const id of unread) {
    const article = await readOne(transport, id, options);
    if (article !== null) changed.set(id, article);
    else if (known.has(id)) removed.add(id);
  }
  await store.apply({ articles: [...changed.values()], removed: [...removed], state: now });
  return { changed: [...changed.keys()], removed: [...removed] };
}

async function copyAll(transport: Transport, store: SyncStore, now: CopyState, options: SyncOptions) {
  const old = new Set(await store.ids());
  const changed: string[] = [];
  let batch: StoredArticle[] = [];
  const save = async (state: CopyState | null, removed: string[]) => {
    await store.apply({ articles: batch, removed, state });
    batch = [];
  };
  for await (const article of readAll(transport, {}, options)) {
    batch.push(article);
    changed.push(article.id);
    old.delete(article.id);
    if (batch.length === PAGE) await save(null, []);
  }
  const removed = [...old];
  await save(now, removed);
  return { changed, removed };
}

async function readState(transport: Transport, options: SyncOptions): Promise<CopyState> {
  const { data, date } = await transport.get<WebsiteState>("/state", options);
  const fields = [...(options.format ?? ["html"]), ...(options.include ?? [])].toSorted();
  const { lang } = options;
  const languages = lang === undefined ? {} : { languages: [lang, data.language] };
  return { version: data.version, sequence: data.latest_sequence, date, fields, ...languages };
}

/** Whether the article is in the copy's language, or no longer published, which is found later. */
async function isInLanguage(
  transport: Transport,
  id: string,
  [wanted, own]: readonly (string | null)[],
  { signal }: SyncOptions,
): Promise<boolean> {
  const article = await new Articles(transport).get(id, { fields: ["language"], signal });
  return article === null || isSameTag(article.language ?? own, wanted);
}

type Tag = string | null | undefined;

function isSameTag(one: Tag, other: Tag): boolean {
  return plainTag(one) === plainTag(other);
}

function plainTag(tag: Tag): string | undefined {
  return tag?.toLowerCase().replaceAll("_", "-");
}

/** Whether the copy has the same fields and languages, and the service has not been set back since. */
function isContinued(before: CopyState, now: CopyState): boolean {
  if (epochOf(now) !== epochOf(before) || now.sequence < before.sequence) return false;
  return before.fields.join() === now.fields.join() && before.languages?.join() === now.languages?.join();
}

/** The part of a version before the dot, which the service changes after a backup was restored. */
function epochOf({ version }: CopyState): string | undefined {
  return version.split(".")[0];
}

/** @returns the kind of each article's last event, or null if there are too many events to read. */
async function readLastEvents(transport: Transport, before: CopyState, now: CopyState, options: RequestOptions) {
  if (now.sequence - before.sequence > MAX_EVENTS) return null;
  const last = new Map<string, FeedEvent["event"]>();
  for (let after = before.sequence; after < now.sequence;) {
    const { data } = await transport.get<EventPage>(`/events${queryOf({ after, limit: PAGE })}`, options);
    for (const { event, data: article } of data.events) last.set(article.article_id, event);
    after = data.pagination.next_after;
    if (!data.pagination.has_more) break;
  }
  return last;
}

async function* readAll(transport: Transport, parameters: { updated_since?: string }, options: SyncOptions) {
  const { format, include = [], lang, signal } = options;
  // Thousands of contents, which would fill the cache.
  const once: ReadOptions = { signal, isReadOnce: true };
  const articles = new Articles(transport).all({ ...parameters, lang, include: ["content", ...include], format }, once);
  for await (const article of articles) yield article as StoredArticle;
}

async function readIds(transport: Transport, { lang, signal }: SyncOptions): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { id } of new Articles(transport).all({ lang, fields: ["id"] }, { signal })) ids.add(id);
  return ids;
}

async function readTotal(transport: Transport, { lang, signal }: SyncOptions): Promise<number> {
  return (await new Articles(transport).list({ lang, fields: ["id"], limit: 1 }, { signal })).pagination.total;
}

/** @returns null if it is no longer published. */
async function readOne(
  transport: Transport,
  id: string,
  { format, include, signal }: SyncOptions,
): Promise<StoredArticle | null> {
  const once: ReadOptions = { signal, isReadOnce: true };
  const article = await new Articles(transport).get(id, { format, include, ...once });
  return article?.status === "published" ? storedOf(article) : null;
}
