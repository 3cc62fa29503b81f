import { Type } from "typebox";
import { ARTICLE_STATUSES } from "../../src/domain/articles/article.ts";
import {
  CONTENT_FORMATS,
  DETAIL_FIELDS,
  LIST_FIELDS,
  LIST_OPTIONAL_FIELDS,
  OPTIONAL_FIELDS,
} from "../../src/domain/articles/api-format.ts";
import { SORT_FIELDS } from "../../src/store/articles/article-queries.ts";
import {
  SMALL_ITEMS_LIMIT,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  RELATED_DEFAULT,
  RELATED_MAX,
  IMAGE_FORMS,
  URL_FORMS,
} from "../../src/http/read-api/parameters.ts";
import { oneOf } from "../../src/http/contract/schema-helpers.ts";

interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  required?: true;
  description: string;
  schema: Type.TSchema;
  style?: "form";
  explode?: false;
  examples: Record<string, { value: unknown; "x-disabled"?: true }>;
}

/** The documentation viewer would add every example to its sample request; these are left out. */
const aside = (value: unknown) => ({ default: { value, "x-disabled": true as const } });

const query = (name: string, description: string, schema: Type.TSchema, example: unknown): Parameter => ({
  name,
  in: "query",
  description,
  schema,
  examples: aside(example),
});

const some = (name: string, description: string, values: readonly string[], example: string[]) => ({
  ...query(name, description, Type.Array(oneOf(values, {}), { minItems: 1 }), example),
  style: "form" as const,
  explode: false as const,
});

const ANY_OF =
  "Several with commas between them: articles with any of them. A label that an article has with a comma in it is one label.";

const label = Type.String({ minLength: 1, maxLength: 1000 });

const labels = (name: string, description: string, example: string[]) => ({
  ...query(name, description, Type.Array(label, { minItems: 1 }), example),
  style: "form" as const,
  explode: false as const,
});
const moment = Type.String({ format: "date-time" });

