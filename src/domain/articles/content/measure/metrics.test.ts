/** Each rule of docs/quality-metrics.md has a test here: what is worse scores less, and what nobody can know is left out. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { detectLanguage } from "../../../../content-processes/language.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";
import { parseMetrics, parseScore } from "../../article.ts";
import { type Integrity, listFindings, SOUND } from "../../findings.ts";
import { BLANK_SOURCE, type ContentSource } from "../content-source.ts";
import { deriveContent } from "../content.ts";
import { CALIBRATION, type CheckId, CHECKS, DIMENSION_WEIGHTS } from "../limits.ts";
import { CHECK_IDS } from "./checks.ts";
import { DIMENSIONS, type DimensionScores, interpolate, scoreOverall } from "./scores.ts";
import { contentHash, type HashedContent } from "./metrics.ts";

const SOURCE_LINK = '<a href="https://tea.example/study">the measurements of Uji</a>';
const PARAGRAPHS = [
  `Green tea from Uji in Japan turns bitter above 80 °C. That is what ${SOURCE_LINK} by Keiko Tanaka found in 2019, after 64 cups.`,
  "Let the kettle stand open for four minutes before you pour. A thermometer from IKEA costs 9 euros, and it ends all guessing about the water.",
  "Leaves differ, too. Sencha from Shizuoka likes 75 °C, while Gyokuro wants 60 °C and a little patience. Bancha forgives nearly everything.",
  "How much leaf? Two grams for each cup of 150 ml. More makes it strong, not good, as every guest of Marco in Berlin has learned.",
  'Pour it out to the last drop; whatever stays in the pot keeps drawing. See <a href="https://kettle.example/">how Anna Berg stores her pots</a> as well.',
];
const HEADINGS = ["Heat of the water", "Patience with the kettle", "Kinds of leaves", "Amounts", "The last drop"];
const GOOD: ContentSource = {
  ...BLANK_SOURCE,
  title: "How to Brew Green Tea That Is Never Bitter",
  html: `${PARAGRAPHS.map((text, index) => `<p>${text}</p><h2>${HEADINGS[index]}</h2>`).join("")}<p>Enjoy it, Tom.</p><img src="a.png" alt="A cup">`,
  slug: "brew-green-tea",
  metaDescription:
    "Green tea turns bitter when the water is too hot. Here is how to brew it well, with times and temperatures.",
  targetKeyword: "green tea",
  featuredImageUrl: "https://e.com/a.png",
  featuredImageAlt: "A cup of tea",
  websiteUrl: "https://example.com",
};

const metricsOf = (changes: Partial<ContentSource> = {}) =>
  parseMetrics(
    deriveContent({ ...GOOD, ...changes }, { clock: () => Date.parse("2026-01-02T03:04:05.678Z"), detectLanguage })
      .metricsJson,
  );
const check = (id: CheckId, changes: Partial<ContentSource> = {}) =>
  metricsOf(changes).checks.find((candidate) => candidate.id === id);
const ids = (changes: Partial<ContentSource>) => metricsOf(changes).checks.map(({ id }) => id);
const fields = (changes: Partial<ContentSource>) =>
  ids(changes).filter((id) => id.startsWith("meta") || id.startsWith("featured"));
const status = (id: CheckId, changes: Partial<ContentSource>) => check(id, changes)?.status;
/** So many different words, in sentences of eight. */
const filler = (words: number) =>
  Array.from({ length: words }, (_, at) => (at % 8 === 0 ? `W${at}a` : `w${at}`) + (at % 8 === 7 ? "." : "")).join(" ");

test("score and findings are read from metrics without parsing all of them, whatever the text is", () => {
  const html = `<p>TODO: ,"integrity":{"findings":[]}, {"overall_score":7,</p>${GOOD.html}`;
  for (const changes of [{ html }, { html, title: 'A ,"integrity":{ title [insert name]' }]) {
    const metrics = metricsOf(changes);
    const json = JSON.stringify(metrics);
    assert.equal(parseScore(json), metrics.overall_score);
    assert.ok(metrics.integrity.findings.length > 0);
    assert.deepEqual(listFindings(json), metrics.integrity.findings);
  }
  assert.equal(parseScore('{"engine_version":"1","overall_score":7}'), 7);
});

test("a link to another article is asked for where there is one, which the advice names", () => {
  const related = "Sencha at 75 °C";
  assert.match(check("internal_links", { related })?.message ?? "", /such as “Sencha at 75 °C”/);
  const html = `${GOOD.html}<p>See <a href="/sencha">Sencha</a>.</p>`;
  assert.equal(status("internal_links", { related, html }), "pass");
});

