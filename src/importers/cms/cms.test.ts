import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../domain/system/errors.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { at, importAll, importFile, inPieces, reasons } from "../import-test-helpers.ts";

const read = (value: unknown, name = "a.json") => importFile(name, JSON.stringify(value));

function drafts(items: ImportItem[]) {
  return items.flatMap((item) => (item.kind === "draft" ? [item] : []));
}

async function draft(value: unknown) {
  const [first, ...others] = drafts(await read(value));
  assert.ok(first !== undefined && others.length === 0);
  return first;
}

const warnings = (item: { warnings?: readonly { kind: string; detail: string }[] }) =>
  item.warnings?.map(({ kind, detail }) => `${kind}: ${detail}`);

const strapi5 = {
  data: [
    {
      id: 7,
      documentId: "k9",
      title: "Green tea",
      slug: "green-tea",
      description: "How to brew it",
      body: "Boil **water**.",
      locale: "en",
      createdAt: "2024-01-01T00:00:00.000Z",
      updatedAt: "2024-03-01T00:00:00.000Z",
      publishedAt: "2024-02-01T00:00:00.000Z",
      cover: { id: 3, url: "/uploads/hill.png", alternativeText: "A hill" },
      author: { id: 1, documentId: "p", name: "Ann" },
      category: { id: 2, documentId: "c", name: "Tea" },
      tags: [
        { id: 4, name: "green" },
        { id: 5, name: "hot" },
      ],
      seo: { metaTitle: "Green tea!", metaDescription: "Brew", keywords: "tea, water" },
    },
  ],
};

test("an entry of Strapi 5 has its fields by what they are called", async () => {
  const { input, ref, dialect } = await draft(strapi5);
  assert.equal(ref, "strapi:k9:en");
  assert.equal(dialect, "Strapi");
  assert.deepEqual(input, {
    title: "Green tea",
    markdown: "Boil **water**.",
    status: "published",
    slug: "green-tea",
    excerpt: "How to brew it",
    metaTitle: "Green tea!",
    metaDescription: "Brew",
    featuredImageAlt: "A hill",
    platformPostId: "k9",
    featuredImageUrl: "https://blog.example.org/uploads/hill.png",
    seoKeywords: ["tea", "water"],
    categories: ["Tea"],
    tags: ["green", "hot"],
    authors: [{ name: "Ann", url: null }],
    language: "en",
    createdAt: at("2024-01-01"),
    updatedAt: at("2024-03-01"),
    publishedAt: at("2024-02-01"),
  });
});

test("an entry of Strapi 4 has the same from its attributes, and what is unpublished is pending", async () => {
  const attributes = {
    title: "Black tea",
    content: "Boil.",
    createdAt: "2024-01-01T00:00:00.000Z",
    publishedAt: null,
    authors: { data: [{ id: 1, attributes: { firstname: "Ann", lastname: "Lee" } }] },
    image: { data: { id: 3, attributes: { url: "https://cdn.example.org/h.png", alternativeText: "Hill" } } },
    localizations: { data: [] },
  };
  const { input, ref, hidden } = await draft({ data: { id: 4, attributes }, meta: {} });
  assert.equal(ref, "strapi:4:2024-01-01T00:00:00.000Z");
  assert.equal(input.status, "pending");
  assert.match(hidden ?? "", /draft on its site/);
  assert.deepEqual(input.authors, [{ name: "Ann Lee", url: null }]);
  assert.equal(input.featuredImageUrl, "https://cdn.example.org/h.png");
});

const leaf = (text: string, more = {}) => ({ type: "text", text, ...more });

