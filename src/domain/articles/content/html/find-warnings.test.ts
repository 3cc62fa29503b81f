import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detectLanguage } from "../../../../content-processes/language.ts";
import { findSevere } from "../../warnings.ts";
import { BLANK_SOURCE } from "../content-source.ts";
import { deriveContent } from "../content.ts";

function derive(source: { html: string } | { markdown: string }) {
  return deriveContent({ ...BLANK_SOURCE, ...source }, { clock: () => 0, detectLanguage });
}

const told = (source: { html: string } | { markdown: string }): string[] =>
  derive(source).warnings.map(({ kind, detail }) => `${kind}: ${detail}`);

const PROSE = "Oolong stands between green and black tea, and is made from the same leaves, picked in spring.";

for (const [name, source, ...warnings] of [
  ["a shortcode", "<p>See {{< tweet 20 >}} here.</p>", "source_markup: {{< tweet 20 >}}"],
  ["a shortcode of Markdown", "<p>{{% notice %}}</p>", "source_markup: {{% notice %}}"],
  ["a tag of Liquid", "<p>{% include toc.html %} {% endfor %}</p>", "source_markup: {% include toc.html %}"],
  ["a variable", "<p>By {{ page.author }}.</p>", "source_markup: {{ page.author }}"],
  ["a container", "<p>:::tip Sip it.\n:::</p>", "source_markup: :::tip Sip it.", "source_markup: :::"],
  ["an admonition", '<p>!!! note "Hot"</p>', 'source_markup: !!! note "Hot"'],
  ["an alert", "<blockquote><p>[!NOTE] Hot.</p></blockquote>", "source_markup: [!NOTE] Hot."],
  ["a footnote", "<p>Tea[^1] is hot.</p>", "source_markup: [^1] is hot."],
  ["components", "<p>&lt;Tabs&gt;</p><p>x &lt;/Tabs&gt;</p>", "source_markup: <Tabs>", "source_markup: </Tabs>"],
  ["a component with a value", "<p>a &lt;Card title='x'&gt; b</p>", "source_markup: <Card title='x'>"],
  ["an import", "<p>import Tabs from '@theme/Tabs';</p>", "source_markup: import Tabs from '@theme/Tabs';"],
  ["attributes of kramdown", "<p>Tea {: .hot}</p>", "source_markup: {: .hot}"],
  ["an embed of Obsidian", "<p>![[tea.png]]</p>", "source_markup: ![[tea.png]]"],
  ["a shortcode of WordPress", "<p>[quote]Hot.[/quote]</p>", "source_markup: [/quote]"],
  ["one with settings", `<p>Write [form id="7" a='b'] to us</p>`, `source_markup: [form id="7" a='b'] to us`],
  ["pictures of WordPress", "<p>[gallery]</p>", "source_markup: [gallery]"],
  ["a comment without an end", "<p>Hot. &lt;!-- not yet</p>", "source_markup: <!-- not yet"],
  [
    "elements",
    "<p>a <button>b</button> <custom-tag>c</custom-tag></p>",
    "element_removed: <button>",
    "element_removed: <custom-tag>",
  ],
  ["a script", "<p>a</p><script>x()</script>", "element_removed: <script>"],
  ["an embed", '<iframe src="https://maps.example/x"></iframe>', "embed_replaced: https://maps.example/x"],
  ["an embed without an address", "<p>a</p><iframe></iframe>", "element_removed: <iframe> of no address"],
  [
    "pictures",
    '<p><img src="a.png" alt=""><img src="http://localhost:4000/b.png" alt=""><img src="" alt=""></p>',
    "picture_missing: a.png",
    "picture_missing: http://localhost:4000/b.png",
    "picture_missing: no address",
  ],
  [
    "a picture of a disk",
    '<img src="file:///C:/a.png" alt="">',
    "picture_missing: no address",
    "picture_missing: file: URL in src on <img>",
  ],
  [
    "links",
    '<p><a href="b.md">b</a> <a href="">c</a> <a href="http://127.0.0.1/">d</a></p>',
    "link_dead: b.md",
    "link_dead: “c”",
    "link_dead: http://127.0.0.1/",
  ],
  ["an anchor", '<p id="a"><a href="#a">a</a> <a href="#b">b</a> <a href="#top">top</a></p>', "anchor_dead: #b"],
  [
    "words",
    "<p>One two</p><select><option>three</option><option>four</option></select>",
    "words_lost: 2 of 4 words: “three four”",
    "element_removed: <select>",
  ],
] as const)
  test(`a warning is given for ${name}`, () => assert.deepEqual(told({ html: source }), warnings));