test("a good article passes its checks, and its metrics say when and by what they were made", () => {
  const { dimensions, checks, evaluated_at, engine_version } = metricsOf();
  assert.deepEqual(
    checks.filter(({ id, status }) => status !== "pass" && id !== "word_count").map(({ id }) => id),
    [],
  );
  for (const dimension of DIMENSIONS) assert.ok(Number.isInteger(dimensions[dimension]));
  assert.equal(evaluated_at, "2026-01-02T03:04:05.678Z");
  assert.match(engine_version, /^\d+\.\d+\.\d+$/);
});

test("every check can occur, in the order of the table, and no other", () => {
  const html = `<h2>Studies</h2><p>Studies show that 5 % of Berlin drinks tea. ${filler(700)}</p><img src=a>`;
  const all = new Set([...metricsOf({ html, related: "Sencha" }).checks, ...metricsOf().checks].map(({ id }) => id));
  assert.deepEqual([...all].toSorted(), CHECK_IDS.toSorted());
  const found = ids({ html });
  assert.deepEqual(
    found,
    CHECK_IDS.filter((id) => found.includes(id)),
  );
});

const WORSE: [id: CheckId, changes: Partial<ContentSource>, status: string][] = [
  ["title_length", { title: "Tea" }, "fail"],
  ["title_length", { title: "Tea ".repeat(21) }, "warn"],
  ["title_words", { title: "Quarterly revenue figures of locomotives" }, "fail"],
  ["meta_description_length", { metaDescription: null }, "fail"],
  ["meta_description_length", { metaDescription: "x".repeat(230) }, "warn"],
  ["keyword_in_title", { targetKeyword: "coffee" }, "fail"],
  ["keyword_in_text", { targetKeyword: "locomotive" }, "fail"],
  ["slug_length", { slug: "x".repeat(90) }, "warn"],
  [
    "flesch_reading_ease",
    { html: `<p>${"Institutional heterogeneity necessitates organisational adaptability. ".repeat(4)}</p>` },
    "fail",
  ],
  ["sentence_length", { html: `<p>${`${"word ".repeat(28)}end. Then `.repeat(3)}</p>` }, "fail"],
  ["sentence_length", { html: `<p>${"We do this. ".repeat(9)}</p>` }, "warn"],
  ["long_sentences", { html: `<p>${`Then ${"word ".repeat(31)}end. `.repeat(3)}</p>` }, "fail"],
  ["sentence_variety", { html: `<p>${"The cat sat on the mat. ".repeat(9)}</p>` }, "fail"],
  ["repeated_starts", { html: "<p>We go out. We come back. We sleep well. They wait here.</p>" }, "fail"],
  ["long_paragraphs", { html: `<p>${filler(130)}</p><p>${filler(130)}</p>` }, "fail"],
  ["word_count", { html: "<p>Short.</p>" }, "fail"],
  ["first_paragraph", { html: "<p>Short.</p>" }, "fail"],
  ["first_paragraph", { html: `<p>${filler(150)}</p>` }, "fail"],
  ["subheading_distance", { html: `<p>${filler(1000)}</p>` }, "fail"],
  ["heading_levels", { html: "<h2>a</h2><h4>b</h4>" }, "warn"],
  ["h1_in_content", { html: "<h1>a</h1>" }, "warn"],
  ["heading_texts", { html: "<h2>a</h2><h2></h2>" }, "warn"],
  ["external_links", { html: '<p>x <a href="/own">y</a></p>' }, "fail"],
  ["internal_links", { related: "Sencha at 75 °C" }, "fail"],
  ["link_texts", { html: '<a href="https://a.example">Here</a> <a href="https://b.example">Tea</a>' }, "fail"],
  ["image_presence", { html: `<p>${filler(600)}</p>` }, "fail"],
  ["images_without_alt", { html: "<img src=a><img src=b alt=''>" }, "fail"],
  ["featured_image", { featuredImageUrl: null }, "fail"],
  ["featured_image_alt", { featuredImageAlt: " " }, "fail"],
  ["specifics", { html: `<p>${"It is good to drink something warm in the morning. ".repeat(9)} In Uji.</p>` }, "fail"],
  [
    "unsourced_claims",
    { html: `<p>${"It is good to drink tea every day. ".repeat(3)} Studies show that it is.</p>` },
    "warn",
  ],
  ["unsourced_percentages", { html: "<p>Nearly 40 % of all cups are cold.</p>" }, "fail"],
  ["distinct_phrases", { html: `<p>${"The cat sat on the mat near the door. ".repeat(9)}</p>` }, "fail"],
  [
    "stock_phrases",
    { html: `<p>${"In today's fast-paced world we delve into a rich tapestry, a testament to tea. ".repeat(5)}</p>` },
    "fail",
  ],
];