test("blocks and dynamic zones of Strapi become the text", async () => {
  const blocks = [
    { type: "heading", level: 2, children: [leaf("Part")] },
    { type: "paragraph", children: [leaf("Boil "), leaf("water", { bold: true, italic: true }), leaf(".")] },
    { type: "paragraph", children: [leaf("")] },
    {
      type: "list",
      format: "unordered",
      children: [
        { type: "list-item", children: [leaf("one")] },
        { type: "list", format: "ordered", children: [{ type: "list-item", children: [leaf("two")] }] },
      ],
    },
    { type: "quote", children: [leaf("Said")] },
    { type: "code", language: "js", children: [leaf("a < b")] },
    { type: "image", image: { url: "/u/a.png", alternativeText: "A" }, children: [leaf("")] },
    { type: "paragraph", children: [{ type: "link", url: "https://e.example/", children: [leaf("there")] }] },
    { type: "poll", children: [leaf("Which?")] },
  ];
  const entry = { documentId: "b", title: "Blocks", content: blocks };
  const item = await draft({ data: [entry] });
  assert.equal(
    item.input.content,
    "<h2>Part</h2><p>Boil <em><strong>water</strong></em>.</p><ul><li>one<ol><li>two</li></ol></li></ul>" +
      '<blockquote>Said</blockquote><pre><code class="language-js">a &#x3C; b</code></pre><img src="/u/a.png" alt="A">' +
      '<p><a href="https://e.example/">there</a></p><p>Which?</p>',
  );
  assert.deepEqual(warnings(item), ["construct_replaced: poll"]);
  const zone = [
    { __component: "shared.rich-text", id: 1, body: "Boil **water**." },
    { __component: "shared.quote", id: 2, title: "Ann", body: "Hot." },
    { __component: "shared.media", id: 3, file: { id: 9, url: "/u/b.png", alternativeText: "B" } },
    { __component: "shared.call-to-action", id: 4, label: "Buy" },
  ];
  const other = await draft({ data: [{ documentId: "z", title: "Zone", blocks: zone }] });
  assert.equal(
    other.input.markdown,
    'Boil **water**.\n\n> Hot.\n> \n> — Ann\n\n<p><img src="/u/b.png" alt="B"></p>\n\n<p>Buy</p>',
  );
  assert.deepEqual(warnings(other), ["construct_replaced: shared.call-to-action"]);
});

const entrySys = (id: string, type: string, more = {}) => ({
  id,
  type: "Entry",
  contentType: { sys: { id: type } },
  createdAt: "2024-01-01T00:00:00Z",
  publishedVersion: 3,
  ...more,
});
const link = (id: string, linkType = "Entry") => ({ sys: { type: "Link", linkType, id } });
const nodes = (nodeType: string, content: unknown[] = [], data = {}) => ({ nodeType, content, data });
const words = (value: string, ...marks: string[]) => ({
  nodeType: "text",
  value,
  marks: marks.map((type) => ({ type })),
  data: {},
});

const contentful = {
  contentTypes: [],
  locales: [
    { code: "de", default: false },
    { code: "en-US", default: true },
  ],
  entries: [
    {
      sys: entrySys("post", "blogPost"),
      fields: {
        title: { "en-US": "Tea", de: "Tee" },
        slug: { "en-US": "tea", de: "tee" },
        author: { "en-US": link("ann") },
        heroImage: { "en-US": link("hill", "Asset") },
        body: {
          "en-US": nodes("document", [
            nodes("heading-2", [words("Part")]),
            nodes("paragraph", [
              words("Boil\nit "),
              words("now", "bold"),
              nodes("hyperlink", [words("here")], { uri: "https://e.example" }),
            ]),
            nodes("unordered-list", [nodes("list-item", [nodes("paragraph", [words("one")])])]),
            nodes("embedded-asset-block", [], { target: link("hill", "Asset") }),
            nodes("embedded-entry-block", [], { target: link("note") }),
            nodes("paragraph", [nodes("entry-hyperlink", [words("other")], { target: link("gone") })]),
            nodes("paragraph", [words("")]),
          ]),
          de: nodes("document", [nodes("paragraph", [words("Wasser.")])]),
        },
      },
    },
    { sys: entrySys("ann", "author"), fields: { name: { "en-US": "Ann" } } },
    { sys: entrySys("note", "callout"), fields: { heading: { "en-US": "Take care" } } },
    { sys: { ...entrySys("later", "blogPost"), publishedVersion: undefined }, fields: {} },
  ],
  assets: [
    {
      sys: { id: "hill", type: "Asset" },
      fields: { title: { "en-US": "Hill" }, file: { "en-US": { url: "//images.ctfassets.net/hill.png" } } },
    },
  ],
};

