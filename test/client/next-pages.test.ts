/** What `@rostrum/next` makes of articles with translations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestClient, makeArticle } from "../../client/src/testing.ts";
import { metadataOf, sitemapOf } from "../../kits/next/src/pages.ts";

const tee = { language: "de", id: "2", slug: "tee" };
const tea = { language: null, id: "1", slug: "tea" };
const articles = [
  makeArticle({ id: "1", title: "Tea", slug: "tea", translations: [tee] }),
  makeArticle({ id: "2", title: "Tee", slug: "tee", language: "de", translations: [tea] }),
  makeArticle({ id: "3", title: "Water", slug: "water" }),
];
const url = ({ slug, language }: { slug: string; language: string | null }) =>
  `https://example.com/${language}/${slug}`;

/** A client of a website in English. */
function english() {
  const client = createTestClient(articles);
  return { ...client, state: async () => ({ ...(await client.state()), language: "en" }) };
}

test("a sitemap links translations to each other, and names the website's own language", async () => {
  const rostrum = english();
  const languages = { en: "https://example.com/en/tea", de: "https://example.com/de/tee" };
  const entries = await sitemapOf(rostrum, url);
  assert.deepEqual(
    new Map(entries.map((entry) => [entry.url, entry.alternates?.languages])),
    new Map([
      ["https://example.com/en/tea", languages],
      ["https://example.com/de/tee", languages],
      ["https://example.com/en/water", undefined],
    ]),
  );
  const german = await sitemapOf(rostrum, url, { lang: "de" });
  assert.deepEqual(
    german.map((entry) => entry.url),
    ["https://example.com/de/tee"],
  );
});

test("a sitemap leaves out articles whose original is on another host", async () => {
  const originals = ["https://first.example/tea", "https://example.com/first", null];
  const rostrum = createTestClient(
    originals.map((canonical_url, index) => makeArticle({ id: `${index}`, slug: `s${index}`, canonical_url })),
  );
  assert.deepEqual(
    (await sitemapOf(rostrum, ({ slug }) => `https://example.com/${slug}`)).map((entry) => entry.url),
    ["https://example.com/s1", "https://example.com/s2"],
  );
});

test("no address is linked under two languages", async () => {
  const entries = await sitemapOf(english(), ({ slug }) => `https://example.com/${slug.slice(0, 2)}`);
  assert.deepEqual(
    entries.flatMap(({ alternates }) => alternates ?? []),
    [],
  );
});

test("metadata links translations if it is told where they are", () => {
  const [article = makeArticle()] = articles;
  assert.deepEqual(metadataOf(article, "/tea").alternates, { canonical: "/tea" });
  const options = { translationUrl: ({ slug }: { slug: string }) => `/de/${slug}`, language: "en" };
  assert.deepEqual(metadataOf(article, "/tea", options).alternates, {
    canonical: "/tea",
    languages: { en: "/tea", de: "/de/tee" },
  });
  const [, , alone = article] = articles;
  assert.deepEqual(metadataOf(alone, "/water", options).alternates, { canonical: "/water" });
});