for (const [name, source] of [
  ["code", "<pre>{{< a >}}</pre><p><code>{% b %}</code> <kbd>[^1]</kbd></p>"],
  ["formulas", "<p>$\\frac{{a}}{b}$ and \\({{x}}\\) and $$[^1]$$</p>"],
  ["types in HTML", '<p onclick="x()">A List<String> and List&lt;String&gt; of caf&eacute;s &amp; tea</p>'],
  ["types in prose", "<p>A List&lt;String&gt; of &lt;your-name&gt; or T&lt;K&gt;</p>"],
  [
    "brackets in prose",
    "<p>[1] [sic] a[0] :-) ::: a{b} !!! [tea=3] a [video] of [see note=4]</p>".replace(":::", "::"),
  ],
  [
    "links and pictures of the web",
    '<p><a href="/a">a</a> <a href="https://x.example/b">b</a> <a href="mailto:a@x.example">c</a> <a href="?q">d</a><img src="/c.png" alt=""><img src="//x.example/d.png" alt=""></p>',
  ],
  ["an anchor of another script", '<p id="é"><a href="#%C3%A9">a</a></p>'],
  ["a page's frame", "<!doctype html><html><head><title>t</title></head><body><p>a</p></body></html>"],
  ["what Word writes", '<p class="MsoNormal" style="x">a<o:p></o:p></p>'],
] as const)
  test(`no warning is given for ${name}`, () => assert.deepEqual(told({ html: source }), []));

test("what Markdown means is not told", () => {
  const markdown = "A[^1] <b>b</b> [c](#d)\n\n> [!NOTE]\n> e\n\n## d\n\n[^1]: f\n";
  assert.deepEqual(told({ markdown }), []);
});

const isSevere = (html: string): boolean => findSevere(derive({ html }).warnings) !== undefined;

describe("an article waits for review", () => {
  test("if it shows source markup, or lost more than a tenth of its words", () => {
    assert.ok(isSevere(`<p>${PROSE}</p><p>{{< tweet >}}</p>`));
    assert.ok(isSevere(`<p>${PROSE}</p><textarea>${PROSE}</textarea>`));
    assert.ok(isSevere("<p>One two three</p><textarea>four five six</textarea>"));
  });

  test("but not for a few words, or what leads nowhere", () => {
    assert.ok(!isSevere(`<p>${PROSE}</p><textarea>one</textarea>`));
    assert.ok(!isSevere('<p>One two</p><textarea>three</textarea><img src="a.png" alt=""><script>x()</script>'));
  });
});

test("the step of sanitising says what the article lacks", () => {
  const { steps } = derive({ html: "<p>a</p><script>x()</script>" });
  assert.deepEqual(steps[0]?.metadata, {
    removed: ["<script>"],
    warnings: [{ kind: "element_removed", detail: "<script>" }],
    changed: true,
  });
});

for (const [name, source] of Object.entries({
  formulas: `<p>${"\\( {{ a ".repeat(100_000)}</p>`,
  "variables that nothing ends": `<p>${"{{ a ".repeat(200_000)}</p>`,
  components: `<p>${"&lt;A b ".repeat(120_000)}</p>`,
  "settings that nothing ends": `<p>${'[form id="a'.repeat(90_000)}</p>`,
  "lines of containers": `<p>${":::\n".repeat(200_000)}</p>`,
}))
  test(`a megabyte of this is looked through without waiting long: ${name}`, () => {
    assert.ok(told({ html: source }).length <= 11);
  });
