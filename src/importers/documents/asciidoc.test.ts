import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, at, importAll, importFile, reasons, testFolder } from "../import-test-helpers.ts";

test("the header of an AsciiDoc file gives the article's fields", async () => {
  const source = `= Green tea: an introduction
Ann Lee <ann@e.example>; Bob
v1.0, 2024-01-02
:tags: tea, hot
:keywords: green, water
:description: How to brew it
:toc:

Boil *water*.
`;
  const input = await articleIn("2023-05-06-green-tea.adoc", source);
  assert.deepEqual(input, {
    title: "Green tea: an introduction",
    content: "<p>Boil <strong>water</strong>.</p>",
    status: "published",
    slug: "green-tea",
    excerpt: "How to brew it",
    metaDescription: "How to brew it",
    seoKeywords: ["green", "water"],
    tags: ["tea", "hot"],
    authors: [
      { name: "Ann Lee", url: null },
      { name: "Bob", url: null },
    ],
    createdAt: at("2024-01-02"),
    updatedAt: at("2024-01-02"),
    publishedAt: at("2024-01-02"),
  });
});

test("front matter, attributes of Jekyll and JBake, and the file's name give fields, too", async () => {
  const hugo = await articleIn("a.adoc", "---\ntitle: Tea\ndraft: true\n---\nText");
  assert.deepEqual([hugo.title, hugo.status], ["Tea", "pending"]);
  const jekyll = await articleIn("2023-05-06-oolong-tea.adoc", ":page-tags: tea\n\nText");
  assert.deepEqual([jekyll.title, jekyll.tags, jekyll.publishedAt], ["Oolong tea", ["tea"], at("2023-05-06")]);
  const jbake = await articleIn("b.adoc", "= Tea\n:jbake-date: 2024-02-03\n:jbake-status: draft\n\nText");
  assert.deepEqual([jbake.status, jbake.createdAt], ["pending", at("2024-02-03")]);
});

const CASES: Record<string, [source: string, html: string]> = {
  sections: [
    "== Part\n\nText\n\n=== More\n\nText",
    '<h2 id="_part">Part</h2><p>Text</p><h3 id="_more">More</h3><p>Text</p>',
  ],
  "a list in a list": [
    "* one\n** two\n. three",
    "<ul><li><p>one</p><ul><li><p>two</p><ol><li><p>three</p></li></ol></li></ul></li></ul>",
  ],
  terms: ["Tea:: Hot", "<dl><dt>Tea</dt><dd><p>Hot</p></dd></dl>"],
  "an admonition": [
    "WARNING: Hot *water*.",
    "<blockquote><p><strong>Warning</strong> Hot <strong>water</strong>.</p></blockquote>",
  ],
  "an admonition of blocks": [
    "[NOTE]\n====\nOne\n\nTwo\n====",
    "<blockquote><p><strong>Note</strong></p><p>One</p><p>Two</p></blockquote>",
  ],
  code: [
    "[source,js]\n----\na < b; // {{x}}\n----",
    '<pre><code class="language-js">a &#x3C; b; // {{x}}</code></pre>',
  ],
  "a picture": [
    ".A view\nimage::a.png[A hill]",
    '<figure><img src="a.png" alt="A hill"><figcaption>Figure 1. A view</figcaption></figure>',
  ],
  "a quotation": ["[quote,Ann,A book]\nHot.", "<blockquote>Hot.</blockquote><p>— Ann<br><cite>A book</cite></p>"],
  "a sidebar": ["****\nAside\n****", "<blockquote><p>Aside</p></blockquote>"],
  "a table": [
    "|===\n|a |b\n\n|1 |2\n|===",
    "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
  ],
  "a footnote": [
    "Tea.footnote:[Hot *water*.]",
    '<p>Tea.<sup>[<a id="_footnoteref_1" href="#_footnotedef_1" title="View footnote.">1</a>]</sup></p>' +
      '<ol><li id="_footnotedef_1">Hot <strong>water</strong>. <a href="#_footnoteref_1">↩</a></li></ol>',
  ],
  "an anchor": ["[[here]]\nText <<here,there>>", '<p id="here">Text <a href="#here">there</a></p>'],
  "a formula": ["stem:[x < y]", "<p>\\$x &#x3C; y\\$</p>"],
};

for (const [name, [source, html]] of Object.entries(CASES)) {
  test(`AsciiDoc: ${name}`, async () => {
    const { content = "" } = await articleIn("a.adoc", `= Title\n\n${source}\n`);
    assert.equal(plain(content), html);
  });
}

/** Without line breaks between elements, and classes that a style sheet of Asciidoctor needs. */
function plain(html: string): string {
  return html
    .replaceAll(/ class="(?!language-)[^"]*"| data-lang="[^"]*"/g, "")
    .replaceAll(/<colgroup>[^]*?<\/colgroup>/g, "")
    .replaceAll(/(>) *\n\s*| *\n\s*(<)/g, "$1$2");
}

test("no file is included, and what would be is named", async () => {
  const [item] = await importFile(
    "a.adoc",
    "= Title\n:data-uri:\n:allow-uri-read:\n\nText\n\ninclude::/etc/hostname[]\n",
  );
  assert.ok(item?.kind === "draft");
  assert.equal(plain(item.input.content ?? ""), '<p>Text</p><p><a href="/etc/hostname">/etc/hostname</a></p>');
  assert.deepEqual(item.warnings, [{ kind: "construct_replaced", detail: "include::/etc/hostname" }]);
});

test("AsciiDoc files of a folder are articles, and their names are what they are recognised by", async () => {
  await using folder = await testFolder({ "posts/a.adoc": "= A\n\nText", "posts/b.asciidoc": "= B\n\nText" });
  const items = await importAll(folder.path);
  assert.deepEqual(
    items.map((item) => (item.kind === "draft" ? item.ref.replace(/^html:[^/]*\//, "") : item.reason)),
    ["a.adoc", "b.asciidoc"],
  );
});

test("deep, cut off and unreadable AsciiDoc is an article or a refusal", async () => {
  const sources = [
    "= T\n\n" + "====\n".repeat(400),
    "= T\n\n[source\n----\n|===\n",
    "= T\n\n" + Array.from({ length: 200 }, (_none, depth) => `${"*".repeat(depth + 1)} x`).join("\n"),
    "= T\n\n{counter:x}{set:y:z}ifdef::a[]\nendif::[]\n",
    "= T\n:leveloffset: 99999999999\n\n== x\n",
    "= T\n\n" + "(((".repeat(500),
    "= T\n\n" + "`+*_#".repeat(500),
  ];
  for (const source of sources) {
    for (const item of await importFile("a.adoc", source))
      assert.ok(item.kind === "draft" || reasons([item]).length === 1);
  }
});
