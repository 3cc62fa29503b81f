import assert from "node:assert/strict";
import { test } from "node:test";
import { detectLanguage } from "../../../../content-processes/language.ts";
import { parseMetrics } from "../../article.ts";
import { bandScore } from "./checks.ts";
import type { ContentSource } from "../content-source.ts";
import { deriveContent } from "../content.ts";
import { BANDS, DIMENSION_WEIGHTS, DIMENSIONS, PASS_SCORE, PRESENCES, WARN_SCORE } from "../limits.ts";
import { contentHash, type HashedContent } from "./metrics.ts";

const SENTENCE = "Green tea is best when the water is not too hot for its leaves. ";
const GOOD: ContentSource = {
  title: "How to Brew Green Tea That Is Never Bitter",
  html: `<p>Brewing green tea is easy.</p><h2>Water for green tea</h2><p>${SENTENCE.repeat(9)}</p><p>${"Let it cool down a bit before you pour it. ".repeat(9)}</p><h2>Time</h2><p>${"Three minutes are enough for the first cup of the day. ".repeat(12)}</p><p><a href="/tea">More</a> <a href="https://tea.example/">Source</a> <img src="a.png" alt="A cup"></p>`,
  excerpt: null,
  slug: "brew-green-tea",
  metaDescription:
    "Green tea turns bitter when the water is too hot. Here is how to brew it well, with times and temperatures.",
  targetKeyword: "green tea",
  seoKeywords: [],
  categories: [],
  tags: [],
  featuredImageUrl: "https://e.com/a.png",
  featuredImageAlt: "A cup of tea",
  internalLinks: null,
  language: null,
  isMachineWritten: false,
  websiteUrl: "https://example.com",
};

const metricsOf = (changes: Partial<ContentSource> = {}) =>
  parseMetrics(
    deriveContent({ ...GOOD, ...changes }, { clock: () => Date.parse("2026-01-02T03:04:05.678Z"), detectLanguage })
      .metricsJson,
  );
const check = (id: string, changes: Partial<ContentSource> = {}) =>
  metricsOf(changes).checks.find((candidate) => candidate.id === id);
const status = (id: string, changes: Partial<ContentSource>) => check(id, changes)?.status;

test("a good article passes most checks and has a high score", () => {
  const { overall_score, dimensions, checks, evaluated_at, engine_version } = metricsOf();
  const failing = checks.filter((candidate) => candidate.status === "fail");
  assert.deepEqual(failing, []);
  assert.ok(overall_score >= 85, String(overall_score));
  for (const dimension of DIMENSIONS) assert.ok(Number.isInteger(dimensions[dimension]));
  assert.equal(evaluated_at, "2026-01-02T03:04:05.678Z");
  assert.match(engine_version, /^\d+\.\d+\.\d+$/);
});

test("every check of the tables can occur, and no other", () => {
  const ids = metricsOf().checks.map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), [...Object.keys(BANDS), ...Object.keys(PRESENCES)].toSorted());
});

const WORSE: [id: string, changes: Partial<ContentSource>, status: string][] = [
  ["title_length", { title: "Tea" }, "fail"],
  ["title_length", { title: "Tea ".repeat(17) }, "warn"],
  ["meta_description_length", { metaDescription: null }, "fail"],
  ["target_keyword", { targetKeyword: null }, "warn"],
  ["keyword_in_title", { targetKeyword: "coffee" }, "fail"],
  ["keyword_in_first_paragraph", { targetKeyword: "time" }, "warn"],
  ["keyword_in_headings", { targetKeyword: "brewing" }, "warn"],
  ["keyword_in_slug", { slug: "hot-drinks" }, "warn"],
  ["keyword_in_meta_description", { metaDescription: "x" }, "warn"],
  ["keyword_density", { html: "<p>green tea</p>" }, "fail"],
  ["word_count", { html: "<p>Short.</p>" }, "fail"],
  ["slug_length", { slug: "x".repeat(90) }, "warn"],
  ["sentence_length", { html: `<p>${"word ".repeat(40)}</p>` }, "fail"],
  ["long_paragraphs", { html: `<p>${"word ".repeat(160)}</p>` }, "fail"],
  ["heading_levels", { html: "<h2>a</h2><h4>b</h4>" }, "warn"],
  ["subheading_distance", { html: `<p>${"word ".repeat(1000)}</p>` }, "fail"],
  ["h1_in_content", { html: "<h1>a</h1>" }, "warn"],
  ["heading_texts", { html: "<h2>a</h2><h2>A</h2><h2></h2>" }, "warn"],
  ["internal_links", { html: "<p>x</p>" }, "fail"],
  ["external_links", { html: "<p>x</p>" }, "warn"],
  ["image_presence", { html: "<p>x</p>" }, "warn"],
  ["images_without_alt", { html: "<img src=a><img src=b alt=''>" }, "fail"],
  ["featured_image", { featuredImageUrl: null }, "fail"],
  ["featured_image_alt", { featuredImageAlt: " " }, "fail"],
];

