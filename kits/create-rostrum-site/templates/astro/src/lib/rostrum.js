import { createClient } from "@rostrum/client";
import "./site.js";

const { ROSTRUM_URL: url = "", ROSTRUM_API_KEY: key = "" } = process.env;
if (url === "" || key === "") {
  throw new Error(
    "Put the address of your Rostrum service and an API key into .env: ROSTRUM_URL=… and ROSTRUM_API_KEY=rs_…",
  );
}

export const connection = { url, key };

/** Earlier slugs of articles, and the path that each leads to. Not in astro.config.js: a changed configuration is a full build. */
export async function readRedirects() {
  const redirects = [];
  for await (const { from, kind, slug } of createClient(connection).redirects()) {
    if (kind === "slug") redirects.push({ from, to: `/blog/${slug}/` });
  }
  return redirects;
}
