import { llmsTxt } from "@rostrum/client/site";
import { rostrum, site } from "../../lib/site";

export const dynamic = "force-static";

export async function GET() {
  const { articles } = await rostrum.articles.list({ limit: 100 });
  return new Response(llmsTxt(site, articles), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