for (const [id, changes, expected] of WORSE)
  test(`${id}: ${JSON.stringify(changes).slice(0, 60)} is a ${expected}`, () => {
    const found = check(id, changes);
    assert.equal(found?.status, expected, JSON.stringify(found));
    assert.ok(found !== undefined && found.message.length > 10 && found.threshold !== "");
  });

test("checks that have no meaning for an article are left out, and do not fail", () => {
  const ids = (changes: Partial<ContentSource>) => metricsOf(changes).checks.map(({ id }) => id);
  assert.ok(!ids({ targetKeyword: null }).includes("keyword_in_title"));
  assert.ok(
    !ids({ html: "<p>これは日本語の文章です。とても短いですが、日本語です。</p>" }).includes("flesch_reading_ease"),
  );
  assert.ok(!ids({ html: "<p>x</p>" }).includes("images_without_alt"));
  assert.ok(!ids({ featuredImageUrl: null }).includes("featured_image_alt"));
  assert.equal(metricsOf({ html: "" }).dimensions.readability, 0);
});

test("the first SEO keyword stands in for a missing target keyword", () => {
  assert.equal(check("keyword_in_title", { targetKeyword: null, seoKeywords: ["green tea"] })?.status, "pass");
  assert.equal(status("target_keyword", { targetKeyword: " ", seoKeywords: ["green tea"] }), "pass");
});

test("keywords are found in Japanese, and full-width titles count twice", () => {
  const japanese = {
    title: "東京タワーの楽しみ方と周辺のおすすめ",
    html: "<h2>東京タワー</h2><p>東京タワーは東京にあります。夜の東京タワーはとてもきれいです。</p>",
    slug: "東京タワー",
    targetKeyword: "東京タワー",
  };
  for (const id of [
    "title_length",
    "keyword_in_title",
    "keyword_in_first_paragraph",
    "keyword_in_headings",
    "keyword_in_slug",
  ])
    assert.equal(status(id, japanese), "pass", id);
  const { facts } = metricsOf(japanese);
  assert.equal(facts.keyword_count, 3);
  assert.equal(facts.title_length, 18);
  assert.equal(facts.flesch_reading_ease, null);
});

test("the facts are counted exactly", () => {
  const { facts } = metricsOf({
    html: '<h2>Tea</h2><p>One two three. Four five.</p><p><a href="/a">a</a><a href="https://x.example/">b</a><img src=1><img src=2 alt=""></p>',
    targetKeyword: "three",
  });
  assert.deepEqual(
    { ...facts, flesch_reading_ease: null },
    {
      flesch_reading_ease: null,
      average_sentence_words: 2,
      keyword_count: 1,
      keyword_density: 14.29,
      title_length: GOOD.title.length,
      meta_description_length: GOOD.metaDescription?.length,
      headings: 1,
      internal_links: 1,
      external_links: 1,
      images: 2,
      images_without_alt: 1,
    },
  );
});

test("scores fall from the edge of the good range to the limit", () => {
  const band = { good: [30, 60], limit: [10, 100] } as const;
  assert.equal(bandScore(30, band), 100);
  assert.equal(bandScore(60, band), 100);
  assert.equal(bandScore(29, band), 75);
  assert.equal(bandScore(20, band), 40);
  assert.equal(bandScore(10, band), 0);
  assert.equal(bandScore(0, band), 0);
  assert.equal(bandScore(80, band), 40);
  assert.equal(bandScore(1000, band), 0);
  assert.ok(WARN_SCORE < PASS_SCORE);
});

test("the weights of the dimensions add up to 100", () => {
  assert.equal(
    Object.values(DIMENSION_WEIGHTS).reduce((sum, weight) => sum + weight, 0),
    100,
  );
});

const content: HashedContent = {
  title: "t",
  html: "<p>h</p>",
  excerpt: "e",
  metaDescription: null,
  featuredImageUrl: null,
  featuredImageAlt: null,
};

test("the hash changes with every part, and with the part that a text is in", () => {
  const hashes = [
    content,
    { ...content, title: "u" },
    { ...content, html: "" },
    { ...content, excerpt: null },
    { ...content, metaDescription: "e", excerpt: null },
    { ...content, featuredImageUrl: "x" },
    { ...content, featuredImageAlt: "x" },
    { ...content, metaDescription: "" },
  ].map(contentHash);
  assert.equal(new Set(hashes).size, hashes.length);
  assert.match(hashes[0] ?? "", /^[0-9a-f]{64}$/);
});

test("the hash of the same content is the same in every version", () => {
  assert.equal(contentHash(content), "cb35759bddf39cabedfd76b2259ffab2a53fbf976701683e197d5652c90ab98b");
});