test("an export of Contentful gives an article for each language, with what its entries refer to", async () => {
  const items = await read(contentful);
  const [english, german] = drafts(items);
  assert.equal(
    english?.input.content,
    '<h2>Part</h2><p>Boil<br>it <strong>now</strong><a href="https://e.example">here</a></p><ul><li>one</li></ul>' +
      '<img src="https://images.ctfassets.net/hill.png" alt="Hill"><p>Take care</p><p>other</p>',
  );
  assert.deepEqual(warnings(english), ["construct_replaced: embedded-entry-block", "link_dead: other"]);
  assert.deepEqual(english.input.authors, [{ name: "Ann", url: null }]);
  assert.equal(english.input.featuredImageUrl, "https://images.ctfassets.net/hill.png");
  assert.equal(german?.input.content, "<p>Wasser.</p>");
  assert.deepEqual([english.ref, german.ref], ["contentful:post", "contentful:post:de"]);
  assert.deepEqual([english.input.language, german.input.language], ["en-US", "de"]);
  assert.equal(english.input.translationGroup, german.input.translationGroup);
  assert.deepEqual(reasons(items), [
    "skipped a.json, entry 3: It is of the type author, not an article.",
    "skipped a.json, entry 4: It has no title and text: it is an author, a category or the like.",
    "skipped a.json, entry 5: It has no title and text: it is an author, a category or the like.",
  ]);
});

test("an answer of Contentful's delivery API has its entries' values as they are", async () => {
  const sys = { ...entrySys("p", "post"), publishedVersion: undefined, revision: 2, locale: "en-US" };
  const { input } = await draft({
    sys: { type: "Array" },
    items: [{ sys, fields: { title: "Tea", body: "Boil **water**.", author: link("ann") } }],
    includes: { Entry: [{ sys: { ...entrySys("ann", "author"), locale: "en-US" }, fields: { name: "Ann" } }] },
  });
  assert.equal(input.markdown, "Boil **water**.");
  assert.equal(input.status, "published");
  assert.deepEqual(input.authors, [{ name: "Ann", url: null }]);
});

const span = (text: string, ...marks: string[]) => ({ _type: "span", text, marks });
const block = (children: unknown[], more = {}) => ({
  _type: "block",
  style: "normal",
  children,
  markDefs: [],
  ...more,
});
const item = (text: string, listItem: string, level = 1) => block([span(text)], { listItem, level });

const sanity = [
  {
    _id: "p1",
    _type: "post",
    _createdAt: "2024-01-01T00:00:00Z",
    title: "Tea",
    slug: { _type: "slug", current: "tea" },
    author: { _type: "reference", _ref: "a1" },
    categories: [{ _type: "reference", _ref: "c1" }],
    mainImage: { _type: "image", alt: "A hill", asset: { _ref: "image-1" } },
    excerpt: [block([span("Short "), span("words")])],
    publishedAt: "2024-02-01T00:00:00Z",
    body: [
      block([span("Part")], { style: "h2" }),
      block([span("Boil "), span("water", "strong", "k"), span(".")], {
        markDefs: [{ _key: "k", _type: "link", href: "https://e.example" }],
      }),
      item("one", "bullet"),
      item("two", "number", 2),
      item("three", "bullet"),
      item("first", "number"),
      { _type: "image", asset: { _ref: "image-1" }, alt: "Hill", caption: "A view" },
      { _type: "image", asset: { _ref: "image-gone" } },
      { _type: "code", code: "a < b", language: "js" },
      { _type: "youtube", url: "https://youtu.be/x" },
      { _type: "callout", body: [block([span("Take care")])] },
      { _type: "cta", label: "Buy" },
      block([span("x", "shout")], { style: "lead" }),
    ],
  },
  { _id: "drafts.p1", _type: "post", title: "Tea!", body: [block([span("x")])] },
  { _id: "drafts.p2", _type: "post", title: "Mate", body: [block([span("x")])] },
  { _id: "a1", _type: "author", name: "Ann", bio: [block([span("x")])] },
  { _id: "c1", _type: "category", title: "Drinks" },
  { _id: "image-1", _type: "sanity.imageAsset", url: "https://cdn.sanity.io/1.png" },
];

