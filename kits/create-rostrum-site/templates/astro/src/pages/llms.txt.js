import { llmsTxt } from "@rostrum/client/site";
import { readStored } from "../lib/articles.js";
import { site } from "../lib/site.js";

export async function GET() {
  return new Response(llmsTxt(site, await readStored()));
}
