import { atomFeed } from "@rostrum/client/site";
import { rostrum, site } from "../../lib/site";

export const dynamic = "force-static";

export async function GET() {
  const include = ["content", "authors", "language", "updated_at"];
  const { articles } = await rostrum.articles.list({ limit: 20, include });
  const feed = atomFeed(site, articles, { feedUrl: new URL("/feed.xml", site.url).href });
  return new Response(feed, { headers: { "Content-Type": "application/atom+xml; charset=utf-8" } });
}
