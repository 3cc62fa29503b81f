import assert from "node:assert/strict";
import { test } from "node:test";
import { Warnings } from "../../../../domain/articles/warnings.ts";
import { importAll, testFolder } from "../../../import-test-helpers.ts";
import { NO_SITE } from "../../../site.ts";
import { FrontMatterFields } from "../../front-matter.ts";
import { convertSnippet, testSnippets } from "../snippet-test-helpers.ts";
import { mdx } from "./mdx.ts";

testSnippets(mdx, {
  "text without MDX, byte for byte": [
    "# A\n\n*  b\n\n\tcode  \n\n| a |\n|---|\n| b |\n",
    '<h1 id="user-content-a">A</h1>\n<ul>\n<li><p>b</p>\n<p> code</p>\n</li>\n</ul>\n<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>b</td>\n</tr>\n</tbody></table>\n',
  ],
  "imports and exports": [
    'import A from "./a";\nimport {\n  B,\n} from "./b";\n\nexport const meta = {\n  title: "X",\n\n  a: `b\n\nc`,\n};\n\nHello.',
    "<p>Hello.</p>\n",
  ],
  comments: [
    "A {/* hidden */} b.\n\n{/*\n hidden *too*\n*/}\n\n<!-- truncate -->\n\nC.",
    "<p>A  b.</p>\n<!-- truncate --><p>C.</p>\n",
  ],
  "ids of headings": [
    "## Water {/*w*/}\n\n## Tea {/* #t */}\n\n## Ice {#i}\n\nSee [w](#w), [t](#t), [i](#i).",
    '<h2 id="user-content-w">Water</h2>\n<h2 id="user-content-t">Tea</h2>\n<h2 id="user-content-i">Ice</h2>\n<p>See <a href="#user-content-w">w</a>, <a href="#user-content-t">t</a>, <a href="#user-content-i">i</a>.</p>\n',
  ],
  "strings and numbers": [
    'Price {"<5 *a*"}, {1 + 1}, {`x`}, {"a" + "b"}.{" "}\nNext.',
    "<p>Price &lt;5 *a*, 2, x, ab. \nNext.</p>\n",
  ],
  "constants of the text": ["export const price = 5;\n\nFor {price} or {price * 2}.", "<p>For 5 or 10.</p>\n"],
  "the front matter": ["{frontmatter.title}, {frontMatter.title}.", "<p>The title, The title.</p>\n"],
  "an unknown expression": ["A {foo.bar} b.", "<p>A  b.</p>\n", "{foo.bar}"],
  "words within an expression": [
    "{items.map((item) => <li key={item}>Word of {item}</li>)}",
    "<p>Word of</p>\n",
    "{items.map((item) => <li key={item}>Word of {item}</li>)}",
  ],
  "a condition that holds": ['{true && "yes"} {false ? "a" : "b"}', "<p>yes b</p>\n"],
  "braces that are text": [
    "A {a b} and {#c} of a < b, 5<6, and <https://x.example/>.",
    '<p>A {a b} and {#c} of a &lt; b, 5&lt;6, and <a href="https://x.example/">https://x.example/</a>.</p>\n',
  ],
  "a line that begins with import": [
    "import the beans from Peru.\n\n<Note>A</Note>",
    "<p>import the beans from Peru.</p>\n<blockquote>\n<p><strong>Note</strong></p>\n<p>A</p>\n</blockquote>\n",
  ],
  tabs: [
    '<Tabs>\n<TabItem value="a" label="Apple">\n\n```js title="x.js"\nlet a = 1;\n```\n\n</TabItem>\n<TabItem value="b">\n\nWords **b**.\n\n</TabItem>\n</Tabs>',
    '<p><strong>Apple</strong></p>\n<pre><code class="language-js">let a = 1;\n</code></pre>\n<p><strong>b</strong></p>\n<p>Words <strong>b</strong>.</p>\n',
  ],
  "labels of tabs in a list of values": [
    '<Tabs values={[{label: "Mac", value: "m"}, {label: "Win", value: "w"}]}>\n<TabItem value="w">A</TabItem>\n<TabItem value="m">B</TabItem>\n</Tabs>',
    "<p><strong>Win</strong></p>\n<p>A</p>\n<p><strong>Mac</strong></p>\n<p>B</p>\n",
  ],
  "labels of tabs in a list of items": [
    '<Tabs items={["npm", "yarn"]}>\n  <Tab>\n    A\n  </Tab>\n  <Tab>\n    B\n  </Tab>\n</Tabs>',
    "<p><strong>npm</strong></p>\n<p>A</p>\n<p><strong>yarn</strong></p>\n<p>B</p>\n",
  ],
  steps: [
    '<Steps>\n  <Step title="First">\n    Do *it*.\n  </Step>\n  <Step title="Second">Rest.</Step>\n</Steps>',
    "<p><strong>First</strong></p>\n<p>Do <em>it</em>.</p>\n<p><strong>Second</strong></p>\n<p>Rest.</p>\n",
  ],
  "steps as a list": [
    "<Steps>\n\n1. One\n\n2. Two\n\n</Steps>",
    "<ol>\n<li><p>One</p>\n</li>\n<li><p>Two</p>\n</li>\n</ol>\n",
  ],
  "an aside": [
    '<Aside type="caution" title="Mind *this*">\nCareful.\n\n- a\n</Aside>',
    "<blockquote>\n<p><strong>Mind <em>this</em></strong></p>\n<p>Careful.</p>\n<ul>\n<li>a</li>\n</ul>\n</blockquote>\n",
  ],
  "a callout on one line": [
    "<Callout>One *line*.</Callout>",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>One <em>line</em>.</p>\n</blockquote>\n",
  ],
  "a callout of a kind": [
    '<Callout type="warning">\n  Hot.\n</Callout>',
    "<blockquote>\n<p><strong>Warning</strong></p>\n<p>Hot.</p>\n</blockquote>\n",
  ],
  "an admonition with a title": [
    '<Admonition type="danger" title="Stop">\n\nNow.\n\n</Admonition>',
    "<blockquote>\n<p><strong>Stop</strong></p>\n<p>Now.</p>\n</blockquote>\n",
  ],
  "a note, a tip": [
    "<Note>\n  A.\n</Note>\n<Tip>\n  B.\n</Tip>",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>A.</p>\n</blockquote>\n<blockquote>\n<p><strong>Tip</strong></p>\n<p>B.</p>\n</blockquote>\n",
  ],
  "a box in a sentence": ["Text <Note>mind</Note> text.", "<p>Text <strong>Note:</strong> mind text.</p>\n"],
  details: [
    '<Details summary="Why">\n\nBecause.\n\n</Details>\n\n<details>\n<summary>How `so`</summary>\n\nThus *so*.\n\n</details>',
    "<details>\n<summary>Why</summary><p>Because.</p>\n</details><details><summary>How <code>so</code></summary><p>Thus <em>so</em>.</p>\n</details>",
  ],
  "an accordion": [
    '<Accordion title="Q?">\n  A.\n</Accordion>',
    "<details>\n<summary>Q?</summary><p>A.</p>\n</details>",
  ],
  cards: [
    '<CardGrid>\n  <Card title="Tea" icon="cup">Hot.</Card>\n  <LinkCard title="Docs" href="/docs" description="All of it" />\n</CardGrid>',
    '<p><strong>Tea</strong></p>\n<p>Hot.</p>\n<p><strong><a href="/docs">Docs</a></strong></p>\n<p>All of it</p>\n',
  ],
  pictures: [
    '<Image src="/a.png" alt="Hill" />\n\n<img src="/b.png" alt="B" width="3" />\n\nIn <Image src="c.png" alt="C" /> text.',
    '<p><img src="/a.png" alt="Hill"></p>\n<img src="/b.png" alt="B" width="3" /><p>In <img src="c.png" alt="C"> text.</p>\n',
  ],
  "an imported picture": [
    'import hero from "./hero.png";\n\n<Image src={hero} alt="Hill" />\n\n<img src={hero} alt="Hill" />\n\n<img src={require("./x.png").default} alt="X" />',
    '<p><img src="./hero.png" alt="Hill"></p>\n<p><img src="./hero.png" alt="Hill"></p>\n<p><img src="./x.png" alt="X"></p>\n',
  ],
  "a picture with a caption": [
    '<Figure src="/a.png" alt="Hill" caption="A hill" />',
    '<figure><img src="/a.png" alt="Hill"><figcaption>A hill</figcaption></figure>',
  ],
  "a picture for light and dark": [
    '<ThemedImage alt="X" sources={{light: useBaseUrl("/l.png"), dark: useBaseUrl("/d.png")}} />',
    '<p><img src="/l.png" alt="X"></p>\n',
  ],
  "videos and posts": [
    '<YouTube id="abc" />\n\n<LiteYouTubeEmbed id="abc" title="The film" />\n\n<Vimeo id="123" />\n\n<Tweet id="20" />\n\nSee <YouTube id="abc" /> here.',
    '<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n<p><a href="https://www.youtube.com/watch?v=abc">The film</a></p>\n<p><a href="https://vimeo.com/123">https://vimeo.com/123</a></p>\n<p><a href="https://x.com/i/status/20">https://x.com/i/status/20</a></p>\n<p>See <a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a> here.</p>\n',
  ],
  links: [
    'Go <Link to="/x">here **b**</Link>, <a href="/y">there</a>, <Button href="/z">now</Button>.',
    '<p>Go <a href="/x">here <strong>b</strong></a>, <a href="/y">there</a>, <a href="/z">now</a>.</p>\n',
  ],
  "code in a component": [
    '<CodeBlock language="js" title="a.js">{`let a = 1;\n\nlet b;`}</CodeBlock>\n\n<pre><code className="language-sh">{`npm i`}</code></pre>',
    '<p><strong>a.js</strong></p>\n<pre><code class="language-js">let a = 1;\n\nlet b;\n</code></pre>\n<pre><code class="language-sh">npm i\n</code></pre>\n',
  ],
  "code in an attribute": [
    '<Code code={`a\n<!-- b -->`} lang="html" />',
    '<pre><code class="language-html">a\n&lt;!-- b --&gt;\n</code></pre>\n',
  ],
  "inline code of a string": ['Use <code>{"<a>"}</code> here.', "<p>Use <code>&lt;a&gt;</code> here.</p>\n"],
  "badges, keys and icons": [
    'New <Badge text="beta" /> <Kbd>Ctrl</Kbd> <Icon name="x" /> end.',
    "<p>New beta <kbd>Ctrl</kbd>  end.</p>\n",
  ],
  "formulas and diagrams": [
    '<Math math="a_1 * b" />\n\n<Mermaid chart={`graph TD\nA --> B`} />',
    '<p>$$\na_1 * b\n$$</p>\n<pre><code class="language-mermaid">graph TD\nA --&gt; B\n</code></pre>\n',
  ],
  "a quote": ['<Quote author="Ann">\n  Words.\n</Quote>', "<blockquote>\n<p>Words.</p>\n<p>— Ann</p>\n</blockquote>\n"],
  "an unknown component": [
    "<Foo bar={1} onClick={() => go()}>\n  Words *in* it.\n</Foo>",
    "<p>Words <em>in</em> it.</p>\n",
    "<Foo bar={1} onClick={() => go()}>",
  ],
  "the words of an unknown component": [
    '<Hero title="Title" text="Some words" href="/go" />',
    '<p><a href="/go">Title</a></p>\n<p>Some words</p>\n',
    '<Hero title="Title" text="Some words" href="/go" />',
  ],
  "an unknown component in a sentence": [
    "Text <Foo>with *words*</Foo> and <Bar.Baz />.",
    "<p>Text with <em>words</em> and .</p>\n",
    "<Foo>",
    "<Bar.Baz />",
  ],
  "a component that the text defines": [
    "export const Hi = () => <p>Hello <b>you</b></p>;\n\n<Hi />",
    "<p>Hello you</p>\n",
    "<Hi />",
  ],
  "a component in a list": [
    '- one\n\n  <Note title="N">\n    in\n\n    ```js\n    <a>{\n      b\n    ```\n  </Note>\n\n- two',
    '<ul>\n<li><p>one</p>\n<blockquote>\n<p><strong>N</strong></p>\n<p>in</p>\n<pre><code class="language-js">&lt;a&gt;{\n  b\n</code></pre>\n</blockquote>\n</li>\n<li><p>two</p>\n</li>\n</ul>\n',
  ],
  "a component in a quote": [
    "> <Note>\n> hi {1}\n> </Note>",
    "<blockquote>\n<blockquote>\n<p><strong>Note</strong></p>\n<p>hi 1</p>\n</blockquote>\n</blockquote>\n",
  ],
  "components in each other": [
    "<A>\n  <B>\n    <Note>\n      Deep.\n    </Note>\n  </B>\n  After.\n</A>\nNext.",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Deep.</p>\n</blockquote>\n<p>After.</p>\n<p>Next.</p>\n",
    "<B>",
    "<A>",
  ],
  "indentation by tabs": [
    "<Box>\n\t**bold** and [link](https://e.example)\n\n\t- a\n\t\t- b\n</Box>",
    '<p><strong>bold</strong> and <a href="https://e.example">link</a></p>\n<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>\n',
  ],
  "code with tags and braces": [
    "```jsx\nimport A from 'a';\n<A b={1}>{c}</A>\n```\n\n`<A>{b}</A>` <Foo/>",
    '<pre><code class="language-jsx">import A from &#39;a&#39;;\n&lt;A b={1}&gt;{c}&lt;/A&gt;\n</code></pre>\n<p><code>&lt;A&gt;{b}&lt;/A&gt;</code> </p>\n',
    "<Foo/>",
  ],
  "HTML with Markdown in it": [
    '<div className="x" style={{color: "red"}}>Words in **box**.</div>',
    '<div class="x"><p>Words in <strong>box</strong>.</p>\n</div>',
  ],
  "HTML as it is": [
    '<table>\n  <thead>\n    <tr><th colSpan={2}>A</th></tr>\n  </thead>\n</table>\n\n<p align="center">\n  <img src="a.png" alt="A" />\n</p>',
    '<table>\n  <thead>\n    <tr><th colspan="2">A</th></tr>\n  </thead>\n</table><p align="center"><img src="a.png" alt="A" /></p>',
  ],
  "headings and paragraphs of HTML": [
    '<h2 id="a">Tea *x*</h2>\n\n<p>Para *x*</p>',
    '<h2 id="user-content-a">Tea <em>x</em></h2>\n<p>Para <em>x</em></p>\n',
  ],
  "a frame over several lines": [
    '<iframe\n  src="https://www.youtube.com/embed/x"\n  allowFullScreen\n/>',
    '<iframe src="https://www.youtube.com/embed/x" allowfullscreen></iframe>',
  ],
  "styles, scripts and heads": [
    "<style>{`\n.a { b: c }\n`}</style>\n\n<Head>\n  <title>X</title>\n</Head>\n\nText.",
    "<p>Text.</p>\n",
  ],
  "a fragment": ["<>\n\nText *x*.\n\n</>", "<p>Text <em>x</em>.</p>\n"],
  "tags without an end": ["<Foo>\n\nText.\n\n</Bar>\n\nEnd.", "<p>Text.</p>\n<p>End.</p>\n", "<Foo>"],
  "Markdown of another file": [
    'import Part from "./_part.mdx";\n\n<Part />',
    "<p>Part <strong>Note:</strong> of it.</p>\n",
  ],
  "text right after a component": ["<Box>\nA\n</Box>\nB", "<p>A</p>\n<p>B</p>\n"],
  containers: [
    ":::tip Mind this\n\nInside <b>bold</b>.\n\n:::",
    "<blockquote>\n<p><strong>Mind this</strong></p>\n<p>Inside <b>bold</b>.</p>\n</blockquote>\n",
  ],
  "an emphasis over a component": ["**A <Foo>b</Foo> c**", "<p><strong>A b c</strong></p>\n", "<Foo>"],
  "in a table": [
    '| a |\n|---|\n| <Badge text="x" /> {1} |',
    "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>x 1</td>\n</tr>\n</tbody></table>\n",
  ],
});

