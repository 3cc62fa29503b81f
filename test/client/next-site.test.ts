/** `createSite` of `@rostrum/next` against the real service; the parts of Next.js and React that it uses are replaced. */
import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import type { SitemapEntry } from "../../kits/next/src/pages.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

interface SiteOptions {
  title: string;
  language?: string;
  lang?: string;
  path?: (slug: string, lang: string | undefined) => string;
}
interface Site {
  ArticlePage(page: object): Promise<unknown>;
  TagPage(page: object): Promise<unknown>;
  articleMetadata(page: object): Promise<{ alternates: { canonical: string } }>;
  sitemap(): Promise<SitemapEntry[]>;
  feed(): Promise<Response>;
  feedAt(path: string, options?: { title?: string; tag?: string; lang?: string }): Promise<Response>;
}

const REPLACED: Record<string, string> = {
  "next/cache": "export const unstable_cache = (read) => read; export const revalidateTag = () => {};",
  "next/headers":
    "export const cookies = async () => ({}); export const draftMode = async () => ({ isEnabled: false });",
  "next/navigation":
    "export const notFound = () => { throw new Error('not found'); }; export const permanentRedirect = (to) => { throw new Error(to); };",
  "next/server": "export const after = () => {};",
  "next/dist/server/app-render/work-async-storage.external.js": "export const workAsyncStorage = {};",
  react:
    "export const cache = (read) => read; export const createElement = (...all) => all; export const Fragment = 0;",
};
const SOURCES: Record<string, string> = {
  "@rostrum/client": import.meta.resolve("../../client/src/index.ts"),
  "@rostrum/client/site": import.meta.resolve("../../client/src/site/index.ts"),
};

let service: TestService;
let siteIn: (options: SiteOptions) => Site;

before(async () => {
  service = await startTestService();
  const hooks = registerHooks({
    resolve(name, context, next) {
      const replaced = REPLACED[name];
      if (replaced === undefined) return next(SOURCES[name] ?? name, context);
      return { url: `data:text/javascript,${encodeURIComponent(replaced)}`, shortCircuit: true };
    },
  });
  // Not a literal, because the types of Next.js are the kit's own.
  const { createSite } = (await import(import.meta.resolve("../../kits/next/src/site.ts"))) as {
    createSite: (options: object) => Site;
  };
  hooks.deregister();
  const website = await service.newWebsite({ language: "en", urlPattern: "https://example.com{/lang}/{slug}" });
  await updateWebsite(service.app, website.id, { slugsPerLanguage: true }, CLI_ORIGIN);
  const { secret } = await service.newKey({}, website.id);
  Object.assign(process.env, {
    ROSTRUM_URL: service.url,
    ROSTRUM_API_KEY: secret,
    WEBHOOK_SECRET: "whsec_AAAA",
    SITE_URL: "https://example.com",
  });
  siteIn = (options) => createSite({ ...options, List: () => null, Article: () => null });
  const group = { status: "published" as const, translationGroup: "tea", tags: ["tea"] };
  for (const [slug, language] of [["tea", null] as const, ["tee", "de"] as const, ["cha", "pt-BR"] as const]) {
    await createArticle(service.app, website.id, makeArticle({ ...group, slug, language }), CHIEF);
  }
  // Another article, at the address that the English one would have on a German site.
  await createArticle(
    service.app,
    website.id,
    makeArticle({ ...group, slug: "tea", language: "de", translationGroup: null }),
    CHIEF,
  );
});
after(() => service[Symbol.asyncDispose]());

const inFolders = (slug: string, lang = "en") => `/${lang}/blog/${slug}`;
const headOf = async (feed: Promise<Response>) => (await (await feed).text()).split("<entry")[0] ?? "";
const params = (values: Record<string, string>) => ({ params: Promise.resolve(values) });

test("the sitemap of a site in one language links translations only where `path` leads to their language", async () => {
  const alone = await siteIn({ title: "Tee", lang: "de" }).sitemap();
  assert.deepEqual(
    new Map(alone.map(({ url, alternates }) => [url, alternates])),
    new Map([
      ["https://example.com/blog/tee", undefined],
      ["https://example.com/blog/tea", undefined],
    ]),
  );
  const german = await siteIn({ title: "Tee", lang: "de", path: inFolders }).sitemap();
  assert.deepEqual(german.find(({ url }) => url.endsWith("/tee"))?.alternates?.languages, {
    de: "https://example.com/de/blog/tee",
    en: "https://example.com/en/blog/tea",
    "pt-BR": "https://example.com/pt-BR/blog/cha",
  });
});

test("the site's spelling of its language wins over the article's", async () => {
  const site = siteIn({ title: "Chá", lang: "pt-br", path: inFolders });
  const page = "https://example.com/pt-br/blog/cha";
  assert.equal((await site.articleMetadata(params({ slug: "cha" }))).alternates.canonical, page);
  assert.deepEqual(
    (await site.sitemap()).map(({ url }) => url),
    [page],
  );
  assert.match(await (await site.feed()).text(), /href="https:\/\/example\.com\/pt-br\/blog\/cha"/);
});

test("each feed has an id of its own, the language of its articles, and the site as its author", async () => {
  const site = siteIn({ title: "Tea & more", language: "en", lang: "en", path: inFolders });
  const main = await headOf(site.feed());
  assert.match(main, /xml:lang="en"><id>https:\/\/example\.com<\/id><title>Tea &amp; more<\/title>/);
  const german = await headOf(site.feedAt("/de/tee.xml", { title: "Tee", lang: "de" }));
  assert.match(german, /xml:lang="de"><id>https:\/\/example\.com\/de\/tee\.xml<\/id><title>Tee<\/title>/);
  for (const head of [main, german]) assert.match(head, /<author><name>Tea &amp; more<\/name><\/author>/);
  const plain = await headOf(siteIn({ title: "Tee", lang: "de" }).feed());
  assert.match(plain, /xml:lang="de"/);
});

test("what no article can be at is not found, and neither is a tag that none has", async () => {
  const site = siteIn({ title: "Tea", lang: "en", path: inFolders });
  assert.ok(Array.isArray(await site.TagPage(params({ tag: "tea" }))));
  for (const none of ["none", "%00", "a".repeat(1001), "%3B".repeat(7000)]) {
    await assert.rejects(site.TagPage(params({ tag: none })), { message: "not found" });
    await assert.rejects(site.ArticlePage(params({ slug: none })), { message: "not found" });
  }
});
