import assert from "node:assert/strict";
import { test } from "node:test";
import { freeSlug, MAX_SLUG_LENGTH, slugify, validSlug } from "./slug.ts";
import { fc } from "../../../../test/helpers/properties.ts";

for (const [title, slug] of Object.entries({
  "Ten Reasons to Drink Tea": "ten-reasons-to-drink-tea",
  "Größe & Übermut": "groesse-and-uebermut",
  日本語のタイトル: "日本語のタイトル",
  "你好，世界": "你好-世界",
  Ｆｕｌｌ: "full",
  "iPhone, YouTube and JavaScript on GitHub": "iphone-youtube-and-javascript-on-github",
  "GmbH gründen": "gmbh-gruenden",
  React入門: "react入門",
  "2024年の振り返り": "2024年の振り返り",
  "Docker ではじめる開発": "docker-ではじめる開発",
  "サーバー ガイド": "サーバー-ガイド",
  "한국어 제목": "한국어-제목",
  "Ærø og Þing": "aero-og-thing",
  "ﬁnal ﬂow": "final-flow",
  Ὀδύσσεια: "odysseia",
  "Đổi mới": "doi-moi",
  "हिन्दी शीर्षक": "हिन्दी-शीर्षक",
  "🎉🎉": "article",
  "": "article",
  "???": "article",
}))
  test(`the slug of “${title}” is ${slug}`, () => {
    assert.equal(slugify(title), slug);
  });

test("no slug is empty, too long, or has anything but letters that a URL would have to escape", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (title) => {
      const slug = slugify(title);
      assert.ok(slug.length > 0 && slug.length <= MAX_SLUG_LENGTH);
      assert.equal(validSlug(slug), slug.normalize("NFC"));
    }),
  );
});

test("a long title is cut between words", () => {
  assert.equal(slugify("word ".repeat(60)), "word-".repeat(20).slice(0, -1));
});

test("a supplied slug is kept where a URL can contain it", () => {
  for (const slug of ["My_Post-1.html", "日本", "a~b"]) assert.equal(validSlug(slug), slug);
  assert.equal(validSlug("/blog/My post/\n"), "blog-My-post");
  assert.equal(validSlug(" ../.. "), "");
});

test("a taken slug gets the first free number and keeps to the maximum length", async () => {
  const taken = new Set(["a", "a-2"]);
  assert.equal(await freeSlug("a", async (slug) => taken.has(slug)), "a-3");
  assert.equal(await freeSlug("b", async (slug) => taken.has(slug)), "b");
  const many = new Set(["c", ...Array.from({ length: 10_000 }, (_none, index) => `c-${index + 2}`)]);
  let questions = 0;
  const isTaken = async (slug: string) => {
    questions += 1;
    return many.has(slug);
  };
  assert.equal(await freeSlug("c", isTaken), "c-10002");
  assert.ok(questions < 60, `${questions} questions for the ten-thousandth article of one title`);
  const long = "x".repeat(MAX_SLUG_LENGTH);
  assert.equal((await freeSlug(long, async (slug) => slug === long)).length, MAX_SLUG_LENGTH);
});

test("a slug can be the name of a folder, in any script, and has a letter or a number", () => {
  for (const letter of ["茶", "ش", "a", "𠮷"]) {
    for (const slug of [slugify(letter.repeat(300)), validSlug(letter.repeat(300))])
      assert.ok(Buffer.byteLength(slug) <= 200 && slug.isWellFormed() && slug.length > 60, `${slug.length} ${letter}`);
  }
  for (const slug of ["-", "_", "~", "...", "\uFE0F", "-_~"]) assert.equal(validSlug(slug), "", slug);
});
