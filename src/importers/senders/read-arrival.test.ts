import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ArticleInput } from "../../domain/articles/article.ts";
import type { Mapping } from "../../domain/articles/senders/dialect.ts";
import type { Understood } from "../../domain/articles/senders/sender.ts";
import { readArrival } from "./read-arrival.ts";

interface Given {
  mapping?: Mapping;
  method?: string;
  path?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  websiteUrl?: string | null;
}

function read(
  body: unknown,
  { mapping = {}, websiteUrl = "https://blog.example", ...request }: Given = {},
): Understood {
  return readArrival({
    request: { method: "POST", path: "", query: {}, headers: { "content-type": "application/json" }, ...request },
    body: typeof body === "string" ? body : JSON.stringify(body),
    mapping,
    websiteUrl,
  });
}

function input(body: unknown, given?: Given): ArticleInput {
  const { articles, problem } = read(body, given);
  assert.equal(problem, null);
  assert.equal(articles.length, 1);
  assert.equal(articles[0]?.problem, null);
  return articles[0]?.input ?? {};
}

function text(content: string, mapping: Mapping = {}): [string, string | undefined] {
  const { content: html, markdown } = input({ title: "Tea", content }, { mapping });
  return html === undefined ? ["markdown", markdown] : ["html", html];
}

function kind(body: unknown, given?: Given): string {
  return read(body, given).kind;
}

function statusOf(body: object): string | undefined {
  return input({ ...tea, ...body }).status;
}

function problemOf(body: string, given?: Given): string {
  return read(body, given).problem ?? "";
}

