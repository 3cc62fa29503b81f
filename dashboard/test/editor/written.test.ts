/** How the visual editor writes text, links and videos. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { VIDEO_HOSTS } from "../../../src/domain/articles/content/html/schema.ts";
import { sanitiseHtml } from "../../../src/domain/articles/content/html/sanitise.ts";
import { findAddresses } from "../../src/features/review/editor/document/addresses.ts";
import { openSource } from "../../src/features/review/editor/document/edited-source.ts";
import {
  embedSource,
  findEmbed,
  findFrame,
  findPost,
  FRAME_HOSTS,
} from "../../src/features/review/editor/document/embeds.ts";
import { fingerprint } from "../../src/features/review/editor/document/fingerprint.ts";
import { parseMarkdown } from "../../src/features/review/editor/document/markdown-parse.ts";
import { schema } from "../../src/features/review/editor/document/schema.ts";
import { createWriter } from "../../src/features/review/editor/document/write.ts";

type Part = string | readonly [text: string, href: string];

function linked(text: string, href = text): Part {
  return [text, href];
}

/** A new paragraph as Markdown. */
function written(...parts: readonly Part[]): string {
  const { nodes, marks } = schema;
  const content = parts.map((part) =>
    typeof part === "string" ? schema.text(part) : schema.text(part[0], [marks.link.create({ href: part[1] })]),
  );
  const doc = nodes.doc.create(null, nodes.paragraph.create(null, content));
  const { source, isExact } = createWriter(openSource("", "markdown", parseMarkdown)).write(doc);
  assert.equal(isExact, true);
  return source.trim();
}

test("text gets a backslash only where it would read as something else", () => {
  const texts: Readonly<Record<string, string>> = {
    "a_b_c and 2 * 3": "a_b_c and 2 * 3",
    "an [aside], AT&T, $x^2$, 100 %": "an [aside], AT&T, $x^2$, 100 %",
    "*once* more": "\\*once\\* more",
    "~x~ and (y)": "\\~x\\~ and (y)",
    "# no heading, but #tag": "\\# no heading, but #tag",
    "#tag": "#tag",
    "2024. was": "2024\\. was",
    "+1 for it": "+1 for it",
    "- no item": "\\- no item",
    "<b>bold</b>": "\\<b>bold\\</b>",
    "&copy; and a & b": "\\&copy; and a & b",
    "[text](target)": "\\[text\\](target)",
    "not https://example.org/a_b?x=1: linked": "not https\\://example.org/a_b?x=1: linked",
    "not me@example.com, either": "not me\\@example.com, either",
    "a `tick": "a `tick",
    "`code`": "\\`code\\`",
    ": no term": "\\: no term",
  };
  const found = Object.keys(texts).map((text) => [text, written(text)]);
  assert.deepEqual(Object.fromEntries(found), texts);
});

test("a link whose text is its address is written as the address, if that reads as the link", () => {
  const all: [string, string][] = [
    [written("See ", linked("https://example.org/a_b?x=1&y=2"), " now."), "See https://example.org/a_b?x=1&y=2 now."],
    [written("(", linked("www.example.org", "http://www.example.org"), ")"), "(www.example.org)"],
    [written(linked("me_2@example.org", "mailto:me_2@example.org"), ", please"), "me_2@example.org, please"],
    [written("At ", linked("https://example.org/a)"), "!"), "At <https://example.org/a)>!"],
    [written("x", linked("www.example.org", "http://www.example.org")), "x[www.example.org](http://www.example.org)"],
    [
      written(linked("https://example.org/a", "https://example.org/b")),
      "[https://example.org/a](https://example.org/b)",
    ],
  ];
  assert.deepEqual(
    all.map(([one]) => one),
    all.map(([, other]) => other),
  );
});

test("addresses are found without the signs of the sentence", () => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    "See https://example.org/a_(b), or (www.example.com/x).": ["https://example.org/a_(b)", "www.example.com/x"],
    "“https://example.org”: me@example.com!": ["https://example.org", "me@example.com"],
    "www. and http:// and a@b and https://": [],
    "[t](https://example.org/)": ["https://example.org/"],
    "node.js and example.com": [],
  };
  const found = Object.keys(texts).map((text) => [text, findAddresses(text).map((one) => one.text)]);
  assert.deepEqual(Object.fromEntries(found), texts);
});

