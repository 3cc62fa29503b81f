/** A content loader: reads articles into a collection when the site is built. */
import { createClient, type StoredArticle, type SyncStore, type TransportOptions } from "@rostrum/client";

export type RostrumLoaderOptions = Pick<TransportOptions, "url" | "key" | "timeoutMs" | "giveUpAfterMs">;

/** The parts of Astro's `LoaderContext` that are used here. */
interface LoaderContext {
  store: {
    keys(): string[];
    entries(): [string, Entry][];
    set(entry: Entry): boolean;
    delete(id: string): void;
    clear(): void;
  };
  meta: { get(key: string): string | undefined; set(key: string, value: string): void };
  logger: { info(message: string): void };
  parseData(entry: { id: string; data: Record<string, unknown> }): Promise<Record<string, unknown>>;
  generateDigest(data: Record<string, unknown>): string;
}

interface Entry {
  id: string;
  data: Record<string, unknown>;
  digest?: number | string;
  rendered?: { html: string };
}

const STATE = "rostrum-state";

/**
 * In `src/content.config.ts`: `defineCollection({ loader: rostrumLoader({ url, key }) })`. An entry's id is the article's slug, its
 * data is the list form of the read API, and `render(entry)` renders the content. Astro keeps the entries between builds, so only
 * changes are read.
 */
export function rostrumLoader(options: RostrumLoaderOptions) {
  const client = createClient({ ...options, cache: false });
  return {
    name: "@rostrum/astro",
    async load(context: LoaderContext): Promise<void> {
      const { changed, removed } = await client.sync({ store: storeOf(context, options.url) });
      context.logger.info(`${changed.length} articles read, ${removed.length} removed`);
    },
  };
}

function storeOf(context: LoaderContext, url: string): SyncStore {
  const { store, meta } = context;
  const kept = JSON.parse(meta.get(STATE) ?? "null") as {
    url: string;
    state: Awaited<ReturnType<SyncStore["state"]>>;
  } | null;
  // The entries must come from this service, and the state must have its entries.
  const isUsable = kept?.url === url && (store.keys().length > 0 || kept.state === null);
  if (!isUsable) store.clear();
  const slugs = new Map(store.entries().map(([slug, { data }]) => [String(data["id"]), slug]));
  const save = (state: Awaited<ReturnType<SyncStore["state"]>>) => meta.set(STATE, JSON.stringify({ url, state }));
  const remove = (id: string) => {
    const slug = slugs.get(id);
    if (slug !== undefined) store.delete(slug);
    slugs.delete(id);
  };
  return {
    state: async () => (isUsable ? kept.state : null),
    ids: async () => [...slugs.keys()],
    async apply({ articles, removed, state }) {
      for (const id of removed) remove(id);
      for (const { id } of articles) remove(id);
      for (const article of articles) {
        const entry = entryOf(article);
        const data = await context.parseData({ id: entry.id, data: entry.data });
        store.set({ ...entry, data, digest: context.generateDigest({ ...data, content: article.content }) });
        slugs.set(article.id, article.slug);
      }
      save(state);
    },
  };
}

export function entryOf({ content, ...data }: StoredArticle) {
  return { id: data.slug, data: { ...data }, rendered: { html: content } };
}
