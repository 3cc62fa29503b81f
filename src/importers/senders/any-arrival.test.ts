import assert from "node:assert/strict";
import { test } from "node:test";
import { isExternalId } from "../../domain/articles/origin.ts";
import type { Mapping } from "../../domain/articles/senders/dialect.ts";
import type { Understood } from "../../domain/articles/senders/sender.ts";
import { cases, fc } from "../../../test/helpers/properties.ts";
import { HOLDERS } from "./common-names.ts";
import { readArrival } from "./read-arrival.ts";

function read(body: string, mapping: Mapping = {}, type = "application/json", method = "POST"): Understood {
  const request = { method, path: "/a/b", query: {}, headers: { "content-type": type, "x-any-event": "post.updated" } };
  return readArrival({ request, body, mapping, websiteUrl: "https://blog.example" });
}

/** Whatever is no problem can be saved. @returns the number of such articles. */
function assertUsable({ articles, kind }: Understood): number {
  let usable = 0;
  for (const { externalId, input, problem, places } of articles) {
    assert.ok(problem !== null || isExternalId(externalId), externalId);
    assert.ok(Object.values(places).every((place) => place.length <= 250));
    if (problem !== null || kind === "removal") continue;
    const text = input.content ?? input.markdown ?? "";
    assert.ok(input.title !== undefined && input.title.trim() !== "" && text.trim() !== "");
    assert.ok(!`${input.title}${text}`.includes("\0") && `${input.title}${text}`.isWellFormed());
    assert.ok(input.status === undefined || input.status === "published");
    usable += 1;
  }
  return usable;
}

const NAMES = (
  "title headline name slug url html content content_html content_markdown body text excerpt description meta seo image " +
  "featured_image images alt language tags categories author published_at status canonical_url id article_id event type " +
  "action test data article articles post posts payload __proto__ constructor toString length"
).split(" ");
const TEXTS = [
  "<h1>Tea</h1><p>x</p>",
  "# Tea\n\n![a](b.png)",
  "<article><div><h1>",
  '{"root":{"children":[{"type":"paragraph","children":[]}]}}',
  '{"root":',
  "a\0b",
  "\uD800",
  "https://a.example/x.png;https://a.example/y.png",
  "2024-05-31 15:21:50.357459+00",
  "article.deleted",
  "ping",
  "&lt;</b>&#x1F600;",
  "//",
  "data:image/png;base64,AA==",
  "---\na: [\n---\nx",
];
const leaf = fc.oneof(
  fc.constantFrom<unknown>(...TEXTS, null, true, false, 0, -1, 1e300, "", " "),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const text = fc.constantFrom(...TEXTS, "Tea", "<p>Hot.</p>");
const { any: value } = fc.letrec<{ any: unknown; record: Record<string, unknown>; article: unknown }>((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, leaf, tie("record"), tie("article"), fc.array(tie("any"), { maxLength: 3 })),
  record: fc.dictionary(fc.constantFrom(...NAMES), tie("any"), { maxKeys: 8, noNullPrototype: true }),
  article: fc
    .tuple(tie("record"), text, text, fc.constantFrom("html", "markdown", "content"))
    .map(([others, title, body, name]) => Object.assign(others, { title, [name]: body })),
}));
const place = fc.oneof(
  fc.constantFrom(
    ...HOLDERS,
    ...NAMES,
    "header:X-Any-Event",
    "query:x",
    "data[0]",
    "a[][]",
    "id+slug",
    "[",
    "]",
    "..",
    "tags[x]",
  ),
  fc.string({ maxLength: 12 }),
);
const places = fc.option(fc.array(place, { maxLength: 3 }), { nil: undefined });
const mapping = fc.record(
  {
    event: fc.record({
      at: fc.array(place, { maxLength: 2 }),
      means: fc.constant({ ping: "test", "article.deleted": "removal" }),
    }),
    test: fc.array(fc.oneof(fc.constantFrom("test=true", "slug!", "id^=test-", "!", "=", "^="), fc.string()), {
      maxLength: 2,
    }),
    articles: fc.array(place, { maxLength: 2 }),
    fields: fc.record({
      title: places,
      html: places,
      content: places,
      image: places,
      tags: places,
      published_at: places,
    }),
    text: fc.constantFrom("html", "markdown"),
    id: fc.array(place, { maxLength: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Mapping>;

test("any JSON with any mapping is understood or refused, and nothing that is taken could not be saved", () => {
  let usable = 0;
  fc.assert(
    fc.property(value, mapping, fc.constantFrom("POST", "PUT", "DELETE"), (body, by, method) => {
      usable += assertUsable(read(JSON.stringify(body), by, "application/json", method));
    }),
    { numRuns: cases(2000) },
  );
  assert.ok(usable > cases(100), String(usable));
});

test("any bytes of any type are understood or refused", () => {
  const whole = JSON.stringify({
    event: "x",
    data: { articles: [{ title: "Tea", html: "<h1>Tea</h1>", id: 1e21, tags: ["a"] }] },
  });
  const form =
    '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nTea\r\n--b\r\nContent-Disposition: form-data; name="a[b][]"\r\n\r\n1';
  const types = [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
    "text/plain",
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(whole, form, "title=Tea&content=x&a[b]=1&a=2&a[b][c]=3&[]=1"),
      fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 5 }),
      fc.constantFrom(...types),
      (body, changes, type) => {
        const changed = changes.reduce((text, [at, length, by]) => {
          const from = at % text.length;
          return text.slice(0, from) + by + text.slice(from + length) || "x";
        }, body);
        assertUsable(read(changed, {}, type));
      },
    ),
    { numRuns: cases(2000) },
  );
});

const MB = 1024 * 1024;

for (const [name, body] of Object.entries({
  "lists without end": "[".repeat(MB),
  "a million values": `[${"0,".repeat(MB)}0]`,
  "a hundred thousand names": JSON.stringify({
    article: Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`n${index}`, 1])),
  }),
  "thirty thousand articles": JSON.stringify(
    Array.from({ length: 30_000 }, (_, index) => ({ title: `T${index}`, text: "x" })),
  ),
  "backslashes without end": `{"title":"${"\\".repeat(MB)}`,
  "brackets of pictures": JSON.stringify({
    title: "Tea",
    markdown: "![".repeat(MB / 2),
    image: "https://a.example/x.png",
  }),
  "tags that never end": JSON.stringify({ title: "Tea", content: "<p ".repeat(MB / 3) }),
  "ends of tags with blanks": JSON.stringify({ title: "Tea", content: `</p${" ".repeat(MB)}` }),
  "nested elements": JSON.stringify({ title: "Tea", html: "<div><img>".repeat(MB / 20) }),
  "pictures in a row": JSON.stringify({ title: "Tea", html: '<img src="/a.png">'.repeat(20_000), image: "/b.png" }),
  "a title without end": JSON.stringify({
    title: "&amp; ".repeat(MB / 6),
    html: "<p>x</p>",
    excerpt: "<b>".repeat(MB / 3),
  }),
  "blanks of a heading": JSON.stringify({ title: "Tea", markdown: `#${" ".repeat(MB)}x\n`.repeat(2) }),
  "labels without end": JSON.stringify({ title: "Tea", html: "<p>x</p>", tags: ",;".repeat(MB / 2) }),
})) {
  test(`a hostile body is read in time linear in its length: ${name}`, () => {
    assertUsable(read(body));
  });
}
