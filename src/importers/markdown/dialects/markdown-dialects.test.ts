import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../import-test-helpers.ts";
import { eleventy } from "./eleventy.ts";
import { mkdocs } from "./mkdocs.ts";
import { obsidian } from "./obsidian.ts";
import { pelican } from "./pelican.ts";
import { testSnippets } from "./snippet-test-helpers.ts";
import { vitepress } from "./vitepress.ts";

testSnippets(eleventy, {
  "a picture": ['{% image "./a.png", "Hill" %}', '<p><img src="./a.png" alt="Hill"></p>\n'],
  "values of the front matter": ["{{ title }} by {{ author.name }}.", "<p>The title by Ann.</p>\n"],
  "unknown values": ["{{ foo.bar | x }} left {{ bar }}.", "<p> left .</p>\n", "{{ foo.bar | x }}", "{{ bar }}"],
  "a box": [
    "{% callout %}\nInside **bold**.\n{% endcallout %}\n\nAfter.",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Inside <strong>bold</strong>.</p>\n</blockquote>\n<p>After.</p>\n",
  ],
  "the words of a shortcode": [
    '{% greet "Hello dear reader", 3 %}',
    "<p>Hello dear reader</p>\n",
    '{% greet "Hello dear reader", 3 %}',
  ],
  "what is within an unknown shortcode": [
    '{% wrap "x" %}\nWords *x*.\n{% endwrap %}',
    "<p>Words <em>x</em>.</p>\n",
    '{% wrap "x" %}',
  ],
  "a value that the text sets": ['{% set who = "Ann" %}Hi {{ who }}.', "<p>Hi Ann.</p>\n"],
  "comments and ids": ["A {# hidden #} b. {#id}", "<p>A  b. {#id}</p>\n"],
  "raw text": ["{% raw %}{{ x }}{% endraw %} y", "<p>{{ x }} y</p>\n"],
  conditions: ["{% if x %}Yes.{% else %}No.{% endif %}", "<p>Yes.No.</p>\n", "{% if x %}"],
  loops: ["{% for a in b %}{{ a }}{% endfor %} End.", "<p> End.</p>\n", "{% for a in b %}", "{{ a }}"],
  "code in a tag": [
    '{% highlight "js" %}\nlet a;\n{% endhighlight %}',
    '<pre><code class="language-js">let a;\n</code></pre>\n',
  ],
  "an address": ['[a]({{ "/b/" | url }})', '<p><a href="/b/">a</a></p>\n'],
  "a video": [
    '{% youtube "abc" %}',
    '<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n',
  ],
  code: ["`{{ x }}`\n\n```\n{% x %}\n```", "<p><code>{{ x }}</code></p>\n<pre><code>{% x %}\n</code></pre>\n"],
  "a missing include": ['{% include "no.njk" %} End.', "<p> End.</p>\n", '{% include "no.njk" %}'],
  filters: ["{{ title | upper }} {{ title | safe }}", "<p>THE TITLE The title</p>\n"],
});

