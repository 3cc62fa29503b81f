import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, at, importFile, reasons, titles } from "../import-test-helpers.ts";
import { renderLexical } from "./lexical.ts";

const UUID = "3a033ce7-9e2d-4b3b-a9ef-76887efacc7f";
const post = {
  id: "p1",
  uuid: UUID,
  title: "One",
  slug: "one",
  html: '<p><img src="__GHOST_URL__/a.png"></p>',
  type: "post",
  status: "published",
  visibility: "public",
  created_at: "2021-02-14T10:00:00.000Z",
  published_at: "2021-02-15T10:00:00.000Z",
  feature_image: "__GHOST_URL__/content/images/f.png",
  custom_excerpt: "Short",
  canonical_url: "https://first.example/one",
  locale: "de-AT",
};
const tables = {
  tags: [
    { id: "t1", name: "Second" },
    { id: "t2", name: "First" },
    { id: "t3", name: "#internal", visibility: "internal" },
  ],
  posts_tags: [
    { post_id: "p1", tag_id: "t1", sort_order: 1 },
    { post_id: "p1", tag_id: "t2", sort_order: 0 },
    { post_id: "p1", tag_id: "t3", sort_order: 2 },
  ],
  posts_meta: [{ post_id: "p1", meta_title: "Title", meta_description: "Meta", feature_image_alt: "Alt" }],
  users: [
    { id: "u1", name: "Ada", website: "https://ada.example", email: "ada@x.example" },
    { id: "u2", name: "Bo", website: null },
  ],
  posts_authors: [
    { post_id: "p1", author_id: "u1", sort_order: 1 },
    { post_id: "p1", author_id: "u2", sort_order: 0 },
  ],
};

test("each shape of an export yields the same article", async () => {
  const data = { posts: [post], ...tables };
  for (const value of [{ db: [{ meta: {}, data }] }, { meta: {}, data }, { data }]) {
    const input = await articleIn("ghost.json", JSON.stringify(value));
    assert.deepEqual(input, {
      id: UUID,
      title: "One",
      slug: "one",
      content: '<p><img src="https://blog.example.org/a.png"></p>',
      excerpt: "Short",
      authors: [
        { name: "Bo", url: null },
        { name: "Ada", url: "https://ada.example" },
      ],
      metaTitle: "Title",
      metaDescription: "Meta",
      canonicalUrl: "https://first.example/one",
      language: "de-AT",
      categories: ["First"],
      tags: ["First", "Second"],
      featuredImageUrl: "https://blog.example.org/content/images/f.png",
      featuredImageAlt: "Alt",
      platformPostId: "p1",
      status: "published",
      createdAt: at("2021-02-14T10:00:00Z"),
      publishedAt: at("2021-02-15T10:00:00Z"),
      updatedAt: at("2021-02-15T10:00:00Z"),
    });
  }
});

test("without the address of the site, its own addresses become relative and its image is left out", async () => {
  const input = await articleIn("g.json", JSON.stringify({ data: { posts: [post] } }), { websiteUrl: null });
  assert.equal(input.content, '<p><img src="/a.png"></p>');
  assert.equal("featuredImageUrl" in input, false);
});

test("drafts and posts for members are pending, scheduled posts are scheduled, and pages are skipped", async () => {
  const posts = [
    { ...post, uuid: null, id: "1", title: "Draft", status: "draft" },
    { ...post, uuid: null, id: "2", title: "Paid", visibility: "paid" },
    { ...post, uuid: null, id: "3", title: "Later", status: "scheduled", published_at: "2026-03-01T00:00:00.000Z" },
    { ...post, uuid: null, id: "4", title: "Page", type: "page" },
  ];
  const items = await importFile("g.json", JSON.stringify({ data: { posts } }));
  assert.deepEqual(
    items.map((item) => (item.kind === "draft" ? [item.ref, item.input.status, item.input.publishAt] : item.kind)),
    [
      ["ghost:1", "pending", undefined],
      ["ghost:2", "pending", undefined],
      ["ghost:3", "approved", at("2026-03-01T00:00:00Z")],
      "skipped",
    ],
  );
  assert.match(reasons(items)[0] ?? "", /post 4: It is a page/);
});

test("the Content API and the migration tools are understood", async () => {
  const api = { posts: [{ ...post, url: "https://site.example.org/one/", tags: [{ name: "A" }, { name: "#x" }] }] };
  const fromApi = await articleIn("g.json", JSON.stringify(api));
  assert.deepEqual([fromApi.platformUrl, fromApi.tags], ["https://site.example.org/one/", ["A"]]);
  const migrated = {
    posts: [{ url: "https://medium.com/x", data: { title: "M", html: "<p>x</p>", tags: [{ data: { name: "T" } }] } }],
  };
  const items = await importFile("g.json", JSON.stringify(migrated));
  assert.deepEqual(titles(items), ["M"]);
  assert.equal(items[0]?.kind === "draft" && items[0].ref, "ghost:https://medium.com/x");
});