test("videos are embedded as the publisher keeps them", () => {
  const pages: Readonly<Record<string, string | null>> = {
    "https://www.youtube.com/watch?v=abcDEF12345&t=1m30s":
      "https://www.youtube-nocookie.com/embed/abcDEF12345?start=90",
    "https://youtu.be/abcDEF12345?t=42": "https://www.youtube-nocookie.com/embed/abcDEF12345?start=42",
    "https://m.youtube.com/watch?app=desktop&v=abcDEF12345": "https://www.youtube-nocookie.com/embed/abcDEF12345",
    "https://www.youtube.com/shorts/abcDEF12345": "https://www.youtube-nocookie.com/embed/abcDEF12345",
    "https://vimeo.com/76979871": "https://player.vimeo.com/video/76979871",
    "https://vimeo.com/76979871/ab12cd34ef": "https://player.vimeo.com/video/76979871?h=ab12cd34ef",
    "https://www.dailymotion.com/video/x8abcde": "https://www.dailymotion.com/embed/video/x8abcde",
    "https://www.loom.com/share/0123456789abcdef0123456789abcdef":
      "https://www.loom.com/embed/0123456789abcdef0123456789abcdef",
    "https://www.ted.com/talks/some_talk": "https://embed.ted.com/talks/some_talk",
    "https://www.bilibili.com/video/BV1ab411c7d8": "https://player.bilibili.com/player.html?bvid=BV1ab411c7d8",
    "https://www.youtube.com/@channel": null,
    "https://example.org/watch?v=abcDEF12345": null,
    "https://x.com/someone/status/1": null,
  };
  const found = Object.keys(pages).map((page) => [page, findEmbed(page)?.src ?? null]);
  assert.deepEqual(Object.fromEntries(found), pages);
  for (const page of Object.keys(pages)) {
    const embed = findEmbed(page);
    if (embed === null) continue;
    const source = embedSource(embed);
    assert.match(sanitiseHtml(source).html, /^<iframe src="https:/, source);
    assert.deepEqual(sanitiseHtml(source).removed, []);
  }
  for (const host of VIDEO_HOSTS) assert.equal(findFrame(`https://${host}/x`) !== null, true, host);
  for (const host of FRAME_HOSTS.keys())
    assert.equal(VIDEO_HOSTS.has(host) || VIDEO_HOSTS.has(`www.${host}`), true, host);
  for (const other of ["https://example.org/", "javascript:alert(1)", "https://user@vimeo.com/1", "//ads.example/"]) {
    assert.equal(findFrame(other), null, other);
  }
});

test("posts are known by their addresses, with their authors", () => {
  const posts: Readonly<Record<string, string | null>> = {
    "https://x.com/ann/status/1234567890?s=20": "X @ann",
    "https://mobile.twitter.com/ann/status/1234567890": "X @ann",
    "https://bsky.app/profile/ann.example.com/post/3k2yihcrp6s2c": "Bluesky @ann.example.com",
    "https://bsky.app/profile/did:plc:abc/post/3k2yihcrp6s2c": "Bluesky ",
    "https://www.threads.net/@ann.b/post/CuXFPIeLLod": "Threads @ann.b",
    "https://www.instagram.com/p/CuXFPIeLLod/": "Instagram ",
    "https://www.instagram.com/ann/reel/CuXFPIeLLod/": "Instagram @ann",
    "https://www.tiktok.com/@ann/video/7123456789012345678": "TikTok @ann",
    "https://www.linkedin.com/posts/ann_tea-activity-7123": "LinkedIn ",
    "https://mastodon.social/@ann/113456789012345678": "Mastodon @ann",
    "https://mastodon.social/@ann@other.example/113456789012345678": "Mastodon @ann@other.example",
    "https://x.com/ann": null,
    "https://example.org/@ann/hello": null,
    "https://www.youtube.com/watch?v=abcDEF12345": null,
  };
  const found = Object.keys(posts).map((page) => {
    const post = findPost(page);
    return [page, post && `${post.service} ${post.author}`];
  });
  assert.deepEqual(Object.fromEntries(found), posts);
});

test("deep quotes and lists are compared in time that grows with their text", () => {
  for (const source of [`${"> ".repeat(20)}x\n`, `${"- ".repeat(20)}x\n`]) {
    const { nodes: read } = openSource(source, "markdown", parseMarkdown);
    const lengths = [...read.values()].map((node) => fingerprint(node, "markdown").length);
    assert.ok(Math.max(...lengths) < 10_000, String(Math.max(...lengths)));
  }
});