testSnippets(mkdocs, {
  "a box": [
    '!!! note "Mind"\n    Inside **bold**.\n\n    Second.\n\nAfter.',
    "<blockquote>\n<p><strong>Mind</strong></p>\n<p>Inside <strong>bold</strong>.</p>\n<p>Second.</p>\n</blockquote>\n<p>After.</p>\n",
  ],
  "a box beside the text": [
    '!!! info inline end "Title"\n    Text.\n\nAfter.',
    "<blockquote>\n<p><strong>Title</strong></p>\n<p>Text.</p>\n</blockquote>\n<p>After.</p>\n",
  ],
  "a box that says its word itself": [
    "!!! note\n    **Note:** Text.",
    "<blockquote>\n<p><strong>Note:</strong> Text.</p>\n</blockquote>\n",
  ],
  "a box without a title": ['!!! tip ""\n    Text.', "<blockquote>\n<p>Text.</p>\n</blockquote>\n"],
  "a folded box": ['???+ warning "Why"\n    Text.', "<details>\n<summary>Why</summary>\n<p>Text.</p>\n</details>\n"],
  tabs: [
    '=== "Tab A"\n\n    Words A.\n\n    ```py\n    a\n      b\n    ```\n\n=== "B"\n\n    - x\n\nAfter.',
    '<p><strong>Tab A</strong></p>\n<p>Words A.</p>\n<pre><code class="language-py">a\n  b\n</code></pre>\n<p><strong>B</strong></p>\n<ul>\n<li>x</li>\n</ul>\n<p>After.</p>\n',
  ],
  "tabs in a box": [
    '!!! note\n\n    === "A"\n\n        One.\n\n    === "B"\n\n        Two.\n',
    "<blockquote>\n<p><strong>Note</strong></p>\n<p><strong>A</strong></p>\n<p>One.</p>\n<p><strong>B</strong></p>\n<p>Two.</p>\n</blockquote>\n",
  ],
  "tabs without empty lines": [
    '=== "A"\n    One.\n=== "B"\n    Two.\nAfter.',
    "<p><strong>A</strong></p>\n<p>One.</p>\n<p><strong>B</strong></p>\n<p>Two.</p>\n<p>After.</p>\n",
  ],
  "lists of attributes": [
    '[Get](x.md){ .md-button .md-button--primary } **b**{ .c } ![i](a.png){ width="300" loading=lazy }\n\nText.\n{ .lead }\n\n## Head { #h data-toc-label="x" }',
    '<p><a href="x.md">Get</a> <strong>b</strong> <img src="a.png" alt="i"></p>\n<p>Text.</p>\n<h2 id="user-content-h">Head</h2>\n',
  ],
  "files that are included": [
    '--8<-- "part.md"\n\n--8<-- "missing.md"\n\n;--8<-- "x"',
    "<p>Included <strong>words</strong>.</p>\n<p>--8&lt;-- &quot;x&quot;</p>\n",
    '--8<-- "missing.md"',
  ],
  "a page that includes itself": ['Words.\n--8<-- "self.md"', "<p>Words.</p>\n", '--8<-- "self.md"'],
  "a list of files that are included": ["--8<--\ndocs/part.md\n--8<--", "<p>Included <strong>words</strong>.</p>\n"],
  icons: [
    "A :material-account: b :fontawesome-brands-x:{ .x } c.",
    "<p>A b c.</p>\n",
    ":material-account:",
    ":fontawesome-brands-x:{ .x }",
  ],
  keys: [
    'Press ++ctrl+alt+c++ or ++"A"++ and ++page-down++; C++ and ++ i++.',
    "<p>Press <kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>C</kbd> or <kbd>A</kbd> and <kbd>Page Down</kbd>; C++ and ++ i++.</p>\n",
  ],
  "marks, insertions, high and low letters": [
    "==m== ^^i^^ H~2~O x^2^ ~~gone~~ [^1]\n\n[^1]: A note.",
    '<p><mark>m</mark> <ins>i</ins> H<sub>2</sub>O x<sup>2</sup> <del>gone</del> <sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>A note. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
  ],
  "suggested changes": [
    "{++a++} {--b--} {~~c~>d~~} {==e==}{>>f<<}",
    "<p><ins>a</ins> <del>b</del> <del>c</del><ins>d</ins> <mark>e</mark></p>\n",
  ],
  abbreviations: [
    'The HTML and API.\n\n*[HTML]: Hyper "T"\n',
    '<p>The <abbr title="Hyper &quot;T&quot;">HTML</abbr> and API.</p>\n',
  ],
  "a table of contents": ["[TOC]\n\nText.", "<p>Text.</p>\n"],
  "code with a list of attributes": [
    '``` { .yaml .annotate title="a.yml" }\na: 1 # (1)!\n```\n\n1. One.',
    '<pre><code class="language-yaml">a: 1 # (1)!\n</code></pre>\n<ol>\n<li>One.</li>\n</ol>\n',
  ],
  "the language of code in a line": ["Use `#!python range()` here.", "<p>Use <code>range()</code> here.</p>\n"],
  "Markdown in HTML": [
    '<div class="grid cards" markdown>\n\n- **a** b\n\n</div>\n\n<div markdown="1">\n*x*\n</div>',
    '<div class="grid cards"><ul>\n<li><strong>a</strong> b</li>\n</ul>\n</div><div><p><em>x</em></p>\n</div>',
  ],
  "values and macros": [
    "{{ config.site_name }} {{ page.meta.title }} {{ foo() }} {% if x %}",
    "<p>Tea site The title  </p>\n",
    "{{ foo() }}",
    "{% if x %}",
  ],
  "documentation of source code": [
    "::: pkg.module\n    options:\n      x: 1\n\nAfter.",
    "<p>After.</p>\n",
    "::: pkg.module",
  ],
  code: [
    '```\n++a++ === "x" :material-x:\n```\n\n`++a+b++`',
    "<pre><code>++a++ === &quot;x&quot; :material-x:\n</code></pre>\n<p><code>++a+b++</code></p>\n",
  ],
  emoji: [":smile: :tada:", "<p>😄 🎉</p>\n"],
  "notes in a list": ["Text (1)\n{ .annotate }\n\n1.  Note.", "<p>Text (1)</p>\n<ol>\n<li>Note.</li>\n</ol>\n"],
});

