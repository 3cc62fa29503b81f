import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, at, importAll, importFile, reasons, testFolder, titles, TODAY } from "../import-test-helpers.ts";

const md = (front: string, body = "Text."): string => `---\n${front}\n---\n\n${body}\n`;

test("an article with a date is published on it, and one without is pending", async () => {
  const dated = await articleIn("a.md", md("title: One\ndate: 2021-02-15\nupdated: 2021-03-01"));
  assert.equal(dated.status, "published");
  assert.equal(dated.publishedAt, at("2021-02-15"));
  assert.equal(dated.createdAt, at("2021-02-15"));
  assert.equal(dated.updatedAt, at("2021-03-01"));
  assert.equal(dated.markdown, "Text.");
  const undated = await articleIn("a.md", md("title: One"));
  assert.equal(undated.status, "pending");
  assert.equal("publishedAt" in undated || "createdAt" in undated, false);
});

test("a front matter names the authors, another title, the original and former addresses", async () => {
  const names = async (front: string) => (await articleIn("a.md", md(`title: One\n${front}`))).authors;
  const ada = { name: "Ada Lovelace", url: null };
  for (const front of [
    "author: Ada Lovelace",
    "author: Ada Lovelace <ada@x.example>",
    "params:\n  byline: Ada Lovelace",
  ]) {
    assert.deepEqual(await names(front), [ada], front);
  }
  assert.deepEqual(await names("authors: Ada Lovelace, Bo"), [ada, { name: "Bo", url: null }]);
  assert.deepEqual(await names("author:\n  - name: Bo\n    url: https://bo.example\n  - Ada Lovelace"), [
    { name: "Bo", url: "https://bo.example" },
    ada,
  ]);
  assert.equal(await names("author: ada@x.example"), undefined);
  const front = "seo:\n  title: S\ncanonical_url: https://other.example/a\naliases: [/old/a/, b]\n";
  const input = await articleIn("a.md", md(`title: One\n${front}`));
  assert.deepEqual(
    [input.metaTitle, input.canonicalUrl, input.aliases],
    ["S", "https://other.example/a", ["/old/a", "b"]],
  );
  const translated = await articleIn("a.md", md("title: One\nlang: pt_BR\ntranslationKey: one"));
  assert.deepEqual([translated.language, translated.translationGroup], ["pt-BR", "one"]);
  assert.equal((await articleIn("a.md", md("title: One\nlanguage: none of them"))).language, undefined);
  const read = async (name: string, front: string) => {
    const { language, translationGroup, slug } = await articleIn(name, md(`title: One${front}`));
    return [language, translationGroup, slug];
  };
  assert.deepEqual(await read("a.md", "\nlang: de\nref: about"), ["de", "about", "a"]);
  assert.deepEqual(await read("a.md", "\nref: about"), [undefined, undefined, "a"]);
  assert.deepEqual(await read("posts/tea.de.md", ""), ["de", "tea", "tea.de"]);
  assert.deepEqual(await read("posts/tea/index.pt-br.md", ""), ["pt-BR", "tea", "tea.pt-br"]);
  assert.deepEqual(await read("posts/tea.de.md", "\nlang: fr\ntranslationKey: k"), ["fr", "k", "tea.de"]);
  assert.deepEqual(await read("posts/node.js.md", ""), [undefined, undefined, "node.js"]);
  const redirected = await articleIn("a.md", md("title: One\nredirect_from: /old/b.html"));
  assert.deepEqual([redirected.aliases, redirected.canonicalUrl], [["/old/b.html"], undefined]);
});

test("titles, summaries and names are plain text", async () => {
  const frontMatter = [
    "title: '<i>Fast</i> properties &amp; `<div>` of List<String>'",
    "description: 'By [Ann](https://example.com/a_(b)), <b>soon</b>'",
    "author: 'Ann ([@ann](https://example.com/ann)), of [“`for`”](/for)'",
  ];
  const input = await articleIn("x.md", md(frontMatter.join("\n")));
  assert.equal(input.title, "Fast properties & `<div>` of List<String>");
  assert.equal(input.metaDescription, "By Ann, soon");
  assert.deepEqual(input.authors, [{ name: "Ann (@ann), of “`for`”", url: null }]);
  assert.equal((await articleIn("a.md", '+++\ntitle = """\nOne\n  two"""\n+++\n\nText.\n')).title, "One two");
  const [list] = await importFile("two-pots.md", md("title: [One, Two]"));
  assert.ok(list?.kind === "draft");
  assert.equal(list.input.title, "Two pots");
  assert.deepEqual(list.warnings, [{ kind: "metadata_guessed", detail: 'title: ["One","Two"] (not a text)' }]);
});

