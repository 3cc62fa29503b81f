/** The article as the read API returns it (docs/specification.md, sections 2.1 and 2.2). */
import { Type } from "typebox";
import { ARTICLE_STATUSES, CHECK_STATUSES, STEP_STATUSES } from "../../domain/articles/article.ts";
import { type FindingKind, FIXES, PLACE_FIELDS, SEVERITIES } from "../../domain/articles/findings.ts";
import type { OptionalField } from "../../domain/articles/api-format.ts";
import { anyObject, count, oneOf, orNull, textOrNull, texts, time, timeOrNull, uuid } from "./schema-helpers.ts";

export const articleStatus = oneOf(ARTICLE_STATUSES, {
  $id: "ArticleStatus",
  description: "`pending`: not approved yet. `approved`: approved, not published. `published`: live.",
});

export const articleSummary = Type.Object(
  {
    id: uuid("Unique and lasting identifier of the article."),
    title: Type.String(),
    excerpt: Type.String({
      description:
        "The author's summary; without one, the first 160 characters of the visible text, cut at a word and ended with `…`.",
    }),
    slug: Type.String({
      description:
        "For addresses. Unique within the website, or within each language of it. It may change; `id` does not.",
    }),
    status: articleStatus,
    seo_keywords: texts("Search terms the article is written for."),
    meta_description: textOrNull("For the page's `<meta name=description>`."),
    target_keyword: textOrNull("The one main search term."),
    featured_image_url: textOrNull("Absolute http or https address."),
    featured_image_alt: textOrNull("Alternative text of the featured image."),
    word_count: count("Words of the visible text; languages without spaces are counted by their words, too."),
    reading_time: Type.Integer({ minimum: 1, description: "Minutes, at 200 words a minute." }),
    categories: texts("Empty when there are none."),
    tags: texts("Empty when there are none."),
    created_at: time("When the article came to be; an import keeps the original date."),
    published_at: timeOrNull(
      "First publication; it stays when the article is unpublished and published again. `null` before.",
    ),
    platform_url: textOrNull("Where the article stands on your own website. `null` until it is known."),
    platform_post_id: textOrNull("The article's identifier in your own system. `null` until it is known."),
  },
  { $id: "ArticleSummary", description: "The list form: everything but the content." },
);

const internalLink = Type.Object(
  { text: Type.String(), url: Type.String({ description: "As a rule a path of your website, such as `/blog/…`." }) },
  { $id: "InternalLink" },
);

const score = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

const placeProperties = {
  field: oneOf(PLACE_FIELDS, { description: "Where it is: `text` is the content." }),
  block: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    minimum: 0,
    description:
      "Which block of the visible text: the number of its paragraph, item, heading, row or code block, from 0. `null`: another field, or the whole text.",
  }),
  start: count("Where it begins in the block or field, in UTF-16 code units."),
  end: count("Where it ends."),
  quote: Type.String({ description: "The text there, at most 120 characters." }),
};

const finding = Type.Object(
  {
    kind: Type.Unsafe<FindingKind>({
      type: "string",
      description: "What it is, such as `placeholder`. There may be new ones at any time.",
    }),
    severity: oneOf(SEVERITIES, { description: "`block`: nobody should publish it so." }),
    ...placeProperties,
    message: Type.String({ description: "One sentence." }),
    fix: Type.Optional(
      oneOf(FIXES, { description: "How the dashboard can correct it. Absent: somebody has to write." }),
    ),
  },
  { $id: "Finding" },
);

export const integrity = Type.Object(
  {
    status: oneOf(CHECK_STATUSES, { description: "`fail`: a finding blocks. `warn`: there are only others." }),
    blocking: count("How many kinds of findings block."),
    warnings: count("How many other kinds there are."),
    findings: Type.Array(finding, { description: "Those that block first; at most 20 of a kind." }),
  },
  { $id: "Integrity", description: "What no article should have, such as placeholders and marks of AI tools." },
);

