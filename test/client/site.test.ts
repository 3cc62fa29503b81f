/** Feeds, sitemaps, structured data and llms.txt: well-formed and complete for whatever an article says. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseFragment } from "parse5";
import { SaxesParser } from "saxes";
import type { StoredArticle } from "../../client/src/index.ts";
import {
  atomFeed,
  headTags,
  jsonFeed,
  jsonLd,
  llmsTxt,
  rssFeed,
  sitemap,
  type Website,
} from "../../client/src/site/index.ts";
import { storedOf } from "../../client/src/stores/store.ts";
import { makeArticle } from "../../client/src/testing.ts";
import { record, records } from "../helpers/http.ts";
import { anyCharacter } from "../helpers/any-character.ts";
import { fc } from "../helpers/properties.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";

const WEBSITE: Website = {
  url: "https://www.example.com/",
  title: "Tea & Water",
  description: "On <tea>.",
  language: "en",
};
const FEED = { feedUrl: "https://www.example.com/feed.xml" };

const article = (fields: Partial<StoredArticle> = {}): StoredArticle => storedOf(makeArticle(fields));

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
}

/** Parses strictly, namespaces included. @returns the elements in the order of their ends. */
function parseXml(text: string): Element[] {
  const parser = new SaxesParser({ xmlns: true });
  const [open, all]: [Element[], Element[]] = [[], []];
  parser.on("error", (error) => assert.fail(`${error.message}\n${text.slice(0, 2000)}`));
  parser.on("opentag", ({ name, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value]);
    open.push({ name, attributes: Object.fromEntries(values) as Record<string, string>, text: "" });
  });
  parser.on("text", (part) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += part;
  });
  parser.on("closetag", () => all.push(...open.splice(-1)));
  parser.write(text).close();
  return all;
}

const textsOf = (elements: readonly Element[], name: string) =>
  elements.filter((one) => one.name === name).map(({ text }) => text);

const hostile = fc.string({ unit: anyCharacter, maxLength: 40 });
const anyArticle = fc
  .record({ title: hostile, content: hostile, tags: fc.array(hostile, { maxLength: 3 }), meta_description: hostile })
  .map((fields) => article({ ...fields, slug: "a" }));

test("whatever an article says, feeds and sitemaps are well-formed, and nothing of it becomes markup", () => {
  fc.assert(
    fc.property(fc.array(anyArticle, { maxLength: 3 }), (articles) => {
      for (const feed of [atomFeed, rssFeed]) {
        const elements = parseXml(feed(WEBSITE, articles, FEED));
        assert.equal(elements.filter(({ name }) => name === "entry" || name === "item").length, articles.length);
      }
      assert.equal(textsOf(parseXml(sitemap(WEBSITE, articles, String).index), "loc").length, articles.length);
      assert.equal(records(record(JSON.parse(jsonFeed(WEBSITE, articles, FEED)))["items"]).length, articles.length);
      for (const one of articles) {
        const { childNodes } = parseFragment(`<script type="application/ld+json">${jsonLd(WEBSITE, one)}</script>`);
        assert.equal(childNodes.length, 1);
      }
    }),
    { numRuns: 200 },
  );
});

