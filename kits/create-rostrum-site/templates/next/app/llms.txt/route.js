import { llmsTxt } from "@rostrum/client/site";
import { rostrum, site } from "../../lib/site";

export const dynamic = "force-static";

export async function GET() {
  const articles = [];
  for await (const article of rostrum.articles.all()) articles.push(article);
  return new Response(llmsTxt(site, articles), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
