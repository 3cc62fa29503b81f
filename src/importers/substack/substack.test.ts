import assert from "node:assert/strict";
import { test } from "node:test";
import { importAll, reasons, testFolder } from "../import-test-helpers.ts";

const HEADER = "post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle,podcast_url";
const data = (value: unknown) => JSON.stringify(value).replaceAll('"', "&quot;");

async function drafts(rows: string[], posts: Record<string, string>) {
  await using folder = await testFolder({
    "posts.csv": [HEADER, ...rows].join("\n"),
    "email_list.pen.csv": "email\n",
    ...Object.fromEntries(Object.entries(posts).map(([name, text]) => [`posts/${name}`, text])),
  });
  return await importAll(folder.path);
}

async function contentOf(html: string): Promise<{ content: unknown; warnings: string[] }> {
  const items = await drafts(["7.a,2024-01-02T03:04:05.000Z,true,,,newsletter,everyone,A,,"], { "7.a.html": html });
  const item = items.find(({ kind }) => kind === "draft");
  assert.equal(item?.kind, "draft");
  const warnings = (item.warnings ?? []).map(({ kind, detail }) => `${kind}: ${detail}`);
  return { content: item.input.content, warnings };
}

test("the table gives what the texts do not have", async () => {
  const items = await drafts(
    [
      '11.a-walk,2024-01-02T03:04:05.000Z,true,,,newsletter,everyone,"A ""long"" walk, at last",Through hills,',
      "12.for-friends,2024-01-03T03:04:05.000Z,true,,,newsletter,only_paid,For friends,,",
      "13,,false,,,newsletter,everyone,,,",
      "14.talk,2024-01-04T03:04:05.000Z,true,,,podcast,everyone,Talk,,https://audio.example.org/1.mp3",
      "15.chat,2024-01-04T03:04:05.000Z,true,,,thread,everyone,Chat,,",
      "16.about,2024-01-04T03:04:05.000Z,true,,,page,everyone,About,,",
      "17.gone,2024-01-04T03:04:05.000Z,true,,,newsletter,everyone,Gone,,",
    ],
    {
      "11.a-walk.html": "<p>We went.</p>",
      "12.for-friends.html": "<p>Secret.</p>",
      "13.html": "<p>Not yet.</p>",
      "14.talk.html": "<p>Listen.</p>",
      "15.chat.html": "<p>Hi.</p>",
      "16.about.html": "<p>Me.</p>",
    },
  );
  const shown = items.flatMap((item) =>
    item.kind === "draft"
      ? [
          {
            ref: item.ref,
            ...Object.fromEntries(
              Object.entries(item.input).filter(([name]) =>
                /^(?:title|slug|excerpt|status|content|aliases)$/.test(name),
              ),
            ),
            ...(item.hidden === undefined ? {} : { hidden: item.hidden }),
          },
        ]
      : [],
  );
  assert.deepEqual(shown, [
    {
      ref: "substack:11",
      title: 'A "long" walk, at last',
      slug: "a-walk",
      content: "<p>We went.</p>",
      excerpt: "Through hills",
      aliases: ["/p/a-walk"],
      status: "published",
    },
    {
      ref: "substack:12",
      title: "For friends",
      slug: "for-friends",
      content: "<p>Secret.</p>",
      aliases: ["/p/for-friends"],
      status: "pending",
      hidden: "It is not open to everybody on its site (audience: only_paid).",
    },
    {
      ref: "substack:13",
      title: "Not yet.",
      content: "<p>Not yet.</p>",
      status: "pending",
      hidden: "It is a draft on its site (is_published: false).",
    },
    {
      ref: "substack:14",
      title: "Talk",
      slug: "talk",
      content: '<p>Listen.</p>\n<p><a href="https://audio.example.org/1.mp3">https://audio.example.org/1.mp3</a></p>',
      aliases: ["/p/talk"],
      status: "published",
    },
  ]);
  assert.deepEqual(reasons(items), [
    "skipped email_list.pen.csv: It is a table: if its rows are articles, import it by itself.",
    "skipped posts/15.chat.html: It is a thread of the publication, not a post.",
    "skipped posts/16.about.html: It is a page of the publication, not a post.",
    "skipped posts/17.gone.html: The table of posts lists “Gone”, but its text is not in the export.",
  ]);
});

