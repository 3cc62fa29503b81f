import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../system/errors.ts";
import { combineMapping, parseMapping } from "./mapping.ts";

test("a mapping is taken as it was written, each part by itself", () => {
  const whole = {
    event: { at: ["event", "header:X-Event"], means: { "post.published": "article", "post.deleted": "removal" } },
    test: ["test=true", "id^=test-", "slug!", "query:mode=test", "header:X-Test!"],
    articles: ["data.articles[]", "data.pages[0].items[]", "[]", ""],
    fields: { title: ["meta.page title"], image: ["images[0].src"], html: ["inhalt"] },
    text: "html",
    id: ["id", "header:X-Article-Id"],
  };
  assert.deepEqual(parseMapping(whole), whole);
  for (const part of Object.entries(whole)) {
    assert.deepEqual(parseMapping(Object.fromEntries([part])), Object.fromEntries([part]));
  }
  assert.deepEqual(parseMapping({}), {});
});

const MISTAKES: readonly (readonly [mapping: unknown, field: string, sentence: RegExp])[] = [
  [null, "mapping", /must be an object/],
  [[], "mapping", /must be an object/],
  ["title", "mapping", /must be an object/],
  [{ credentials: [] }, "mapping.credentials", /known are event, test, articles, fields, text, id/],
  [{ event: { at: ["a"] } }, "mapping.event.means", /must be an object/],
  [{ event: { at: [], means: {} } }, "mapping.event.at", /is empty/],
  [{ event: { at: ["a"], means: {}, is: 1 } }, "mapping.event.is", /known are at, means/],
  [
    { event: { at: ["a"], means: { "b.c": "post" } } },
    "mapping.event.means.b.c",
    /one of article, removal, test, other/,
  ],
  [
    { event: { at: ["a"], means: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`e${n}`, "test"])) } },
    "mapping.event.means",
    /more than 100/,
  ],
  [{ test: "id" }, "mapping.test", /must be a list/],
  [{ test: ["id"] }, "mapping.test[0]", /must be a condition/],
  [{ test: ["a..b=1"] }, "mapping.test[0]", /must be a condition/],
  [{ articles: "data" }, "mapping.articles", /must be a list/],
  [{ articles: ["data", 1] }, "mapping.articles[1]", /must be a text/],
  [{ articles: ["data[x]"] }, "mapping.articles[0]", /must be a place .* not "data\[x\]"/],
  [{ articles: ["data."] }, "mapping.articles[0]", /must be a place/],
  [{ articles: ["header:X Event"] }, "mapping.articles[0]", /must be a place/],
  [{ articles: ["query:"] }, "mapping.articles[0]", /must be a place/],
  [{ articles: ["a".repeat(201)] }, "mapping.articles[0]", /more than 200 characters/],
  [{ articles: ["a\u0000"] }, "mapping.articles[0]", /cannot be stored/],
  [{ articles: Array.from({ length: 11 }, () => "a") }, "mapping.articles", /more than 10/],
  [{ fields: { headline: ["a"] } }, "mapping.fields.headline", /known are title, slug/],
  [JSON.parse('{"fields":{"__proto__":["a"]}}'), "mapping.fields.__proto__", /is not known/],
  [{ fields: { title: "a" } }, "mapping.fields.title", /must be a list/],
  [{ text: "xml" }, "mapping.text", /one of html, markdown/],
  [{ id: [] }, "mapping.id", /is empty/],
];

test("a mapping that is none is refused with the place of the mistake", () => {
  for (const [mapping, field, sentence] of MISTAKES) {
    assert.throws(
      () => parseMapping(mapping),
      (error) => {
        assert.ok(error instanceof AppError, JSON.stringify(mapping));
        assert.equal(error.code, "invalid");
        assert.equal(error.field, field);
        assert.match(error.message, sentence);
        return true;
      },
    );
  }
});

test("a customer's own mapping takes precedence, of the fields one by one", () => {
  const kind = { kind: "x", articles: ["data"], text: "html", fields: { title: ["head"], slug: ["path"] } } as const;
  assert.deepEqual(combineMapping(kind, null), { articles: ["data"], text: "html", fields: kind.fields });
  assert.deepEqual(combineMapping(kind, { id: ["ref"], articles: ["items[]"], fields: { title: ["name"] } }), {
    id: ["ref"],
    articles: ["items[]"],
    text: "html",
    fields: { title: ["name"], slug: ["path"] },
  });
});