test("drafts and articles dated in the future are pending; a schedule stays one", async () => {
  for (const front of ["draft: true", "published: false", "status: draft", "draft: 'yes'"]) {
    const input = await articleIn("a.md", md(`title: One\ndate: 2021-02-15\n${front}`));
    assert.equal(input.status, "pending", front);
    assert.equal(input.createdAt, at("2021-02-15"));
  }
  const future = await articleIn("a.md", md("title: One\ndate: 2026-01-16\nstatus: scheduled"));
  assert.equal(future.status, "approved");
  assert.equal(future.publishAt, at("2026-01-16"));
  assert.equal("publishedAt" in future, false);
  assert.ok(at("2026-01-16") > TODAY);
  const dated = await articleIn("a.md", md("title: One\ndate: 2026-01-16"));
  assert.deepEqual([dated.status, "publishAt" in dated, "createdAt" in dated], ["pending", false, true]);
});

test("the field names of Jekyll, Hugo, Zola, Eleventy, Gatsby and Astro are understood", async () => {
  const jekyll = await articleIn(
    "_posts/2021-9-1-hello-there.md".split("/").at(-1) ?? "",
    md("layout: post\ntitle: T\ncategories: news events\ntags: a b\nexcerpt: Short\nimage: /img/a.png"),
  );
  assert.equal(jekyll.slug, "hello-there");
  assert.equal(jekyll.publishedAt, at("2021-09-01"));
  assert.deepEqual(
    [jekyll.categories, jekyll.tags],
    [
      ["news", "events"],
      ["a", "b"],
    ],
  );
  assert.equal(jekyll.featuredImageUrl, "https://blog.example.org/img/a.png");

  const hugo = await articleIn(
    "hello.md",
    '+++\ntitle = "T"\ndate = 2021-02-15\nlastmod = 2021-02-16\npublishDate = 2021-02-17\ndescription = "D"\nkeywords = ["k"]\ncategories = ["Machine learning"]\n[cover]\nimage = "https://cdn.example.org/a.png"\nalt = "Alt"\n+++\nText',
  );
  assert.equal(hugo.publishedAt, at("2021-02-17"));
  assert.equal(hugo.updatedAt, at("2021-02-16"));
  assert.deepEqual([hugo.excerpt, hugo.metaDescription], ["D", "D"]);
  assert.deepEqual([hugo.seoKeywords, hugo.categories], [["k"], ["Machine learning"]]);
  assert.deepEqual([hugo.featuredImageUrl, hugo.featuredImageAlt], ["https://cdn.example.org/a.png", "Alt"]);

  const zola = await articleIn(
    "x.md",
    '+++\npath = "2025/06/26/Rust-1.88.0"\ntitle = "T"\n[taxonomies]\ntags = ["a"]\n[extra]\ndescription = "D"\n+++\nText',
  );
  assert.equal(zola.slug, "Rust-1.88.0");
  assert.equal(zola.publishedAt, at("2025-06-26"));
  assert.equal(zola.platformUrl, "https://blog.example.org/2025/06/26/Rust-1.88.0");
  assert.deepEqual([zola.tags, zola.metaDescription], [["a"], "D"]);

  const astro = await articleIn(
    "x.md",
    md(
      "title: T\npubDate: Jul 08 2022\nupdatedDate: 2022-07-09\nheroImage: ./hero.png\ntags: [a, b c]\ntweet: '943057597481082880'",
    ),
  );
  assert.equal(astro.publishedAt, at("2022-07-08"));
  assert.deepEqual(astro.tags, ["a", "b c"]);
  assert.equal("featuredImageUrl" in astro || "excerpt" in astro, false);
});

