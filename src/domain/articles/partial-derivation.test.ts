/** An edit derives only what depends on the changed fields, and the article is the same as if all was derived. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { detectLanguage } from "../../content-processes/language.ts";
import { cases, fc, IS_THOROUGH } from "../../../test/helpers/properties.ts";
import type { Website } from "../system/website.ts";
import { withContentHash } from "./approval.ts";
import { type ArticleInput, type ArticleOrigin, type FullArticle, parseMetrics } from "./article.ts";
import {
  buildEditedSource,
  buildNewSource,
  composeEdited,
  composeNew,
  derivesNothing,
  findKnown,
} from "./composition.ts";
import { deriveContent, type DerivedContent } from "./content/content.ts";

const URL_CHANGED_AT = Date.parse("2026-01-01T00:00:00.000Z");
const WEBSITE: Website = {
  id: "w",
  name: "W",
  url: "https://example.com",
  urlPattern: null,
  previewUrl: null,
  assetUrl: null,
  language: null,
  timeZone: "UTC",
  requiresSecondFactor: false,
  requiresSecondPerson: false,
  integrityGate: "machine",
  seriesLabels: [],
  responsibleName: null,
  responsibleUrl: null,
  namesReviewers: false,
  publishDelaySeconds: 0,
  servesFeeds: false,
  indexNowKey: null,
  slugsPerLanguage: false,
  urlChangedAt: 0,
  createdAt: 0,
  contentVersion: 1,
  eventSequence: 0,
  epoch: "e",
};

const label = fc.constantFrom("tea", "Green Tea", "緑茶", "Thé", "<b>", "a b c");
const labels = fc.uniqueArray(label, { maxLength: 3 });
const textOrNull = fc.option(fc.constantFrom("", "green tea", "A cup of tea & more", "緑茶の話", "x".repeat(170)));
const block = fc.constantFrom(
  "<p>Green tea is <b>best</b> when the water is not too hot.</p>",
  "<h2>Water for tea</h2>",
  "<h4>緑茶</h4><p>緑茶はおいしいです。</p>",
  '<p><a href="/tea">More</a> <a href="https://example.com/x">Own</a> <a href="https://tea.example/">Other</a></p>',
  '<img src="a.png"><img src="b.png" alt="B">',
  "<table><tr><th>a</th></tr><tr><td>b</td></tr></table>",
  "<p onclick=x>Thé vert &amp; <script>x</script>naïve * _ `</p>",
  "<ul><li>one<li>two</ul>",
);
const text = fc.oneof(
  fc.record({ content: fc.array(block, { maxLength: 6 }).map((blocks) => blocks.join("\n")) }),
  fc.record({
    markdown: fc
      .array(fc.constantFrom("# Tea", "Green *tea* [x](/y)", "| a |\n|-|\n| b |", "- one\n- two", "<u>x</u>"), {
        maxLength: 6,
      })
      .map((blocks) => blocks.join("\n\n")),
  }),
);
const fields: Record<keyof ArticleInput, fc.Arbitrary<unknown>> | Record<string, fc.Arbitrary<unknown>> = {
  tags: labels,
  categories: labels,
  metaDescription: textOrNull,
  featuredImageUrl: fc.option(fc.constant("https://example.com/a.png")),
  featuredImageAlt: textOrNull,
  canonicalUrl: fc.option(fc.constant("https://example.com/a")),
  metaTitle: textOrNull,
  authors: fc.constant([]),
  title: fc.constantFrom("Green tea", "緑茶", "Coffee"),
  targetKeyword: fc.option(label),
  seoKeywords: labels,
  excerpt: textOrNull,
  internalLinks: fc.option(fc.constant([{ text: "t", url: "/u" }])),
};
const anyFields = fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<ArticleInput>;
const few = fc.constantFrom(
  "tags",
  "categories",
  "metaDescription",
  "featuredImageUrl",
  "featuredImageAlt",
  "metaTitle",
);
const edit = fc.oneof(
  anyFields,
  fc
    .tuple(anyFields, fc.uniqueArray(few, { maxLength: 3 }))
    .map(([all, names]) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => names.some((known) => known === name))),
    ),
) as fc.Arbitrary<ArticleInput>;

const CREATED_AT = Date.parse("2026-02-01T00:00:00.000Z");
const EDITED_AT = CREATED_AT + 1_000;

function create(input: ArticleInput, website: Website, origin: ArticleOrigin = "written"): FullArticle {
  const source = buildNewSource({ title: "Green tea", ...input }, website, "green-tea", origin);
  const prepared = deriveContent(source, { clock: () => CREATED_AT, detectLanguage });
  return withContentHash(
    composeNew(input, { source, prepared }, { id: "a", websiteId: "w", now: CREATED_AT, actor: "p", origin }),
  );
}

/** Without our steps, which a partial derivation leaves as they are. */
function withoutSteps({ article, body }: FullArticle): FullArticle {
  return withContentHash({ article, body: { ...body, steps: [] } });
}

