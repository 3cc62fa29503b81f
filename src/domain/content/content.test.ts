import assert from "node:assert/strict";
// oxlint-disable-next-line no-restricted-imports -- only this test reads files, the code does not
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type ContentSource, prepareContent } from "./content.ts";

const CORPORA = join(import.meta.dirname, "../../../../shared/corpora");
const skip = existsSync(CORPORA) ? false : "the corpora of real articles are not beside this repository";

const SOURCE: ContentSource = {
  title: "A title",
  excerpt: null,
  slug: "a-title",
  metaDescription: null,
  targetKeyword: null,
  seoKeywords: [],
  featuredImageUrl: null,
  featuredImageAlt: null,
  internalLinks: null,
  websiteUrl: "https://example.com",
};

/** Each look at it is 5 ms later. */
function clockFrom(start: string): () => number {
  let now = Date.parse(start) - 5;
  return () => (now += 5);
}

const prepare = (changes: Partial<ContentSource>) =>
  prepareContent({ ...SOURCE, ...changes }, clockFrom("2026-01-01T00:00:00.000Z"));

test("an HTML article is kept as it came, with Markdown, text, counts and links made of it", () => {
  const html = '<h2>One</h2>\n<p>Two <a href="https://www.example.com/x">three</a>.</p>';
  const prepared = prepare({ html });
  assert.equal(prepared.html, html);
  assert.equal(prepared.markdown, "## One\n\nTwo [three](https://www.example.com/x).\n");
  assert.equal(prepared.text, "One\n\nTwo three.");
  assert.equal(prepared.excerpt, "One Two three.");
  assert.equal(prepared.wordCount, 3);
  assert.equal(prepared.readingTime, 1);
  assert.deepEqual(prepared.internalLinks, [{ text: "three", url: "/x" }]);
  assert.deepEqual(prepared.removed, []);
});

test("a Markdown article keeps its source, and its HTML is sanitised", () => {
  const markdown = "# One\n\n*Two* <script>x</script>\n";
  const prepared = prepare({ markdown });
  assert.equal(prepared.markdown, markdown);
  assert.equal(prepared.html, "<h1>One</h1>\n<p><em>Two</em> </p>\n");
  assert.deepEqual(prepared.removed, ["<script>"]);
});

test("HTML that was made of the Markdown is used, and the Markdown sent", () => {
  const prepared = prepare({ markdown: "a", html: "<p>b</p>" });
  assert.deepEqual([prepared.html, prepared.markdown], ["<p>b</p>", "a"]);
});

test("supplied links and the author's summary stay", () => {
  const internalLinks = [{ text: "t", url: "/u" }];
  const prepared = prepare({ html: '<a href="/x">y</a>', internalLinks, excerpt: "Own <b>words</b>" });
  assert.deepEqual(prepared.internalLinks, internalLinks);
  assert.equal(prepared.excerpt, "Own words");
  assert.deepEqual(prepare({ html: '<a href="/x">y</a>', internalLinks: [] }).internalLinks, []);
});

test("the reading time is minutes of 200 words, rounded, at least one", () => {
  for (const [words, minutes] of [
    [0, 1],
    [299, 1],
    [300, 2],
    [2100, 11],
  ] as const)
    assert.equal(prepare({ html: `<p>${"word ".repeat(words)}</p>` }).readingTime, minutes);
});

test("its two steps follow one another by the clock and say what they found", () => {
  const { steps } = prepare({ html: "<p onclick=x>The quick brown fox jumps over the lazy dog near the river.</p>" });
  assert.deepEqual(steps, [
    {
      name: "sanitize",
      status: "completed",
      started_at: "2026-01-01T00:00:00.000Z",
      completed_at: "2026-01-01T00:00:00.005Z",
      duration_ms: 5,
      actor: "rostrum",
      error: null,
      metadata: { removed: ["onclick on <p>"], changed: true },
    },
    {
      name: "analyze",
      status: "completed",
      started_at: "2026-01-01T00:00:00.005Z",
      completed_at: "2026-01-01T00:00:00.015Z",
      duration_ms: 10,
      actor: "rostrum",
      error: null,
      metadata: { language: "en", engine_version: "1.0.0" },
    },
  ]);
});

test("an empty article has empty derivations, not errors", () => {
  const prepared = prepare({});
  assert.deepEqual(
    [prepared.html, prepared.markdown, prepared.text, prepared.excerpt, prepared.wordCount, prepared.language],
    ["", "", "", "", 0, null],
  );
});

for (const [corpus, step] of [
  ["v8-blog", 1],
  ["rust-blog", 10],
] as const)
  test(
    `${step === 1 ? "every" : `each ${step}th`} article of ${corpus} gets through, and nothing changes the second time`,
    { skip },
    () => {
      const all = readdirSync(join(CORPORA, corpus), { recursive: true, encoding: "utf8" });
      const files = all.filter((file) => file.endsWith(".md")).toSorted();
      assert.ok(files.length > 100);
      for (const file of files.filter((_, index) => index % step === 0)) {
        const markdown = readFileSync(join(CORPORA, corpus, file), "utf8").replace(/^(---|\+\+\+)\n[\s\S]*?\n\1\n/, "");
        const written = prepare({ markdown });
        const again = prepare({ html: written.html });
        assert.equal(again.html, written.html, file);
        assert.deepEqual(again.removed, [], file);
        assert.equal(again.wordCount, written.wordCount, file);
        // Frames say nothing in the text, but are links in the Markdown.
        if (!/<(?:iframe|video|audio)/.test(written.html)) {
          const readBack = prepare({ markdown: again.markdown });
          assert.equal(readBack.text.replaceAll(/\s+/g, " "), again.text.replaceAll(/\s+/g, " "), file);
        }
      }
    },
  );