testSnippets(obsidian, {
  links: [
    "See [[Other note]] and [[b|that]].",
    '<p>See <a href="Other%20note.md">Other note</a> and <a href="b.md">that</a>.</p>\n',
  ],
  "links to headings": [
    "[[Note#Some Heading]] [[#Here it is]] [[Note#A|x]]",
    '<p><a href="Note.md#some-heading">Note &gt; Some Heading</a> <a href="#here-it-is">Here it is</a> <a href="Note.md#a">x</a></p>\n',
  ],
  "links to blocks": ["[[Note#^abc|x]] [[Note#^abc]]", '<p><a href="Note.md">x</a> <a href="Note.md">Note</a></p>\n'],
  pictures: [
    "![[pic.png]] ![[a b.png|300]] ![[folder/c.jpg|Hill]]",
    '<p><img src="pic.png" alt=""> <img src="a%20b.png" alt=""> <img src="folder/c.jpg" alt="Hill"></p>\n',
  ],
  "a note in a note": ["![[Other note]]", '<p><a href="Other%20note.md">Other note</a></p>\n', "![[Other note]]"],
  "a callout": [
    "> [!info] Title\n> Body ==mark== #tag",
    "<blockquote>\n<p><strong>Title</strong></p>\n<p>Body <mark>mark</mark> #tag</p>\n</blockquote>\n",
  ],
  "a folded callout": [
    "> [!tip]- Why\n> Because.",
    "<blockquote>\n<p><strong>Why</strong></p>\n<p>Because.</p>\n</blockquote>\n",
  ],
  comments: ["A %%hidden%% b.\n\n%%\nBlock\n\n```\ncode\n```\n%%\n\nC.", "<p>A  b.</p>\n<p>C.</p>\n"],
  "ids of blocks": [
    "End ^block\n\n- item ^b2\n\n^b3\n\nNext.",
    "<p>End</p>\n<ul>\n<li>item</li>\n</ul>\n<p>Next.</p>\n",
  ],
  code: [
    "`[[a]]` and\n\n```\n[[a]] ==b== %%c%%\n```",
    "<p><code>[[a]]</code> and</p>\n<pre><code>[[a]] ==b== %%c%%\n</code></pre>\n",
  ],
  marks: ["==one== a == b == c", "<p><mark>one</mark> a == b == c</p>\n"],
  "a link in a table": [
    "| a |\n|---|\n| [[a\\|b]] |",
    '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody><tr>\n<td><a href="a.md">b</a></td>\n</tr>\n</tbody></table>\n',
  ],
  "sizes of pictures": ["![Hill|300](a.png)", '<p><img src="a.png" alt="Hill"></p>\n'],
  "a footnote within a line": [
    "Tea^[A note.] and x^2^.",
    '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup> and x^2^.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>A note. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
  ],
  "signs of percent": ["50%% of", "<p>50%% of</p>\n"],
  "paths and other files": [
    "[[folder/sub/Page]] [[x.pdf]]",
    '<p><a href="folder/sub/Page.md">Page</a> <a href="x.pdf">x.pdf</a></p>\n',
  ],
  "a table of contents": ["[[_TOC_]]\n\nText.", "<p>Text.</p>\n"],
});