test("an edit derives what its fields are part of, and the article is as if everything was derived", () => {
  const derived = { nothing: 0, part: 0, all: 0 };
  fc.assert(
    fc.property(text, anyFields, edit, fc.constantFrom("written", "import"), (content, given, input, origin) => {
      const before = create({ ...given, ...content }, WEBSITE, origin);
      const source = buildEditedSource(before, input, WEBSITE, before.article.slug);
      const whole: DerivedContent = deriveContent(source, { clock: () => EDITED_AT, detectLanguage });
      const known = findKnown(before, input, source, WEBSITE);
      if (known === undefined) {
        derived.all++;
        return;
      }
      const { html: _html, markdown: _markdown, ...others } = source;
      const part = deriveContent({ ...others, known }, { clock: () => EDITED_AT, detectLanguage });
      if (derivesNothing(before, source)) {
        derived.nothing++;
        const { evaluated_at: _was, ...metrics } = parseMetrics(known.metricsJson);
        const { evaluated_at: _is, ...now } = parseMetrics(whole.metricsJson);
        assert.deepEqual(now, metrics);
        const earlier = buildEditedSource(before, {}, WEBSITE, before.article.slug);
        assert.equal(whole.words, deriveContent(earlier, { clock: () => EDITED_AT, detectLanguage }).words);
      } else derived.part++;
      assert.equal(part.words, whole.words);
      assert.deepEqual([part.loss, part.removed], [whole.loss, whole.removed]);
      const [one, other] = [part, whole].map((prepared) =>
        withoutSteps(composeEdited(before, input, { source, prepared }, EDITED_AT)),
      );
      assert.deepEqual(one, other);
      assert.equal(JSON.stringify(one), JSON.stringify(other));
    }),
    { numRuns: IS_THOROUGH ? 5_000 : cases(1_000) },
  );
  assert.ok(derived.nothing > 5 && derived.part > 5 && derived.all > 5, JSON.stringify(derived));
});

function knownAfterLabel(article: FullArticle, website: Website) {
  const source = buildEditedSource(article, { tags: ["t"] }, website, article.article.slug);
  return findKnown(article, { tags: ["t"] }, source, website);
}

test("a text is processed again when the website's URL or the rules have changed since", () => {
  const before = create({ content: '<a href="https://example.com/x">y</a>' }, WEBSITE);
  assert.ok(knownAfterLabel(before, WEBSITE) !== undefined);
  assert.ok(knownAfterLabel(before, { ...WEBSITE, urlChangedAt: URL_CHANGED_AT }) !== undefined);
  assert.equal(knownAfterLabel(before, { ...WEBSITE, urlChangedAt: CREATED_AT }), undefined);
  // It was being saved when the URL changed.
  assert.equal(knownAfterLabel(before, { ...WEBSITE, urlChangedAt: CREATED_AT - 1 }), undefined);
  const { article, body } = before;
  const metricsJson = JSON.stringify({ ...parseMetrics(body.metricsJson), engine_version: "0.9.0" });
  assert.equal(knownAfterLabel({ article, body: { ...body, metricsJson } }, WEBSITE), undefined);
});

function listChecks({ body }: FullArticle): string[] {
  return parseMetrics(body.metricsJson).checks.map(({ id }) => id);
}

test("an imported article has no check of what its source did not bring, also after a person's edit", () => {
  const meta = "meta_description_length";
  assert.ok(listChecks(create({ markdown: "Tea." }, WEBSITE)).includes(meta));
  const imported = create({ markdown: "Tea." }, WEBSITE, "import");
  assert.ok(!listChecks(imported).includes(meta));
  const edit = (input: ArticleInput) => {
    const source = buildEditedSource(imported, input, WEBSITE, "green-tea");
    const prepared = deriveContent(source, { clock: () => EDITED_AT, detectLanguage });
    return composeEdited(imported, input, { source, prepared }, EDITED_AT);
  };
  assert.ok(!listChecks(edit({ markdown: "Green tea." })).includes(meta));
  assert.ok(listChecks(edit({ metaDescription: "About tea" })).includes(meta));
});
