/**
 * Request handlers of a site that are the same in every framework, as functions of the Fetch API: webhook, preview, feed,
 * sitemap.
 */
import type { Rostrum } from "./client.ts";
import { WebhookVerificationError } from "./errors.ts";
import { atomFeed } from "./site/feeds.ts";
import { sitemap } from "./site/sitemap.ts";
import type { SiteArticle, Website } from "./site/website.ts";
import { PREVIEW_TOKEN } from "./transport.ts";
import { verifyWebhook } from "./webhook.ts";

export interface HandlerOptions {
  rostrum: Rostrum;
  website: Website;
  /** The webhook's secret (`whsec_…`), or several during a rotation. */
  secret: string | readonly string[];
  /** The path of an article's page; `lang` if a preview's address names it. Default: `/blog/<slug>`. */
  path?: ((slug: string, lang: string | undefined) => string) | undefined;
  /** The address of the feed. Default: `/feed.xml` of the website. */
  feedUrl?: string | undefined;
}

export interface Handlers {
  /** Verifies a webhook, and makes the client confirm its cached answers. */
  webhook(request: Request): Promise<Response>;
  /**
   * Stores the token of a preview (`?slug=…&token=…`) in the cookie `preview` for an hour, and redirects to the article's
   * page, which passes the cookie to the client as `previewToken`.
   */
  preview(request: Request): Response;
  /** Atom, of the newest articles. */
  feed(): Promise<Response>;
  /** For up to 50,000 articles. */
  sitemap(): Promise<Response>;
}

const PREVIEW_SECONDS = 3600;
const IN_FEED = 20;

export function createHandlers(options: HandlerOptions): Handlers {
  const { rostrum, website, secret, path = (slug) => `/blog/${encodeURIComponent(slug)}` } = options;
  return {
    async webhook(request) {
      try {
        await verifyWebhook(request, secret);
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        return new Response(error.message, { status: 401 });
      }
      rostrum.changed();
      return new Response(null, { status: 204 });
    },
    preview(request) {
      const { searchParams } = new URL(request.url);
      const [slug, token] = [searchParams.get("slug") ?? "", searchParams.get("token") ?? ""];
      if (slug === "" || !PREVIEW_TOKEN.test(token)) return new Response("slug and token are missing", { status: 400 });
      const secure = website.url.startsWith("https:") ? "; Secure" : "";
      const cookie = `preview=${token}; Path=/; Max-Age=${PREVIEW_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
      return new Response(null, {
        status: 307,
        headers: { Location: path(slug, searchParams.get("lang") || undefined), "Set-Cookie": cookie },
      });
    },
    async feed() {
      const { articles } = await rostrum.articles.list({
        limit: IN_FEED,
        include: ["content", "authors", "language", "updated_at"],
      });
      const feedUrl = options.feedUrl ?? new URL("/feed.xml", website.url).href;
      return xml(atomFeed(website, articles, { feedUrl }));
    },
    async sitemap() {
      const articles: SiteArticle[] = [];
      const include = ["canonical_url", "language", "translation_group", "updated_at"] as const;
      for await (const article of rostrum.articles.all({ include })) articles.push(article);
      return xml(sitemap(website, articles, () => "").index);
    },
  };
}

function xml(text: string): Response {
  return new Response(text, { headers: { "Content-Type": "application/xml; charset=utf-8" } });
}
