import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArticleInput } from "../../domain/articles/article.ts";
import { articleIn, at, importAll, importFile, inPieces, reasons } from "../import-test-helpers.ts";

const rss = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:dc="d"><channel><title>Pots</title><link>https://pots.example</link>${items}</channel></rss>`;
const atom = (entries: string) =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Pots</title><link rel="self" href="/feed.xml"/><link href="https://pots.example/"/><author><name>Kim</name></author>${entries}</feed>`;
const inRss = (item: string) => articleIn("feed.xml", rss(`<item>${item}</item>`));
const inAtom = (entry: string) => articleIn("feed.xml", atom(`<entry>${entry}</entry>`));

test("an item of RSS gives what it has", async () => {
  const [item] = await importFile(
    "feed.xml",
    rss(`<item><title>Clay &amp;amp; kiln</title><link>/clay-kiln?utm=1</link><guid isPermaLink="false">77</guid>
      <pubDate>Mon, 03 Mar 2025 10:00:00 +0100</pubDate><dc:creator>Kim</dc:creator><category>Clay</category>
      <category><![CDATA[Fire & <b>ash</b>]]></category><category>Clay</category><description>What fire does.</description>
      <content:encoded><![CDATA[<p>Fire does much.</p>]]></content:encoded>
      <enclosure url="https://pots.example/1.mp3" type="audio/mpeg"/><enclosure url="https://pots.example/1.png" type="image/png"/></item>`),
  );
  assert.equal(item?.kind, "draft");
  assert.equal(item.ref, "feed:77");
  assert.equal(item.source, "feed.xml, entry 1 (Clay & kiln)");
  assert.deepEqual(item.input, {
    title: "Clay & kiln",
    slug: "clay-kiln",
    content: '<p>Fire does much.</p>\n<p><a href="https://pots.example/1.mp3">https://pots.example/1.mp3</a></p>',
    excerpt: "What fire does.",
    authors: [{ name: "Kim", url: null }],
    categories: ["Clay", "Fire & ash"],
    featuredImageUrl: "https://pots.example/1.png",
    platformUrl: "https://pots.example/clay-kiln?utm=1",
    status: "published",
    createdAt: at("2025-03-03T09:00:00Z"),
    updatedAt: at("2025-03-03T09:00:00Z"),
    publishedAt: at("2025-03-03T09:00:00Z"),
  } satisfies ArticleInput);
});

test("texts of Atom are plain, HTML or XHTML as they say", async () => {
  const cases: [string, string][] = [
    ['<content type="html">&lt;p&gt;A&lt;/p&gt;</content>', "<p>A</p>"],
    ["<content>a &lt; b\n\nc</content>", "<p>a &lt; b</p>\n<p>c</p>"],
    [
      '<content type="xhtml"><div xmlns="x"><p>A <b class="q">b</b> &lt;i&gt;<br/></p></div></content>',
      '<div xmlns="x"><p>A <b class="q">b</b> &lt;i&gt;<br></p></div>',
    ],
    ['<content type="xhtml"><x:div><x:p>A</x:p></x:div></content>', "<div><p>A</p></div>"],
  ];
  for (const [content, expected] of cases) assert.equal((await inAtom(`<title>T</title>${content}`)).content, expected);
  const { title, authors, updatedAt } = await inAtom(
    '<title>A List&lt;String&gt;</title><updated>2025-02-02T00:00:00Z</updated><content type="html">x</content>',
  );
  assert.equal(title, "A List<String>");
  assert.deepEqual(authors, [{ name: "Kim", url: null }]);
  assert.equal(updatedAt, at("2025-02-02T00:00:00Z"));
});

test("a feed of summaries is pending and says why", async () => {
  const cases: [string, string | undefined][] = [
    ["<description>Only the start […]</description>", "The feed has only a summary of it."],
    ["<description>&lt;p&gt;Only the start … Read more&lt;/p&gt;</description>", "The feed has only a summary of it."],
    ["<description>&lt;p&gt;All of it.&lt;/p&gt;</description>", undefined],
    ["<description>A</description><content:encoded>&lt;p&gt;All of it.&lt;/p&gt;</content:encoded>", undefined],
  ];
  for (const [text, hidden] of cases) {
    const [item] = await importFile(
      "feed.xml",
      rss(`<item><title>T</title><pubDate>2025-01-01</pubDate>${text}</item>`),
    );
    assert.equal(item?.kind === "draft" ? item.hidden : "", hidden, text);
    assert.equal(item?.kind === "draft" && item.input.status, hidden === undefined ? "published" : "pending");
  }
  const [item] = await importFile("feed.xml", atom("<entry><title>T</title><summary>S</summary></entry>"));
  assert.deepEqual(item?.kind === "draft" && item.warnings, [
    { kind: "words_lost", detail: "The feed has only a summary." },
  ]);
});

test("names, titles and dates that are missing or odd", async () => {
  assert.deepEqual(
    (
      await inRss(
        "<title>T</title><author>kim@pots.example (Kim)</author><description>&lt;p&gt;x&lt;/p&gt;</description>",
      )
    ).authors,
    [{ name: "Kim", url: null }],
  );
  assert.equal(
    (await inRss("<link>https://pots.example/first-pot</link><description>&lt;p&gt;x&lt;/p&gt;</description>")).title,
    "First pot",
  );
  assert.equal((await inRss("<description>&lt;p&gt;A pot of mine.&lt;/p&gt;</description>")).title, "A pot of mine.");
  const [item] = await importFile(
    "feed.xml",
    rss("<item><title>T</title><description>&lt;p&gt;x&lt;/p&gt;</description></item>"),
  );
  assert.deepEqual(item?.kind === "draft" && item.warnings, [{ kind: "date_guessed", detail: "The feed has none." }]);
  const [soon] = await importFile(
    "feed.xml",
    rss("<item><title>T</title><pubDate>soon</pubDate><description>&lt;p&gt;x&lt;/p&gt;</description></item>"),
  );
  assert.deepEqual(soon?.kind === "draft" && soon.warnings, [
    { kind: "date_guessed", detail: "soon (not a date that can be read)" },
  ]);
  const rdf =
    "<rdf:RDF><channel><title>P</title></channel><item><title>T</title><description>&lt;p&gt;x&lt;/p&gt;</description></item></rdf:RDF>";
  assert.equal((await articleIn("feed.rdf.xml", `<?xml version="1.0"?>${rdf}`)).title, "T");
});

const kind = (name: string) =>
  `<category scheme='http://schemas.google.com/g/2005#kind' term='http://schemas.google.com/blogger/2008/kind#${name}'/>`;

test("Blogger's export gives posts and their drafts; comments and pages are left out", async () => {
  const items = await importFile(
    "blog.xml",
    atom(
      [
        `<entry><id>1</id>${kind("settings")}<title type='text'>Name</title><content type='text'>x</content></entry>`,
        `<entry><id>2</id>${kind("post")}<category scheme='http://www.blogger.com/atom/ns#' term='Clay'/><title type='text'>A pot</title><published>2024-02-03T04:05:00.000+01:00</published><content type='html'>&lt;p&gt;x&lt;/p&gt;</content><link rel='replies' href='https://pots.example/f'/><link rel='alternate' type='text/html' href='https://pots.example/2024/02/a-pot.html'/><author><name>Kim</name></author><media:thumbnail url='https://b.example/s72-c/a.png'/></entry>`,
        `<entry><id>3</id>${kind("post")}<app:control><app:draft>yes</app:draft></app:control><title type='text'>Later</title><content type='html'>x</content></entry>`,
        `<entry><id>4</id>${kind("comment")}<title type='text'>Nice</title><content type='html'>x</content></entry>`,
        `<entry><id>5</id>${kind("page")}<title type='text'>About</title><content type='html'>x</content></entry>`,
        "<entry><id>6</id><blogger:type>POST</blogger:type><blogger:status>LIVE</blogger:status><title>New form</title><content type='html'>x</content><author><name>Unknown</name></author><blogger:filename>/2025/01/new-form.html</blogger:filename></entry>",
        "<entry><id>7</id><blogger:type>POST</blogger:type><blogger:status>DRAFT</blogger:status><title>New draft</title><content type='html'>x</content></entry>",
        "<entry><id>8</id><blogger:type>POST</blogger:type><blogger:status>SOFT_TRASHED</blogger:status><title>Gone</title><content type='html'>x</content></entry>",
      ].join("\n"),
    ),
  );
  assert.deepEqual(
    items.flatMap((item) =>
      item.kind === "draft"
        ? [[item.ref, item.input.status, item.input.platformUrl, item.input.aliases, item.input.tags]]
        : [],
    ),
    [
      ["feed:2", "published", "https://pots.example/2024/02/a-pot.html", ["/2024/02/a-pot.html"], ["Clay"]],
      ["feed:3", "pending", undefined, undefined, undefined],
      ["feed:6", "published", "https://pots.example/2025/01/new-form.html", ["/2025/01/new-form.html"], undefined],
      ["feed:7", "pending", undefined, undefined, undefined],
    ],
  );
  assert.deepEqual(reasons(items), [
    "skipped blog.xml, entry 4 (Nice): It is a comment.",
    "skipped blog.xml, entry 5 (About): It is a page, not a post.",
    "skipped blog.xml, entry 8 (Gone): It is in the trash of the site.",
  ]);
});

test("a feed that breaks off keeps the entries before; one without any is no import", async () => {
  const one = "<item><title>A</title><description>&lt;p&gt;x&lt;/p&gt;</description></item>";
  const items = await importFile("feed.xml", rss(`${one}<item><title>B`).slice(0, -30));
  assert.match(
    reasons(items)[0] ?? "",
    /^failed feed\.xml: It is not valid XML .* The entry before this place was read/,
  );
  await assert.rejects(importFile("feed.xml", rss("")), /It is a feed without entries/);
  await assert.rejects(importFile("feed.xml", '<?xml version="1.0"?><rss><channel><item><title'), /Nothing was read/);
  await assert.rejects(importFile("feed.xml", rss(one), { format: "wordpress" }), /not an export of WordPress/);
  const deep = `<item><title>A</title>${"<b>".repeat(600)}</item>`;
  await assert.rejects(importFile("feed.xml", rss(deep)), /nested more than 500 deep/);
});

test("a feed is the same in pieces of any size", async () => {
  const text = rss("<item><title>Tä &amp; b</title><description><![CDATA[<p>x]]></description></item>".repeat(2));
  const whole = await importAll("-", { stdin: inPieces(text, 10_000) });
  assert.equal(whole.length, 2);
  for (const size of [1, 7, 64]) assert.deepEqual(await importAll("-", { stdin: inPieces(text, size) }), whole);
});
