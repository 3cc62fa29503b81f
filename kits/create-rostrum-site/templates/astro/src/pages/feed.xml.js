import { atomFeed } from "@rostrum/client/site";
import { readStored } from "../lib/articles.js";
import { site } from "../lib/site.js";

export async function GET() {
  const feedUrl = new URL("/feed.xml", site.url).href;
  return new Response(atomFeed(site, (await readStored()).slice(0, 20), { feedUrl }));
}
