import assert from "node:assert/strict";
import { test } from "node:test";
import { at, importAll, importFile, testFolder } from "../import-test-helpers.ts";

const ID = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

async function read(extension: "md" | "html", text: string) {
  const [item, ...others] = await importFile(`Clay pots ${ID}.${extension}`, text);
  assert.equal(item?.kind, "draft", JSON.stringify(item));
  assert.equal(others.length, 0);
  const { input, hidden, ref, source } = item;
  const warnings = (item.warnings ?? []).map(({ kind, detail }) => `${kind}: ${detail}`);
  return { ...input, hidden, ref, source, warnings };
}

const page = (properties: string, body: string, header = "") =>
  `<html><head><title>Clay pots</title><style>x{}</style></head><body><article id="x" class="page sans"><header>${header}<h1 class="page-title">Clay pots</h1><table class="properties"><tbody>${properties}</tbody></table></header><div class="page-body">${body}</div></article></body></html>`;
const row = (name: string, value: string) =>
  `<tr class="property-row"><th><span class="icon"></span>${name}</th><td>${value}</td></tr>`;

test("a page's properties are its metadata; its id stays out of its address", async () => {
  const properties = ["Status: Published", "Date: March 3, 2025", "Tags: clay, fire", "Author: Kim", "Effort: High"];
  const markdown = await read("md", `# Clay pots\n\n${properties.join("\n")}\n\nOf clay.\n`);
  const rows = [
    row("Status", '<span class="status-value">Published</span>'),
    row("Date", "<time>@March 3, 2025 → March 4, 2025</time>"),
    row("Tags", '<span class="selected-value">clay</span><span class="selected-value">fire</span>'),
    row("Author", '<span class="user"><img src="x"/>Kim</span>'),
    row("Effort", '<span class="selected-value">High</span>'),
  ];
  const html = await read("html", page(rows.join(""), "<p>Of clay.</p>"));
  for (const { title, slug, ref, status, publishedAt, tags, authors, warnings } of [markdown, html]) {
    assert.deepEqual(
      { title, slug, ref, status, publishedAt, tags, authors, warnings },
      {
        title: "Clay pots",
        slug: "Clay pots",
        ref: `notion:${ID}`,
        status: "published",
        publishedAt: at("2025-03-03"),
        tags: ["clay", "fire"],
        authors: [{ name: "Kim", url: null }],
        warnings: ["element_removed: property Effort: High"],
      },
    );
  }
  assert.equal(markdown.markdown, "Of clay.");
  assert.equal(html.content, "<p>Of clay.</p>");
});

test("nothing is published that no property calls so", async () => {
  const cases: [string, string, string | undefined][] = [
    ["", "pending", undefined],
    ["Date: March 3, 2025", "pending", undefined],
    ["Status: Done", "published", undefined],
    ["Status: Idea", "pending", "It is a draft on its site (Status: Idea)."],
    ["Published: Yes", "published", undefined],
    ["Published: No", "pending", "It is a draft on its site (Published: No)."],
  ];
  for (const [properties, status, hidden] of cases) {
    const found = await read("md", `# T\n\n${properties}\n\nText.`);
    assert.deepEqual([found.status, found.hidden], [status, hidden], properties);
  }
  assert.deepEqual((await read("md", "# T\n\nDate: some day\n\nText.")).warnings, ["date_guessed: Date: some day"]);
});

test("a first paragraph is none of properties", async () => {
  for (const text of ["Note: all of it is clay.", "Date: a fruit\nand more."]) {
    assert.equal((await read("md", `# T\n\n${text}\n\nMore.`)).markdown, `${text}\n\nMore.`);
  }
  assert.equal((await read("md", "Only text.")).title, "Clay pots");
});