for (const [id, changes, expected] of WORSE)
  test(`${id}: ${JSON.stringify(changes).slice(0, 60)} is a ${expected}`, () => {
    const found = check(id, changes);
    assert.equal(found?.status, expected, JSON.stringify(found));
    assert.ok(found !== undefined && found.message.length > 10 && found.threshold !== "");
  });

test("all checks are tested for what is worse", () => {
  assert.deepEqual([...new Set(WORSE.map(([id]) => id))].toSorted(), CHECK_IDS.toSorted());
});

describe("a check is left out where there is nothing to tell it by", () => {
  for (const [what, changes, without] of [
    ["without a keyword", { targetKeyword: null }, ["keyword_in_title", "keyword_in_text"]],
    [
      "without a formula",
      { html: `<p>${"これは日本語の文章です。".repeat(9)}</p>` },
      ["flesch_reading_ease", "specifics"],
    ],
    [
      "in a language that we have no phrases of",
      { html: `<p>${"Dit is een lange zin over thee en water. ".repeat(9)}</p>` },
      ["stock_phrases"],
    ],
    ["without images", { html: "<p>x</p>", featuredImageUrl: null }, ["images_without_alt", "featured_image_alt"]],
    [
      "without sentences",
      { html: "<p>One two. Three.</p>" },
      ["sentence_length", "flesch_reading_ease", "long_paragraphs"],
    ],
    ["of a few sentences", { html: "<p>One two three. Four five six. Seven eight nine.</p>" }, ["sentence_variety"]],
    [
      "of a short text",
      { html: "<p>x</p>" },
      ["image_presence", "distinct_phrases", "stock_phrases", "subheading_distance"],
    ],
    [
      "without headings, links, studies and percentages",
      { html: `<p>${filler(90)}</p>` },
      ["heading_levels", "h1_in_content", "heading_texts", "link_texts", "unsourced_claims", "unsourced_percentages"],
    ],
    ["without an article to link to", { related: null }, ["internal_links"]],
    [
      "without text",
      { html: "", related: "Sencha" },
      ["internal_links", "title_words", "first_paragraph", "external_links", "specifics"],
    ],
  ] as const)
    test(what, () => {
      const found = new Set<string>(ids(changes));
      for (const id of without) assert.ok(!found.has(id), id);
    });

  test("of what an import did not bring; what it brought is checked", () => {
    const empty = { metaDescription: null, featuredImageUrl: null, featuredImageAlt: null };
    assert.deepEqual(fields(empty), ["meta_description_length", "featured_image"]);
    const imported = { ...empty, isImported: true };
    assert.deepEqual(fields(imported), []);
    assert.equal(status("meta_description_length", { ...imported, metaDescription: "x" }), "fail");
    assert.equal(status("featured_image", { ...imported, featuredImageUrl: "/a.png" }), "pass");
    assert.ok(metricsOf(imported).overall_score > metricsOf(empty).overall_score);
  });

  test("and a dimension without checks is 0 and counts for nothing", () => {
    const { dimensions } = metricsOf({ html: "" });
    assert.deepEqual(
      [dimensions.readability, dimensions.links, dimensions.evidence, dimensions.originality],
      [0, 0, 0, 0],
    );
  });
});

test("words of the title are found in other forms and as parts of compounds", () => {
  const found = (title: string, text: string) => check("title_words", { title, html: `<p>${text}</p>` })?.value;
  assert.equal(found("Brewing teas", "How to brew a good tea"), 100);
  assert.equal(found("Descaling kettles", "We descale the kettle with acid"), 100);
  assert.equal(found("Wasserkocher entkalken", "Ein Wasserkochertest: wie man richtig entkalkt"), 100);
  assert.equal(found("Über Teekannen", "Die Teekanne"), 50);
  assert.equal(found("東京タワーの夜", "夜の東京タワーはきれいです。"), 100);
  assert.match(
    check("title_words", { title: "Green locomotives", html: "<p>Green tea</p>" })?.message ?? "",
    /“locomotives”/,
  );
});

test("the keyword is found by stem and in any order; the first SEO keyword stands in for a missing one", () => {
  assert.equal(status("keyword_in_title", { targetKeyword: "green teas" }), "pass");
  assert.equal(status("keyword_in_title", { targetKeyword: " ", seoKeywords: ["coffee"] }), "fail");
  assert.equal(
    status("keyword_in_text", { targetKeyword: "東京タワー", html: "<p>夜の東京タワーはきれいです。</p>" }),
    "pass",
  );
});

function countSpecifics(text: string) {
  return check("specifics", { html: `<p>${text}</p>` })?.value;
}

