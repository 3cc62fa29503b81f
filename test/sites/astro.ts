/** The guides for Astro: pages built ahead, and pages rendered on request. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkLists, checkServedLists } from "./lists.ts";
import { checkForgery, checkHidden, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { install, run, serve, siteVariables, type SiteTest, tell, timed, told } from "./site.ts";

const SITE = "https://www.example.com";
const ASTRO = "astro@7.3.5";

export async function checkAstro(test: SiteTest): Promise<void> {
  const { site, service, articles } = test;
  await install(test, [ASTRO], ["client", "astro"]);
  writeDocumentedFiles("astro.md", site);
  const build = () =>
    timed(service, () => run(site, "astro", ["build"], siteVariables("astro.md", service, service.url, SITE)));
  const first = await build();
  const page = (name: string) => readFileSync(join(site, "dist", "blog", name, "index.html"), "utf8");
  assert.equal(readdirSync(join(site, "dist", "blog")).length, articles);
  assert.match(page("article-7"), /<strong>7<\/strong>/);
  await checkLists("astro", service, async (path) =>
    readFileSync(join(site, "dist", decodeURIComponent(path), "index.html"), "utf8"),
  );
  assert.match(
    page("article-7"),
    /<title>Article 7<\/title>.*rel="canonical" href="https:\/\/www\.example\.com\/blog\/article-7\/".*BlogPosting/s,
  );
  assert.match(
    readFileSync(join(site, "dist", "feed.xml"), "utf8"),
    /<feed .*<link rel="self" [^>]*href="https:\/\/www\.example\.com\/feed\.xml"/,
  );
  assert.match(readFileSync(join(site, "dist", "sitemap.xml"), "utf8"), /\/blog\/article-7\/</);
  const second = await build();
  await service.changeBySlug("article-1", { title: "Changed for Astro" });
  await service.changeBySlug("article-9", { slug: "renamed" });
  const { slugs } = await service.hide("article-2");
  const third = await build();
  assert.match(page("article-1"), /Changed for Astro/);
  assert.match(page("article-9"), /url=\/blog\/renamed\//);
  const isShown = (slug: string) => existsSync(join(site, "dist", "blog", slug));
  assert.deepEqual(slugs.filter(isShown), [], "only what is published is shown");
  tell(
    "astro",
    `${articles} articles built in ${told(first)}; no change: ${told(second)}; two changes: ${told(third)}`,
  );
  assert.equal(first.refused + second.refused + third.refused, 0);
  assert.ok(third.requests < 10, "a new slug is no full build");
  assert.equal(second.requests, 1);
}

export async function checkAstroServer(test: SiteTest): Promise<void> {
  const { site, service } = test;
  await install(test, [ASTRO, "@astrojs/node@11.1.6"], ["client", "astro"]);
  writeDocumentedFiles("astro-server.md", site);
  const port = await freePort();
  const variables = (way: string) => siteVariables("astro-server.md", service, way, `http://127.0.0.1:${port}`);
  await run(site, "astro", ["build"], variables(service.url));
  const env = { ...variables(service.slowUrl), HOST: "127.0.0.1", PORT: String(port) };
  await using served = await serve(site, process.execPath, ["dist/server/entry.mjs"], env, port);
  await checkPages(served);
  await checkServedLists("astro-server", served, service);
  await checkForgery(served);
  await checkPreview(served, service);
  await checkHidden(served, service);
  await checkRedirect(served, service);
  tell("astro-server", await checkFreshness(served, test));
}