test("a dataset of Sanity gives its posts, with what comes after them in the file", async () => {
  const text = sanity.map((line) => JSON.stringify(line)).join("\n");
  for (const items of [
    await importFile("a.ndjson", text),
    await importAll("-", { stdin: inPieces(text, 1000) }),
    await read({ result: sanity }),
  ]) {
    const [post, other, ...more] = drafts(items);
    assert.ok(post !== undefined && other !== undefined && more.length === 0);
    assert.equal(
      post.input.content,
      '<h2>Part</h2><p>Boil <strong><a href="https://e.example">water</a></strong>.</p>' +
        "<ul><li>one<ol><li>two</li></ol></li><li>three</li></ul><ol><li>first</li></ol>" +
        '<figure><img src="https://cdn.sanity.io/1.png" alt="Hill"><figcaption>A view</figcaption></figure>' +
        '<pre><code class="language-js">a &#x3C; b</code></pre><p><a href="https://youtu.be/x">https://youtu.be/x</a></p>' +
        "<p>Take care</p><p>Buy</p><p>x</p>",
    );
    assert.deepEqual(warnings(post), [
      "construct_replaced: callout",
      "construct_replaced: cta",
      "construct_replaced: mark shout",
      "construct_replaced: style lead",
      "embed_replaced: https://youtu.be/x",
      "picture_missing: image-gone",
    ]);
    assert.equal(post.ref, "sanity:p1");
    assert.deepEqual(post.input.authors, [{ name: "Ann", url: null }]);
    assert.deepEqual(post.input.categories, ["Drinks"]);
    assert.equal(post.input.slug, "tea");
    assert.equal(post.input.excerpt, "Short words");
    assert.equal(post.input.featuredImageUrl, "https://cdn.sanity.io/1.png");
    assert.equal(post.input.publishedAt, at("2024-02-01"));
    assert.deepEqual([other.input.title, other.input.status, other.ref], ["Mate", "pending", "sanity:p2"]);
    assert.equal(items.length, 6);
  }
});

const drupal = {
  jsonapi: { version: "1.0" },
  data: [
    {
      type: "node--article",
      id: "7c6a4d3e-1111-4222-8333-444455556666",
      attributes: {
        title: "Tea",
        langcode: "en",
        status: false,
        promote: true,
        created: "2024-01-02T00:00:00+00:00",
        changed: "2024-01-03T00:00:00+00:00",
        path: { alias: "/blog/tea" },
        body: { value: "raw", format: "basic_html", processed: "<p>Boil water.</p>", summary: "Short" },
      },
      relationships: {
        uid: { data: { type: "user--user", id: "u" } },
        field_tags: { data: [{ type: "taxonomy_term--tags", id: "t" }] },
        field_image: { data: { type: "file--file", id: "f", meta: { alt: "A hill" } } },
      },
    },
    { type: "node--page", id: "x", attributes: { title: "About", body: { value: "x", format: "x" } } },
  ],
  included: [
    { type: "user--user", id: "u", attributes: { display_name: "Ann" } },
    { type: "taxonomy_term--tags", id: "t", attributes: { name: "green" } },
    { type: "file--file", id: "f", attributes: { uri: { url: "/sites/hill.png" } } },
  ],
};

test("an answer of Drupal's JSON:API gives its nodes, with what is included", async () => {
  const items = await read(drupal);
  const [{ input, ref } = assert.fail()] = drafts(items);
  assert.equal(ref, "drupal:7c6a4d3e-1111-4222-8333-444455556666");
  assert.equal(input.content, "<p>Boil water.</p>");
  assert.equal(input.status, "pending");
  assert.deepEqual([input.slug, input.excerpt, input.language], ["tea", "Short", "en"]);
  assert.deepEqual([input.tags, input.authors], [["green"], [{ name: "Ann", url: null }]]);
  assert.equal(input.platformUrl, "https://blog.example.org/blog/tea");
  assert.equal(input.featuredImageUrl, "https://blog.example.org/sites/hill.png");
  assert.deepEqual(reasons(items), ["skipped a.json, entry 2: It is a page, not an article."]);
});

