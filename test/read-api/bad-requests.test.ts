/** docs/specification.md, sections 4 and 7: what is refused and what is not, each condition with its exact body. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { assertRefusal, record } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let id: string;

before(async () => {
  service = await startTestService();
  id = (await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF)).article.id;
});
after(() => service[Symbol.asyncDispose]());

const WHOLE = "must be a whole number of at least";
const STATUS = "status must be one of published, approved, pending.";
const BOOLEAN = "debug must be true or false.";
const SORT = "sort must be one of published_at, created_at, updated_at, title.";
const FIELDS =
  "fields must be one of id, title, excerpt, slug, status, seo_keywords, meta_description, target_keyword, " +
  "featured_image_url, featured_image_alt, word_count, reading_time, categories, tags, created_at, published_at, " +
  "platform_url, platform_post_id, authors, meta_title, canonical_url, aliases, language, " +
  "translation_group, updated_at, previous_slugs, featured_image, toc, translations.";
const isoTime = (name: string) => `${name} must be an ISO 8601 time, such as 2026-01-31T12:00:00.000Z.`;
const encoded = (name: string) => `The value of ${name} is not valid percent-encoded text; encode it as UTF-8.`;
const empty = (name: string) => `${name} is empty; give a value or leave it out.`;
const twice = (name: string) => `${name} is given twice; give it once.`;

const REFUSED: [query: string, param: string, message: string][] = [
  ...["", "0", "-1", "1.5", "1e2", "0x10", "ten", "+5", "%20", "1%00", "%D9%A3", "NaN", "Infinity", "1,000"].map(
    (value): [string, string, string] => [
      `limit=${value}`,
      "limit",
      value === "1%00" ? encoded("limit") : `limit ${WHOLE} 1.`,
    ],
  ),
  ...["", "-1", "1.5", "x", "-0"].map((value): [string, string, string] => [
    `offset=${value}`,
    "offset",
    `offset ${WHOLE} 0.`,
  ]),
  ...["", "draft", "PUBLISHED", "published%20", "pending,approved"].map((value): [string, string, string] => [
    `status=${value}`,
    "status",
    STATUS,
  ]),
  ...["", "yes", "TRUE", "2", "on"].map((value): [string, string, string] => [`debug=${value}`, "debug", BOOLEAN]),
  ["debug", "debug", BOOLEAN],
  ["limit=5&limit=5", "limit", twice("limit")],
  ["status=pending&offset=0&status=published", "status", twice("status")],
  ["limit=5&%6cimit=6", "limit", twice("limit")],
  ["q=a&q=b", "q", twice("q")],
  ["sort=id", "sort", SORT],
  ["sort=", "sort", SORT],
  ["sort=--title", "sort", SORT],
  ["sort=%2Btitle", "sort", SORT],
  ["fields=", "fields", FIELDS],
  ["fields=content", "fields", FIELDS],
  ["fields=id,,title", "fields", FIELDS],
  ["fields=approved_at", "fields", FIELDS],
  ["updated_since=yesterday", "updated_since", isoTime("updated_since")],
  ["updated_since=", "updated_since", isoTime("updated_since")],
  ["published_since=2026-02-30", "published_since", isoTime("published_since")],
  ["published_since=1700000000", "published_since", isoTime("published_since")],
  ["q=", "q", "q holds no word to search for."],
  ["q=%2B-%22*", "q", "q holds no word to search for."],
  [
    `q=${"a+".repeat(0)}${Array.from({ length: 21 }, (_, n) => `w${n}`).join("+")}`,
    "q",
    "q holds more than 20 words; search for fewer.",
  ],
  ["slug=", "slug", empty("slug")],
  ["category=%20", "category", empty("category")],
  ["tag=", "tag", empty("tag")],
  ["keyword", "keyword", empty("keyword")],
  ["tag=%ED%A0%80", "tag", encoded("tag")],
  ["tag=%", "tag", encoded("tag")],
  ["slug=a%00b", "slug", encoded("slug")],
  [`tag=${"x".repeat(1_001)}`, "tag", "The value of tag is too long; 1000 characters are allowed."],
];

describe("400", () => {
  for (const [query, param, message] of REFUSED) {
    test(`?${query.slice(0, 60)} is refused for ${param}, with the exact body`, async () => {
      assertRefusal(await service.get(`${LIST}?${query}`), 400, { error: "Bad Request", message, param });
    });
  }

  for (const bad of [
    "1",
    "nonsense",
    `${"0".repeat(8)}-0000-0000-0000-00000000000g`,
    "%00",
    "..",
    "%2e%2e",
    "a b",
    "null",
  ]) {
    test(`an id that is no UUID is refused: ${bad}`, async () => {
      assertRefusal(await service.get(`${LIST}/${encodeURIComponent(bad)}`), 400, {
        error: "Bad Request",
        message: "The id is not a UUID; use the id that the list gives, such as 0198a3b2-….",
        param: "id",
      });
    });
  }

  test("an invalid debug parameter of the detail request is refused", async () => {
    assertRefusal(await service.get(`${LIST}/${id}?debug=maybe`), 400, {
      error: "Bad Request",
      message: BOOLEAN,
      param: "debug",
    });
  });

  for (const version of ["v2", "2", "v1.0", "V1", "", "v1, v1", "latest"]) {
    test(`an unknown Accept-Version is refused everywhere: "${version}"`, async () => {
      for (const path of [LIST, `${LIST}/${id}`, "/api/public/events"]) {
        assertRefusal(await service.get(path, { "Accept-Version": version }), 400, {
          error: "Bad Request",
          message: "This API has exactly one version: send Accept-Version: v1, or leave the header out.",
          param: "Accept-Version",
        });
      }
    });
  }

  for (const [query, param, message] of [
    ["after=-1", "after", `after ${WHOLE} 0.`],
    ["after=x", "after", `after ${WHOLE} 0.`],
    ["after=1&after=2", "after", twice("after")],
    ["limit=0", "limit", `limit ${WHOLE} 1.`],
  ] as const) {
    test(`the events refuse ?${query}`, async () => {
      const reply = await service.get(`/api/public/events?${query}`);
      assertRefusal(reply, 400, { error: "Bad Request", message, param });
    });
  }

  test("without a valid key, the response is about the key and not about the parameter", async () => {
    assert.equal((await service.get(`${LIST}?limit=x`, { "X-API-Key": undefined })).status, 401);
  });
});

describe("not 400", () => {
  for (const version of ["v1", "1"]) {
    test(`Accept-Version: ${version} is accepted`, async () => {
      assert.equal((await service.get(LIST, { "Accept-Version": version })).status, 200);
    });
  }

  for (const [query, expected] of Object.entries({
    "limit=101": { limit: 100, offset: 0 },
    "limit=99999999999999999999": { limit: 100, offset: 0 },
    "limit=007": { limit: 7, offset: 0 },
    "limit=%35": { limit: 5, offset: 0 },
    "offset=00": { limit: 50, offset: 0 },
    "&&limit=3&": { limit: 3, offset: 0 },
    "page=2&unknown=1&unknown=2&=x": { limit: 50, offset: 0 },
  })) {
    test(`?${query} is answered, and the pagination says what was applied`, async () => {
      assert.deepEqual((await service.list(`?${query}`)).pagination, { total: 1, ...expected });
    });
  }

  test("debug.warnings names a limit that was lowered, and each unknown parameter", async () => {
    const { body } = await service.list("?debug=1&limit=500&page=2&per_page=3");
    assert.deepEqual(record(body["debug"])["warnings"], [
      "Unknown parameter ignored: page",
      "Unknown parameter ignored: per_page",
      "limit is at most 100; 100 was applied",
    ]);
  });

  test("an id in upper case means the same article", async () => {
    const [lower, upper] = [await service.detail(id), await service.detail(id.toUpperCase())];
    assert.deepEqual(upper, lower);
  });
});