function parts(fields: [string, string][]): string {
  const all = fields.map(([head, value]) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`);
  return `${all.join("")}--b--\r\n`;
}

const tea = { title: "Tea", html: "<p>Hot water and leaves.</p>" };

describe("an article", () => {
  test("is found at every usual place, and anywhere else if it has a title and a text", () => {
    const at: [string, unknown][] = [
      ["data.articles[]", { data: { articles: [tea] } }],
      ["articles[]", { articles: [tea] }],
      ["data.posts[]", { data: { posts: [tea] } }],
      ["posts[]", { posts: [tea] }],
      ["data.article", { data: { article: tea } }],
      ["data.blog_post", { data: { blog_post: tea } }],
      ["data.post", { data: { post: tea } }],
      ["payload.article", { payload: { article: tea } }],
      ["article", { article: tea }],
      ["post", { post: tea }],
      ["blog", { blog: tea }],
      ["data", { data: tea }],
      ["content", { content: tea }],
      ["payload", { payload: tea }],
      ["result.items[].record", { result: { items: [{ record: tea }] } }],
      ["[]", [tea]],
    ];
    for (const [place, body] of at) {
      const { articles } = read(body);
      assert.deepEqual(articles[0]?.places.title, `${place}.title`, place);
      assert.equal(articles[0]?.input.content, tea.html, place);
    }
    assert.equal(read(tea).articles[0]?.places.html, "html");
  });

  test("keeps the fields of other names, wherever they are spelled with or without separators", () => {
    const { articles } = read({
      event: "post.published",
      article: {
        article_id: 17,
        post_title: "Tea &amp; <em>milk</em>",
        "content-html": "<p>Leaves.</p>",
        SEO: { metaTitle: "All about tea", metaDescription: "How to brew." },
        summary: "  Brewing\n tea ",
        heroImage: { src: "/cup.jpg", altText: "A cup" },
        lang: "English",
        focusKeyphrase: "tea",
        secondary_keywords: "milk; sugar, lemon",
        tags: { data: [{ name: "Drinks" }, { name: "Hot" }] },
        category: { id: 3, name: "Kitchen" },
        author: { name: "Ada", email: "ada@blog.example" },
        slug: "/blog/Tea and milk/",
        canonicalUrl: "https://elsewhere.example/tea",
      },
    });
    assert.deepEqual(articles[0]?.input, {
      title: "Tea & milk",
      content: "<p>Leaves.</p>",
      slug: "Tea-and-milk",
      excerpt: "Brewing tea",
      metaTitle: "All about tea",
      metaDescription: "How to brew.",
      featuredImageUrl: "https://blog.example/cup.jpg",
      featuredImageAlt: "A cup",
      language: "en",
      targetKeyword: "tea",
      seoKeywords: ["milk", "sugar", "lemon"],
      tags: ["Drinks", "Hot"],
      categories: ["Kitchen"],
      authors: [{ name: "Ada", url: null }],
      canonicalUrl: "https://elsewhere.example/tea",
      status: "published",
    });
    assert.equal(articles[0].externalId, "17");
    assert.equal(articles[0].places.image_alt, "article.heroImage.altText");
    assert.equal(articles[0].places.meta_title, "article.SEO.metaTitle");
  });

  test("of a mapping is read from the places that it names first, and from headers and the body around", () => {
    const mapping: Mapping = {
      articles: ["deep.list[]"],
      fields: { title: ["names[1]"], html: ["text.rich"], language: ["header:X-Language"], image: ["cover.big"] },
      id: ["key+lang"],
    };
    const body = {
      cover: { big: "https://cdn.example/a.png" },
      deep: {
        list: [
          { names: ["no", "Tea"], title: "Wrong", html: "<p>x</p>", text: { rich: "<p>y</p>" }, key: 4, lang: "de" },
        ],
      },
    };
    const { articles } = read(body, { mapping, headers: { "x-language": "de-AT" } });
    const [article] = articles;
    assert.equal(article?.externalId, "4:de");
    assert.deepEqual(article?.input, {
      title: "Tea",
      content: "<p>y</p>",
      language: "de-AT",
      featuredImageUrl: "https://cdn.example/a.png",
    });
    assert.deepEqual(
      [article.places.title, article.places.language, article.places.image, article.places.id],
      ["deep.list[].names[1]", "header:X-Language", "cover.big", "deep.list[].key+lang"],
    );
  });

  test("is named by its id, else its slug, else its title, but never by an id of the event or the blog's address", () => {
    const id = (body: unknown) => read(body).articles[0]?.externalId;
    assert.equal(id({ id: "evt_1", type: "article.created", data: { article: { ...tea, id: "art_1" } } }), "art_1");
    assert.equal(id({ id: "evt_1", article: { ...tea, slug: "green-tea" } }), "green-tea");
    assert.equal(id({ job_id: "j1", article: tea }), "j1");
    assert.equal(id({ ...tea, title: "Grüner Tee" }), "gruener-tee");
    assert.equal(id({ ...tea, url: "https://blog.example/@all" }), "tea");
    assert.equal(
      read(`{"title":"Tea","html":"<p>x</p>","id":12345678901234567890}`).articles[0]?.externalId,
      "12345678901234567890",
    );
    assert.equal(id({ ...tea, id: `https://a.example/${"x".repeat(300)}1` })?.length, 200);
    const titles = ["About C", "About C++", "About C#", "🎉", "🎂", "?"];
    assert.equal(new Set(titles.map((title) => id({ ...tea, title }))).size, titles.length);
    const long = ["1", "2"].map((part) => id({ ...tea, id: "x".repeat(200) + part + "y".repeat(200) }));
    assert.notEqual(long[0], long[1]);
  });

  test("in a batch fails alone", () => {
    const { articles } = read({
      articles: [tea, { title: "Empty" }, { html: "<p>No title.</p>" }, { ...tea, html: "<p>z</p>" }],
    });
    assert.deepEqual(
      articles.map(({ externalId, problem }) => [externalId, problem?.replace(/;.*/, "") ?? null]),
      [
        ["tea", null],
        ["empty", "It has a title but no text"],
        ["", "It has a text but no title"],
        ["tea", "An earlier article of this request has the same id."],
      ],
    );
    assert.match(read(Array.from({ length: 201 }, () => tea)).problem ?? "", /more than 200 articles/);
  });

  test("loses a field that it cannot have, and keeps its text", () => {
    const odd = {
      excerpt: {},
      tags: 7,
      category: [1, 2],
      language: "??",
      image: "data:image/png;base64,AA==",
      author: 3,
    };
    assert.deepEqual(input({ ...tea, ...odd, slug: "///" }), { title: "Tea", content: tea.html });
    assert.equal(input({ ...tea, excerpt: "x".repeat(20_000) }).excerpt?.length, 10_000);
    assert.equal(input({ ...tea, tags: ["t".repeat(900)] }).tags?.[0]?.length, 500);
    assert.equal(
      input({ ...tea, image: "https://a.example/1.png; https://a.example/2.png" }).featuredImageUrl,
      "https://a.example/1.png",
    );
    assert.equal(
      input({ ...tea, images: [{}, { url: "https://a.example/1.png" }] }).featuredImageUrl,
      "https://a.example/1.png",
    );
  });
});

