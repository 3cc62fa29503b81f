/** Pages of a site's lists, as visitors ask for them by an address. */
import type { Rostrum } from "./client.ts";
import type { ArticleSummary } from "./types.ts";

export interface ListPageOptions {
  /** From the address; without it, the first page. */
  page?: string | number | null | undefined;
  /** Only articles with this tag: the slug that `tags()` gives it. */
  tag?: string | undefined;
  /** Only articles in this language, a BCP 47 tag. */
  lang?: string | undefined;
  /** Articles of a page, at most 100. Default: 20. */
  perPage?: number | undefined;
}

export interface ListPage {
  /** Newest first. */
  articles: ArticleSummary[];
  /** The name of the tag. */
  tag: string | null;
  /** This page, from 1, and how many there are. */
  page: number;
  pages: number;
  /** The number of the page before, with newer articles, and of the page after. Null: there is none. */
  newer: number | null;
  older: number | null;
}

/** @returns null if there is no such page, or no such tag. The first page always exists, unless it is a tag's. */
export async function listPage(
  rostrum: Pick<Rostrum, "articles" | "tags">,
  { page: wanted, tag: slug, lang, perPage = 20 }: ListPageOptions = {},
): Promise<ListPage | null> {
  const page = toNumber(wanted);
  if (page === null) return null;
  const tag = slug === undefined ? null : ((await rostrum.tags()).find((one) => one.slug === slug)?.name ?? null);
  if (slug !== undefined && tag === null) return null;
  const { articles, pagination } = await rostrum.articles.list({
    ...(tag === null ? {} : { tag }),
    lang,
    limit: perPage,
    offset: (page - 1) * perPage,
  });
  if (articles.length === 0 && (page > 1 || tag !== null)) return null;
  const pages = Math.max(1, Math.ceil(pagination.total / perPage));
  return { articles, tag, page, pages, newer: page > 1 ? page - 1 : null, older: page < pages ? page + 1 : null };
}

function toNumber(page: ListPageOptions["page"]): number | null {
  const text = String(page ?? 1);
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}
