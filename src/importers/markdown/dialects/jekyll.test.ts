import { describe, test } from "node:test";
import { assertDialect, type DialectCase } from "./dialect-test-helpers.ts";

const ARTICLE = {
  name: "_posts/2024-05-01-tea.md",
  frontMatter: "title: Tea time\nauthor: Ann\nimage: /i.png\ntags: [a]\nlevel: {deep: 3}",
  site: {
    dialect: "jekyll" as const,
    url: "https://e.example/b",
    values: {
      title: "My site",
      url: "https://e.example",
      baseurl: "/b",
      email: "a@e.example",
      excerpt_separator: "~~~more",
      data: {
        x: "1",
      },
    },
  },
  files: {
    "_includes/plain.html": '<p class="n">Included words.</p>\n',
    "_includes/figure.html":
      '<figure>\n  <img src="{{ include.src | relative_url }}" alt="{{ include.alt }}">\n\n  {% if include.caption %}<figcaption>{{ include.caption }}</figcaption>{% endif %}\n</figure>\n',
    "_includes/text.md": "Some *words* of **{{ include.who }}**.\n",
    "_includes/outer.html": "<b>{% include inner.html x=include.x %}</b>",
    "_includes/inner.html": "{{ include.x }}",
    "_includes/loop.html": "x{% include loop.html %}",
    "_includes/logic.html": "{% if site.ads %}Ads.{% else %}None.{% endif %}",
    "_includes/choose.html":
      "{% if include.type == \"a\" %}First{% elsif include.type == 'b' %}Second{% else %}Other{% endif %}",
    "_posts/part.md": "A part.",
  },
};