describe("an article in a feed", () => {
  const tea = article({
    id: "0198a3b2-4c1d-7e5f-8a6b-9c0d1e2f3a4b",
    title: "Water & Tea",
    slug: "größe",
    content: '<p>Soft <strong>"water"</strong>.</p>',
    tags: ["tea"],
    published_at: "2026-03-03T09:00:00.000Z",
  });
  const url = "https://www.example.com/blog/gr%C3%B6%C3%9Fe";

  test("has its id, title, address, times and content in Atom (RFC 4287)", () => {
    const elements = parseXml(atomFeed(WEBSITE, [tea], FEED));
    assert.deepEqual(textsOf(elements, "id"), [WEBSITE.url, `urn:uuid:${tea.id}`]);
    assert.deepEqual(textsOf(elements, "title"), ["Tea & Water", "Water & Tea"]);
    assert.deepEqual(textsOf(elements, "updated"), [tea.published_at, tea.published_at]);
    assert.deepEqual(textsOf(elements, "content"), [tea.content]);
    const links = elements.filter(({ name }) => name === "link").map(({ attributes }) => attributes["href"]);
    assert.deepEqual(links, [WEBSITE.url, FEED.feedUrl, url]);
  });

  test("is in a feed with an id, a title and a language of its own, whose author is the website", () => {
    const options = { feedUrl: "https://www.example.com/de/tee.xml", title: "Tee", language: "de" };
    const elements = parseXml(atomFeed(WEBSITE, [tea], { ...options, id: options.feedUrl }));
    assert.deepEqual(textsOf(elements, "id"), [options.feedUrl, `urn:uuid:${tea.id}`]);
    assert.deepEqual(textsOf(elements, "title"), ["Tee", "Water & Tea"]);
    assert.deepEqual(textsOf(elements, "name"), [WEBSITE.title]);
    assert.equal(elements.at(-1)?.attributes["xml:lang"], "de");
    const rss = parseXml(rssFeed(WEBSITE, [tea], options));
    assert.deepEqual([textsOf(rss, "title")[0], textsOf(rss, "language")], ["Tee", ["de"]]);
    const json = record(JSON.parse(jsonFeed(WEBSITE, [tea], options)));
    assert.deepEqual([json["title"], json["language"]], ["Tee", "de"]);
  });

  test("has the same in RSS 2.0, with its format of dates", () => {
    const elements = parseXml(rssFeed(WEBSITE, [tea], FEED));
    assert.deepEqual(textsOf(elements, "pubDate"), ["Tue, 03 Mar 2026 09:00:00 GMT"]);
    assert.ok(textsOf(elements, "link").includes(url));
    assert.deepEqual(textsOf(elements, "content:encoded"), [tea.content]);
  });

  test("has the same in JSON Feed 1.1", () => {
    const feed = record(JSON.parse(jsonFeed(WEBSITE, [tea], FEED)));
    assert.equal(feed["version"], "https://jsonfeed.org/version/1.1");
    const [item] = records(feed["items"]);
    assert.deepEqual([item?.["url"], item?.["content_html"], item?.["tags"]], [url, tea.content, ["tea"]]);
  });

  test("has its authors if they were requested, otherwise the website", () => {
    const authors = [
      { name: "Ann & Bo", url: "https://ann.example/" },
      { name: "Cy", url: null },
    ];
    const signed = { ...tea, authors };
    assert.deepEqual(textsOf(parseXml(atomFeed(WEBSITE, [signed], FEED)), "uri"), ["https://ann.example/"]);
    assert.deepEqual(textsOf(parseXml(atomFeed(WEBSITE, [signed], FEED)), "name"), [WEBSITE.title, "Ann & Bo", "Cy"]);
    assert.deepEqual(textsOf(parseXml(rssFeed(WEBSITE, [signed], FEED)), "dc:creator"), ["Ann & Bo", "Cy"]);
    const [item] = records(record(JSON.parse(jsonFeed(WEBSITE, [signed], FEED)))["items"]);
    assert.deepEqual(item?.["authors"], [{ name: "Ann & Bo", url: "https://ann.example/" }, { name: "Cy" }]);
    assert.deepEqual(textsOf(parseXml(atomFeed(WEBSITE, [tea], FEED)), "name"), [WEBSITE.title]);
  });

  test("has the address from the website's own function, else the article's, else one from its slug", () => {
    const at = article({ slug: "tea", platform_url: "https://other.example/tea" });
    const locOf = (website: Website) => textsOf(parseXml(sitemap(website, [at], String).index), "loc")[0];
    assert.equal(locOf(WEBSITE), "https://other.example/tea");
    assert.equal(
      locOf({ ...WEBSITE, addressOf: ({ slug }) => `/notes/${slug}/` }),
      "https://www.example.com/notes/tea/",
    );
  });
});

test("a sitemap of more than 50,000 articles is an index of parts that hold each article once", LONG_ONLY, () => {
  const one = article();
  const many = Array.from({ length: 100_001 }, (_none, index) => ({ ...one, slug: `s${index}` }));
  const { index, parts } = sitemap(WEBSITE, many, (part) => `https://www.example.com/sitemap-${part}.xml`);
  assert.deepEqual(
    textsOf(parseXml(index), "loc"),
    [1, 2, 3].map((part) => `https://www.example.com/sitemap-${part}.xml`),
  );
  const addresses = parts.flatMap((part) => textsOf(parseXml(part), "loc"));
  assert.equal(addresses.length, 100_001);
  assert.equal(new Set(addresses).size, 100_001);
});

test("feeds have absolute links and pictures, whatever the content has", () => {
  const content = '<p><a href="/about">x</a> <a href="#note">y</a></p><video src="v.mp4"></video>';
  const absolute =
    '<p><a href="https://www.example.com/about">x</a> <a href="#note">y</a></p><video src="https://www.example.com/v.mp4"></video>';
  const articles = [article({ content })];
  assert.deepEqual(textsOf(parseXml(atomFeed(WEBSITE, articles, FEED)), "content"), [absolute]);
  assert.deepEqual(textsOf(parseXml(rssFeed(WEBSITE, articles, FEED)), "content:encoded"), [absolute]);
  const [item] = records(record(JSON.parse(jsonFeed(WEBSITE, articles, FEED)))["items"]);
  assert.equal(item?.["content_html"], absolute);
});

test("a sitemap leaves out articles whose original is on another host", () => {
  const originals = [null, "https://www.example.com/first", "https://first.example/tea", "no address"];
  const articles = originals.map((canonical_url, index) =>
    Object.assign(article({ slug: `s${index}` }), { canonical_url }),
  );
  assert.deepEqual(
    textsOf(parseXml(sitemap(WEBSITE, articles, String).index), "loc").map((address) => address.slice(-2)),
    ["s0", "s1", "s3"],
  );
});