testSnippets(pelican, {
  places: [
    "[o]({filename}b.md) ![i]({static}/images/x.png) ![j]({attach}y.png)",
    '<p><a href="b.md">o</a> <img src="../images/x.png" alt="i"> <img src="y.png" alt="j"></p>\n',
  ],
  "places in other folders": [
    "[o]({filename}../b.md) [p]({filename}/pages/c.md#x)",
    '<p><a href="../b.md">o</a> <a href="../pages/c.md#x">p</a></p>\n',
  ],
  "the old form of places": ["[o](|filename|b.md)", '<p><a href="b.md">o</a></p>\n'],
  "places of lists": [
    "[t]({tag}tea) [c]({category}Tea) [i]({index})",
    '<p><a href="/tag/tea.html">t</a> <a href="/category/Tea.html">c</a> <a href="/">i</a></p>\n',
  ],
  "a place in a definition": ["[o][1]\n\n[1]: {filename}b.md", '<p><a href="b.md">o</a></p>\n'],
  "a place in HTML": ['<img src="{static}/images/x.png" alt="i">', '<img src="../images/x.png" alt="i">'],
  "code with its language": [
    'Text.\n\n    :::python\n    print("{filename}")\n\n      x\n\nAfter.',
    '<p>Text.</p>\n<pre><code class="language-python">print(&quot;{filename}&quot;)\n\n  x\n</code></pre>\n<p>After.</p>\n',
  ],
  "code with numbered lines": ["    #!python\n    x\n", '<pre><code class="language-python">x\n</code></pre>\n'],
  "a table of contents": ["[TOC]\n\nText.", "<p>Text.</p>\n"],
  "tags of a plugin": [
    "{% youtube abc123 %}\n\n{% img left /images/a.png 100 200 Hill %}",
    '<p><a href="https://www.youtube.com/watch?v=abc123">https://www.youtube.com/watch?v=abc123</a></p>\n<p><img src="/images/a.png" alt="Hill"></p>\n',
  ],
  "places in code": [
    "`({filename}b.md)` and\n\n```\n({static}x)\n```",
    "<p><code>({filename}b.md)</code> and</p>\n<pre><code>({static}x)\n</code></pre>\n",
  ],
  "a place that is text": ["A {filename} in text.", "<p>A {filename} in text.</p>\n"],
});