describe("the text", () => {
  test("is HTML or Markdown by how it looks, unless the mapping says which", () => {
    assert.deepEqual(text("<h2>One</h2><p>Two **stars**.</p>"), ["html", "<h2>One</h2><p>Two **stars**.</p>"]);
    const markdown = '<div align="center"></div>\n\n## One\n\n- a\n- b\n\n[link](https://a.example) <br>';
    assert.deepEqual(text(markdown), ["markdown", markdown]);
    assert.deepEqual(text("Only words.\n\nIn two paragraphs."), ["markdown", "Only words.\n\nIn two paragraphs."]);
    assert.deepEqual(text("One<br>two <b>three</b>"), ["html", "One<br>two <b>three</b>"]);
    assert.deepEqual(text("<p>a</p>", { text: "markdown" }), ["markdown", "<p>a</p>"]);
    assert.deepEqual(
      text(JSON.stringify({ root: { children: [{ type: "paragraph", children: [{ type: "text", text: "Hi" }] }] } })),
      ["html", "<p>Hi</p>"],
    );
  });

  test("is HTML where both come, and a text without tags never is", () => {
    const both = { title: "Tea", content_markdown: "##one", content: "<h2>one</h2>" };
    assert.equal(input(both).content, "<h2>one</h2>");
    assert.deepEqual(input({ title: "Tea", html: "# One\n\nTwo" }), { title: "Tea", markdown: "# One\n\nTwo" });
    assert.equal(input({ title: "Tea", html: "", markdown: "Two" }).markdown, "Two");
  });

  test("does not repeat title and featured picture", () => {
    const html =
      '<article><h1>Tea!</h1><p>By Ada</p><figure><img src="/cup.jpg?w=800" alt="Cup"><figcaption>Cup</figcaption></figure>' +
      '<p>Hot.</p><img src="/leaf.jpg"></article>';
    assert.equal(
      input({ title: "Tea", html, image: "https://blog.example/cup.jpg" }).content,
      '<article><p>By Ada</p><p>Hot.</p><img src="https://blog.example/leaf.jpg"></article>',
    );
    const credited =
      '<figure><img src="https://a.example/c.jpg"><figcaption>Photo: Ada</figcaption></figure><p>Hot.</p>';
    assert.equal(input({ title: "Tea", html: credited, image: "https://a.example/c.jpg" }).content, credited);
    const markdown = "# Tea\n\n![Cup](/cup.jpg)\n\nHot.\n\n![Leaf](leaf.jpg)";
    assert.equal(
      input({ title: "Tea", markdown, image: "/cup.jpg" }).markdown,
      "Hot.\n\n![Leaf](https://blog.example/leaf.jpg)",
    );
  });

  test("keeps a heading and a picture of its own, and what is all that it has", () => {
    const own = '<h1>Brewing</h1><p>Hot.</p><img src="https://a.example/other.jpg">';
    assert.equal(input({ title: "Tea", html: own, image: "https://a.example/c.jpg" }).content, own);
    assert.equal(input({ title: "Tea", html: "<p>First.</p><h1>Tea</h1>" }).content, "<p>First.</p><h1>Tea</h1>");
    assert.equal(input({ title: "Tea", html: "<h1>Tea</h1>" }).content, "<h1>Tea</h1>");
    assert.equal(input({ title: "Tea", markdown: "# Tea" }).markdown, "# Tea");
  });

  test("gives its first heading as the title if there is none", () => {
    assert.deepEqual(input({ article: { html: "<h1>Green tea</h1><p>Hot.</p>" } }), {
      title: "Green tea",
      content: "<p>Hot.</p>",
    });
    assert.deepEqual(input({ article: { markdown: "# Green tea\n\nHot." } }), { title: "Green tea", markdown: "Hot." });
  });

  test("of Markdown has no front matter, whose title counts if there is no other", () => {
    const markdown = "---\ntitle: Green tea\ntags: [a]\n---\n\n# Green tea\n\nHot.";
    assert.deepEqual(input({ article: { markdown } }), { title: "Green tea", markdown: "Hot." });
    assert.equal(input({ title: "Tea", markdown: "---\n\nHot." }).markdown, "---\n\nHot.");
    assert.equal(input({ title: "Tea", markdown: "---\na: [\n---\nHot." }).markdown, "Hot.");
  });

  test("of a whole page is its body", () => {
    const page = "<!doctype html><html><head><title>x</title></head><body><h1>Tea</h1><p>Hot.</p></body></html>";
    assert.equal(input({ title: "Tea", html: page }).content, "<p>Hot.</p>");
  });
});