const rendered = async (source: Record<string, unknown>): Promise<string | undefined> => {
  const texts = Object.fromEntries(Object.entries(source).map(([name, value]) => [name, JSON.stringify(value)]));
  const input = await articleIn("g.json", JSON.stringify({ posts: [{ id: "1", title: "T", html: null, ...texts }] }));
  return input.content ?? input.markdown;
};

const text = (value: string, format = 0): unknown => ({ type: "extended-text", text: value, format });

test("a Lexical document is rendered where its HTML is missing", async () => {
  const lexical = {
    root: {
      children: [
        { type: "extended-heading", tag: "h2", children: [text("A & B")] },
        {
          type: "paragraph",
          children: [
            text("x "),
            text("bold", 3),
            { type: "linebreak" },
            { type: "link", url: "https://e.org/?a=1&b", children: [text("link")] },
          ],
        },
        { type: "paragraph", children: [] },
        {
          type: "list",
          listType: "number",
          tag: "ol",
          children: [
            { type: "listitem", children: [text("1")] },
            {
              type: "listitem",
              children: [{ type: "list", tag: "ul", children: [{ type: "listitem", children: [text("1a")] }] }],
            },
          ],
        },
        { type: "image", src: "/a.png", alt: "A", caption: "<b>C</b>" },
        { type: "codeblock", language: "js", code: "a < b" },
        { type: "html", html: "<i>raw</i>" },
        { type: "markdown", markdown: "**m**" },
        { type: "horizontalrule" },
        { type: "something-new", children: [text("kept")] },
      ],
    },
  };
  assert.equal(
    await rendered({ lexical }),
    [
      "<h2>A &amp; B</h2>",
      '<p>x <strong><em>bold</em></strong><br><a href="https://e.org/?a=1&amp;b">link</a></p>',
      "<ol><li>1<ul><li>1a</li></ul></li></ol>",
      '<figure><img src="/a.png" alt="A"><figcaption><b>C</b></figcaption></figure>',
      '<pre><code class="language-js">a &lt; b</code></pre>',
      "<i>raw</i>",
      "<p><strong>m</strong></p>",
      "<hr>",
      "kept",
    ].join("\n"),
  );
});

test("a page is an article if it is asked for", async () => {
  const posts = [{ id: "1", type: "page", title: "About", html: "<p>x</p>" }];
  const found = await importFile("g.json", JSON.stringify({ posts }), { include: ["page"] });
  assert.deepEqual(titles(found), ["About"]);
});

const renderCards = (...children: unknown[]) => renderLexical({ root: { type: "root", children } });

test("each card of Lexical becomes HTML, except those for members and mails", () => {
  const cards: [unknown, string][] = [
    [{ type: "aside", children: [text("a")] }, "<blockquote>a</blockquote>"],
    [
      { type: "extended-quote", children: [{ type: "paragraph", children: [text("a")] }] },
      "<blockquote><p>a</p></blockquote>",
    ],
    [{ type: "code", children: [text("a<b"), { type: "linebreak" }, text("c")] }, "<pre><code>a&lt;b\nc</code></pre>"],
    [
      { type: "gallery", images: [{ src: "/1.png" }, { src: "/2.png", alt: "two" }], caption: "C" },
      '<figure><img src="/1.png" alt=""><img src="/2.png" alt="two"><figcaption>C</figcaption></figure>',
    ],
    [
      { type: "bookmark", url: "https://e.org/x", metadata: { title: "X & Y" } },
      '<p><a href="https://e.org/x">X &amp; Y</a></p>',
    ],
    [{ type: "embed", url: "https://e.org/v", html: "<iframe></iframe>" }, "<iframe></iframe>"],
    [{ type: "button", buttonText: "Go", buttonUrl: "https://e.org/" }, '<p><a href="https://e.org/">Go</a></p>'],
    [{ type: "callout", calloutText: "<p>c</p>", calloutEmoji: "💡" }, "<blockquote>💡 <p>c</p></blockquote>"],
    [{ type: "toggle", heading: "Q", content: "<p>A</p>" }, "<details><summary>Q</summary><p>A</p></details>"],
    [{ type: "video", src: "/v.mp4", fileName: "v.mp4" }, '<p><a href="/v.mp4">v.mp4</a></p>'],
    [{ type: "audio", src: "/a.mp3", title: "Talk" }, '<p><a href="/a.mp3">Talk</a></p>'],
    [{ type: "file", src: "/f.pdf", fileTitle: "Paper" }, '<p><a href="/f.pdf">Paper</a></p>'],
    [
      { type: "header", header: "H", subheader: "S", buttonEnabled: false, buttonUrl: "/x", buttonText: "B" },
      "<h2>H</h2>\n<p>S</p>",
    ],
    [
      {
        type: "product",
        productTitle: "P",
        productDescription: "<p>D</p>",
        productImageSrc: "/p.png",
        productButtonEnabled: true,
        productButton: "Buy",
        productUrl: "/buy",
      },
      '<img src="/p.png" alt="">\n<h4>P</h4>\n<p>D</p>\n<p><a href="/buy">Buy</a></p>',
    ],
    [
      { type: "call-to-action", textValue: "<p>T</p>", showButton: true, buttonUrl: "/t", buttonText: "B" },
      '<p>T</p>\n<p><a href="/t">B</a></p>',
    ],
    [{ type: "new-leaf", text: "kept", format: 1 }, "<strong>kept</strong>"],
    [
      {
        type: "new-box",
        children: [
          { type: "paragraph", children: [text("a")] },
          { type: "new", children: [text("b")] },
        ],
      },
      "<p>a</p>\nb",
    ],
    [{ type: "new-player", url: "https://e.org/p" }, '<p><a href="https://e.org/p">https://e.org/p</a></p>'],
    [{ type: "email", html: "<p>mail</p>" }, ""],
    [{ type: "email-cta", html: "<p>mail</p>" }, ""],
    [{ type: "paywall" }, ""],
    [{ type: "signup", header: "Join" }, ""],
  ];
  for (const [card, html] of cards) assert.equal(renderCards(card), html);
});

