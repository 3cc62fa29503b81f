import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, at, importAll, importFile, inPieces, reasons, testFolder, titles } from "../import-test-helpers.ts";

const wxr = (items: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/">\n<channel><title>Site</title><link>https://old.example.org</link><wp:wxr_version>1.2</wp:wxr_version>\n<wp:author><wp:author_login><![CDATA[ines]]></wp:author_login><wp:author_email>i@x.example</wp:author_email><wp:author_display_name><![CDATA[Ines &amp; Co]]></wp:author_display_name></wp:author>${items}\n</channel></rss>`;

const item = (fields: Record<string, string>, more = ""): string => {
  const all = {
    title: "One",
    "wp:post_id": "7",
    "wp:post_type": "post",
    "wp:status": "publish",
    "wp:post_date_gmt": "2021-02-15 10:00:00",
    "content:encoded": "<p>Text</p>",
    ...fields,
  };
  const elements = Object.entries(all).map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`);
  return `<item>${elements.join("")}${more}</item>`;
};

const meta = (key: string, value: string): string =>
  `<wp:postmeta><wp:meta_key><![CDATA[${key}]]></wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;

test("a post has its texts, labels, dates, image and SEO fields, wherever its attachment is", async () => {
  const post = item(
    {
      title: "Fish &amp; <em>chips</em>",
      link: "/2021/02/fish/",
      "wp:post_name": "fish-%C3%A4",
      "dc:creator": "ines",
      "excerpt:encoded": "<p>A &amp; b</p>",
      "wp:post_modified_gmt": "2021-02-16 10:00:00",
    },
    `<category domain="category" nicename="news"><![CDATA[News]]></category><category domain="post_tag" nicename="a"><![CDATA[A &amp; B]]></category><category domain="author" nicename="x"><![CDATA[X]]></category>${meta("_thumbnail_id", "9")}${meta("_yoast_wpseo_metadesc", "Meta")}${meta("_yoast_wpseo_focuskw", "fish")}${meta("_yoast_wpseo_title", "Fish | Site")}${meta("_yoast_wpseo_canonical", "https://first.example/fish")}${meta("_wp_old_slug", "old-%C3%A4")}${meta("_wp_old_slug", "older")}<wp:comment><wp:comment_id>1</wp:comment_id><wp:comment_content>No</wp:comment_content><title>No</title></wp:comment>`,
  );
  const image = item(
    {
      "wp:post_id": "9",
      "wp:post_type": "attachment",
      "wp:status": "inherit",
      "wp:attachment_url": "https://old.example.org/a.jpg",
    },
    meta("_wp_attachment_image_alt", "Alt"),
  );
  const items = await importFile("a.xml", wxr(post + image));
  const [draft, attachment] = items;
  assert.ok(draft?.kind === "draft" && attachment?.kind === "skipped");
  assert.equal(draft.source, "a.xml, item 1 (Fish & chips)");
  assert.equal(draft.ref, "wordpress:old.example.org:7");
  assert.deepEqual(draft.input, {
    title: "Fish & chips",
    slug: "fish-ä",
    content: "<p>Text</p>",
    excerpt: "A & b",
    authors: [{ name: "Ines & Co", url: null }],
    metaTitle: "Fish | Site",
    metaDescription: "Meta",
    canonicalUrl: "https://first.example/fish",
    aliases: ["old-ä", "older"],
    targetKeyword: "fish",
    categories: ["News"],
    tags: ["A & B"],
    featuredImageUrl: "https://old.example.org/a.jpg",
    featuredImageAlt: "Alt",
    platformUrl: "https://old.example.org/2021/02/fish/",
    platformPostId: "7",
    status: "published",
    createdAt: at("2021-02-15T10:00:00Z"),
    updatedAt: at("2021-02-16T10:00:00Z"),
    publishedAt: at("2021-02-15T10:00:00Z"),
  });
});

test("the state of a post is kept, and nothing hidden becomes public", async () => {
  const states: [Record<string, string>, string][] = [
    [{ "wp:status": "draft", "wp:post_date_gmt": "0000-00-00 00:00:00" }, "pending"],
    [{ "wp:status": "pending" }, "pending"],
    [{ "wp:status": "private" }, "pending"],
    [{ "wp:status": "future", "wp:post_date_gmt": "2026-02-01 00:00:00" }, "approved"],
    [{ "wp:post_password": "secret" }, "pending"],
    [{}, "published"],
  ];
  for (const [fields, status] of states) {
    const input = await articleIn("a.xml", wxr(item({ ...fields, link: "https://old.example.org/?p=7" })));
    assert.equal(input.status, status);
    assert.equal("platformUrl" in input, status === "published");
    assert.equal(input.publishAt, status === "approved" ? at("2026-02-01T00:00:00Z") : undefined);
  }
});

test("an account's login or e-mail address never becomes a byline", async () => {
  const bylines: [string, unknown][] = [
    ["ines", [{ name: "Ines & Co", url: null }]],
    ["jdoe", undefined],
    ["jane@example.org", undefined],
    ["Jane Doe jane@example.org", undefined],
    ["Jane Doe", [{ name: "Jane Doe", url: null }]],
  ];
  for (const [creator, authors] of bylines) {
    const input = await articleIn("a.xml", wxr(item({ "dc:creator": creator })));
    assert.deepEqual(input.authors, authors, creator);
  }
});

test("a schedule in the past waits for a person, and is not carried out late", async () => {
  const input = await articleIn("a.xml", wxr(item({ "wp:status": "future" })));
  assert.deepEqual(
    [input.status, input.publishAt, input.createdAt],
    ["approved", undefined, at("2021-02-15T10:00:00Z")],
  );
});

test("a draft without a time in GMT gets that of its site", async () => {
  const input = await articleIn(
    "a.xml",
    wxr(
      item({
        "wp:status": "draft",
        "wp:post_date_gmt": "0000-00-00 00:00:00",
        pubDate: "Wed, 30 Nov -0001 00:00:00 +0000",
        "wp:post_date": "2021-02-15 11:00:00",
      }),
    ),
  );
  assert.equal(input.createdAt, at("2021-02-15T11:00:00Z"));
});

test("items that are no posts are skipped with what they are", async () => {
  const kinds = [
    { "wp:post_type": "page" },
    { "wp:post_type": "nav_menu_item" },
    { "wp:post_type": "product" },
    { "wp:status": "trash" },
    { "wp:status": "auto-draft", "content:encoded": "" },
  ];
  const items = await importFile("a.xml", wxr(kinds.map((kind) => item(kind)).join("")));
  assert.deepEqual(
    reasons(items).map((reason) => reason.replace(/^.*?: /, "")),
    [
      "It is a page, not a post.",
      "It is an entry of a menu, not a post.",
      'It is of the post type "product", not a post.',
      "It is in the trash of the site.",
      "It is an empty draft that WordPress made by itself.",
    ],
  );
});

test("links to posts and files by their ids lead to their addresses; those to unknown ones are told", async () => {
  const text =
    '<p><a href="https://old.example.org/?p=8#end">a</a> <a href=\'http://www.old.example.org/index.php?page_id=9&amp;x=1\'>b</a> <a href="/?attachment_id=10">c</a> <a href="/?p=11">d</a> <a href="/?p=404">e</a> <a href="https://other.example/?p=8">f</a> <a href="/shop/?p=8">g</a></p><pre>&lt;a href="/?p=8"></pre>';
  const posts = [
    item({ "content:encoded": text }),
    item({ "wp:post_id": "8", title: "Two", link: "https://old.example.org/2021/two/" }),
    item({ "wp:post_id": "9", title: "About", "wp:post_type": "page", link: "/about/" }),
    item({ "wp:post_id": "10", "wp:post_type": "attachment", "wp:attachment_url": "/f.pdf" }),
    item({ "wp:post_id": "11", title: "Plain", "wp:post_name": "plain", link: "https://old.example.org/?p=11" }),
  ];
  const website = { urlPattern: "https://new.example.org/{year}/{slug}", language: null };
  const [first] = await importFile("a.xml", wxr(posts.join("")), { website });
  assert.ok(first?.kind === "draft");
  assert.equal(
    first.input.content,
    '<p><a href="https://old.example.org/2021/two/#end">a</a> <a href=\'https://old.example.org/about/\'>b</a> <a href="https://old.example.org/f.pdf">c</a> <a href="https://new.example.org/2021/plain">d</a> <a href="/?p=404">e</a> <a href="https://other.example/?p=8">f</a> <a href="/shop/?p=8">g</a></p><pre>&lt;a href="/?p=8"></pre>',
  );
  assert.deepEqual(first.warnings, [{ kind: "link_dead", detail: "/?p=404" }]);
});

test("a post without a title is named after its slug", async () => {
  assert.equal(
    (await articleIn("a.xml", wxr(item({ title: "", "wp:post_name": "2023/04/my-dated-post.html" })))).title,
    "My dated post",
  );
});

test("bare ampersands, named characters, control characters and blank lines before the declaration are read as they were meant", async () => {
  const text = `\n\n${wxr(`<item><title>Q & A < B <3 &mdash; \u0008100&percnt;</title><link>https://old.example.org/?a=1&b=2&c;</link><wp:status>publish</wp:status><wp:post_type>post</wp:post_type><wp:post_date_gmt>2021-02-15 10:00:00</wp:post_date_gmt><content:encoded><![CDATA[<p>a & b &amp; c ]] > d</p>]]></content:encoded></item>`)}`;
  const input = await articleIn("a.xml", text);
  assert.equal(input.title, "Q & A < B <3 — 100%");
  assert.equal(input.platformUrl, "https://old.example.org/?a=1&b=2&c;");
  assert.equal(input.content, "<p>a & b &amp; c ]] > d</p>");
});

test("the result is the same wherever the stream is cut", async () => {
  const text = wxr(
    item({ title: "Grüße 👋 & <b>mehr</b>", "content:encoded": "<p>a ]] b ]>c & d — 日本語</p>" }) +
      item({ title: "Two", "wp:post_id": "8" }),
  );
  const whole = await importFile("standard input.xml", text);
  for (const size of [1, 2, 7, 13]) {
    const pieces = await importAll("-", { stdin: inPieces(text, size) });
    assert.deepEqual(
      pieces.map((one) => one.kind === "draft" && one.input),
      whole.map((one) => one.kind === "draft" && one.input),
    );
  }
});

test("entities that a document defines itself are not expanded", async () => {
  const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>`;
  const text = wxr(
    `<item><title>T</title><wp:post_type>post</wp:post_type><content:encoded>&lt;p&gt;&c;&lt;/p&gt;</content:encoded></item>`,
  );
  const input = await articleIn("a.xml", text.replace("<rss", `${bomb}<rss`));
  assert.equal(input.content, "<p>&c;</p>");
});

test("a broken file gives the items before the break, then the place where it breaks", async () => {
  const good = item({}) + item({ title: "Two", "wp:post_id": "8" });
  const cut = await importFile("a.xml", wxr(`${good}<item><title>Three</title>`).replace("</channel></rss>", ""));
  assert.deepEqual(titles(cut), ["One", "Two"]);
  assert.match(
    reasons(cut)[0] ?? "",
    /^failed a\.xml: It is not valid XML at line \d+, column \d+: unclosed tag.* The 2 items before/,
  );
  const wrong = await importFile("a.xml", wxr(`${good}<item><title>Three</titel></item>`));
  assert.deepEqual(titles(wrong), ["One", "Two"]);
  assert.match(reasons(wrong)[0] ?? "", /line 4, column \d+/);
  await assert.rejects(importFile("a.xml", wxr("<item></channel>")), {
    code: "invalid",
    message: /^a\.xml: It is not valid XML at line 4, column \d+: .* Nothing was read: export it again\.$/,
  });
});

test("an item larger than 20 MB fails without filling the memory, and the next one is imported", async () => {
  const huge = "x".repeat(22 * 1024 * 1024);
  const items = await importFile(
    "a.xml",
    wxr(item({ "content:encoded": huge }) + item({ title: "Two", "wp:post_id": "8" })),
  );
  assert.deepEqual(titles(items), ["Two"]);
  assert.deepEqual(reasons(items), [
    "failed a.xml, item 1 (One): It is larger than 20 MB or has more than 10,000 parts, the most that one article may have.",
  ]);
});

test("an item with very many parts fails, and an endlessly nested file ends there", async () => {
  const many = '<category domain="category">a</category>'.repeat(20_000);
  const crowded = item({ title: "One" }).replace("</item>", `${many}</item>`);
  const items = await importFile("a.xml", wxr(crowded + item({ title: "Two", "wp:post_id": "8" })));
  assert.deepEqual(titles(items), ["Two"]);
  assert.match(reasons(items)[0] ?? "", /more than 10,000 parts/);
  const deep = await importFile("a.xml", wxr(item({ title: "Two" }) + "<a>".repeat(100_000)));
  assert.deepEqual(titles(deep), ["Two"]);
  assert.match(reasons(deep)[0] ?? "", /nested more than 100 deep/);
});

test("the declared encoding is used, and a wrong one is refused", async () => {
  const latin = Buffer.from(wxr(item({ title: "Café" })).replace("UTF-8", "ISO-8859-1"), "latin1");
  assert.equal((await articleIn("a.xml", latin)).title, "Café");
  const wrong = Buffer.from(wxr(item({ title: "Café" })), "latin1");
  await assert.rejects(importFile("a.xml", wrong), /It is not UTF-8 text/);
  const utf16 = Buffer.from(`\uFEFF${wxr(item({ title: "Café" }))}`, "utf16le");
  assert.equal((await articleIn("a.xml", utf16)).title, "Café");
});

test("XML that is no export of WordPress is refused", async () => {
  await assert.rejects(
    importFile("sitemap.xml", '<?xml version="1.0"?><urlset></urlset>'),
    /It is not an export of WordPress/,
  );
});

const term = (domain: string, slug: string, name: string) =>
  `<category domain="${domain}" nicename="${slug}"><![CDATA[${name}]]></category>`;
const readTranslations = async (more: string) => {
  const { language, translationGroup, tags } = await articleIn("a.xml", wxr(item({}, more)));
  return [language, translationGroup, tags];
};

test("a post has the language and the translations that Polylang or WPML have given it", async () => {
  const group = term("post_translations", "pll_64271b55a257e", "pll_64271b55a257e");
  assert.deepEqual(await readTranslations(term("language", "de", "Deutsch") + group), [
    "de",
    "pll_64271b55a257e",
    undefined,
  ]);
  const wpml = meta("_wpml_import_language_code", "pt_BR") + meta("_wpml_import_translation_group", "17");
  assert.deepEqual(await readTranslations(wpml), ["pt-BR", "17", undefined]);
  // Another site's terms of that name.
  assert.deepEqual(await readTranslations(term("language", "english", "English")), [undefined, undefined, undefined]);
});

test("pages and other types are articles if they are asked for", async () => {
  const page = item({ title: "About", "wp:post_id": "8", "wp:post_type": "page" });
  const product = item({ title: "Pot", "wp:post_id": "9", "wp:post_type": "product" });
  const upload = item({ "wp:post_id": "10", "wp:post_type": "attachment", "wp:status": "inherit" });
  const all = wxr(item({}) + page + product + upload);
  assert.deepEqual(titles(await importFile("a.xml", all)), ["One"]);
  assert.deepEqual(titles(await importFile("a.xml", all, { include: ["page"] })), ["One", "About"]);
  assert.deepEqual(titles(await importFile("a.xml", all, { include: ["page", "product"] })), ["One", "About", "Pot"]);
});

test("a post has all its authors, also guests, and what its settings say is plain text", async () => {
  const guest = item(
    { title: "Kim Li", "wp:post_id": "9", "wp:post_type": "guest-author", "wp:post_name": "cap-kim" },
    meta("cap-display_name", "Kim &amp; Li") + meta("cap-user_login", "kim"),
  );
  const seo = meta("_yoast_wpseo_metadesc", "Tom &amp; Jerry&#039;s &quot;guide&quot;");
  const post = item(
    { "dc:creator": "ines" },
    term("author", "cap-kim", "kim") + term("author", "cap-ines", "ines") + seo,
  );
  const items = await importFile("a.xml", wxr(post + guest));
  assert.ok(items[0]?.kind === "draft");
  assert.deepEqual(
    items[0].input.authors?.map(({ name }) => name),
    ["Kim & Li", "Ines & Co"],
  );
  assert.equal(items[0].input.metaDescription, `Tom & Jerry's "guide"`);
});

const imageOf = (id: string) => `<img src="https://old.example.org/${id}.jpg" alt="A &quot;b&quot;">`;
const linkTo = (name: string) => `<p><a href="https://old.example.org/${name}">https://old.example.org/${name}</a></p>`;

test("a post takes reusable blocks, uploads and podcasts from its export, and is pending where one is missing", async () => {
  const upload = (id: string, order: string, parent: string) =>
    item(
      {
        "wp:post_id": id,
        "wp:post_type": "attachment",
        "wp:status": "inherit",
        "wp:attachment_url": `https://old.example.org/${id}.jpg`,
        "wp:post_parent": parent,
        "wp:menu_order": order,
      },
      meta("_wp_attachment_image_alt", "A &quot;b&quot;"),
    );
  const reusable = item({ "wp:post_id": "77", "wp:post_type": "wp_block", "content:encoded": "<p>Notice</p>" });
  const first = item(
    { "content:encoded": '[gallery]\n<!-- wp:block {"ref":77} /-->' },
    meta("enclosure", "https://old.example.org/a.mp3\n1\naudio/mpeg") +
      meta("enclosure", "https://old.example.org/b.mp3"),
  );
  const second = item({ "wp:post_id": "8", "content:encoded": '<p>Own</p><!-- wp:block {"ref":5} /-->' });
  const third = item({ "wp:post_id": "9", "content:encoded": '<!-- wp:block {"ref":5} /-->' });
  const items = await importFile(
    "a.xml",
    wxr(first + second + third + upload("20", "2", "7") + upload("21", "1", "7") + upload("22", "0", "8") + reusable),
  );
  const [one, two] = items;
  assert.ok(one?.kind === "draft" && two?.kind === "draft");
  assert.equal(
    one.input.content,
    `<figure>${imageOf("21")}${imageOf("20")}</figure>\n\n\n<p>Notice</p>\n${linkTo("a.mp3")}\n${linkTo("b.mp3")}`,
  );
  assert.deepEqual([one.input.status, one.hidden], ["published", undefined]);
  assert.deepEqual([two.input.status, two.hidden], ["pending", "Its reusable blocks are not in the export (5)."]);
  assert.equal(
    reasons(items)[0],
    "failed a.xml, item 3 (One): Its reusable blocks are not in the export (5). Nothing else is in it.",
  );
});

test("an export in several files is one: each knows what is in the others of its site", async () => {
  const block = item({ "wp:post_id": "50", "wp:post_type": "wp_block", "content:encoded": "<p>From the block</p>" });
  const image = item({
    "wp:post_id": "9",
    "wp:post_type": "attachment",
    "wp:attachment_url": "https://old.example.org/a.jpg",
  });
  const post = item(
    { "dc:creator": "guest", "content:encoded": '<!-- wp:block {"ref":50} /-->' },
    meta("_thumbnail_id", "9"),
  );
  const foreign = item({
    "wp:post_id": "9",
    "wp:post_type": "attachment",
    "wp:attachment_url": "https://x.example/x.jpg",
  });
  const author =
    "<wp:author><wp:author_login>guest</wp:author_login><wp:author_display_name>Gus</wp:author_display_name></wp:author>";
  await using folder = await testFolder({
    "1.xml": wxr(post),
    "2.xml": wxr(author + block),
    "3.xml": wxr(image),
    "4.xml": wxr(foreign).replace("https://old.example.org", "https://x.example"),
    "sitemap.xml": "<?xml version='1.0'?><urlset/>",
  });
  const drafts = (await importAll(folder.path)).filter((one) => one.kind === "draft");
  assert.deepEqual(
    drafts.map(({ input: { content, authors, featuredImageUrl } }) => ({ content, authors, featuredImageUrl })),
    [
      {
        content: "<p>From the block</p>",
        authors: [{ name: "Gus", url: null }],
        featuredImageUrl: "https://old.example.org/a.jpg",
      },
    ],
  );
});