test("a sitemap names the languages of articles in one translation group", () => {
  const one = article({ slug: "a" });
  const group = { translation_group: "g" };
  const articles = [
    { ...one, ...group, language: "de" },
    { ...one, slug: "b", ...group, language: "fi" },
    { ...one, slug: "c", language: "fi" },
    { ...one, slug: "d", translation_group: "alone", language: "sv" },
  ];
  const { index } = sitemap(WEBSITE, articles, String);
  parseXml(index);
  assert.deepEqual(
    Array.from(index.matchAll(/hreflang="(\w+)" href="[^"]*\/(\w+)"/g), ([, language, slug]) => [language, slug]),
    [
      ["de", "a"],
      ["fi", "b"],
      ["de", "a"],
      ["fi", "b"],
    ],
  );
});

test("a sitemap names no address under two languages", () => {
  const group = { ...article({ slug: "tea" }), translation_group: "g" };
  const { index } = sitemap(WEBSITE, [group, { ...group, language: "de" }], String);
  assert.doesNotMatch(index, /hreflang/);
});

/** Properties that https://schema.org/BlogPosting has itself or inherits, of those that search engines read. */
const VOCABULARY = new Set(
  "@type @id mainEntityOfPage headline description datePublished image inLanguage wordCount keywords articleSection publisher".split(
    " ",
  ),
);

test("structured data uses schema.org's words only, and leaves out what is not known", () => {
  const plain = article({ seo_keywords: [], categories: [], featured_image_url: null });
  const full = article({ seo_keywords: ["k"], categories: ["c"], featured_image_url: "https://www.example.com/a.png" });
  for (const [one, count] of [
    [plain, 9],
    [full, 12],
  ] as const) {
    const [posting, breadcrumbs] = records(record(JSON.parse(jsonLd(WEBSITE, one)))["@graph"]);
    assert.ok(posting !== undefined && breadcrumbs !== undefined);
    assert.deepEqual(
      Object.keys(posting).filter((name) => !VOCABULARY.has(name)),
      [],
    );
    assert.equal(Object.keys(posting).length, count);
    assert.deepEqual(
      records(breadcrumbs["itemListElement"]).map(({ position }) => position),
      [1, 2],
    );
  }
});

test("structured data names who is responsible, the editor unless it is a pseudonym, and a machine as the source", () => {
  const responsible = { name: "Müller & Söhne", url: "https://www.example.com/imprint" };
  const type = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia";
  for (const [review, origin, expected] of [
    [
      { person: "Ann Lee", is_pseudonym: false },
      { origin: { digital_source_type: type } },
      {
        editor: { "@type": "Person", name: "Ann Lee" },
        digitalSourceType: "https://schema.org/CompositeWithTrainedAlgorithmicMediaDigitalSource",
      },
    ],
    [{ person: "x9", is_pseudonym: true }, {}, {}],
  ] as const) {
    const payload = Buffer.from(JSON.stringify({ review, responsible, ...origin })).toString("base64url");
    const one = { ...article(), review_record: `e30.${payload}.c2ln` };
    const [posting] = records(record(JSON.parse(jsonLd(WEBSITE, one)))["@graph"]);
    const { publisher, editor, digitalSourceType } = posting ?? {};
    assert.deepEqual(publisher, { "@type": "Organization", ...responsible });
    assert.deepEqual(JSON.parse(JSON.stringify({ editor, digitalSourceType })), expected);
  }
});

test("the head of an article's page has what it says, and nothing of it becomes markup", () => {
  fc.assert(
    fc.property(anyArticle, (one) => {
      const { childNodes } = parseFragment(headTags(WEBSITE, one));
      const names = childNodes.map(({ nodeName }) => nodeName);
      const expected = ["title", "meta", "link", ...Array.from({ length: names.length - 4 }, () => "meta"), "script"];
      assert.deepEqual(names, expected);
    }),
  );
  const tags = headTags(WEBSITE, {
    ...article({
      title: "Tea",
      slug: "tea",
      meta_description: "On tea.",
      featured_image_url: "https://example.com/a.png",
    }),
    meta_title: "All about tea",
    canonical_url: "https://example.com/tea",
    alternates: [
      { language: "en", url: "https://www.example.com/blog/tea" },
      { language: "de", url: "https://www.example.com/de/tee?a&b" },
    ],
  });
  for (const part of [
    "<title>All about tea</title>",
    '<meta name="description" content="On tea.">',
    '<link rel="canonical" href="https://example.com/tea">',
    '<link rel="alternate" hreflang="de" href="https://www.example.com/de/tee?a&amp;b">',
    '<meta property="og:url" content="https://www.example.com/blog/tea">',
    '<meta property="og:image" content="https://example.com/a.png">',
    '"@type":"BlogPosting"',
  ]) {
    assert.ok(tags.includes(part), part);
  }
});

test("llms.txt has one line for each article, whatever its title is", () => {
  const text = llmsTxt(WEBSITE, [article({ title: "A [link](x)\nand more", slug: "a" })]);
  assert.equal(
    text,
    "# Tea & Water\n\n> On \\<tea>.\n\n## Articles\n\n- [A \\[link\\](x) and more](https://www.example.com/blog/a): A text.\n",
  );
});