export const PARAMETERS = {
  limit: {
    ...query(
      "limit",
      `How many at most. More than ${LIMIT_MAX} is not refused: ${LIMIT_MAX} is applied, and \`pagination.limit\` says so.`,
      Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
      3,
    ),
    examples: { default: { value: 3 } },
  },
  offset: query(
    "offset",
    "How many articles to pass over. Past the end the list is empty and `total` is still true.",
    Type.Integer({ minimum: 0, default: 0 }),
    50,
  ),
  status: query(
    "status",
    "Which articles. `approved` and `pending` need a key of scope `all` or `preview`. A key of scope `preview` gets every status without it.",
    oneOf(ARTICLE_STATUSES, { default: "published" }),
    "published",
  ),
  debug: query(
    "debug",
    "Adds a `debug` object beside `data`. `1` and `0` are accepted, too. Such an answer has no ETag.",
    Type.Boolean({ default: false }),
    true,
  ),
  slug: query("slug", "The one article with exactly this slug.", label, "brew-first-flush-darjeeling"),
  category: labels("category", `Articles of the category; case is ignored. ${ANY_OF}`, ["Brewing Guides"]),
  tag: labels("tag", `Articles with the tag; case is ignored. ${ANY_OF}`, ["darjeeling"]),
  tags: labels("tags", "Articles with all of these tags, with commas between them; case is ignored.", [
    "darjeeling",
    "black tea",
  ]),
  keyword: query(
    "keyword",
    "Articles with the keyword in `seo_keywords`, or as `target_keyword`; case is ignored.",
    label,
    "brew darjeeling",
  ),
  lang: query(
    "lang",
    "Articles in this language, a BCP 47 tag such as `de` or `pt-BR`; those that name none count as the website's own language.",
    label,
    "de",
  ),
  slugLanguage: query(
    "lang",
    "Only an article in this language, a BCP 47 tag such as `de` or `pt-BR`; one that names none counts as the website's own language. Without it, where several articles have the slug, the one in the website's own language is meant, else the first by language.",
    label,
    "de",
  ),
  author: labels("author", `Articles with this name in their byline (\`authors\`); case is ignored. ${ANY_OF}`, [
    "Ines Falk",
  ]),
  q: query(
    "q",
    "Full text: articles that hold all of these words (at most 20), in whatever order, in title, excerpt, text, categories, tags or keywords. Case and accents do not count; English words are found in other forms, too (`kettles` finds `kettle`). The last word may be the beginning of one, from four characters on (`kettl` finds `kettle`), unless a space or a quotation mark follows it.",
    label,
    "darjeeling water",
  ),
  updatedSince: query(
    "updated_since",
    "Articles that were changed at this time or later. ISO 8601; without a zone it is UTC.",
    moment,
    "2026-03-01T00:00:00.000Z",
  ),
  publishedSince: query(
    "published_since",
    "Articles that were first published at this time or later. ISO 8601; without a zone it is UTC.",
    moment,
    "2026-03-01T00:00:00.000Z",
  ),
  sort: query(
    "sort",
    "The order; `-` sorts in descending order. Articles with equal values are ordered by `id`. Default: `-published_at` for published articles, `-created_at` for the others.",
    oneOf(
      SORT_FIELDS.flatMap((field) => [field, `-${field}`]),
      {},
    ),
    "-updated_at",
  ),
  fields: some(
    "fields",
    "Only these fields of each article, with commas between them, and those of `include`.",
    [...LIST_FIELDS, ...LIST_OPTIONAL_FIELDS],
    ["title", "slug"],
  ),
  detailFields: some(
    "fields",
    "Only these fields of the article, with commas between them, and those of `include`.",
    [...DETAIL_FIELDS, ...OPTIONAL_FIELDS],
    ["title", "content"],
  ),
  include: some(
    "include",
    "Fields beside those of the form, or beside those that `fields` names. With `content` a list has the whole body of each article; a page then ends after 4 MB of content, and `pagination.limit` and `Link` say so.",
    ["content", ...LIST_OPTIONAL_FIELDS],
    ["content"],
  ),
  detailInclude: some(
    "include",
    "Fields beside those of the form, or beside those that `fields` names.",
    ["content", ...OPTIONAL_FIELDS],
    ["review_record"],
  ),
  format: some(
    "format",
    "The forms of the content: `html` in `content`, `markdown` in `content_markdown`, `text` in `content_text`.",
    CONTENT_FORMATS,
    ["html", "markdown"],
  ),
  urls: query(
    "urls",
    "`absolute`: links, pictures and other media of the HTML have absolute URLs, resolved against the website's address. Such an answer takes no `v`.",
    oneOf(URL_FORMS, {}),
    "absolute",
  ),
  images: query(
    "images",
    "`responsive`: pictures of the HTML that are in the website's library have `width` and `height`, and with `srcset` and `sizes` the widths in which they are served. Such an answer takes no `v`.",
    oneOf(IMAGE_FORMS, {}),
    "responsive",
  ),
  relatedFields: some(
    "fields",
    "Only these fields of each article, with commas between them. Each article then holds those keys alone.",
    LIST_FIELDS,
    ["title", "slug"],
  ),
  relatedLimit: query(
    "limit",
    `How many at most; no more than ${RELATED_MAX} are given.`,
    Type.Integer({ minimum: 1, maximum: RELATED_MAX, default: RELATED_DEFAULT }),
    3,
  ),
  redirectAfter: query(
    "after",
    "Redirects that come after this: `pagination.next_after` of the page before.",
    Type.String(),
    "first-flush",
  ),
  labelLimit: query(
    "limit",
    `How many at most; no more than ${SMALL_ITEMS_LIMIT} are given.`,
    Type.Integer({ minimum: 1, maximum: SMALL_ITEMS_LIMIT, default: SMALL_ITEMS_LIMIT }),
    3,
  ),
  version: query(
    "v",
    "The `version` of `/api/public/state`. While it is the current one, the answer may be stored for ever (`Cache-Control: private, max-age=31536000, immutable`); any other is ignored.",
    Type.String(),
    "vibs5L9E.p17",
  ),
  strict: query(
    "strict",
    "With `1` a parameter that would be ignored or lowered is a 400. Without, `X-Rostrum-Warnings` names it.",
    Type.Boolean({ default: false }),
    true,
  ),
  bySlug: {
    name: "slug",
    in: "path",
    required: true,
    description: "The article's `slug`, percent-encoded.",
    schema: Type.String({ minLength: 1 }),
    examples: { default: { value: "brew-first-flush-darjeeling" } },
  },
  id: {
    name: "id",
    in: "path",
    required: true,
    description: "The article's `id`.",
    schema: Type.String({ format: "uuid" }),
    examples: { default: { value: "0198a3b2-4c1d-7e5f-8a6b-9c0d1e2f3a4b" } },
  },
  after: query(
    "after",
    "Events with a greater `sequence` than this. Start with 0, go on with `pagination.next_after`.",
    Type.Integer({ minimum: 0, default: 0 }),
    13,
  ),
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The ETag of the answer you have. While it is still the newest, you get a 304 without a body.",
    schema: Type.String(),
    examples: aside('W/"vibs5L9E.17"'),
  },
  previewToken: {
    name: "X-Preview-Token",
    in: "header",
    description:
      "From the address that the dashboard opens for a preview. The one article that it is for is then answered in whatever state it is, with its draft copy, under its id and in a list that filters by its slug; never cached. Valid for an hour.",
    schema: Type.String(),
    examples: aside("nG0c1l0tbLx4yq5M3V6v7dWfVQm3ZJcQkq0d5m0bqkE"),
  },
  acceptVersion: {
    name: "Accept-Version",
    in: "header",
    description: "Not needed: there is one version, `v1`. Any other is a 400.",
    schema: oneOf(["v1", "1"], {}),
    examples: aside("v1"),
  },
} satisfies Record<string, Parameter>;