test("front matter may have every field of our own JSON articles", async () => {
  const input = await articleIn(
    "x.md",
    md(
      [
        "id: 0190B5A2-7C11-7D7E-8F00-3A5F5A1C2B3D",
        "title: T",
        "status: published",
        "seo_keywords: [a, b]",
        "target_keyword: a",
        "meta_description: M",
        "internal_links: [{text: O, url: /o}]",
        "pipeline_steps: [{name: research}]",
        "quality_metrics: {score: 9.5}",
        "user_id: u",
        "created_at: 2021-01-01T10:00:00Z",
        "published_at: 2021-01-02T10:00:00Z",
        "approved_at: 2021-01-01T11:00:00Z",
        "platform_url: https://blog.example.org/t",
        "platform_post_id: 12",
        "featured_image_url: https://example.org/a.png",
        "featured_image_alt: Alt",
      ].join("\n"),
    ),
  );
  assert.equal(input.id, "0190b5a2-7c11-7d7e-8f00-3a5f5a1c2b3d");
  assert.deepEqual([input.seoKeywords, input.targetKeyword, input.metaDescription], [["a", "b"], "a", "M"]);
  assert.deepEqual(
    [input.internalLinks, input.reportedMetrics, input.userId],
    [[{ text: "O", url: "/o" }], { score: 9.5 }, "u"],
  );
  assert.equal(input.pipelineSteps?.[0]?.name, "research");
  assert.deepEqual(
    [input.createdAt, input.approvedAt, input.publishedAt],
    [at("2021-01-01T10:00:00Z"), at("2021-01-01T11:00:00Z"), at("2021-01-02T10:00:00Z")],
  );
  assert.deepEqual([input.platformUrl, input.platformPostId], ["https://blog.example.org/t", "12"]);
  assert.deepEqual([input.featuredImageUrl, input.featuredImageAlt], ["https://example.org/a.png", "Alt"]);
});

test("without a title the first heading becomes the title and leaves the body; without a heading, the file's name", async () => {
  const heading = await articleIn("x.md", "# The *real* `title` #\n\nText\n");
  assert.deepEqual([heading.title, heading.markdown], ["The real title", "Text"]);
  const underlined = await articleIn("x.md", "The title\n=========\n\nText\n");
  assert.deepEqual([underlined.title, underlined.markdown], ["The title", "Text"]);
  const later = await articleIn("x.md", "Intro\n\n```\n# no\n```\n\n# Later\n\nText\n");
  assert.deepEqual([later.title, later.markdown?.includes("# Later")], ["Later", true]);
  const nameless = await articleIn("2021-02-15-my-first_post.md", "Text\n");
  assert.deepEqual([nameless.title, nameless.slug], ["My first post", "my-first_post"]);
  const titled = await articleIn("x.md", md("title: T", "# Stays\n\nText"));
  assert.equal(titled.markdown, "# Stays\n\nText");
});

test("a permalink gives slug and address, and a pattern of one does not", async () => {
  const given = await articleIn("x.md", md("title: T\npermalink: /blog/my-post.html"));
  assert.deepEqual([given.slug, given.platformUrl], ["my-post", "https://blog.example.org/blog/my-post.html"]);
  const pattern = await articleIn("x.md", md("title: T\npermalink: /:categories/:title/"));
  assert.deepEqual([pattern.slug, pattern.platformUrl], ["x", undefined]);
  const elsewhere = await articleIn("x.md", md("title: T\ncanonical_url: https://other.example.net/a"));
  assert.equal(elsewhere.platformUrl, undefined);
  const unknownSite = await articleIn("x.md", md("title: T\npermalink: /a/\nimage: /b.png"), { websiteUrl: null });
  assert.deepEqual(
    [unknownSite.slug, unknownSite.platformUrl, unknownSite.featuredImageUrl],
    ["a", undefined, undefined],
  );
});

test("without a modification date, an article was changed last when it was published; one that is planned, never", async () => {
  const past = await articleIn("x.md", md("title: T\ndate: 2021-02-16"));
  assert.equal(past.updatedAt, at("2021-02-16"));
  const planned = await articleIn("x.md", md("title: T\ndate: 9000-01-01"));
  assert.equal(planned.updatedAt, undefined);
});

test("other dates that cannot be read, and Hugo's year 1, are ignored", async () => {
  const input = await articleIn("x.md", md("title: T\ndate: 0001-01-01T00:00:00Z\nmodified: yes\ncreated: long ago"));
  assert.deepEqual([input.status, input.createdAt, input.updatedAt], ["pending", undefined, undefined]);
});

test("HTML with front matter keeps its HTML", async () => {
  const input = await articleIn("2022-06-05-basic.html", md("title: T", "<p>One</p>"));
  assert.deepEqual([input.title, input.content, "markdown" in input], ["T", "<p>One</p>", false]);
});

