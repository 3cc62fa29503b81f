/** Every article and every tag is reached by the links of a site, whatever its slug or name: pages of lists, tags, neighbours. */
import assert from "node:assert/strict";
import { createClient, type Label, type Rostrum } from "../../client/src/index.ts";
import type { SiteService } from "./service.ts";
import { type ServedSite, tell } from "./site.ts";

/** Reads a page of the site. @throws if there is none. */
type Get = (path: string) => Promise<string>;

const AT_ONCE = 16;
const LANG = "en";

/** Of a site that is served. */
export async function checkServedLists(
  name: string,
  { url, errors }: Pick<ServedSite, "url" | "errors">,
  service: SiteService,
  slash = "",
): Promise<void> {
  await checkLists(name, service, async (path) => {
    const response = await fetch(new URL(path.endsWith("/") ? path : path + slash, url));
    assert.equal(response.status, 200, `${path} ${errors()}`);
    return await response.text();
  });
}

export async function checkLists(name: string, service: SiteService, get: Get): Promise<void> {
  const rostrum = createClient({ url: service.url, key: service.key, cache: { maxAgeMs: 60_000 } });
  let pages = 0;
  const counted: Get = async (path) => {
    pages += 1;
    return await get(path);
  };
  const all = await slugsOf(rostrum, undefined);
  assert.deepEqual(await walk(counted, "/"), all, "the list");
  const labels = await rostrum.tags();
  await each(labels, async (label) => {
    const expected = await slugsOf(rostrum, label);
    if (expected.length === 0) return;
    assert.deepEqual(await walk(counted, `/tags/${encodeURIComponent(label.slug)}`), expected, `tag ${label.name}`);
  });
  const ends = [all[0] ?? "", all.at(-1) ?? ""];
  await each([...ends, ...all.slice(1, -1).filter((slug) => !/^article-\d+$/.test(slug))], async (slug) => {
    const page = await counted(`/blog/${encodeURIComponent(slug)}`);
    const article = await rostrum.articles.getBySlug(slug, { lang: LANG, include: "neighbours" });
    const { previous, next } = article?.neighbours ?? assert.fail(slug);
    assert.deepEqual(
      [toSlug(linkOf(page, "prev")), toSlug(linkOf(page, "next"))],
      [previous?.slug ?? null, next?.slug ?? null],
      `the links of ${slug}`,
    );
  });
  tell(name, `${all.length} articles and ${labels.length} tags are linked, ${pages} pages read`);
}

/**
 * For generators with an order of their own where articles have the same date: the list leads to each article, and so does
 * following the links from the first article.
 */
export async function checkArticles(get: Get, service: SiteService): Promise<number> {
  let pages = 0;
  const counted: Get = async (path) => {
    pages += 1;
    return await get(path);
  };
  const listed = await walk(counted, "/");
  const all = await slugsOf(createClient({ url: service.url, key: service.key }), undefined);
  assert.deepEqual(listed.toSorted(), all.toSorted(), "the list");
  const linked: string[] = [];
  for (let slug: string | null = listed[0] ?? null; slug !== null;) {
    linked.push(slug);
    slug = toSlug(linkOf(await counted(`/blog/${encodeURIComponent(slug)}`), "next"));
    assert.ok(linked.length <= all.length, "the links between articles end");
  }
  assert.deepEqual(linked, listed, "the links between articles");
  return pages;
}

/** Follows the links to the next page. @returns the slugs of the articles. */
async function walk(get: Get, first: string): Promise<string[]> {
  const slugs: string[] = [];
  let before: string | null = null;
  for (let path: string | null = first; path !== null;) {
    const page: string = await get(path);
    const found = anchors(page).flatMap(({ rel, href }) => (rel === null ? (toSlug(href) ?? []) : []));
    assert.ok(found.length > 0, `${path} has articles`);
    slugs.push(...found);
    const newer = linkOf(page, "prev");
    assert.equal(newer === null, before === null, `${path} leads back`);
    before = path;
    const older = linkOf(page, "next");
    path = older === null ? null : resolve(older, path);
  }
  return slugs;
}

function anchors(page: string): { rel: string | null; href: string }[] {
  return Array.from(page.matchAll(/<a\b([^>]*)>/g), ([, attributes = ""]) => {
    const value = (name: string) => new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s>]+))`).exec(attributes);
    const [rel, href] = [value("rel"), value("href")].map((found) => found?.[1] ?? found?.[2] ?? null);
    return { rel: rel ?? null, href: (href ?? "").replaceAll("&amp;", "&") };
  });
}

function linkOf(page: string, wanted: "prev" | "next"): string | null {
  return anchors(page).find(({ rel }) => rel === wanted)?.href ?? null;
}

function resolve(href: string, from: string): string {
  const { pathname, search } = new URL(href, new URL(from, "http://site.test"));
  return pathname + search;
}

function toSlug(href: string | null): string | null {
  const [, slug] = /\/blog\/([^/?#]+)\/?$/.exec(href ?? "") ?? [];
  return slug === undefined ? null : decodeURIComponent(slug);
}

async function slugsOf(rostrum: Rostrum, tag: Label | undefined): Promise<string[]> {
  const slugs: string[] = [];
  const which = tag === undefined ? {} : { tag: tag.name };
  for await (const { slug } of rostrum.articles.all({ ...which, lang: LANG, fields: ["slug"] })) slugs.push(slug);
  return slugs;
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