const qualityCheck = Type.Object(
  {
    id: Type.String({ description: "Name of the check, such as `title_length`. There may be new ones at any time." }),
    status: oneOf(CHECK_STATUSES, { description: "`pass` from a score of 80, `warn` from 40, `fail` below." }),
    score: score("0 to 100."),
    value: Type.Unsafe<number | string | boolean | null>({
      type: ["number", "string", "boolean", "null"],
      description: "What was measured.",
    }),
    threshold: Type.String({ description: "The limit in words, such as `25–65 characters`." }),
    message: Type.String({ description: "One sentence: what is good, or what to do." }),
    places: Type.Optional(
      Type.Array(Type.Object(placeProperties), {
        description: "The passages that it is about. Absent: the whole article.",
      }),
    ),
  },
  { $id: "QualityCheck" },
);

const qualityFacts = Type.Object(
  {
    flesch_reading_ease: Type.Unsafe<number | null>({
      type: ["number", "null"],
      description: "Higher is easier. `null` where the language has no formula.",
    }),
    average_sentence_words: Type.Number({ minimum: 0 }),
    keyword_count: count("How often the target keyword occurs."),
    keyword_density: Type.Number({ minimum: 0, description: "Percent of the words." }),
    title_length: count("Characters."),
    meta_description_length: count("Characters; 0 without one."),
    headings: count("Headings in the content."),
    internal_links: count("Links to the article's own website."),
    external_links: count("Links to other websites."),
    images: count("Images in the content."),
    images_without_alt: count("Images without an `alt` attribute."),
  },
  { $id: "QualityFacts", description: "What was counted in the text." },
);

export const qualityMetrics = Type.Object(
  {
    overall_score: score(
      "The mean of the dimensions, spread over the range that real articles have; lower if `integrity` has findings.",
    ),
    dimensions: Type.Object(
      {
        seo: score("Title, meta description, keyword, slug."),
        readability: score("Reading ease, sentences, paragraphs."),
        structure: score("Length, first paragraph, headings."),
        links: score("Links to other websites, and their texts."),
        images: score("Images and their alternative texts."),
        evidence: score("Names and numbers, and links to the sources of claims."),
        originality: score("Phrases that occur once, and are the text's own."),
      },
      { description: "0 to 100 each; 0 if no check applies, which then does not count." },
    ),
    checks: Type.Array(qualityCheck, { description: "Only those that apply to the article." }),
    facts: qualityFacts,
    integrity,
    engine_version: Type.String({ description: "Raised when thresholds, weights or the processing of texts change." }),
    content_hash: Type.String({ description: "SHA-256 of what was evaluated, hexadecimal." }),
    evaluated_at: time("When it was saved last: metrics are computed on save, never on read."),
    reported: Type.Unsafe<Record<string, unknown> | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description: "Scores that the article's generator supplied, as it named them.",
    }),
  },
  { $id: "QualityMetrics", description: "For editors and reports; a website can ignore it." },
);

const stepError = Type.Object({ code: Type.String(), message: Type.String() }, { $id: "StepError" });

const pipelineStep = Type.Object(
  {
    name: Type.String({
      description:
        "First the steps that a generator reported, under its own names; then ours: `import`, `sanitize`, `analyze`, `approve`, `publish`.",
    }),
    status: oneOf(STEP_STATUSES, {}),
    started_at: timeOrNull("`null` when it has not started or is not known."),
    completed_at: timeOrNull("`null` when it has not ended or is not known."),
    duration_ms: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "Milliseconds." }),
    actor: textOrNull("Who or what did it."),
    error: orNull(stepError, "`null` unless the step failed."),
    metadata: anyObject("What the step has to say for itself."),
  },
  { $id: "PipelineStep" },
);

export const detailAdditions = Type.Object({
  content: Type.String({ description: "The whole body as HTML. It was sanitised when it was saved." }),
  internal_links: Type.Array(internalLink, {
    description: "As supplied; otherwise the links to your own website that were found in the content.",
  }),
  approved_at: timeOrNull("Last approval."),
  quality_metrics: qualityMetrics,
  pipeline_steps: Type.Array(pipelineStep, { description: "How the article came to be, in order." }),
});