describe("what an arrival means", () => {
  test("follows the mapping, in which an unlisted value is something else", () => {
    const mapping: Mapping = {
      event: { at: ["header:X-Event", "verb"], means: { added: "article", gone: "removal", hello: "test" } },
    };
    assert.equal(kind({ ...tea, verb: "added" }, { mapping }), "article");
    assert.equal(kind({ ...tea, verb: "gone" }, { mapping }), "removal");
    assert.equal(kind(tea, { mapping, headers: { "X-EVENT": "hello" } }), "test");
    assert.deepEqual(read({ ...tea, verb: "constructor" }, { mapping }), {
      event: "constructor",
      kind: "other",
      problem: null,
      articles: [],
    });
    assert.equal(kind(tea, { mapping }), "article");
  });

  test("is told by the event's words otherwise", () => {
    for (const event of ["test", "webhook.test", "post.test", "ping", "connection_test", "CONNECT"]) {
      assert.equal(kind({ event, post: tea }), "test", event);
    }
    for (const event of ["article.deleted", "content.unpublished", "postRemoved"]) {
      assert.equal(kind({ event, post: tea }), "removal", event);
    }
    for (const event of ["credits.low", "campaign.completed", "rank.changed", "tool.published", "article.failed"]) {
      assert.equal(kind({ event, data: {} }), "other", event);
    }
    for (const event of ["BLOG_POST_GENERATED", "article.published", "nothing we know"]) {
      assert.equal(kind({ event, post: tea }), "article", event);
    }
    assert.equal(kind({ event: "member.joined", data: { name: "Ada" } }), "other");
    assert.equal(kind({ meta: { event: "test" }, data: {} }), "test");
    assert.equal(kind(tea, { headers: { "x-maker-event": "article.deleted" } }), "removal");
    assert.equal(kind({ ...tea, type: "tool", mode: "keyword" }), "article");
    assert.equal(kind({ ...tea, status: "deleted" }), "removal");
  });

  test("is a test by the rules of the mapping and the usual marks", () => {
    assert.equal(kind({ ...tea, test: true }), "test");
    assert.equal(
      kind("title=Tea&html=x&test=true", { headers: { "content-type": "application/x-www-form-urlencoded" } }),
      "test",
    );
    assert.equal(kind({ post: { ...tea, id: "test-1712345678901" } }), "test");
    assert.equal(kind({ post: { ...tea, id: "test-your-soil" } }), "article");
    assert.equal(kind({ ...tea, test: false }), "article");
    const mapping: Mapping = { test: ["slug!", "id^=probe-", "meta.dry=yes"] };
    assert.equal(kind(tea, { mapping }), "test");
    assert.equal(kind({ ...tea, slug: "tea" }, { mapping }), "article");
    assert.equal(kind({ article: { ...tea, slug: "tea", id: "probe-1" } }, { mapping }), "test");
    assert.equal(kind({ ...tea, slug: "tea", meta: { dry: "yes" } }, { mapping }), "test");
    assert.equal(
      kind(
        {
          articles: [
            { ...tea, slug: "tea", id: "probe-1" },
            { ...tea, slug: "b" },
          ],
        },
        { mapping },
      ),
      "article",
    );
  });

  test("a removal names its article by the same id", () => {
    const removed = (body: unknown, given?: Given) => read(body, given).articles.map(({ externalId }) => externalId);
    assert.deepEqual(
      removed({ id: "evt", event: "article.deleted", data: { article: { id: "art_1", title: "Tea" } } }),
      ["art_1"],
    );
    assert.deepEqual(removed({ action: "unpublish", article: { slug: "tea" } }), ["tea"]);
    assert.deepEqual(removed({ event: "content.deleted", content: { id: 4 } }), ["4"]);
    assert.deepEqual(removed({ action: "delete", url: "https://blog.example/tea" }), ["tea"]);
    assert.deepEqual(removed("", { method: "DELETE", path: "/posts/ab12" }), ["ab12"]);
    assert.deepEqual(removed("", { method: "DELETE", query: { external_id: "ab12" } }), ["ab12"]);
    assert.deepEqual(removed({ event: "article.deleted", ids: [] }), []);
    assert.match(read({ event: "article.deleted" }).problem ?? "", /does not say which/);
    assert.match(read("", { method: "DELETE", path: "/•" }).problem ?? "", /does not say which/);
  });

  test("asks for publication by status, time or event, but never for a draft", () => {
    for (const status of ["publish", "PUBLISHED", "scheduled", "future"])
      assert.equal(statusOf({ status }), "published", status);
    assert.equal(statusOf({ published_at: "2099-01-01" }), "published");
    assert.equal(statusOf({ event: "article.published" }), "published");
    assert.equal(statusOf({ status: "draft", published_at: "2024-01-01", event: "article.published" }), undefined);
    assert.equal(statusOf({ status: "complete" }), undefined);
    assert.equal(statusOf({ event: "article.created", published_at: null }), undefined);
    assert.equal(statusOf({ published_at: "soon" }), undefined);
  });
});

