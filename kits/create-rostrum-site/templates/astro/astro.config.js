import { defineConfig } from "astro/config";
import { readRedirects } from "./src/lib/rostrum.js";
import { site } from "./src/lib/site.js";

// An article that was renamed is found by its earlier slugs, too.
export default defineConfig({ site: site.url, redirects: await readRedirects() });