test("what the parser does not accept is read as Markdown, with a warning", () => {
  const { html, warnings } = convertSnippet(mdx, 'import A from "./a";\n\nA {b *c*.\n');
  assert.equal(html, "<p>A {b <em>c</em>.</p>\n");
  assert.deepEqual(warnings, ["MDX that its parser does not accept: read as Markdown"]);
});

const BARE = {
  name: "a.mdx",
  pathInSite: "a.mdx",
  fields: new FrontMatterFields({}),
  language: "markdown",
  site: NO_SITE,
} as const;

test("no text takes more work than its length allows", () => {
  for (const text of [
    `<a {...${"}".repeat(20_000)}`,
    `export const x = (\n${"\n".repeat(20_000)}`,
    "<A>\n".repeat(5000),
    `${"<A>".repeat(3000)}${"</A>".repeat(3000)}`,
    `${"<div>".repeat(3000)}x${"</div>".repeat(3000)}`,
    "- ".repeat(3000),
    Array.from({ length: 1000 }, (_item, depth) => `${"  ".repeat(depth)}- a`).join("\n"),
    "<!-- ".repeat(20_000),
    "{".repeat(20_000),
  ])
    assert.doesNotThrow(() => mdx.convert(text, { ...BARE, warnings: new Warnings() }), text.slice(0, 40));
});

test("files of the site around the folder that is imported are read: authors, and Markdown that is imported", async () => {
  await using folder = await testFolder({
    "docusaurus.config.js": "export default { title: 'Tea' };",
    "blog/authors.yml": "ann:\n  name: Ann Tea\n  url: https://ann.example/\n",
    "blog/2024-01-02-a.mdx":
      '---\ntitle: T\nauthors: [ann, bob]\n---\nimport Part from "../docs/_part.md";\n\n<Part />\n',
    "docs/_part.md": "---\nid: x\n---\nHello **you**.\n",
  });
  const [item] = await importAll(`${folder.path}/blog`);
  assert.ok(item?.kind === "draft");
  assert.equal(item.input.markdown, "Hello **you**.");
  assert.deepEqual(item.input.authors, [
    { name: "Ann Tea", url: "https://ann.example/" },
    { name: "bob", url: null },
  ]);
});
