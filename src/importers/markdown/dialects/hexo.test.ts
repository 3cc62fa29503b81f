import { describe, test } from "node:test";
import { assertDialect, type DialectCase } from "./dialect-test-helpers.ts";

const ARTICLE = {
  name: "source/_posts/tea.md",
  frontMatter: "title: Tea time\ndate: 2024-01-02",
  site: {
    dialect: "hexo" as const,
    url: "https://e.example",
    values: {
      title: "My site",
      url: "https://e.example",
      root: "/b/",
    },
  },
  files: {
    "source/_posts/b.md": '---\ntitle: "The B"\n---\nx',
    "source/downloads/code/a.js": "let a;\n",
  },
};

const CASES: Record<string, DialectCase> = {
  code: [
    "{% codeblock lang:js %}\n# a *b*\n{% endcodeblock %}",
    '<pre><code class="language-js"># a *b*\n</code></pre>',
  ],
  "code with a title and a link": [
    "{% codeblock Array.map lang:js https://e.example/m MDN %}\na.map();\n{% endcodeblock %}",
    '<p>Array.map <a href="https://e.example/m">MDN</a></p>\n<pre><code class="language-js">a.map();\n</code></pre>',
  ],
  "code without a language": ["{% codeblock %}\n{{ a }}\n{% endcodeblock %}", "<pre><code>{{ a }}\n</code></pre>"],
  "code by its short name": [
    "{% code lang:sh %}\nls\n{% endcode %}",
    '<pre><code class="language-sh">ls\n</code></pre>',
  ],
  "code of a file": ["{% include_code lang:js a.js %}", '<pre><code class="language-js">let a;\n</code></pre>'],
  "code of a missing file": ["a\n\n{% include_code none.js %}", "<p>a</p>", ["{% include_code none.js %}"]],
  "a fence": ["``` js title\n{% note %}\n```", '<pre><code class="language-js">{% note %}\n</code></pre>'],
  "a quote": ["{% blockquote %}\nWords.\n{% endblockquote %}", "<blockquote>\n<p>Words.</p>\n</blockquote>"],
  "a quote of a book": [
    "{% blockquote David Levithan, Wide Awake %}\nWords.\n{% endblockquote %}",
    "<blockquote>\n<p>Words.</p>\n<p>— David Levithan, Wide Awake</p>\n</blockquote>",
  ],
  "a quote of a page": [
    "{% blockquote @ann https://x.example/1 %}\nWords.\n{% endblockquote %}",
    '<blockquote>\n<p>Words.</p>\n<p>— @ann, <a href="https://x.example/1">https://x.example/1</a></p>\n</blockquote>',
  ],
  "a quote by its short name": [
    "{% quote Ann %}\nWords.\n{% endquote %}",
    "<blockquote>\n<p>Words.</p>\n<p>— Ann</p>\n</blockquote>",
  ],
  "a pulled quote": ["{% pullquote left %}\nWords.\n{% endpullquote %}", "<blockquote>\n<p>Words.</p>\n</blockquote>"],
  "a picture of the article": ["{% asset_img a.png Hill %}", '<p><img src="tea/a.png" alt="Hill"></p>'],
  "a picture with its sizes and words": [
    '{% asset_img left a.png 500 400 "A hill" "Green grass" %}',
    '<p><img src="tea/a.png" alt="Green grass"></p>',
  ],
  "a picture within a sentence": ["See {% asset_img a.png Hill %}.", '<p>See <img src="tea/a.png" alt="Hill">.</p>'],
  "a picture with Octopress' quotation marks": [
    '{% asset_img a.png 50 50 \'"Hill" "Green"\' %}',
    '<p><img src="tea/a.png" alt="Green"></p>',
  ],
  "the path of a file": ["[a]({% asset_path a.pdf %})", '<p><a href="tea/a.pdf">a</a></p>'],
  "a link to a file": ["{% asset_link a.pdf The file %}", '<p><a href="tea/a.pdf">The file</a></p>'],
  "a link to an article": ["{% post_link b Other %}", '<p><a href="b.md">Other</a></p>'],
  "a link to an article by its title": ["{% post_link b %}", '<p><a href="b.md">The B</a></p>'],
  "a link to an unknown article": ["{% post_link my-first-one %}", '<p><a href="my-first-one.md">My first one</a></p>'],
  "a link that is not escaped": ["{% post_link b 'Tea <b>' false %}", '<p><a href="b.md">Tea &lt;b&gt;</a></p>'],
  "the path of an article": ["[b]({% post_path b %})", '<p><a href="b.md">b</a></p>'],
  "a link": ["{% link Tea https://tea.example/ true Title %}", '<p><a href="https://tea.example/">Tea</a></p>'],
  "a picture": ["{% img /a.png 100 Hill %}", '<p><img src="/a.png" alt="Hill"></p>'],
  "a picture with a class": [
    "{% img right-float https://e.example/a.png %}",
    '<p><img src="https://e.example/a.png" alt=""></p>',
  ],
  videos: [
    "{% youtube abc %}\n\n{% vimeo 12 %}",
    '<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n<p><a href="https://vimeo.com/12">https://vimeo.com/12</a></p>',
  ],
  "a list of videos": [
    "{% youtube https://www.youtube.com/playlist?list=x %}",
    '<p><a href="https://www.youtube.com/playlist?list=x">https://www.youtube.com/playlist?list=x</a></p>',
  ],
  "a gist": [
    "{% gist 12 %}\n\n{% jsfiddle ann123 result %}",
    '<p><a href="https://gist.github.com/12">https://gist.github.com/12</a></p>\n<p><a href="https://jsfiddle.net/ann123/">https://jsfiddle.net/ann123/</a></p>',
  ],
  "a note": [
    "{% note %}\nInside.\n{% endnote %}",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Inside.</p>\n</blockquote>",
  ],
  "a note with its kind": [
    "{% note info %}\nInside **bold**.\n{% endnote %}",
    "<blockquote>\n<p><strong>Info</strong></p>\n<p>Inside <strong>bold</strong>.</p>\n</blockquote>",
  ],
  "a note of a theme": [
    "{% note warning no-icon %}\nInside.\n{% endnote %}",
    "<blockquote>\n<p><strong>Warning</strong></p>\n<p>Inside.</p>\n</blockquote>",
  ],
  "a note with a title": [
    "{% note success Well done %}\n- a\n{% endnote %}",
    "<blockquote>\n<p><strong>Well done</strong></p>\n<ul>\n<li>a</li>\n</ul>\n</blockquote>",
  ],
  "a note with a style": [
    "{% note primary flat %}\nInside.\n{% endnote %}",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Inside.</p>\n</blockquote>",
  ],
  "a fold": [
    "{% hideToggle More %}\nHidden.\n{% endhideToggle %}",
    "<details>\n<summary>More</summary><p>Hidden.</p>\n</details>",
  ],
  "another fold": [
    "{% fold More words %}\nHidden.\n{% endfold %}",
    "<details>\n<summary>More words</summary><p>Hidden.</p>\n</details>",
  ],
  tabs: [
    "{% tabs First %}\n<!-- tab Mac -->\nA\n<!-- endtab -->\n<!-- tab Linux@icon -->\nB\n<!-- endtab -->\n{% endtabs %}",
    "<p><strong>Mac</strong></p>\n<p>A</p>\n<p><strong>Linux</strong></p>\n<p>B</p>",
  ],
  raw: ["{% raw %}\n<p>{{ a }} <b>b</b></p>\n{% endraw %}", "<p>{{ a }} <b>b</b></p>"],
  "raw within a line": ["Vue's {% raw %}{{ a }}{% endraw %}.", "<p>Vue&#39;s {{ a }}.</p>"],
  "the sign behind the excerpt": ["One.\n\n<!-- more -->\n\nTwo.", "<p>One.</p>\n<!-- more --><p>Two.</p>"],
  "the sign as a tag": ["One.\n\n{% more %}\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"],
  "a button": ["{% button https://e.example/, Go there, home %}", '<p><a href="https://e.example/">Go there</a></p>'],
  "a label": ["a {% label primary@Tea %} b", "<p>a Tea b</p>"],
  "a centred quote": ["{% centerquote %}\nWords.\n{% endcenterquote %}", "<blockquote>\n<p>Words.</p>\n</blockquote>"],
  "by its short name": ["{% cq %}\nWords.\n{% endcq %}", "<blockquote>\n<p>Words.</p>\n</blockquote>"],
  "an unknown tag": ["a {% widget 1 %}b", "<p>a b</p>", ["{% widget 1 %}"]],
  "an unknown tag around text": ["{% wide %}\nInside.\n{% endwide %}", "<p>Inside.</p>", ["{% wide %}"]],
  "a value of the page": ["{{ page.title }} of {{ site.title }}", "<p>Tea time of My site</p>"],
  "a formula": ["$a_{1}$ and {% math %}a_1{% endmath %}", "<p>$a_{1}$ and $$a_1$$</p>"],
};

describe("an article of Hexo", () => {
  for (const [title, row] of Object.entries(CASES)) test(title, () => assertDialect(ARTICLE, row));
});
