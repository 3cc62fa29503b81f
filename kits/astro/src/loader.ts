/** A content loader: reads articles into a collection when the site is built. */
import {
  createClient,
  type CopyState,
  type Rostrum,
  type StoredArticle,
  type SyncStore,
  type TransportOptions,
} from "@rostrum/client";
import { PAGE_FIELDS } from "@rostrum/client/site";

/** `url` and `key` are by default what `ROSTRUM_URL` and `ROSTRUM_API_KEY` say. */
export interface RostrumLoaderOptions extends Partial<
  Pick<TransportOptions, "url" | "key" | "timeoutMs" | "giveUpAfterMs">
> {
  /** Only articles in this language, a BCP 47 tag: a collection for each, where each language has slugs of its own. */
  lang?: string | undefined;
}

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

interface Kept {
  url: string;
  state: CopyState | null;
}

const STATE = "rostrum-state";

/**
 * In `src/content.config.ts`: `defineCollection({ loader: rostrumLoader() })`. An entry's id is the article's slug, its data is the
 * list form of the read API with `previous_slugs`, `tag_links` and what a page's head uses, and `render(entry)` renders the content. Astro keeps the entries between builds, so
 * only changes are read: nothing has changed is one request.
 */
export function rostrumLoader(options: RostrumLoaderOptions = {}) {
  return {
    name: "@rostrum/astro",
    async load(context: LoaderContext): Promise<void> {
      const { ROSTRUM_URL = "", ROSTRUM_API_KEY = "" } = globalThis.process?.env ?? {};
      const { url = ROSTRUM_URL, key = ROSTRUM_API_KEY } = options;
      const client = createClient({ ...options, url, key, cache: false });
      const store = storeOf(context, url);
      const { changed, removed } = await client.sync({ store, lang: options.lang, include: PAGE_FIELDS });
      store.assertOneEach();
      if (changed.length > 0 || removed.length > 0) await addLinks(client, context, options.lang);
      await store.save();
      context.logger.info(`${changed.length} articles read, ${removed.length} removed`);
    },
  };
}

function storeOf(context: LoaderContext, url: string): SyncStore & { save(): Promise<void>; assertOneEach(): void } {
  const { store, meta } = context;
  const kept = JSON.parse(meta.get(STATE) ?? "null") as Kept | null;
  // The entries must come from this service, and the state must have its entries.
  const isUsable = kept?.url === url && (store.keys().length > 0 || kept.state === null);
  if (!isUsable) store.clear();
  const slugs = new Map(store.entries().map(([slug, { data }]) => [String(data["id"]), slug]));
  let latest = isUsable ? kept.state : null;
  const remove = (id: string) => {
    const slug = slugs.get(id);
    if (slug !== undefined) store.delete(slug);
    slugs.delete(id);
  };
  const record = (state: CopyState | null) => meta.set(STATE, JSON.stringify({ url, state } satisfies Kept));
  return {
    state: async () => latest,
    ids: async () => [...slugs.keys()],
    async apply({ articles, removed, state }) {
      // Until the earlier slugs are there, too.
      record(null);
      latest = state;
      for (const id of removed) remove(id);
      for (const { id } of articles) remove(id);
      for (const article of articles) {
        const entry = entryOf(article);
        save(context, { ...entry, data: await context.parseData({ id: entry.id, data: entry.data }) });
        slugs.set(article.id, article.slug);
      }
    },
    save: async () => record(latest),
    /** Each entry is one article's: two in different languages may have one slug. */
    assertOneEach() {
      if (new Set(slugs.values()).size === slugs.size) return;
      store.clear();
      throw new Error("Articles in different languages have the same slug: make a collection for each, with `lang`.");
    },
  };
}

/**
 * Adds each article's earlier slugs, and its tags with their slugs. All are compared, because an article that has not changed
 * may have lost one to another article.
 */
async function addLinks(client: Rostrum, context: LoaderContext, lang: string | undefined): Promise<void> {
  const tags = new Map((await client.tags()).map(({ name, slug }) => [labelKey(name), { name, slug }]));
  const slugs = new Map<string, string[]>();
  for await (const { from, kind, language, article_id: id } of client.redirects()) {
    const isMeant = lang === undefined || language?.toLowerCase() === lang.toLowerCase();
    if (kind === "slug" && isMeant) slugs.set(id, [...(slugs.get(id) ?? []), from]);
  }
  for (const [slug, entry] of context.store.entries()) {
    const previous_slugs = (slugs.get(String(entry.data["id"])) ?? []).filter((earlier) => earlier !== slug);
    // A tag may be gone by now.
    const tag_links = (entry.data["tags"] as string[]).flatMap((name) => tags.get(labelKey(name)) ?? []);
    const data = { ...entry.data, previous_slugs, tag_links };
    if (JSON.stringify(entry.data) !== JSON.stringify(data)) save(context, { ...entry, data });
  }
}

/** As the service compares labels. */
function labelKey(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}

function save(context: LoaderContext, entry: Entry): void {
  const digest = context.generateDigest({ ...entry.data, content: entry.rendered?.html });
  context.store.set({ ...entry, digest });
}

export function entryOf({ content, ...data }: StoredArticle) {
  return { id: data.slug, data: { ...data }, rendered: { html: content } };
}