const CASES: Record<string, DialectCase> = {
  "highlighted code": [
    "{% highlight ruby %}\nputs 1 # x\n{% endhighlight %}",
    '<pre><code class="language-ruby">puts 1 # x\n</code></pre>',
  ],
  "highlighted code with options": [
    '{% highlight js linenos mark_lines="1 2" %}\nlet a = `b`;\n{% endhighlight %}',
    '<pre><code class="language-js">let a = `b`;\n</code></pre>',
  ],
  "code that has fences": [
    "{% highlight markdown %}\n```js\na\n```\n{% endhighlight %}",
    '<pre><code class="language-markdown">```js\na\n```\n</code></pre>',
  ],
  "code with tags in raw": [
    "{% highlight liquid %}\n{% raw %}{{ page.title }} {% if a %}{% endraw %}\n{% endhighlight %}",
    '<pre><code class="language-liquid">{{ page.title }} {% if a %}\n</code></pre>',
  ],
  "code that is indented": [
    "1. One\n\n   {% highlight sh %}\n   ls\n     -a\n   {% endhighlight %}\n\n2. Two",
    '<ol>\n<li><p>One</p>\n<pre><code class="language-sh">ls\n  -a\n</code></pre>\n</li>\n<li><p>Two</p>\n</li>\n</ol>',
  ],
  "code within a sentence": [
    "Run {% highlight sh %}ls{% endhighlight %} now.",
    '<p>Run</p>\n<pre><code class="language-sh">ls\n</code></pre>\n<p>now.</p>',
  ],
  "code in a quote": [
    "> Look:\n>\n> {% highlight sh %}\n> ls\n> {% endhighlight %}",
    '<blockquote>\n<p>Look:</p>\n<pre><code class="language-sh">ls\n</code></pre>\n</blockquote>',
  ],
  "code directly after text": [
    "Look:\n{% highlight sh %}\nls\n{% endhighlight %}\nDone.",
    '<p>Look:</p>\n<pre><code class="language-sh">ls\n</code></pre>\n<p>Done.</p>',
  ],
  "code without an end": ["{% highlight js %}\nlet a;", "<p>let a;</p>", ["{% highlight js %}"]],
  "Octopress' code with a title": [
    "{% codeblock Time lang:js https://e.example/x.js source %}\na *b*\n{% endcodeblock %}",
    '<p>Time <a href="https://e.example/x.js">source</a></p>\n<pre><code class="language-js">a *b*\n</code></pre>',
  ],
  "raw in a line": ["Write {% raw %}{{ page.title }}{% endraw %} here.", "<p>Write {{ page.title }} here.</p>"],
  "raw in its own lines": [
    "{% raw %}\n```\n{{ a }}\n```\n{% endraw %}\nText.",
    "<pre><code>{{ a }}\n</code></pre>\n<p>Text.</p>",
  ],
  "raw within a fence": [
    "```\n{% raw %}\n{{ a }}{% b %}\n{% endraw %}\n```",
    "<pre><code>{{ a }}{% b %}\n</code></pre>",
  ],
  "raw in code within a line": ["`{% raw %}{{ a }}{% endraw %}`", "<p><code>{{ a }}</code></p>"],
  "raw without an end": ["A {% raw %} b", "<p>A  b</p>", ["{% raw %}"]],
  "tags in a fence": [
    "```\n{% include x.html %} {{ site.title }}\n```",
    "<pre><code>{% include x.html %} {{ site.title }}\n</code></pre>",
  ],
  "tags in code within a line": [
    "`{{ site.title }}` and {{ site.title }}",
    "<p><code>{{ site.title }}</code> and My site</p>",
  ],
  "a comment": ["a{% comment %} b {% highlight %} {% endcomment %}c{% # d %}e", "<p>ace</p>"],
  "an include": [
    "Before.\n\n{% include plain.html %}\n\nAfter.",
    '<p>Before.</p>\n<p class="n">Included words.</p><p>After.</p>',
  ],
  "an include within a sentence": ['a {% include inner.html x="b" %} c', "<p>a b c</p>"],
  "an include with parameters": [
    '{% include figure.html src="/a.png" alt="Hill" caption="A hill" %}',
    '<figure>\n<img src="/b/a.png" alt="Hill">\n<figcaption>A hill</figcaption>\n</figure>',
  ],
  "an include without a parameter that it asks for": [
    '{% include figure.html src="/a.png" alt="Hill" %}',
    '<figure>\n<img src="/b/a.png" alt="Hill">\n</figure>',
  ],
  "an include of Markdown": ['{% include text.md who="Ann" %}', "<p>Some <em>words</em> of <strong>Ann</strong>.</p>"],
  "an include in an include": ['{% include outer.html x="1" %}', "<p><b>1</b></p>"],
  "an include of a value of the page": ["{% include inner.html x=page.author %}!", "<p>Ann!</p>"],
  "an include that includes itself": ["{% include loop.html %}", "<p>x</p>", ["{% include loop.html %}"]],
  "an include that asks for the site": ["{% include logic.html %}", "<p>Ads.None.</p>", ["{% if site.ads %}"]],
  "an include that chooses by a parameter": [
    "{% include choose.html type=\"b\" %}, {% include choose.html type='c' %}.",
    "<p>Second, Other.</p>",
  ],
  "an include beside the article": ["{% include_relative part.md %}", "<p>A part.</p>"],
  "an include outside of the site": [
    "a{% include ../../secret.txt %}b",
    "<p>ab</p>",
    ["{% include ../../secret.txt %}"],
  ],
  "a missing include of a video": [
    '{% include youtube.html id="abc123" %}',
    '<p><a href="https://www.youtube.com/watch?v=abc123">https://www.youtube.com/watch?v=abc123</a></p>',
  ],
  "a missing include of a picture": [
    '{% include image.html url="/a.png" description="Hill" caption="A *hill*" %}',
    '<figure><img src="/a.png" alt="Hill"><figcaption><p>A <em>hill</em></p>\n</figcaption></figure>',
  ],
  "a missing include of a note": [
    '{% include alert.html type="warning" content="Mind **this**." %}',
    "<blockquote>\n<p><strong>Warning</strong></p>\n<p>Mind <strong>this</strong>.</p>\n</blockquote>",
  ],
  "a missing include with words": [
    'a {% include cta.html text="Read more here" url="https://e.example/x" %}',
    '<p>a Read more here <a href="https://e.example/x">https://e.example/x</a></p>',
    ['{% include cta.html text="Read more here" url="https://e.example/x" %}'],
  ],
  "a missing include without words": ["a{% include ads.html %}b", "<p>ab</p>", ["{% include ads.html %}"]],
  "addresses of the site": [
    "[a]({{ site.baseurl }}/map/) [b]({{ \"/x.pdf\" | relative_url }}) [c]({{ site.url }}{{ site.baseurl }}/y) [d]({{ '/z' | absolute_url }})",
    '<p><a href="/b/map/">a</a> <a href="/b/x.pdf">b</a> <a href="https://e.example/b/y">c</a> <a href="https://e.example/b/z">d</a></p>',
  ],
  "an address that is prepended": [
    "![a]({{ \"/a.png\" | prepend: site.baseurl }}) ![b]({{ 'b.png' | prepend: '/i/' | prepend: site.baseurl | prepend: site.url }})",
    '<p><img src="/b/a.png" alt="a"> <img src="https://e.example/b/i/b.png" alt="b"></p>',
  ],
  "an absolute address is left": [
    '[a]({{ "https://x.example/" | relative_url }})',
    '<p><a href="https://x.example/">a</a></p>',
  ],
  "values of the site and the page": [
    "{{ site.title }}: {{ page.title }} by {{ page.author }}, {{ page.level.deep }}, {{ site.email }}",
    '<p>My site: Tea time by Ann, 3, <a href="mailto:a@e.example">a@e.example</a></p>',
  ],
  "a value that nobody knows": ["a {{ site.nothing }}b", "<p>a b</p>", ["{{ site.nothing }}"]],
  "a value that is assigned": [
    '{% assign name = "Ann" %}Hello {{ name }}, {{ name | upcase }}.',
    "<p>Hello Ann, ANN.</p>",
  ],
  "a text that is captured": ["{% capture x %}Tea *time*{% endcapture %}{{ x }}!", "<p>Tea <em>time</em>!</p>"],
  "plain texts with filters": [
    '{{ "tea" | capitalize }} {{ \'a b\' | replace: \'b\', \'c\' }} {{ "x" | append: ".png" }} {{ site.none | default: "none" }}',
    "<p>Tea a c x.png none</p>",
  ],
  "braces that are shown": ["{{ \"{% highlight %}\" }} and {{ '{{' }}", "<p>{% highlight %} and {{</p>"],
  "a link to a post": ["[first]({% post_url 2024-01-01-first %})", '<p><a href="2024-01-01-first.md">first</a></p>'],
  "a link to a post in a folder": [
    "[first]({% post_url /en/2024-01-01-first %})",
    '<p><a href="en/2024-01-01-first.md">first</a></p>',
  ],
  "a link to a page": [
    "[a]({% link about.md %}) [b]({% link _posts/2024-01-01-first.md %}) [c]({% link assets/a.pdf %})",
    '<p><a href="../about.md">a</a> <a href="2024-01-01-first.md">b</a> <a href="/assets/a.pdf">c</a></p>',
  ],
  "a condition": [
    "{% if site.x %}Hidden{% else %}Other{% endif %}Shown.",
    "<p>HiddenOtherShown.</p>",
    ["{% if site.x %}"],
  ],
  "a condition that is known": ['{% assign a = "1" %}{% if a == "1" %}Yes{% else %}No{% endif %}.', "<p>Yes.</p>"],
  "a condition around blocks": [
    "{% if page.x %}\n\n# A\n\n{% endif %}\n\nB.",
    '<h1 id="user-content-a">A</h1>\n<p>B.</p>',
    ["{% if page.x %}"],
  ],
  "a list of other articles": [
    "Posts:\n\n{% for post in site.posts %}\n* [{{ post.title }}]({{ post.url }})\n{% endfor %}\n\nEnd.",
    "<p>Posts:</p>\n<p>End.</p>",
    ["{% for post in site.posts %}", "{{ post.title }}", "{{ post.url }}"],
  ],
  "a loop with words": [
    "{% for i in (1..3) %}Tea {{ i }}.{% endfor %}",
    "<p>Tea .</p>",
    ["{% for i in (1..3) %}", "{{ i }}"],
  ],
  "a note": [
    "{% note %}Mind *this*.{% endnote %}",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Mind <em>this</em>.</p>\n</blockquote>",
  ],
  "a note with its kind": [
    "{% alert warning %}\nMind.\n\n- a\n{% endalert %}",
    "<blockquote>\n<p><strong>Warning</strong></p>\n<p>Mind.</p>\n<ul>\n<li>a</li>\n</ul>\n</blockquote>",
  ],
  "a note in a list": [
    "- One\n\n  {% tip %}\n  Two.\n  {% endtip %}\n\n- Three",
    "<ul>\n<li><p>One</p>\n<blockquote>\n<p><strong>Tip</strong></p>\n<p>Two.</p>\n</blockquote>\n</li>\n<li><p>Three</p>\n</li>\n</ul>",
  ],
  "an unknown tag": ["a {% widget 1 %}b", "<p>a b</p>", ["{% widget 1 %}"]],
  "an unknown tag with an address": [
    "{% bookmark https://e.example/x %}",
    '<p><a href="https://e.example/x">https://e.example/x</a></p>',
    ["{% bookmark https://e.example/x %}"],
  ],
  "an unknown tag around text": [
    "{% box red %}\nInside *it*.\n{% endbox %}",
    "<p>Inside <em>it</em>.</p>",
    ["{% box red %}"],
  ],
  "an end without a start": ["a{% endnote %}b", "<p>ab</p>"],
  "a tag that is not closed": ["a {% b and {{ c", "<p>a {% b and {{ c</p>"],
  videos: [
    '{% youtube "https://youtu.be/abc" %}\n\n{% youtube abc %}\n\n{% vimeo 12 %}',
    '<p><a href="https://youtu.be/abc">https://youtu.be/abc</a></p>\n<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n<p><a href="https://vimeo.com/12">https://vimeo.com/12</a></p>',
  ],
  "a video within a sentence": [
    "See {% youtube abc %}, or not.",
    '<p>See <a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a>, or not.</p>',
  ],
  "a gist": [
    "{% gist ann/123 a.rb %}\n\n{% gist 5 %}",
    '<p><a href="https://gist.github.com/ann/123">https://gist.github.com/ann/123</a></p>\n<p><a href="https://gist.github.com/5">https://gist.github.com/5</a></p>',
  ],
  "a tweet": [
    "{% twitter https://twitter.com/a/status/1 %}",
    '<p><a href="https://twitter.com/a/status/1">https://twitter.com/a/status/1</a></p>',
  ],
  "Octopress' picture": [
    '{% img left /a.png 100 200 "Hill" "A green hill" %}',
    '<p><img src="/a.png" alt="A green hill"></p>',
  ],
  "a picture by named arguments": [
    '{% responsive_image path: "a.png" alt: "Hill" %}',
    '<p><img src="a.png" alt="Hill"></p>',
  ],
  "a quote": [
    "{% blockquote Ann, Tea https://e.example/t The book %}\nWords.\n{% endblockquote %}",
    '<blockquote>\n<p>Words.</p>\n<p>— Ann, Tea, <a href="https://e.example/t">The book</a></p>\n</blockquote>',
  ],
  "a pulled quote": [
    '{% pullquote %}\nA text {" with a point "} in it.\n{% endpullquote %}',
    "<p>A text with a point in it.</p>",
  ],
  "a formula": ["{% katex %}a_1 * b_1{% endkatex %}", "<p>$$a_1 * b_1$$</p>"],
  "an excerpt's sign": ["One.\n\n~~~more\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"],
  "a comment for the excerpt": ["One.\n\n<!--more-->\n\nTwo.", "<p>One.</p>\n<!--more--><p>Two.</p>"],
  "classes of a paragraph": ["A note.\n{: .note}\n\nB.", "<p>A note.</p>\n<p>B.</p>"],
  "classes before a paragraph": ["{: .note}\nA note.", "<p>A note.</p>"],
  "attributes of a picture": [
    '![Hill](/a.png){:width="40"} and [b](/c){:target="_blank" rel="x"}.',
    '<p><img src="/a.png" alt="Hill"> and <a href="/c">b</a>.</p>',
  ],
  "attributes of words": [
    "*a*{: .red} **b**{:.c} `d`{:.ruby} e",
    "<p><em>a</em> <strong>b</strong> <code>d</code> e</p>",
  ],
  "attributes of code": ["```\na\n```\n{: .language-sh}\n\nB.", "<pre><code>a\n</code></pre>\n<p>B.</p>"],
  "attributes of an item": ["- {: .x} a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
  "attributes of a table": [
    "| a |\n|---|\n| b |\n{: .wide}",
    "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>b</td>\n</tr>\n</tbody></table>",
  ],
  "attributes in code": [
    "`{: .x}`\n\n    {: .y}\n\n```\n{: .z}\n```",
    "<p><code>{: .x}</code></p>\n<pre><code>{: .y}\n</code></pre>\n<pre><code>{: .z}\n</code></pre>",
  ],
  contents: ["* TOC\n{:toc}\n\n## A", '<h2 id="user-content-a">A</h2>'],
  "numbered contents": ["1. this is left out\n{:toc .x}\n\n## A", '<h2 id="user-content-a">A</h2>'],
  "a heading's id": [
    "## Water {#w}\n\n[w](#w)",
    '<h2 id="user-content-w">Water</h2>\n<p><a href="#user-content-w">w</a></p>',
  ],
  "a heading's id in the next line": [
    "## Water\n{: #w .big}\n\n[w](#w)",
    '<h2 id="user-content-w">Water</h2>\n<p><a href="#user-content-w">w</a></p>',
  ],
  "a heading that is not in the contents": [
    "## Water\n{:.no_toc}\n\n## Tea {:.no_toc}",
    '<h2 id="user-content-water">Water</h2>\n<h2 id="user-content-tea">Tea</h2>',
  ],
  "names for attributes": ["{:x: .a .b}\n\nText.\n{: x}", "<p>Text.</p>"],
  "no Markdown": ['{::nomarkdown}<b>a</b>{:/nomarkdown} {::options parse_block_html="true" /}b', "<p><b>a</b> b</p>"],
  "kramdown's comment": ["a {::comment}b{:/comment} c", "<p>a  c</p>"],
  "Markdown in an element": [
    '<div class="x" markdown="1">\n**bold** in a box\n\n- a\n</div>\nAfter.',
    '<div class="x"><p><strong>bold</strong> in a box</p>\n<ul>\n<li>a</li>\n</ul>\n</div><p>After.</p>',
  ],
  "Markdown in details": [
    '<details markdown="1"><summary>More</summary>\n\n- a\n</details>',
    "<details><summary>More</summary><ul>\n<li>a</li>\n</ul>\n</details>",
  ],
  "Markdown in a paragraph": ['<p markdown="span">a **b**</p>', "<p>a <strong>b</strong></p>"],
  "elements within one with Markdown": [
    '<div markdown="1">\n<div>a</div>\n*b*\n</div>',
    "<div><div>a</div><p><em>b</em></p>\n</div>",
  ],
  "an abbreviation": [
    "HTML is HTML.\n\n*[HTML]: Hypertext Markup Language",
    '<p><abbr title="Hypertext Markup Language">HTML</abbr> is HTML.</p>',
  ],
  "the end of a block": ["- a\n^\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
  "bold beside Chinese signs": ["これは**「重要」**です。", "<p>これは<strong>「重要」</strong>です。</p>"],
  "a definition at the end": [
    "Tea\n: a drink\n\nWater\n: wet",
    "<dl>\n<dt>Tea</dt>\n<dd>a drink</dd>\n<dt>Water</dt>\n<dd>wet</dd>\n</dl>",
  ],
  "an unknown tag with a picture": [
    '{% image_with_class "/a.png" "width-210px" "A drawing of tea" %}',
    '<p><img src="/a.png" alt="A drawing of tea"></p>',
    ['{% image_with_class "/a.png" "width-210px" "A drawing of tea" %}'],
  ],
  "an unknown tag around text with a title": [
    '{% panel title: "Hot" %}\nWater.\n{% endpanel %}',
    "<p><strong>Hot</strong></p>\n<p>Water.</p>",
    ['{% panel title: "Hot" %}'],
  ],
  "an include whose name is quoted": [
    '{% include "text.md", who: "Ann" %}',
    "<p>Some <em>words</em> of <strong>Ann</strong>.</p>",
  ],
  "signs in two paragraphs": ["A {% opens.\n\nAnd %} closes.", "<p>A {% opens.</p>\n<p>And %} closes.</p>"],
};

describe("an article of Jekyll", () => {
  for (const [title, row] of Object.entries(CASES)) test(title, () => assertDialect(ARTICLE, row));
});
