/** Feeds of the newest articles: Atom (RFC 4287), RSS 2.0 and JSON Feed 1.1. */
import type { StoredArticle } from "../stores/store.ts";
import { withAbsoluteUrls } from "./absolute-urls.ts";
import { addressOf, changeOf, descriptionOf, newestOf, type SiteArticle, type Website } from "./website.ts";
import { element, escapeXml } from "./xml.ts";

export interface FeedOptions {
  /** Absolute URL of the feed. */
  feedUrl: string;
  /**
   * Permanent id of an Atom feed, an absolute URL. Default: the website's URL. A website with several feeds gives each another one, such
   * as its `feedUrl`.
   */
  id?: string | undefined;
  /** Default: the website's title. */
  title?: string | undefined;
  /** Whether the contents have absolute URLs, as with the parameter `urls`. Otherwise they become so, by the website's URL. */
  hasAbsoluteUrls?: boolean | undefined;
  /** Language of the articles, a BCP 47 tag. Default: the website's language. */
  language?: string | undefined;
}

export type FeedArticle = StoredArticle & SiteArticle;

/** Time of an empty feed, since a time is required. */
const LONG_AGO = "1970-01-01T00:00:00.000Z";

/** @param articles with their contents, newest first; about twenty are usual. */
export function atomFeed(website: Website, articles: readonly FeedArticle[], options: FeedOptions): string {
  const { feedUrl, id: feedId = website.url, title: feedTitle = website.title, language = website.language } = options;
  const entries = articles.map((article) => {
    const { id, title, published_at, categories, tags } = article;
    const content = contentOf(website, article, options);
    const labels = [...categories, ...tags].map((label) => `<category term="${escapeXml(label)}"/>`);
    return `<entry${languageOf(article.language)}>${element("id", `urn:uuid:${id}`)}${element("title", title)}<link href="${escapeXml(addressOf(website, article))}"/>${element("published", published_at)}${element("updated", changeOf(article) ?? LONG_AGO)}${authorsOf(article)}${labels.join("")}${element("summary", descriptionOf(article))}<content type="html">${escapeXml(content)}</content></entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"${languageOf(language)}>${element("id", feedId)}${element("title", feedTitle)}${element("subtitle", website.description)}<link href="${escapeXml(website.url)}"/><link rel="self" type="application/atom+xml" href="${escapeXml(feedUrl)}"/>${element("updated", newestOf(articles) ?? LONG_AGO)}<author>${element("name", website.title)}</author>
${entries.join("\n")}
</feed>
`;
}

/** Takes the same parameters as `atomFeed`; RSS has no id. */
export function rssFeed(website: Website, articles: readonly FeedArticle[], options: FeedOptions): string {
  const { feedUrl, title: feedTitle = website.title, language = website.language } = options;
  const items = articles.map((article) => {
    const { id, title, published_at, categories, tags } = article;
    const content = contentOf(website, article, options);
    const date = published_at === null ? null : new Date(published_at).toUTCString();
    const labels = [...categories, ...tags].map((label) => element("category", label));
    const creators = (article.authors ?? []).map(({ name }) => element("dc:creator", name));
    return `<item>${element("title", title)}${element("link", addressOf(website, article))}<guid isPermaLink="false">urn:uuid:${escapeXml(id)}</guid>${element("pubDate", date)}${creators.join("")}${labels.join("")}${element("description", descriptionOf(article))}${element("content:encoded", content)}</item>`;
  });
  const newest = newestOf(articles);
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>${element("title", feedTitle)}${element("link", website.url)}${element("description", website.description ?? feedTitle)}${element("language", language)}<atom:link rel="self" type="application/rss+xml" href="${escapeXml(feedUrl)}"/>${element("lastBuildDate", newest === null ? null : new Date(newest).toUTCString())}
${items.join("\n")}
</channel></rss>
`;
}

/** Takes the same parameters as `atomFeed`; the id is `feedUrl`. Format: https://www.jsonfeed.org/version/1.1. */
export function jsonFeed(website: Website, articles: readonly FeedArticle[], options: FeedOptions): string {
  const { feedUrl, title = website.title, language = website.language } = options;
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: website.url,
    feed_url: feedUrl,
    description: website.description,
    language,
    items: articles.map((article) => ({
      id: `urn:uuid:${article.id}`,
      url: addressOf(website, article),
      title: article.title,
      content_html: contentOf(website, article, options),
      summary: descriptionOf(article),
      image: article.featured_image_url ?? undefined,
      date_published: article.published_at ?? undefined,
      date_modified: article.updated_at,
      language: article.language ?? undefined,
      authors: article.authors?.map(({ name, url }) => ({ name, url: url ?? undefined })),
      tags: [...article.categories, ...article.tags],
    })),
  };
  return `${JSON.stringify(feed)}\n`;
}

/** Readers of a feed have no page whose address relative URLs could refer to. */
function contentOf(website: Website, { content }: FeedArticle, { hasAbsoluteUrls = false }: FeedOptions): string {
  return hasAbsoluteUrls ? content : withAbsoluteUrls(content, website.url);
}

function languageOf(language: string | null | undefined): string {
  return language == null ? "" : ` xml:lang="${escapeXml(language)}"`;
}

/** An entry without authors has those of the feed: the website. */
function authorsOf({ authors = [] }: FeedArticle): string {
  return authors.map(({ name, url }) => `<author>${element("name", name)}${element("uri", url)}</author>`).join("");
}
