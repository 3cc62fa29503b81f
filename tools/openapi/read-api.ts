/** The OpenAPI description of the read API and the webhooks, which `tools/generate.ts` writes to openapi.json. */
import type { Type } from "typebox";
import {
  articleAnswer,
  articleBySlugAnswer,
  articleBySlugSelectionAnswer,
  articleListAnswer,
  articleSelectionAnswer,
  articleSelectionListAnswer,
  categoryListAnswer,
  eventListAnswer,
  redirectListAnswer,
  relatedAnswer,
  relatedSelectionAnswer,
  stateAnswer,
  tagListAnswer,
} from "./responses.ts";
import { RESPONSES, type ResponseName } from "./errors.ts";
import { EXAMPLES } from "./examples.ts";
import { ALWAYS, type HeaderName, HEADERS, headers, OF_KEY } from "./headers.ts";
import { PARAMETERS } from "./parameters.ts";
import { WEBHOOKS } from "./webhooks.ts";

const INTRODUCTION = `Read the articles of your website: a page of them, one of them, and what happened to them.

\`\`\`sh
curl -H "X-API-Key: $ROSTRUM_API_KEY" \\
  "$ROSTRUM_URL/api/public/articles?limit=3"
\`\`\`

- **Keys** begin with \`rs_\` and belong to one website. They are secrets of your server: never put one into a page.
- **JSON** everywhere, in UTF-8. A key of an object is always there; what is unknown is \`null\`, or \`[]\` for lists. New
  keys may be added at any time: ignore those you do not know.
- **Times** are UTC, always like \`2026-03-03T09:00:00.000Z\`.
- **HEAD** is answered wherever GET is: the same headers without the body.
- **Polling** is cheap: send the \`ETag\` back as \`If-None-Match\` and get a 304 while nothing has changed.
- **Compression**: \`br\` and \`gzip\`, for those who send Accept-Encoding.
- **Limits**: each key has a rate limit, told by the \`RateLimit\` headers. An answer of more than 256 KiB counts as several requests.`;

const TAGS = [
  { name: "Articles", description: "What there is to publish." },
  {
    name: "Events",
    description: "What happened to the articles, in order. The feed holds what webhooks send, and heals any gap.",
  },
  { name: "Webhooks", description: "What the service sends to your own address when an article changes." },
  { name: "Description", description: "This description itself." },
];

/** The document that is served at /api/public/openapi.json. */
export function buildOpenApi(): object {
  const schemas = new Map<string, unknown>();
  const paths = named(PATHS, schemas);
  const webhooks = named(WEBHOOKS, schemas);
  const parameters = named(PARAMETERS, schemas);
  const responses = named(RESPONSES, schemas);
  const headerObjects = named(HEADERS, schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Rostrum API",
      version: "v1",
      description: INTRODUCTION,
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that this description comes from." }],
    security: [{ ApiKey: [] }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      securitySchemes: {
        ApiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "A key of your website, such as `rs_…`.",
        },
      },
      schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      parameters,
      headers: headerObjects,
      responses,
      examples: EXAMPLES,
    },
  };
}

const ARTICLE_PARAMETERS = [
  "detailFields",
  "detailInclude",
  "format",
  "urls",
  "images",
  "version",
  "strict",
  "debug",
  "ifNoneMatch",
  "previewToken",
  "acceptVersion",
] as const satisfies (keyof typeof PARAMETERS)[];

const LABEL_PARAMETERS = [
  "labelLimit",
  "offset",
  "version",
  "strict",
  "ifNoneMatch",
  "acceptVersion",
] as const satisfies (keyof typeof PARAMETERS)[];