test("names and numbers are those that do not just begin a sentence", () => {
  // Fewer than 200 words count as 200, so that one is 5 per 1,000.
  assert.equal(countSpecifics("We met Anna Berg in Oslo, and Anna again in 2019. They left."), 20);
  assert.equal(countSpecifics("Green leaves. Water is hot. Nothing else."), 0);
  const german =
    "Wir haben den Kessel und die Kanne im Garten gesehen, wo Anna Berg mit uns Tee trank und lange blieb.";
  assert.equal(countSpecifics(german), 10);
});

function countClaims(html: string) {
  return check("unsourced_claims", { html: `${html}<p>It is good to drink a cup of tea.</p>` })?.value;
}

test("a claim has its source if its paragraph links to another website, and code and quotations claim nothing", () => {
  assert.equal(countClaims('<p>Studies show it, as <a href="https://a.example">this one</a> does.</p>'), 0);
  assert.equal(countClaims('<p>Studies show it, as <a href="/own">we</a> do.</p>'), 1);
  assert.equal(
    countClaims("<blockquote><p>Studies show it.</p></blockquote><p><code>studies show</code></p>"),
    undefined,
  );
});

test("places are where the text does not pass", () => {
  const { places, message } =
    check("unsourced_claims", { html: "<h2>It is so</h2><p>Cups are nice. Studies show that tea is good.</p>" }) ?? {};
  assert.deepEqual(places, [{ field: "text", block: 1, start: 15, end: 27, quote: "Studies show" }]);
  assert.match(message ?? "", /“Studies show”/);
  assert.equal(check("long_paragraphs")?.places, undefined);
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

test("full-width titles count twice", () => {
  const japanese = { title: "東京タワーの楽しみ方と周辺のおすすめ" };
  assert.equal(check("title_length", japanese)?.value, 36);
  assert.equal(metricsOf(japanese).facts.title_length, 18);
});

test("scores lie on lines between the points, and never leave 0 to 100", () => {
  const curve = [
    [5, 0],
    [15, 60],
    [25, 100],
  ] as const;
  for (const [value, expected] of [
    [0, 0],
    [5, 0],
    [10, 30],
    [15, 60],
    [20, 80],
    [25, 100],
    [99, 100],
  ] as const)
    assert.equal(interpolate(value, curve), expected);
  for (const { curve: points } of [...Object.values(CHECKS), { curve: CALIBRATION }]) {
    const values = points.map(([value]) => value);
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
    );
    for (const [, score] of points) assert.ok(score >= 0 && score <= 100);
  }
});

test("the weights of the dimensions add up to 100", () => {
  assert.equal(
    Object.values(DIMENSION_WEIGHTS).reduce((sum, weight) => sum + weight, 0),
    100,
  );
});

describe("what integrity does to the overall score", () => {
  const PERFECT = Object.fromEntries(DIMENSIONS.map((name) => [name, 100])) as DimensionScores;
  const score = (changes: Partial<Integrity>, words = 500) => scoreOverall(PERFECT, words, { ...SOUND, ...changes });

  test("each kind that warns takes 3 points", () => {
    assert.deepEqual([score({}), score({ warnings: 1 }), score({ warnings: 4 })], [100, 97, 88]);
  });
  test("a kind that blocks leaves 30 %, at most 25, and each further one takes 5", () => {
    assert.deepEqual(
      [1, 2, 9].map((blocking) => score({ blocking })),
      [25, 20, 0],
    );
    const poor = scoreOverall({ ...PERFECT, readability: 0, structure: 0 }, 500, { ...SOUND, blocking: 1 });
    assert.ok(poor < 15, String(poor));
  });
  test("fewer than 80 words have at most 45", () => {
    assert.deepEqual([score({}, 79), score({}, 80)], [45, 100]);
  });
  test("any text has a score from 0 to 100", () => {
    const number = fc.nat(100);
    const dimensions = fc.record(Object.fromEntries(DIMENSIONS.map((name) => [name, fc.option(number)])));
    fc.assert(
      fc.property(dimensions, fc.nat(40), fc.nat(40), fc.nat(200), (some, blocking, warnings, words) => {
        const overall = scoreOverall(some as DimensionScores, words, { ...SOUND, blocking, warnings });
        assert.ok(Number.isInteger(overall) && overall >= 0 && overall <= 100);
      }),
      { numRuns: cases(500) },
    );
  });
});

test("the documentation has each check with its threshold and weight, and the weights of the dimensions", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../../docs/quality-metrics.md"), "utf8");
  for (const [id, { threshold, weight }] of Object.entries(CHECKS))
    assert.ok(
      page.includes(`| \`${id}\` | ${threshold} | `) && new RegExp(`\`${id}\` .*\\| ${weight} \\|`).test(page),
      id,
    );
  for (const [name, weight] of Object.entries(DIMENSION_WEIGHTS))
    assert.ok(page.includes(`| \`${name}\` | ${weight} |`), name);
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