const hashnode = {
  _id: "h1",
  title: "Tea",
  slug: "tea",
  brief: "Short",
  contentMarkdown: "Boil.\n\n%[https://youtu.be/x]",
  dateAdded: "2024-01-02T00:00:00.000Z",
  coverImage: "https://cdn.example.org/h.png",
  tags: [{ name: "Drinks", slug: "drinks" }],
};
const devTo = {
  type_of: "article",
  id: 5,
  title: "Tea",
  description: "Short",
  body_markdown: "---\ntitle: Old\n---\nBoil.\n\n{% embed https://youtu.be/x %}",
  published_at: "2024-01-02T00:00:00Z",
  tag_list: "drinks, hot",
  tags: ["drinks", "hot"],
  cover_image: "https://cdn.example.org/h.png",
  canonical_url: "https://other.example/tea",
  url: "https://dev.to/ann/tea",
  user: { name: "Ann", username: "ann" },
};
const tumblr = {
  id: 9,
  type: "photo",
  state: "private",
  date: "2024-01-02 03:04:05 GMT",
  tags: ["drinks"],
  summary: "A hill",
  post_url: "https://ann.tumblr.com/post/9",
  photos: [{ caption: "Hill", original_size: { url: "https://cdn.example.org/h.png" } }],
  caption: "<p>A hill</p>",
};

test("posts of Hashnode arrive from an export, a list and an answer of its API", async () => {
  const edges = [
    { node: { ...hashnode, contentMarkdown: undefined, content: { markdown: hashnode.contentMarkdown } } },
  ];
  for (const value of [{ posts: [hashnode] }, [hashnode], hashnode, { data: { publication: { posts: { edges } } } }]) {
    const { input, ref } = await draft(value);
    assert.equal(ref, "hashnode:h1");
    assert.equal(input.markdown, "Boil.\n\n<https://youtu.be/x>");
    assert.deepEqual([input.excerpt, input.tags, input.publishedAt], ["Short", ["Drinks"], at("2024-01-02")]);
    assert.equal(input.featuredImageUrl, "https://cdn.example.org/h.png");
  }
});

test("articles of dev.to arrive with their front matter taken off; a list without texts says how to get them", async () => {
  const item = await draft([devTo]);
  assert.equal(item.input.markdown, "Boil.\n\n<https://youtu.be/x>");
  assert.deepEqual(warnings(item), ["embed_replaced: https://youtu.be/x"]);
  assert.deepEqual([item.input.title, item.input.tags, item.input.excerpt], ["Tea", ["drinks", "hot"], "Short"]);
  assert.deepEqual(item.input.authors, [{ name: "Ann", url: null }]);
  assert.equal(item.input.canonicalUrl, "https://other.example/tea");
  const listed = await read([{ type_of: "article", id: 5, title: "Tea", reading_time_minutes: 1 }]);
  assert.match(reasons(listed)[0] ?? "", /^failed a\.json: It is dev\.to's list, which has no texts: .*articles\/me/);
});

test("posts of Tumblr arrive with their pictures; private ones are pending", async () => {
  const { input, ref } = await draft({ response: { posts: [tumblr] } });
  assert.equal(ref, "tumblr:9");
  assert.equal(input.title, "A hill");
  assert.equal(input.content, '<img src="https://cdn.example.org/h.png" alt="Hill">\n<p>A hill</p>');
  assert.deepEqual([input.status, input.tags], ["pending", ["drinks"]]);
  assert.equal(input.platformUrl, "https://ann.tumblr.com/post/9");
});

const SAMPLES: unknown[] = [strapi5, contentful, sanity, drupal, { posts: [hashnode] }, [devTo], { posts: [tumblr] }];

/** The value with each of its parts, one at a time, replaced by `other`. */
function* damaged(value: unknown, other: unknown): Generator {
  yield other;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const part of damaged(inner, other)) {
      if (Array.isArray(value)) yield value.with(Number(key), part);
      else yield { ...value, [key]: part };
    }
  }
}

test("no wrong type, huge number or deep nesting anywhere is more than a refusal", async () => {
  let deep: unknown = "x";
  for (let depth = 0; depth < 5000; depth++) deep = { nodeType: "p", type: "p", children: [deep], content: [deep] };
  const { readCms } = await import("./cms.ts");
  const context = { websiteUrl: null, now: at("2026-01-01") };
  for (const sample of SAMPLES) {
    for (const other of [null, 1e308, [null], deep]) {
      for (const value of damaged(sample, other)) for (const _item of readCms(value, "a.json", context) ?? []);
    }
  }
  await assert.rejects(read({ data: 3 }), AppError);
});
