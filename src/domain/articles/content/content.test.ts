import assert from "node:assert/strict";
// oxlint-disable-next-line no-restricted-imports -- only this test reads files, the code does not
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { detectLanguage } from "../../../content-processes/language.ts";
import { BLANK_SOURCE, type ContentSource } from "./content-source.ts";
import { cases } from "../../../../test/helpers/properties.ts";
import { deriveContent } from "./content.ts";
import { LONG_ONLY } from "../../../../test/helpers/full-run.ts";

const CORPORA = join(import.meta.dirname, "../../../../../shared/corpora");
const skip = existsSync(CORPORA) ? false : "the corpora of real articles are not beside this repository";

const SOURCE: ContentSource = { ...BLANK_SOURCE, websiteUrl: "https://example.com" };

/** Advances by 5 ms each time it is read. */
function clockFrom(start: string): () => number {
  let now = Date.parse(start) - 5;
  return () => (now += 5);
}

const prepare = (changes: Partial<ContentSource>) =>
  deriveContent({ ...SOURCE, ...changes }, { clock: clockFrom("2026-01-01T00:00:00.000Z"), detectLanguage });

test("an HTML article is kept unchanged, with Markdown, text, counts and links derived from it", () => {
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

test("a Markdown article is delivered as it was written, or as its HTML says if a parser could read a tag", () => {
  const markdown = "One\n===\n\n*Two* __three__\n";
  const safe = prepare({ markdown });
  assert.deepEqual([safe.markdown, safe.markdownSource], [markdown, null]);
  const source = `${markdown}\n* four <script>x</script>\n`;
  const prepared = prepare({ markdown: source });
  assert.equal(prepared.markdown, "# One\n\n*Two* **three**\n\n- four\n");
  assert.equal(prepared.markdownSource, source);
  assert.equal(
    prepared.html,
    '<h1 id="user-content-one">One</h1>\n<p><em>Two</em> <strong>three</strong></p>\n<ul>\n<li>four </li>\n</ul>\n',
  );
  assert.deepEqual(prepared.removed, ["<script>"]);
});

describe("cells of a Markdown table that its header has no column for", () => {
  const table = "| a | b |\n|---|---|\n| 1 | 2 | three | four |  |\n| 5 | a \\| b | six \\| seven |";
  const prose = `${"These words stand before the table. ".repeat(20)}\n\n`;

  test("are listed as removed, and stay in the Markdown", () => {
    for (const quoted of [table, table.replaceAll(/^/gm, "> "), `- x\n\n${table.replaceAll(/^/gm, "  ")}`]) {
      const { removed, markdown, loss } = prepare({ markdown: prose + quoted });
      assert.deepEqual(removed, ["3 table cells without a column in the header (first “three”)"]);
      assert.equal(markdown, prose + quoted);
      assert.equal(loss, null);
    }
    const { removed } = prepare({ markdown: `|a|\n|-|\n|b|${"c".repeat(70)}|\n\n<script>x</script>` });
    assert.deepEqual(removed, ["<script>", `a table cell without a column in the header (“${"c".repeat(60)}…”)`]);
    assert.deepEqual(prepare({ markdown: "a | b\n-|-\nc | d |\n| e | |\n\\| f | g\nh\n" }).removed, []);
  });

  test("count as text that is lost", () => {
    const { loss } = prepare({ markdown: `${table}\n| 8 | 9 | this text has no column in the header |` });
    assert.deepEqual([loss?.after, loss?.lost, loss?.missing], ["2", "three…", 48]);
  });
});

test("HTML that was derived from the Markdown is used, and the Markdown is delivered", () => {
  const prepared = prepare({ markdown: "a", html: "<p>b</p>" });
  assert.deepEqual([prepared.html, prepared.markdown], ["<p>b</p>", "a"]);
});

test("links that were supplied and the author's summary are kept", () => {
  const internalLinks = [{ text: "t", url: "/u" }];
  const prepared = prepare({ html: '<a href="/x">y</a>', internalLinks, excerpt: "Own <b>words</b>" });
  assert.deepEqual(prepared.internalLinks, internalLinks);
  assert.equal(prepared.excerpt, "Own words");
  assert.deepEqual(prepare({ html: '<a href="/x">y</a>', internalLinks: [] }).internalLinks, []);
});

test("the reading time is in minutes of 200 words, rounded, at least one", () => {
  for (const [words, minutes] of [
    [0, 1],
    [299, 1],
    [300, 2],
    [2100, 11],
  ] as const)
    assert.equal(prepare({ html: `<p>${"word ".repeat(words)}</p>` }).readingTime, minutes);
});

test("the two steps follow one another by the clock and say what they found", () => {
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
      metadata: { language: "en", engine_version: "2.0.0" },
    },
  ]);
});

const tooLong = (form: string) => ({ code: "invalid", message: new RegExp(`as ${form} it has more than 10 MB`) });

test("content that becomes more than 10 MB of HTML or Markdown is refused with a sentence", LONG_ONLY, () => {
  assert.throws(() => prepare({ html: `<p>${'"'.repeat(10.6 * 1024 * 1024)}<br/></p>` }), tooLong("HTML"));
  assert.throws(() => prepare({ html: `<p>${"*".repeat(5.3 * 1024 * 1024)}</p>` }), tooLong("Markdown"));
});

test("an empty article has empty derivations, and causes no errors", () => {
  const prepared = prepare({});
  assert.deepEqual(
    [
      prepared.html,
      prepared.markdown,
      prepared.text,
      prepared.excerpt,
      prepared.wordCount,
      prepared.steps[1]?.metadata["language"],
    ],
    ["", "", "", "", 0, null],
  );
});

for (const [corpus, share] of [
  ["v8-blog", 1],
  ["rust-blog", 10],
] as const) {
  const step = (share * 10) / cases(10);
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
        // Frames have no visible text, but are links in the Markdown.
        if (!/<(?:iframe|video|audio)/.test(written.html)) {
          const readBack = prepare({ markdown: again.markdown });
          assert.equal(readBack.text.replaceAll(/\s+/g, " "), again.text.replaceAll(/\s+/g, " "), file);
        }
      }
    },
  );
}
