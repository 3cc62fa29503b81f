/** A whole static site: what its pages and endpoints need. */
import type { ArticleSummary, StoredArticle } from "@rostrum/client";
import { atomFeed, headTags, sitemap, type Website } from "@rostrum/client/site";
import { newestFirst } from "./newest-first.ts";

type SiteOptions = Pick<Website, "title" | "description" | "language" | "addressOf">;

/** An entry of a collection that `rostrumLoader` has filled. */
interface Entry {
  id: string;
  data: ArticleSummary & { previous_slugs?: readonly string[] };
  rendered?: { html: string } | undefined;
}

/** The parts of Astro's `APIContext` that are used here; its `site` is the configuration's. */
interface Context {
  site?: URL | undefined;
  url: URL;
}

const IN_FEED = 20;

/** Articles are at `/blog/<slug>/`, or where `addressOf` says. */
export function createSite<One extends Entry>(about: SiteOptions, readEntries: () => Promise<One[]>) {
  const addressOf = about.addressOf ?? (({ slug }) => `/blog/${encodeURIComponent(slug)}/`);
  const website = ({ site, url }: Context): Website => ({ ...about, addressOf, url: site?.href ?? url.origin });
  /** The newest first. */
  const articles = async () => newestFirst(await readEntries());
  /** With their contents. */
  const stored = async (): Promise<StoredArticle[]> =>
    Array.from(await articles(), ({ data, rendered }) => ({ ...data, content: rendered?.html ?? "" }));

  return {
    articles,
    /** For `getStaticPaths` of `[slug].astro`: articles, as `article`, and earlier slugs with the page to redirect to, as `movedTo`. */
    async articlePaths() {
      const all = await articles();
      const current = new Set(all.map(({ id }) => id));
      const pages = all.map((article) => path(article.id, article, undefined));
      const moved = all.flatMap(({ data }) => {
        const earlier = (data.previous_slugs ?? []).filter((slug) => !current.has(slug));
        return earlier.map((slug) => path<One>(slug, undefined, addressOf(data)));
      });
      return [...pages, ...moved];
    },
    /** For `getStaticPaths` of `[tag].astro`: the tags, each with its `articles`. */
    async tagPaths() {
      const tags = new Map<string, One[]>();
      for (const article of await articles()) {
        for (const tag of article.data.tags) tags.set(tag, [...(tags.get(tag) ?? []), article]);
      }
      return Array.from(tags, ([tag, some]) => ({ params: { tag }, props: { articles: some } }));
    },
    /** The elements of an article's `<head>`. */
    head: (context: Context, article: ArticleSummary) => headTags(website(context), article),
    /** Atom, of the newest articles; it names the address that it is served at. */
    feed: async (context: Context) => {
      const about = website(context);
      const feedUrl = new URL(context.url.pathname, about.url).href;
      return new Response(atomFeed(about, (await stored()).slice(0, IN_FEED), { feedUrl }), XML);
    },
    /** For up to 50,000 articles. */
    sitemap: async (context: Context) => new Response(sitemap(website(context), await stored(), () => "").index, XML),
  };
}

const XML = { headers: { "Content-Type": "application/xml; charset=utf-8" } };

function path<One>(slug: string, article: One | undefined, movedTo: string | undefined) {
  return { params: { slug }, props: { article, movedTo } };
}