test("pages, section openings, templates and files about the repository are skipped with a reason", async () => {
  await using folder = await testFolder({
    "_posts/2021-01-01-a.md": md("title: Post\nlayout: post"),
    "_drafts/b.md": md("title: Draft"),
    "2020/05/06/c.md": md("title: Dated by folders"),
    "bundle/index.md": md("title: Bundle"),
    "security.md": md("title: Security"),
    "about.md": md("title: About\nlayout: page"),
    "index.html": md("layout: home", "{% for post in site.posts %}{% endfor %}"),
    "_index.md": md("title: Section"),
    "_layouts/post.html": "---\n---\n{{ content }}",
    "README.md": "# Read me",
    "LICENSE-MIT": "MIT",
    "style.css": "a{}",
    "paper.odt": "x",
    "empty.md": "",
    ".hidden.md": "x",
  });
  const items = await importAll(folder.path);
  assert.deepEqual(titles(items), ["Dated by folders", "Draft", "Post", "Bundle", "Security"]);
  const slugs = items.flatMap((item) =>
    item.kind === "draft" ? [[item.ref, item.input.slug, item.input.status]] : [],
  );
  assert.deepEqual(slugs, [
    ["markdown:2020/05/06/c.md", "c", "published"],
    ["markdown:_drafts/b.md", "b", "pending"],
    ["markdown:_posts/2021-01-01-a.md", "a", "published"],
    ["markdown:bundle/index.md", "bundle", "pending"],
    ["markdown:security.md", "security", "pending"],
  ]);
  assert.deepEqual(reasons(items), [
    "skipped .hidden.md: It is hidden.",
    "skipped LICENSE-MIT: It is about the repository, not an article of the website.",
    "skipped README.md: It is about the repository, not an article of the website.",
    "skipped _index.md: It is the opening of a section, not an article.",
    "skipped _layouts/: It is a folder of the site's machinery, not of articles.",
    "skipped about.md: It is a page of the site (page), not an article.",
    "skipped empty.md: It is empty: a template makes this page.",
    "skipped index.html: It is a page of the site (home), not an article.",
    "skipped paper.odt: It is an OpenDocument text, which cannot be imported: save it as a Word document (.docx) and import that.",
    "skipped style.css: A .css file is not an article.",
  ]);
});

test("a title of 100 kB, with or without front matter, fails its article quickly", async () => {
  const long = "long ".repeat(20_000);
  assert.match(
    reasons(await importFile("x.md", md(`title: ${long}`)))[0] ?? "",
    /^failed x\.md: title must not be longer than 1,000/,
  );
  assert.match(reasons(await importFile("x.md", `# ${" #".repeat(50_000)}x\n\nText`))[0] ?? "", /1,000 characters/);
});

test("a tag as long as a paragraph is shortened, and the article is imported", async () => {
  const input = await articleIn("x.md", md(`title: T\ntags: ["${"x".repeat(2000)}"]`));
  assert.equal(input.tags?.[0]?.length, 500);
});

test("tags with commas within a list are several, and a category keeps its comma", async () => {
  const input = await articleIn("x.md", md('title: T\ntags: ["a, b", c]\ncategories: ["Food, drink"]'));
  assert.deepEqual([input.tags, input.categories], [["a", "b", "c"], ["Food, drink"]]);
});

test("a heading at the beginning that repeats the title is taken out, and any other stays", async () => {
  for (const [body, text] of [
    ["# Tea time\n\nWater.", "Water."],
    ["Tea *time*!\n===\n\nWater.", "Water."],
    ["<!-- a -->\n\n## Tea time {#t}\n\nWater.", "<!-- a -->\n\n\nWater."],
    ["# Tea\n\nWater.", "# Tea\n\nWater."],
    ["Water.\n\n# Tea time", "Water.\n\n# Tea time"],
    ["### Tea time\n\nWater.", "### Tea time\n\nWater."],
    ["# Tea time", "# Tea time"],
  ] as const) {
    assert.equal((await articleIn("a.md", md("title: Tea time", body))).markdown, text);
  }
  const html = await articleIn("a.html", md("title: Tea time\ndate: 2024-01-01", "<h1>Tea time</h1>\n<p>Water.</p>"));
  assert.equal(html.content, "<p>Water.</p>");
});
