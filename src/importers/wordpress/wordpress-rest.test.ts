import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, at, importFile, reasons } from "../import-test-helpers.ts";

const post = {
  id: 12,
  type: "post",
  status: "publish",
  slug: "one",
  link: "https://old.example.org/one/",
  date_gmt: "2021-02-15T10:00:00",
  modified_gmt: "2021-02-16T10:00:00",
  title: { rendered: "Q &#038; <b>A</b>" },
  content: { rendered: "<p>Text</p>", protected: false },
  excerpt: { rendered: "<p>Made by WordPress [&hellip;]</p>" },
  _embedded: {
    author: [{ name: "Ines &amp; Co", url: "", link: "https://old.example.org/author/ines/" }],
    "wp:term": [[{ taxonomy: "category", name: "News" }], [{ taxonomy: "post_tag", name: "A &amp; B" }]],
    "wp:featuredmedia": [{ source_url: "https://old.example.org/a.jpg", alt_text: "Alt" }],
  },
};

test("a post of the REST API has its terms and image", async () => {
  assert.deepEqual(await articleIn("a.json", JSON.stringify([post])), {
    title: "Q & A",
    slug: "one",
    content: "<p>Text</p>",
    authors: [{ name: "Ines & Co", url: null }],
    categories: ["News"],
    tags: ["A & B"],
    featuredImageUrl: "https://old.example.org/a.jpg",
    featuredImageAlt: "Alt",
    platformUrl: "https://old.example.org/one/",
    platformPostId: "12",
    status: "published",
    createdAt: at("2021-02-15T10:00:00Z"),
    updatedAt: at("2021-02-16T10:00:00Z"),
    publishedAt: at("2021-02-15T10:00:00Z"),
  });
});

test("links to posts by their ids lead to their addresses", async () => {
  const text = '<p><a href="https://old.example.org/?p=13">two</a> <a class="b" href="/?p=14&#038;x=1">none</a></p>';
  const other = { ...post, id: 13, slug: "two", link: "https://old.example.org/two/" };
  const items = await importFile("a.json", JSON.stringify([{ ...post, content: { rendered: text } }, other]));
  const [first] = items;
  assert.ok(first?.kind === "draft");
  assert.equal(
    first.input.content,
    '<p><a href="https://old.example.org/two/">two</a> <a class="b" href="/?p=14&#038;x=1">none</a></p>',
  );
  assert.deepEqual(first.warnings, [{ kind: "link_dead", detail: "/?p=14&x=1" }]);
});

test("pages are skipped and empty posts fail, each with its name", async () => {
  const items = await importFile(
    "a.json",
    JSON.stringify([
      { ...post, type: "page" },
      { ...post, content: { rendered: "" } },
    ]),
  );
  assert.match(reasons(items)[0] ?? "", /^skipped a\.json, post 1: It is a page/);
  assert.match(reasons(items)[1] ?? "", /^failed a\.json, post 2: The article has no content/);
});

test("two versions of one post are both imported, each under its own identity, and the same one again is not", async () => {
  const later = { ...post, content: { rendered: "<p>Later</p>" } };
  const text = JSON.stringify([post, later, post, later]);
  for (let round = 0; round < 2; round += 1) {
    const items = await importFile("a.json", text);
    assert.deepEqual(
      items.map((item) => (item.kind === "draft" ? item.ref : item.reason)),
      [
        "wordpress:old.example.org:12",
        "wordpress:old.example.org:12#2",
        "The same article was read before.",
        "The same article was read before.",
      ],
    );
  }
});

const readTranslations = async (more: object) => {
  const { language, translationGroup } = await articleIn("a.json", JSON.stringify([{ ...post, ...more }]));
  return [language, translationGroup];
};

test("a post has the language and the translations that Polylang or WPML name", async () => {
  assert.deepEqual(await readTranslations({ lang: "de", translations: { de: 12, en: 7 } }), ["de", "wordpress-7"]);
  assert.deepEqual(await readTranslations({ lang: "de", translations: { de: 12 } }), ["de", undefined]);
  const wpml = { wpml_current_locale: "pt_BR", wpml_translations: [{ locale: "en_US", id: 30, href: "/x" }] };
  assert.deepEqual(await readTranslations(wpml), ["pt-BR", "wordpress-12"]);
});