testSnippets(vitepress, {
  "a container": [
    "::: warning\nCareful **now**.\n:::",
    "<blockquote>\n<p><strong>Warning</strong></p>\n<p>Careful <strong>now</strong>.</p>\n</blockquote>\n",
  ],
  "a container with a title": [
    "::: tip Mind\nx\n:::",
    "<blockquote>\n<p><strong>Mind</strong></p>\n<p>x</p>\n</blockquote>\n",
  ],
  "a folded container": ["::: details Click\nx\n:::", "<details>\n<summary>Click</summary>\n<p>x</p>\n</details>\n"],
  "a table of contents": ["[[toc]]\n\n## A {#a}", '<h2 id="user-content-a">A</h2>\n'],
  "values of the front matter": ["{{ $frontmatter.title }} and {{ frontmatter.price }}.", "<p>The title and 5.</p>\n"],
  "an unknown value": ["{{ count + 1 }} left.", "<p> left.</p>\n", "{{ count + 1 }}"],
  "text in braces": ["{{ 'x < y' }} {{ 5 }}", "<p>x &lt; y 5</p>\n"],
  "braces that are text": ["<span v-pre>{{ raw }}</span> `{{ code }}`", "<p>{{ raw }} <code>{{ code }}</code></p>\n"],
  "scripts and styles": [
    "<script setup>\nconst a = `1`\n\nconst b = 2\n</script>\n\nEnd.\n\n<style scoped>\na {}\n</style>",
    "<p>End.</p>\n",
  ],
  "a group of code": [
    "::: code-group\n\n```js [config.js]\nlet a\n```\n\n```ts [config.ts]\nlet b\n```\n\n:::",
    '<p><strong>config.js</strong></p>\n<pre><code class="language-js">let a\n</code></pre>\n<p><strong>config.ts</strong></p>\n<pre><code class="language-ts">let b\n</code></pre>\n',
  ],
  "numbers of lines": [
    "```js{1,3-4}:line-numbers {2}\nlet a\n```\n\n```ts:line-numbers=2\nb\n```",
    '<pre><code class="language-js">let a\n</code></pre>\n<pre><code class="language-ts">b\n</code></pre>\n',
  ],
  badges: [
    '## Title <Badge type="tip" text="new" />\n\nA <Badge>beta</Badge> b.',
    '<h2 id="user-content-title-new">Title new</h2>\n<p>A beta b.</p>\n',
  ],
  "code of a file": [
    "<<< @/snippets/a.js{1}\n\n<<< ./missing.js",
    '<pre><code class="language-js">let a = 1;\n</code></pre>\n',
    "<<< ./missing.js",
  ],
  "a file that includes itself": ["<!--@include: ./loop.md-->", "<p>Once.</p>\n", "<!--@include: ./loop.md-->"],
  "Markdown of a file": [
    "<!--@include: ../docs/part.md-->\n\n<!-- @include: ./no.md -->",
    "<p>Included <strong>words</strong>.</p>\n",
    "<!-- @include: ./no.md -->",
  ],
  "unknown components": [
    '<MyList :items="x" title="Some words" />\n\n<Box>\n\nInside **b**.\n\n</Box>',
    "<p><strong>Some words</strong></p>\n<p>Inside <strong>b</strong>.</p>\n",
    '<MyList :items="x" title="Some words" />',
    "<Box>",
  ],
  "a component without a meaning": ["<ClientOnly>\n\nText.\n\n</ClientOnly>", "<p>Text.</p>\n"],
  "links of the router": [
    '<RouterLink to="/x">here</RouterLink> <router-link to="/y">there</router-link>',
    '<p><a href="/x">here</a> <a href="/y">there</a></p>\n',
  ],
  "an address with the base": ['<img :src="$withBase(\'/a.png\')" alt="Hill">', '<img src="/a.png" alt="Hill">'],
  tabs: [
    "::: tabs\n@tab npm\n\nA.\n\n@tab:active yarn#y\n\nB.\n\n:::",
    "<p><strong>npm</strong></p>\n<p>A.</p>\n<p><strong>yarn</strong></p>\n<p>B.</p>\n",
  ],
  "a group of code in components": [
    '<CodeGroup>\n<CodeGroupItem title="yarn">\n\n```sh\nyarn\n```\n\n</CodeGroupItem>\n</CodeGroup>',
    '<p><strong>yarn</strong></p>\n<pre><code class="language-sh">yarn\n</code></pre>\n',
  ],
  "an alert": ["> [!NOTE]\n> x", "<blockquote>\n<p><strong>Note</strong></p>\n<p>x</p>\n</blockquote>\n"],
  "attributes of a picture": ["![a](b.png){width=300}", '<p><img src="b.png" alt="a"></p>\n'],
  code: ["```vue\n{{ a }} <B/>\n```", '<pre><code class="language-vue">{{ a }} &lt;B/&gt;\n</code></pre>\n'],
  "a mark": ["==m==", "<p><mark>m</mark></p>\n"],
  "a video": [
    '<YouTube id="abc" />',
    '<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n',
  ],
  HTML: ['<div class="x">\n\n*a*\n\n</div>', '<div class="x"><p><em>a</em></p>\n</div>'],
});

test("each is recognised by constructs that only it has, and not by code", async () => {
  for (const [text, label] of [
    ["[[toc]]", "VitePress"],
    ["{{ $frontmatter.title }}", "VitePress"],
    ['=== "Tab"\n\n    Words.', "MkDocs"],
    ["Press ++ctrl+c++.", "MkDocs"],
    ["[a]({filename}b.md)", "Pelican"],
    ['{% set a = "b" %}', "Eleventy"],
    ["[[A note]]", "Obsidian"],
    ['import Tabs from "@theme/Tabs";', "MDX"],
    ["See [[1]](https://a.example/) and [[1]].", undefined],
    ["`[[a]]` and `{filename}`\n\n```\n[[toc]]\n++i++\n({static}a)\n```", undefined],
    ["!!! note\n    Water.", undefined],
  ] as const) {
    const [item] = await importFile("a.md", `---\ntitle: T\n---\n${text}\n\nEnd.\n`);
    assert.ok(item?.kind === "draft");
    assert.equal(item.dialect, label, text);
  }
});