export const article = Type.Intersect([articleSummary, detailAdditions], {
  $id: "Article",
  description: "The detail form: the list form, the content and what belongs to it.",
});

export const author = Type.Object(
  { name: Type.String(), url: textOrNull("Absolute http or https address.") },
  { $id: "Author", description: "An author as readers are to see them." },
);

const pixels = (description: string) =>
  Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 1, description });

const featuredImage = Type.Object(
  {
    url: Type.String({ description: "As `featured_image_url`." }),
    width: pixels("Pixels; `null` unless the picture is in the website's library."),
    height: pixels("Pixels; `null` unless the picture is in the website's library."),
    alt: textOrNull("As `featured_image_alt`."),
  },
  { $id: "FeaturedImage", description: "The featured image with its size." },
);

const tocEntry = Type.Object(
  {
    level: Type.Integer({ minimum: 1, maximum: 6 }),
    text: Type.String(),
    id: textOrNull("The heading's `id` in `content`; `null`: it has none."),
  },
  { $id: "TocEntry", description: "A heading of the content." },
);

const translation = Type.Object(
  {
    language: textOrNull("BCP 47; `null`: the website's own language."),
    id: uuid("The article's id."),
    slug: Type.String(),
  },
  { $id: "Translation", description: "A published article of the same translation group." },
);

const neighbour = Type.Object(
  {
    id: uuid("The article's id."),
    title: Type.String(),
    slug: Type.String(),
    language: textOrNull("BCP 47; `null`: the website's own language."),
    published_at: timeOrNull("First publication."),
    platform_url: textOrNull("Where it stands on your own website. `null` until it is known."),
  },
  { $id: "Neighbour", description: "What a link to the article needs." },
);

const onRequest = Type.Object({
  content_markdown: Type.String({ description: "With `format=markdown`: the body as GitHub Flavored Markdown." }),
  content_text: Type.String({ description: "With `format=text`: the visible text." }),
  authors: Type.Array(author, { description: "As readers are to see them, in order. Empty when there are none." }),
  meta_title: textOrNull("For the page's `<title>` where it differs from `title`."),
  canonical_url: textOrNull("Where the original is, for `<link rel=canonical>`; `null`: the article's own address."),
  aliases: texts(
    "Former addresses: slugs, and paths such as `/2019/old-name`. They lead to the article, as `/redirects` lists.",
  ),
  language: textOrNull("BCP 47, such as `de` or `pt-BR`; `null`: the website's own language."),
  translation_group: textOrNull("The same text for an article and its translations."),
  translations: Type.Array(translation, {
    description: "The other published articles of its translation group, by language; at most 100.",
  }),
  neighbours: Type.Object(
    {
      previous: orNull(neighbour, "Published later; `null`: it is the newest."),
      next: orNull(neighbour, "Published earlier; `null`: it is the oldest."),
    },
    {
      $id: "Neighbours",
      description:
        "Of one published article: those before and after it in the list without parameters, which begins with the newest; by slug with `lang`, in the list of that language. Lists do not have it.",
    },
  ),
  updated_at: time("When the article was changed last."),
  previous_slugs: texts("Slugs under which it was published before, and which lead to it today."),
  featured_image: orNull(featuredImage, "`null` without a featured image."),
  review_record: textOrNull(
    "Of a published article: the signed statement about its approval, a JWS (docs/review-records.md); `null`: there is none. Lists do not have it.",
  ),
  toc: Type.Array(tocEntry, { description: "The headings of the content, in order; at most the first 1,000." }),
} satisfies Record<OptionalField | "content_markdown" | "content_text", Type.TSchema>);

export const articleSelection = Type.Partial(
  Type.Object({ ...articleSummary.properties, ...detailAdditions.properties, ...onRequest.properties }),
  {
    $id: "ArticleSelection",
    description: "What `fields`, `include` and `format` asked for: any fields, each with its type.",
  },
);