const PATHS = {
  "/api/public/articles": {
    get: operation({
      operationId: "listArticles",
      tag: "Articles",
      summary: "List articles",
      description:
        "One page of the articles that match, without their content. The order is total: as long as nothing changes, paging by `offset` neither repeats nor skips an article. Parameters that are not listed here are ignored, and named in `X-Rostrum-Warnings`.",
      parameters: [
        "limit",
        "offset",
        "status",
        "slug",
        "category",
        "tag",
        "tags",
        "keyword",
        "author",
        "lang",
        "q",
        "updatedSince",
        "publishedSince",
        "sort",
        "fields",
        "include",
        "format",
        "urls",
        "images",
        "version",
        "strict",
        "debug",
        "ifNoneMatch",
        "previewToken",
        "acceptVersion",
      ],
      answer: articleListAnswer,
      selection: articleSelectionListAnswer,
      headers: ["Link"],
      answerDescription: "The page and the exact total.",
      examples: ["articles", "articlesWithDebug"],
      refusals: { 403: "StatusForbidden" },
    }),
  },
  "/api/public/articles/{id}": {
    get: operation({
      operationId: "getArticle",
      tag: "Articles",
      summary: "Get one article",
      description: "The whole article, with its content as HTML.",
      parameters: ["id", ...ARTICLE_PARAMETERS],
      answer: articleAnswer,
      selection: articleSelectionAnswer,
      answerDescription: "The article.",
      examples: ["article"],
      refusals: { 403: "ArticleForbidden", 404: "NotFound" },
    }),
  },
  "/api/public/articles/by-slug/{slug}": {
    get: operation({
      operationId: "getArticleBySlug",
      tag: "Articles",
      summary: "Get one article by its slug",
      description:
        "The same as by its `id`, of published articles only, whatever the key's scope; with a preview token or a key of scope `preview`, of others, too. An earlier slug leads to the article that was published under it last, with today's slug in `moved_to`. The slug of an article that was deleted is a 410.",
      parameters: ["bySlug", "slugLanguage", ...ARTICLE_PARAMETERS],
      answer: articleBySlugAnswer,
      selection: articleBySlugSelectionAnswer,
      answerDescription: "The article.",
      examples: ["article"],
      refusals: { 403: "ArticleForbidden", 404: "NotFound", 410: "Gone" },
    }),
  },
  "/api/public/events": {
    get: operation({
      operationId: "listEvents",
      tag: "Events",
      summary: "List events",
      description:
        "The website's events, oldest first: the same ids, order and bodies as its webhooks. A receiver that missed some catches up here, and a developer without a public address can follow along.",
      parameters: ["after", "limit", "strict", "ifNoneMatch", "acceptVersion"],
      answer: eventListAnswer,
      answerDescription: "The events after `after`.",
      examples: ["events"],
      refusals: {},
    }),
  },
  "/api/public/articles/{id}/related": {
    get: operation({
      operationId: "listRelatedArticles",
      tag: "Articles",
      summary: "List related articles",
      description:
        "The published articles that share most tags, categories and keywords with this one, the nearest first.",
      parameters: ["id", "relatedLimit", "relatedFields", "version", "strict", "ifNoneMatch", "acceptVersion"],
      answer: relatedAnswer,
      selection: relatedSelectionAnswer,
      answerDescription: "The articles; none if no other has a label of this one.",
      examples: ["related"],
      refusals: { 403: "ArticleForbidden", 404: "NotFound" },
    }),
  },
  "/api/public/redirects": {
    get: operation({
      operationId: "listRedirects",
      tag: "Articles",
      summary: "List redirects",
      description:
        "Every slug under which a published article was published before, with its slug of today: one step, never a chain. Slugs that an article has today are not among them.",
      parameters: ["redirectAfter", "labelLimit", "version", "strict", "ifNoneMatch", "acceptVersion"],
      answer: redirectListAnswer,
      headers: ["Link"],
      answerDescription: "The redirects, by `from`.",
      examples: ["redirects"],
      refusals: {},
    }),
  },
  "/api/public/tags": {
    get: operation({
      operationId: "listTags",
      tag: "Articles",
      summary: "List tags",
      description: "The tags of all published articles, the most frequent first.",
      parameters: LABEL_PARAMETERS,
      answer: tagListAnswer,
      headers: ["Link"],
      answerDescription: "The tags and their exact number.",
      examples: ["tags"],
      refusals: {},
    }),
  },
  "/api/public/categories": {
    get: operation({
      operationId: "listCategories",
      tag: "Articles",
      summary: "List categories",
      description: "The categories of all published articles, the most frequent first.",
      parameters: LABEL_PARAMETERS,
      answer: categoryListAnswer,
      headers: ["Link"],
      answerDescription: "The categories and their exact number.",
      examples: ["categories"],
      refusals: {},
    }),
  },
  "/api/public/state": {
    get: operation({
      operationId: "getState",
      tag: "Articles",
      summary: "Get the current version",
      description:
        "The version of what the key reads: it changes with every change of it, and never comes back. Name it as `v` in other requests, and their answers may be stored for ever.",
      parameters: ["strict", "ifNoneMatch", "acceptVersion"],
      answer: stateAnswer,
      answerDescription: "The version, and the newest event.",
      examples: ["state"],
      refusals: {},
    }),
  },
  "/api/public/openapi.json": {
    get: {
      operationId: "getDescription",
      tags: ["Description"],
      summary: "Get this description",
      description: "OpenAPI 3.1. No key is needed.",
      security: [],
      responses: {
        200: {
          description: "This document.",
          headers: headers(...ALWAYS, "ETag"),
          content: { "application/json": { schema: { type: "object" } } },
        },
        405: response("MethodNotAllowed"),
        500: response("InternalServerError"),
      },
    },
  },
};

interface Operation {
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  parameters: readonly (keyof typeof PARAMETERS)[];
  answer: Type.TSchema;
  /** Schema of the response when the request selects fields. */
  selection?: Type.TSchema;
  /** In addition to those of every response. */
  headers?: HeaderName[];
  answerDescription: string;
  examples: (keyof typeof EXAMPLES)[];
  refusals: { 403?: ResponseName; 404?: ResponseName; 410?: ResponseName };
}

function operation(given: Operation) {
  const { operationId, tag, summary, description, parameters, answer, answerDescription, examples, refusals } = given;
  const schema = given.selection === undefined ? answer : { anyOf: [answer, given.selection] };
  const others = Object.entries(refusals).map(([status, name]) => [status, response(name)]);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: {
      200: {
        description: answerDescription,
        headers: headers(...OF_KEY, ...(given.headers ?? []), "X-Rostrum-Warnings", "ETag"),
        content: {
          "application/json": {
            schema,
            examples: Object.fromEntries(examples.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
          },
        },
      },
      304: response("NotModified"),
      400: response("BadRequest"),
      401: response("Unauthorized"),
      ...Object.fromEntries(others),
      405: response("MethodNotAllowed"),
      429: response("TooManyRequests"),
      500: response("InternalServerError"),
      503: response("ServiceUnavailable"),
    },
  };
}

function response(name: ResponseName) {
  return { $ref: `#/components/responses/${name}` };
}

/** A copy in which each named schema is replaced by a reference; the schemas themselves are added to `schemas`. */
function named(value: unknown, schemas: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => named(item, schemas));
  if (typeof value !== "object" || value === null) return value;
  const { $id: name, ...rest } = value as { $id?: unknown };
  const copy = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, named(item, schemas)]));
  if (typeof name !== "string") return copy;
  schemas.set(name, copy);
  return { $ref: `#/components/schemas/${name}` };
}