test("a Mobiledoc document is rendered, and one card of Markdown stays Markdown", async () => {
  const mobiledoc = {
    version: "0.3.1",
    atoms: [["soft-return", "", {}]],
    cards: [
      ["image", { src: "/a.png" }],
      ["code", { code: "x", language: "c" }],
    ],
    markups: [["strong"], ["a", ["href", "https://e.org"]]],
    sections: [
      [1, "h2", [[0, [], 0, "Head"]]],
      [
        1,
        "p",
        [
          [0, [], 0, "a "],
          [0, [0, 1], 1, "b"],
          [0, [], 1, "c"],
          [1, [], 0, 0],
          [0, [], 0, " <d>"],
        ],
      ],
      [3, "ul", [[[0, [], 0, "one"]], [[0, [], 0, "two"]]]],
      [10, 0],
      [10, 1],
      [1, "p", []],
    ],
  };
  assert.equal(
    await rendered({ mobiledoc }),
    '<h2>Head</h2>\n<p>a <strong><a href="https://e.org">b</a>c</strong><br> &lt;d&gt;</p>\n<ul><li>one</li><li>two</li></ul>\n<img src="/a.png" alt="">\n<pre><code class="language-c">x</code></pre>',
  );
  const card = { version: "0.3.1", cards: [["card-markdown", { markdown: "# M" }]], sections: [[10, 0]] };
  assert.equal(await rendered({ mobiledoc: card }), "# M");
});

test("a document that is broken or endlessly nested fails only its post", async () => {
  const deep = `{"root":${'{"children":['.repeat(5000)}{}${"]}".repeat(5000)}}`;
  const posts = [
    { id: "1", title: "A", html: null, lexical: deep },
    { id: "2", title: "B", html: null, lexical: "{" },
    { id: "3", title: "C", html: "<p>x</p>" },
  ];
  const items = await importFile("g.json", JSON.stringify({ posts }));
  assert.deepEqual(titles(items), ["C"]);
  assert.match(reasons(items)[0] ?? "", /nested too deeply/);
  assert.match(reasons(items)[1] ?? "", /not valid JSON/);
});

const link = (language: string, path: string) =>
  `<link rel="alternate" hreflang="${language}" href="https://old.example.org${path}" />`;
const readTranslations = async (locale: string | null, head: string) => {
  const { language, translationGroup } = await articleIn(
    "ghost.json",
    JSON.stringify({ data: { posts: [{ ...post, locale, codeinjection_head: head }] } }),
  );
  return [language, translationGroup];
};

test("a post has the language and the translations that hreflang links in its head name", async () => {
  const both = `<script>x</script>${link("en", "/one/")}\n${link("de", "/eins/")}${link("x-default", "/one/")}`;
  assert.deepEqual(await readTranslations(null, both), ["en", "/eins/"]);
  assert.deepEqual(await readTranslations("fr", both), ["fr", "/eins/"]);
  assert.deepEqual(await readTranslations(null, link("en", "/one/")), ["en", undefined]);
  assert.deepEqual(await readTranslations(null, link("en", "/two/") + link("de", "/zwei/")), [undefined, undefined]);
});
