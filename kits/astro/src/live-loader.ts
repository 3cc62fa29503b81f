/** A live loader: reads articles when a page is requested. */
import {
  createClient,
  type ListParameters,
  type Rostrum,
  type StoredArticle,
  type TransportOptions,
} from "@rostrum/client";
import { PAGE_FIELDS } from "@rostrum/client/site";
import { entryOf } from "./loader.ts";

/** Filter of one entry: its slug (Astro's `id`), and a preview token. */
interface EntryFilter {
  id: string;
  /** Only an article in this language, a BCP 47 tag. */
  lang?: string | undefined;
  previewToken?: string | undefined;
}

/**
 * In `src/live.config.ts`: `defineLiveCollection({ loader: rostrumLiveLoader({ url, key }) })`. Every answer is confirmed by its
 * ETag, so a page is never older than the request for it. Pass a client of your own to share its cache with other pages.
 */
export function rostrumLiveLoader(options: TransportOptions | Rostrum) {
  const client = "articles" in options ? options : createClient(options);
  return {
    name: "@rostrum/astro",
    async loadEntry({ filter }: { filter: EntryFilter }) {
      const { id, lang, previewToken } = filter;
      try {
        const article = await client.articles.getBySlug(id, {
          lang,
          previewToken,
          include: [...PAGE_FIELDS, "neighbours", "review_record"],
        });
        return article === null ? undefined : entryOf(article);
      } catch (error) {
        return { error: asError(error) };
      }
    },
    /** Accepts the filters of the client's `articles.list`. */
    async loadCollection({ filter }: { filter?: Omit<ListParameters, "fields" | "include" | "format"> }) {
      try {
        const { articles } = await client.articles.list({ ...filter, include: ["content", ...PAGE_FIELDS] });
        return { entries: (articles as StoredArticle[]).map(entryOf) };
      } catch (error) {
        return { error: asError(error) };
      }
    },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
