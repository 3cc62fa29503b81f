/** A whole site: the functions that the files of Next.js's folder `app` export. */
import { type ArticleSummary, listPage, type ListParameters } from "@rostrum/client";
import { atomFeed, jsonLd, type SiteArticle, type Website } from "@rostrum/client/site";
import { notFound, permanentRedirect } from "next/navigation";
import { cache, createElement, Fragment } from "react";
import { createRostrum, type PageArticle } from "./client.ts";
import { createDraftHandlers, previewOptions } from "./draft.ts";
import { metadataOf, sitemapOf, slugsOf } from "./pages.ts";
import { createWebhookHandler } from "./webhook.ts";

export interface SiteOptions extends Pick<Website, "title" | "description" | "language"> {
  /**
   * Only articles in this language, a BCP 47 tag, for websites whose languages have slugs of their own: with a site for each, and its
   * pages in a folder of its own.
   */
  lang?: string | undefined;
  /** The path of an article's page, also of a translation: `lang` is its language if known. Default: `/blog/<slug>`. */
  path?: ((slug: string, lang: string | undefined) => string) | undefined;
  /** The path of the list's first page. Default: `/`. */
  home?: string | undefined;
  /** Shows a page of a list, with links to the pages before and after it. */
  List: (props: ListProps) => unknown;
  /** Shows an article; `article.neighbours` has what links to the ones beside it need. Its structured data is added. */
  Article: (props: { article: PageArticle }) => unknown;
}

export interface ListProps {
  articles: readonly ArticleSummary[];
  /** The name of the tag that all of them have; null: the list of all articles. */
  tag: string | null;
  /** This page, from 1, and how many there are. */
  page: number;
  pages: number;
  /** The paths of the pages with newer and older articles; null: there is none. */
  newer: string | null;
  older: string | null;
}

/** Which articles a feed has; all of the site's by default. */
interface FeedOptions extends Pick<ListParameters, "category" | "tag" | "author" | "lang"> {
  /** Default: the site's. */
  title?: string | undefined;
}

const FEED = "/feed.xml";
const IN_FEED = 20;

/** Reads `ROSTRUM_URL`, `ROSTRUM_API_KEY`, `WEBHOOK_SECRET` and `SITE_URL`. Articles are at `/blog/[slug]` or where `path` says. */
export function createSite({ List, Article, lang, path: pathOf = defaultPath, home = "/", ...about }: SiteOptions) {
  const { ROSTRUM_URL = "", ROSTRUM_API_KEY = "", WEBHOOK_SECRET = "", SITE_URL } = globalThis.process?.env ?? {};
  // Folders are named after the site's spelling of its language, such as `pt-br`; articles may have another one.
  const pathTo = ({ slug, language }: Pick<SiteArticle, "slug" | "language">) =>
    pathOf(slug, language?.toLowerCase() === lang?.toLowerCase() ? lang : (language ?? lang));
  const website: Website = {
    ...about,
    language: about.language ?? lang,
    url: SITE_URL ?? "http://localhost:3000/",
    addressOf: pathTo,
  };
  const rostrum = createRostrum({ url: ROSTRUM_URL, key: ROSTRUM_API_KEY });
  const address = (article: Pick<SiteArticle, "slug" | "language">) => new URL(pathTo(article), website.url).href;
  const find = cache(async (slug: string) => rostrum.findArticle(slug, { ...(await previewOptions()), lang }));

  return {
    rostrum,
    website,
    /** A page of all articles, the newest first. */
    HomePage: async ({ params }: Partial<Page<"number">> = {}) => await showList(home, (await params)?.number),
    /** Later pages are made at their first visit. */
    pageParams: () => [],
    /** An article; an earlier slug redirects to its page. */
    async ArticlePage({ params }: Page<"slug">) {
      const slug = decodeURIComponent((await params).slug);
      const article = (await find(slug)) ?? notFound();
      if (article.slug !== slug) permanentRedirect(pathTo(article));
      const structured = { type: "application/ld+json", dangerouslySetInnerHTML: { __html: jsonLd(website, article) } };
      return createElement(Fragment, null, createElement(Article, { article }), createElement("script", structured));
    },
    articleParams: () => slugsOf(rostrum, { lang }),
    async articleMetadata({ params }: Page<"slug">) {
      const article = await find(decodeURIComponent((await params).slug));
      return article === null ? {} : metadataOf(article, address(article));
    },
    /** A page of the articles with a tag, at the slug that the service gives the tag. A tag that none has is not found. */
    async TagPage({ params }: Page<"tag" | "number">) {
      const { tag, number } = await params;
      const slug = decodeURIComponent(tag);
      return await showList(`${below(home)}/tags/${encodeURIComponent(slug)}`, number, slug);
    },
    /** Pages of tags are made at their first visit. */
    tagParams: () => [],
    webhook: createWebhookHandler({ secret: WEBHOOK_SECRET }),
    preview: createDraftHandlers({ path: pathOf }).GET,
    sitemap: () => sitemapOf(rostrum, address, { lang }),
    /** Atom, of the newest articles, at `/feed.xml`. */
    feed: () => feedAt(FEED),
    /** Another feed, at this path, which is also its id: `export const GET = () => site.feedAt("/tea.xml", { tag: "tea" })`. */
    feedAt,
  };

  async function showList(first: string, number?: string, tag?: string) {
    if (number === "1") permanentRedirect(first);
    const { newer, older, ...list } = (await listPage(rostrum, { page: number, tag, lang })) ?? notFound();
    const toPath = (page: number | null) => {
      if (page === null) return null;
      return page === 1 ? first : `${below(first)}/page/${page}`;
    };
    return createElement(List, { ...list, newer: toPath(newer), older: toPath(older) });
  }

  async function feedAt(path: string, { title, ...which }: FeedOptions = {}): Promise<Response> {
    const include = ["content", "authors", "language", "updated_at"] as const;
    const { articles } = await rostrum.articles.list({ lang, ...which, limit: IN_FEED, include });
    const feedUrl = new URL(path, website.url).href;
    const id = path === FEED ? website.url : feedUrl;
    const feed = atomFeed(website, articles, { feedUrl, id, title, language: which.lang });
    return new Response(feed, { headers: { "Content-Type": "application/atom+xml; charset=utf-8" } });
  }
}

interface Page<Parameter extends string> {
  params: Promise<Record<Parameter, string>>;
}

function below(path: string): string {
  return path === "/" ? "" : path;
}

function defaultPath(slug: string): string {
  return `/blog/${encodeURIComponent(slug)}`;
}
