/** docs/specification.md, 4.6, 7: sizes and widths of the website's own pictures in contents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import type { AssetType, PictureFacts } from "../../src/domain/articles/assets/asset.ts";
import { rewritingFacts } from "../../src/http/read-api/content-fields.ts";
import { findOwnPictures, responsivePictures } from "../../src/http/read-api/responsive-pictures.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { insertAsset } from "../../src/store/articles/assets.ts";

const SITE = "0198a3b0-77aa-7c3e-9b1f-2d4e6f8a0b1c";
const hashOf = (digit: string) => digit.repeat(64);
const urlOf = (digit: string, name = "kettle.png", site = SITE) =>
  `https://cdn.example/assets/${site}/${hashOf(digit)}/${name}`;
const KNOWN: Record<string, PictureFacts> = {
  a: { type: "image/png", width: 400, height: 300 },
  b: { type: "image/gif", width: 400, height: 300 },
  c: { type: "image/jpeg", width: 4_000, height: 2_000 },
  d: { type: "image/png", width: 100, height: 50 },
};
const FACTS = new Map(Object.entries(KNOWN).map(([digit, facts]) => [hashOf(digit), facts]));

function run<T>(work: Generator<undefined, T>): { value: T; turns: number } {
  for (let turns = 0; ; turns++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, turns };
  }
}

const rewritten = (html: string) => run(responsivePictures(html, SITE, FACTS)).value;

const A = urlOf("a");
const SRCSET_OF_A = `srcset="${A}?w=160 160w, ${A}?w=320 320w, ${A}?w=400 400w"`;

const CASES: [name: string, html: string, expected: string][] = [
  [
    "a picture",
    `<p>x</p><IMG src="${A}" alt="A &lt; B">`,
    `<p>x</p><IMG width="400" height="300" ${SRCSET_OF_A} sizes="(max-width: 400px) 100vw, 400px" src="${A}" alt="A &lt; B">`,
  ],
  [
    "a picture with a width of its own",
    `<img src='${A}' width="200">`,
    `<img ${SRCSET_OF_A} sizes="(max-width: 200px) 100vw, 200px" src='${A}' width="200">`,
  ],
  [
    "a picture with widths of its own",
    `<img src=${A} srcset="x 1x">`,
    `<img width="400" height="300" src=${A} srcset="x 1x">`,
  ],
  [
    "a picture with sizes of its own",
    `<img sizes="50vw" height="10%" src="${A}">`,
    `<img ${SRCSET_OF_A} sizes="50vw" height="10%" src="${A}">`,
  ],
  [
    "a GIF, which has no other widths",
    `<img src="${urlOf("b")}">`,
    `<img width="400" height="300" src="${urlOf("b")}">`,
  ],
  [
    "a picture too small for other widths",
    `<img src="${urlOf("d")}">`,
    `<img width="100" height="50" src="${urlOf("d")}">`,
  ],
];

for (const [name, html, expected] of CASES) {
  test(`${name} gets what it lacks`, () => {
    assert.equal(rewritten(html), expected);
  });
}

test("a large picture has every width, and no other is made larger than it is", () => {
  const widths = Array.from(rewritten(`<img src="${urlOf("c")}">`).matchAll(/ (\d+)w/g), ([, width]) => Number(width));
  assert.deepEqual(widths, [160, 320, 480, 640, 960, 1280, 1920, 2560]);
});

test("nothing else is touched: other pictures, links, comments, and what only looks like a picture", () => {
  for (const html of [
    `<a href="${A}">x</a>`,
    `<!-- <img src="${A}"> -->`,
    `<p title="<img src='${A}'>">x</p>`,
    `<img src="${urlOf("e")}">`,
    `<img src="${A}?w=160">`,
    `<img src="${urlOf("a", "a,b.png")}">`,
    `<img src="${urlOf("a", "kettle.png", "0198a3b0-77aa-7c3e-9b1f-2d4e6f8a0b1d")}">`,
    `<imgs src="${A}">`,
    `<img alt="${A}">`,
    `<img src="${A}`.slice(0, 40),
  ]) {
    assert.equal(rewritten(html), html);
  }
});

test("long texts are rewritten in turns, and grow by a bounded length", () => {
  const html = `<p>${"text ".repeat(50)}</p><img src="${A}">`.repeat(2_000);
  const { value, turns } = run(responsivePictures(html, SITE, FACTS));
  assert.equal(value.match(/srcset=/g)?.length, 2_000);
  assert.ok(turns > 20, `${turns} turns`);
  assert.deepEqual(run(findOwnPictures(html, SITE)), { value: new Set([hashOf("a")]), turns });
  const many = `<img src="${urlOf("c")}">`.repeat(60_000);
  const grown = rewritten(many).length - many.length;
  assert.ok(grown > 30 * 1024 * 1024 && grown <= 32 * 1024 * 1024, `${grown}`);
});

const factsOf = (pictures: [string, PictureFacts][]) =>
  rewritingFacts({ websiteId: SITE, websiteUrl: null, pictures: new Map(pictures) });

test("the ETag is the same in whatever order the database returns the pictures", () => {
  assert.deepEqual(factsOf([...FACTS].toReversed()), factsOf([...FACTS]));
});

async function addPicture({ app, website }: TestService, hash: string, type: AssetType = "image/png"): Promise<void> {
  const size = { name: "kettle.png", bytes: 1, width: 400, height: 300, alt: "" };
  const origin = { sourceUrl: null, createdBy: "cli", createdAt: 1 };
  const asset = { id: app.newId(), websiteId: website.id, hash, type, ...size, ...origin };
  await app.store.write((db) => insertAsset(db, asset));
}

test("images=responsive gives the website's own pictures their size and widths, at each address and as soon as they are there", async () => {
  await using own = await startTestService();
  const { app, website } = own;
  const url = urlOf("a", "kettle.png", website.id);
  const content = `<p>Text <img src="${url}" alt="A kettle"> <img src="/b.png" alt=""></p>`;
  const input = makeArticle({ status: "published", slug: "pictured", content });
  const { article } = await createArticle(app, website.id, input, CHIEF);
  const { secret } = await own.newKey({ scope: "preview" });
  const paths = [`${LIST}/${article.id}?`, `${LIST}/by-slug/pictured?`, `${LIST}?include=content&`];
  const read = async (address: string, headers: Record<string, string> = {}) => {
    const reply = await own.get(address, headers);
    const data = reply.status === 304 ? {} : record(record(reply.json())["data"]);
    const found = record(data["article"] ?? records(data["articles"] ?? [{}])[0]);
    return { status: reply.status, html: String(found["content"]), etag: String(reply.headers.etag) };
  };
  const before: string[] = [];
  for (const path of paths) {
    const { html, etag } = await read(`${path}images=responsive`);
    assert.equal(html, content);
    assert.equal((await read(`${path}images=responsive`, { "If-None-Match": etag })).status, 304);
    before.push(etag);
  }
  await addPicture(own, hashOf("a"));
  const widths = [160, 320, 400].map((width) => `${url}?w=${width} ${width}w`).join(", ");
  const added = `width="400" height="300" srcset="${widths}" sizes="(max-width: 400px) 100vw, 400px"`;
  const expected = content.replace(`<img src="${url}"`, `<img ${added} src="${url}"`);
  for (const [index, path] of paths.entries()) {
    for (let time = 0; time < 3; time++) {
      const { status, html, etag } = await read(`${path}images=responsive`, { "If-None-Match": before[index] ?? "" });
      assert.deepEqual([status, html], [200, expected], path);
      assert.equal((await read(`${path}images=responsive`, { "If-None-Match": etag })).status, 304);
    }
    assert.equal((await read(path)).html, content);
    assert.equal((await read(`${path}images=responsive`, { "X-API-Key": secret })).html, expected);
    assert.equal(
      (await read(`${path}images=responsive&urls=absolute`)).html,
      expected.replace('"/b.png"', '"https://example.com/b.png"'),
    );
  }
  for (const path of paths) assert.equal((await own.get(`${path}images=large`)).status, 400);
  const none = await own.get(`${LIST}?images=responsive`);
  assert.match(String(none.headers["x-rostrum-warnings"]), /images has no effect on a list without include=content/);
  const markdown = record(
    record(record((await own.get(`${paths[0]}images=responsive&format=markdown`)).json())["data"])["article"],
  );
  assert.equal(markdown["content"], undefined);
});