test("Markdown: callouts are quotations, code stays as it is", async () => {
  const cases: [string, string][] = [
    ["<aside>\n💡 **Hot**\n\n- one\n\n</aside>\n\nAfter.", "> 💡 **Hot**\n> \n> - one\n> \n\n\nAfter."],
    ["```html\n<aside>\nx\n</aside>\n```", "```html\n<aside>\nx\n</aside>\n```"],
    [
      "<details>\n<summary>More</summary>\n\nText.\n\n</details>",
      "<details>\n<summary>More</summary>\n\nText.\n\n</details>",
    ],
  ];
  for (const [text, expected] of cases) assert.equal((await read("md", `# T\n\n${text}`)).markdown, expected);
});

test("HTML: what the export adds for its looks goes", async () => {
  const cases: [string, string][] = [
    [
      '<p id="a" class="x" style="c">A <a href="#b">b</a></p><h2 id="b">B</h2>',
      '<p>A <a href="#b">b</a></p><h2 id="b">B</h2>',
    ],
    [
      '<ul id="t" class="toggle"><li><details open=""><summary>More</summary><p>x</p></details></li></ul>',
      "<details><summary>More</summary><p>x</p></details>",
    ],
    [
      '<figure class="block-color-gray callout" style="d"><div style="f"><span class="icon">💡</span></div><div style="w">Hot <strong>clay</strong></div></figure>',
      "<blockquote><p>💡 Hot <strong>clay</strong></p></blockquote>",
    ],
    [
      '<figure class="callout"><div><span class="icon">💡</span></div><div><p id="q">Hot</p><p>clay</p></div></figure>',
      "<blockquote><p>💡 Hot</p><p>clay</p></blockquote>",
    ],
    [
      '<div class="column-list"><div class="column"><p>A</p></div><div class="column"><p>B</p></div></div>',
      "<p>A</p><p>B</p>",
    ],
    [
      '<figure id="i" class="image"><a href="pots/a.png"><img style="w" src="pots/a.png"/></a><figcaption>A pot</figcaption></figure>',
      '<figure><img src="pots/a.png"><figcaption>A pot</figcaption></figure>',
    ],
    [
      '<figure id="l"><a href="https://x.example/" class="bookmark source"><div class="bookmark-info"><div class="bookmark-text"><div class="bookmark-title">X</div><div class="bookmark-description">About x</div></div><div class="bookmark-href">https://x.example/</div></div></a></figure>',
      '<p><a href="https://x.example/">X</a> – About x</p>',
    ],
    [
      '<figure class="equation"><style>@import</style><div class="equation-container"><span class="katex-display"><span class="katex"><span class="katex-mathml"><math><semantics><mrow></mrow><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html">x2</span></span></span></div></figure>',
      "<p>$$x^2$$</p>",
    ],
    [
      '<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">Done</span></li></ul>',
      "<ul><li>☑  <span>Done</span></li></ul>",
    ],
    [
      '<pre id="c" class="code"><code class="language-JavaScript">a  b</code></pre>',
      '<pre><code class="language-JavaScript">a  b</code></pre>',
    ],
    ['<nav class="table_of_contents"><div><a href="#b">B</a></div></nav><p>x</p>', "<p>x</p>"],
  ];
  for (const [html, expected] of cases) assert.equal((await read("html", page("", html))).content, expected, html);
});

test("a folder of pages is the same import wherever it is, and other files in it are as they are", async () => {
  const files = {
    [`Pots ${ID}.md`]: "# Pots\n\nText.",
    [`Pots ${ID}/Kiln 1f1e2d3c4b5a69788796a5b4c3d2e1f0.md`]: "# Kiln\n\nText.",
    "plain.md": "# Plain\n\nText.",
    [`Broken ${ID.replace("0f", "2f")}.html`]: "<p>x</p>",
  };
  await using folder = await testFolder(files);
  const items = await importAll(folder.path);
  assert.deepEqual(
    items.map((item) =>
      item.kind === "draft" ? `${item.ref} ${String(item.input.slug)}` : `${item.source}: ${item.reason}`,
    ),
    [
      `Broken ${ID.replace("0f", "2f")}.html: It is no page of Notion.`,
      "notion:1f1e2d3c4b5a69788796a5b4c3d2e1f0 Kiln",
      `notion:${ID} Pots`,
      "markdown:plain.md plain",
    ],
  );
});
