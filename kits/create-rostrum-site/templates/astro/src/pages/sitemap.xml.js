import { sitemap } from "@rostrum/client/site";
import { readStored } from "../lib/articles.js";
import { site } from "../lib/site.js";

export async function GET() {
  return new Response(sitemap(site, (await readStored()).slice(0, 50_000), () => "").index);
}