describe("a body", () => {
  const form = { headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" } };

  test("may be a form, with lists, objects and JSON inside", () => {
    assert.deepEqual(input("title=Tea+time&content=%3Cp%3Ex%3C%2Fp%3E&tags[]=a&tags[]=b&seo[meta_title]=T", form), {
      title: "Tea time",
      content: "<p>x</p>",
      tags: ["a", "b"],
      metaTitle: "T",
    });
    assert.equal(input(`payload=${encodeURIComponent(JSON.stringify({ article: tea }))}`, form).title, "Tea");
    assert.equal(input(JSON.stringify(tea), form).title, "Tea");
    const multipart = parts([
      ['name="title"', "Tea"],
      ['name="content"', "One\r\n\r\nTwo"],
      ['name="image"; filename="a.png"', "PNG"],
    ]);
    const headers = { "Content-Type": 'multipart/form-data; boundary="b"' };
    assert.deepEqual(input(multipart, { headers }), { title: "Tea", markdown: "One\n\nTwo" });
  });

  test("is refused with its reason where it cannot be read", () => {
    assert.match(problemOf("{"), /neither valid JSON nor a form/);
    assert.match(problemOf("<xml/>"), /neither valid JSON nor a form/);
    assert.match(problemOf('{"__proto__":{"title":"x"}}'), /__proto__/);
    assert.match(problemOf(String.raw`{"\u005f_proto__":{"title":"x"}}`), /__proto__/);
    assert.match(problemOf("__proto__[title]=x", form), /__proto__/);
    assert.match(problemOf("[".repeat(65) + "]".repeat(65)), /nested deeper than 64/);
    assert.match(
      problemOf(`{"title":"Tea","html":"<p>x</p>","n":[${"0,".repeat(100_000)}0]}`),
      /more than 100,000 values/,
    );
    assert.match(problemOf("a=b", { headers: { "content-type": "multipart/form-data" } }), /boundary/);
    for (const body of ["", "{}", "[]", "null", "7", '"text"'])
      assert.match(problemOf(body), /No article was found/, body);
    // Brackets and commas inside texts do not count.
    assert.equal(input({ title: "Tea", markdown: `\\"${"[{,".repeat(50_000)}` }).title, "Tea");
  });

  test("with no text is told from one with no title, with the names that were looked for", () => {
    const { articles } = read({ title: "Tea" }, { mapping: { fields: { html: ["rich.text"] } } });
    assert.equal(
      articles[0]?.problem,
      "It has a title but no text; the names looked for were rich.text, content_html, html, content_markdown, markdown, content and body.",
    );
  });
});
