/** A whole static site: what its pages and endpoints need. */
import type { ArticleSummary, StoredArticle } from "@rostrum/client";
import { atomFeed, headTags, sitemap, type Website } from "@rostrum/client/site";
import { newestFirst } from "./newest-first.ts";

type SiteOptions = Pick<Website, "title" | "description" | "language" | "addressOf">;

/** An entry of a collection that `rostrumLoader` has filled. */
interface Entry {
  id: string;
  data: ArticleSummary & { previous_slugs?: readonly string[]; tag_links?: readonly TagLink[] };
  rendered?: { html: string } | undefined;
}

/** A tag, and the slug that the service gives it for addresses. */
interface TagLink {
  name: string;
  slug: string;
}

/** What Astro passes to `getStaticPaths`. */
interface PathOptions<Path> {
  paginate: (items: readonly unknown[], options: { pageSize: number; params?: object; props?: object }) => Path[];
}

/** The parts of Astro's `APIContext` that are used here; its `site` is the configuration's. */
interface Context {
  site?: URL | undefined;
  url: URL;
}

const IN_FEED = 20;
const PER_PAGE = 20;

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
    /** For `getStaticPaths` of `[...page].astro`: all articles, the newest first, as Astro's `page`. */
    async listPaths<Path>({ paginate }: PathOptions<Path>) {
      return paginate(await articles(), { pageSize: PER_PAGE });
    },
    /**
     * For `getStaticPaths` of `[slug].astro`: articles, as `article`, with the ones published after and before it, as `newer` and
     * `older`; and earlier slugs with the page to redirect to, as `movedTo`.
     */
    async articlePaths() {
      const all = await articles();
      const current = new Set(all.map(({ id }) => id));
      const pages = all.map((article, at) => path(article.id, { article, newer: all[at - 1], older: all[at + 1] }));
      const moved = all.flatMap(({ data }) => {
        const earlier = (data.previous_slugs ?? []).filter((slug) => !current.has(slug));
        return earlier.map((slug) => path<One>(slug, { movedTo: addressOf(data) }));
      });
      return [...pages, ...moved];
    },
    /** For `getStaticPaths` of `[tag]/[...page].astro`: the articles with each `tag`, as Astro's `page`. */
    async tagPaths<Path>({ paginate }: PathOptions<Path>) {
      const tags = new Map<string, { tag: string; articles: One[] }>();
      for (const article of await articles()) {
        for (const { name, slug } of article.data.tag_links ?? []) {
          const group = tags.get(slug) ?? { tag: name, articles: [] };
          group.articles.push(article);
          tags.set(slug, group);
        }
      }
      return Array.from(tags, ([slug, { tag, articles: some }]) =>
        paginate(some, { pageSize: PER_PAGE, params: { tag: slug }, props: { tag } }),
      ).flat();
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

interface ArticleProps<One> {
  article?: One;
  newer?: One | undefined;
  older?: One | undefined;
  movedTo?: string;
}

function path<One>(slug: string, props: ArticleProps<One>) {
  return { params: { slug }, props };
}