test("what the platform adds goes, and what it keeps elsewhere arrives", async () => {
  const cases: [string, string][] = [
    [
      '<div class="captioned-image-container"><figure><a class="image-link" href="https://x.example/l.png"><div class="image2-inset"><picture><source srcset="https://x.example/s.webp"><img src="https://x.example/l.png" alt="Hill" data-attrs="{}"></picture></div></a><figcaption class="image-caption">On top</figcaption></figure></div>',
      '<figure><img src="https://x.example/l.png" alt="Hill"><figcaption>On top</figcaption></figure>',
    ],
    [
      '<p>A</p><p class="button-wrapper"><a class="button primary" href="https://x.example/subscribe">Subscribe</a></p>',
      "<p>A</p>",
    ],
    [
      '<div class="subscription-widget-wrap"><p class="cta-caption">Thanks!</p><form><input></form></div><p>A</p>',
      "<p>A</p>",
    ],
    [
      '<p>A<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1" target="_self">1</a></p><div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>Note.</p></div></div>',
      '<p>A<sup><a id="footnote-anchor-1" href="#footnote-1">1</a></sup></p>\n<ol><li id="footnote-1"><p>Note. <a href="#footnote-anchor-1">↩︎</a></p></li></ol>',
    ],
    [
      `<div class="latex-rendered" data-attrs="${data({ persistentExpression: "x < 2" })}"></div>`,
      "<p>$$x &#x3C; 2$$</p>",
    ],
    ['<div class="pullquote"><p>Well said.</p></div>', "<blockquote><p>Well said.</p></blockquote>"],
    [
      `<div class="image-gallery-embed" data-attrs="${data({ gallery: { images: [{ src: "https://x.example/1.png" }, { src: "javascript:1" }], caption: "Two" } })}"></div>`,
      '<figure><img src="https://x.example/1.png" alt=""><figcaption>Two</figcaption></figure>',
    ],
    [
      '<div class="youtube-wrap" data-attrs="{}"><iframe src="https://www.youtube-nocookie.com/embed/1"></iframe></div>',
      '<iframe src="https://www.youtube-nocookie.com/embed/1"></iframe>',
    ],
  ];
  for (const [html, expected] of cases) assert.deepEqual(await contentOf(html), { content: expected, warnings: [] });
});

test("what cannot be shown becomes a link, or is named", async () => {
  const tweet = data({ url: "https://twitter.com/a/status/1", full_text: "Rain\nagain" });
  assert.deepEqual(await contentOf(`<div class="tweet" data-attrs="${tweet}"></div>`), {
    content: '<p><a href="https://twitter.com/a/status/1">Rain again</a></p>',
    warnings: ["embed_replaced: https://twitter.com/a/status/1"],
  });
  assert.deepEqual(
    await contentOf(`<p>A</p><div class="instagram" data-attrs="${data({ instagram_id: "q" })}"></div>`),
    {
      content: '<p>A</p><p><a href="https://www.instagram.com/p/q/">https://www.instagram.com/p/q/</a></p>',
      warnings: ["embed_replaced: https://www.instagram.com/p/q/"],
    },
  );
  assert.deepEqual(await contentOf('<p>A</p><div class="poll-embed" data-attrs="{broken"></div>'), {
    content: "<p>A</p>",
    warnings: ["element_removed: a poll"],
  });
});

test("another table of this name changes nothing", async () => {
  await using folder = await testFolder({ "posts.csv": "id,name\n1,x", "posts/1.html": "<h1>One</h1><p>x</p>" });
  const items = await importAll(folder.path);
  assert.deepEqual(
    items.map((item) => (item.kind === "draft" ? item.ref : item.source)),
    ["html:posts/1.html", "posts.csv"],
  );
});
