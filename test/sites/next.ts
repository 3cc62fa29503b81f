/** The guides for Next.js: pages that are cached by tags, and functions with "use cache". */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkForgery, checkHidden, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { checkServedLists } from "./lists.ts";
import type { SiteService } from "./service.ts";
import { install, run, serve, type ServedSite, siteVariables, type SiteTest, tell, timed, told } from "./site.ts";

const PACKAGES = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"];

/** A page that reads two responses; its rendering lasts as long as the second one takes. */
const twoAnswers = (imports: string) => `
${imports}

export default async function Page() {
  const article = await findPublished("article-20");
  const { articles } = await listArticles({ tag: "tag-0", limit: 1 });
  return <h1>{article?.title} {articles.length}</h1>;
}
`;
const FUNCTIONS = {
  "next.md": "",
  "next-languages.md": `
import { site } from "../../lib/site";
const findPublished = (slug) => site.rostrum.findArticle(slug, { lang: "en" });
const listArticles = (parameters) => site.rostrum.articles.list(parameters);`,
  "next-use-cache.md": 'import { findPublished, listArticles } from "../../lib/articles";',
};
type Guide = keyof typeof FUNCTIONS;
/** Articles of two languages that share a slug have a page each, and earlier slugs redirect within their language. */
async function checkLanguages({ url, read }: ServedSite, service: SiteService): Promise<void> {
  assert.match(await read("/de"), /\/de\/blog\/article-7"/);
  assert.doesNotMatch(await read("/"), /Artikel/);
  assert.match(await read("/de/blog/article-7"), /<article lang="de"><h1>Artikel 7<\/h1>/);
  const sitemap = await read("/sitemap.xml");
  assert.match(sitemap, /\/de\/blog\/article-7</);
  for (const [language, page] of [
    ["en", "/blog/article-7"],
    ["de", "/de/blog/article-7"],
  ]) {
    const link = `hreflang="${language}" href="${url}${page}"`;
    assert.equal(sitemap.split(link).length - 1, 2, `on both pages: ${link}`);
  }
  const feed = await read("/de/feed.xml");
  assert.match(feed, /<link rel="self" type="application\/atom\+xml" href="[^"]*\/de\/feed\.xml"\/>/);
  assert.match(feed, /<title>Artikel \d+<\/title><link href="[^"]*\/de\/blog\/article-\d+"\/>/);
  assert.doesNotMatch(feed, /<title>Article/);
  assert.equal((await fetch(`${url}/de/blog/article-11`)).status, 404, "it is not translated");
  service.receiver = `${url}/hooks/rostrum`;
  await service.changeBySlug("article-7", { slug: "artikel-7", title: "Umgezogen" }, "de");
  await service.acceptedAt("Umgezogen");
  service.receiver = null;
  const moved = await fetch(`${url}/de/blog/article-7`, { redirect: "manual" });
  assert.match(moved.headers.get("Location") ?? "", /\/de\/blog\/artikel-7/);
  assert.match(await read("/de/blog/artikel-7"), /<h1>Umgezogen<\/h1>/);
  assert.match(await read("/blog/article-7"), /<h1>Article 7<\/h1>/);
}

/** How long to see that the webhook is not accepted before the page is over. */
const HELD_MS = 1500;

/**
 * A page that is being rendered when the webhook arrives, with an answer from before, is not given to anybody who asks
 * afterwards.
 */
async function checkHeldAnswer({ url, read }: ServedSite, service: SiteService): Promise<void> {
  service.receiver = `${url}/hooks/rostrum`;
  await service.changeBySlug("article-20", { title: "Before" });
  await service.acceptedAt("Before");
  const held = service.hold(/tag=tag-0/);
  const earlier = read("/two-answers");
  await held.arrived;
  await service.changeBySlug("article-20", { title: "Afterwards" });
  const accepted = service.acceptedAt("Afterwards").then(() => "accepted");
  const isAccepted = (await Promise.race([accepted, sleep(HELD_MS)])) === "accepted";
  const meanwhile = isAccepted ? read("/two-answers") : null;
  if (isAccepted) await sleep(HELD_MS);
  held.release();
  await earlier;
  await accepted;
  assert.match(await (meanwhile ?? read("/two-answers")), /<h1>Afterwards/);
  service.receiver = null;
}

/** @param guides in order: each may replace files of an earlier one. */
async function buildNext(test: SiteTest, name: string, guides: readonly Guide[]) {
  const { site, service, articles } = test;
  await install(test, PACKAGES, ["client", "next"]);
  for (const guide of guides) writeDocumentedFiles(guide, site);
  mkdirSync(join(site, "app", "two-answers"));
  const page = twoAnswers(FUNCTIONS[guides.at(-1) ?? "next.md"]);
  writeFileSync(join(site, "app", "two-answers", "page.jsx"), page);
  const port = await freePort();
  const variables = (way: string) => siteVariables("next.md", service, way, `http://127.0.0.1:${port}`);
  const build = await timed(service, () => run(site, "next", ["build"], variables(service.url)));
  tell(name, `${articles} articles built in ${told(build)}`);
  assert.equal(build.refused, 0);
  const next = join(site, "node_modules", ".bin", "next");
  return await serve(site, next, ["start", "--port", String(port)], variables(service.slowUrl), port);
}

async function checkNext(test: SiteTest, name: string, guides: readonly Guide[]): Promise<void> {
  await using site = await buildNext(test, name, guides);
  await checkPages(site);
  await checkServedLists(name, site, test.service);
  await checkForgery(site);
  await checkPreview(site, test.service);
  await checkHidden(site, test.service);
  await checkRedirect(site, test.service);
  if (guides.includes("next-languages.md")) await checkLanguages(site, test.service);
  await checkHeldAnswer(site, test.service);
  tell(name, await checkFreshness(site, test));
}

export const checkNextTags = (test: SiteTest) => checkNext(test, "next", ["next.md", "next-languages.md"]);
export const checkNextUseCache = (test: SiteTest) =>
  checkNext(test, "next-use-cache", ["next.md", "next-use-cache.md"]);
