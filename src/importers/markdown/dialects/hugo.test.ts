import { describe, test } from "node:test";
import { assertDialect, type DialectCase } from "./dialect-test-helpers.ts";

const ARTICLE = {
  name: "content/posts/tea.md",
  frontMatter: "title: Tea time\nauthor: Ann\nparams: {brew: {minutes: 3}}",
  site: {
    dialect: "hugo" as const,
    url: "https://e.example",
    values: {
      params: {
        tagline: "All about tea",
      },
    },
  },
  files: {
    "content/posts/b.md": "x",
    "content/posts/bundle/index.md": "x",
    "content/docs/c.md": "x",
    "content/posts/sub/_index.md": "x",
    "content/posts/part.md": "---\ntitle: P\n---\nA *part*.\n",
    "content/_common/x.md": "{{< note >}}Common.{{< /note >}}",
    "content/loop.md": 'a {{% include "/loop.md" %}}',
  },
};

const CASES: Record<string, DialectCase> = {
  "highlighted code": [
    '{{< highlight go "linenos=table,hl_lines=2" >}}\n# x *y* _z_\n{{< /highlight >}}',
    '<pre><code class="language-go"># x *y* _z_\n</code></pre>',
  ],
  "code by another name": [
    '{{% code lang="js" %}}\nlet a;\n{{% /code %}}',
    '<pre><code class="language-js">let a;\n</code></pre>',
  ],
  "code with fences in it": [
    "{{< highlight md >}}\n```\na\n```\n{{< /highlight >}}",
    '<pre><code class="language-md">```\na\n```\n</code></pre>',
  ],
  "a diagram": [
    "{{< mermaid >}}\ngraph LR\n{{< /mermaid >}}",
    '<pre><code class="language-mermaid">graph LR\n</code></pre>',
  ],
  "a figure": [
    '{{< figure src="/a.png" alt="Hill" caption="B & C" >}}',
    '<figure><img src="/a.png" alt="Hill"><figcaption>B &amp; C</figcaption></figure>',
  ],
  "a figure without a caption": [
    '{{< figure src="/a b.png" alt="Hill" class="x" width="30" >}}',
    '<p><img src="/a%20b.png" alt="Hill"></p>',
  ],
  "a figure with a title, a link and its source": [
    '{{< figure src="a.png" link="https://e.example/" title="Hill" caption="A *green* one" attr="Ann" attrlink="https://ann.example/" >}}',
    '<figure><a href="https://e.example/"><img src="a.png" alt="Hill A green one Ann"></a><figcaption><p>Hill A <em>green</em> one <a href="https://ann.example/">Ann</a></p>\n</figcaption></figure>',
  ],
  "a figure within a sentence": [
    'See {{< figure src="a.png" caption="Hill" >}} there.',
    '<p>See <img src="a.png" alt="Hill"> Hill there.</p>',
  ],
  "a figure in a table": [
    '| a | b |\n|---|---|\n| {{< figure src="a.png" alt="A" >}} | c |',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody><tr>\n<td><img src="a.png" alt="A"></td>\n<td>c</td>\n</tr>\n</tbody></table>',
  ],
  "a figure directly between lines": [
    'a\n{{< figure src="a.png" alt="A" >}}\nb',
    '<p>a</p>\n<p><img src="a.png" alt="A"></p>\n<p>b</p>',
  ],
  "a figure with its caption inside": [
    '{{< figure src="a.png" >}}A **hill**{{< /figure >}}',
    '<figure><img src="a.png" alt="A hill"><figcaption><p>A <strong>hill</strong></p>\n</figcaption></figure>',
  ],
  "a picture by its place": ['{{< img "a.png" >}}', '<p><img src="a.png" alt=""></p>'],
  "a processed picture": [
    '{{< imgproc "a.png" Fill "600x300" >}}\nA hill\n{{< /imgproc >}}',
    '<figure><img src="a.png" alt="A hill"><figcaption>A hill</figcaption></figure>',
  ],
  "a picture in a list": [
    '- a\n\n  {{< figure src="a.png" caption="Hill" >}}\n- b',
    '<ul>\n<li><p>a</p>\n<figure><img src="a.png" alt="Hill"><figcaption>Hill</figcaption></figure>\n</li>\n<li><p>b</p>\n</li>\n</ul>',
  ],
  references: [
    '[a]({{< ref "b.md" >}}) [b]({{< relref "bundle" >}}) [c]({{% ref "/docs/c" %}}) [d]({{< ref "b#part" >}}) [e]({{< ref "#part" >}})',
    '<p><a href="b.md">a</a> <a href="bundle/index.md">b</a> <a href="../docs/c.md">c</a> <a href="b.md#part">d</a> <a href="#part">e</a></p>',
  ],
  "a reference to a section": [
    '[a]({{< ref "sub" >}}) [b]({{< ref path="b" lang="de" >}})',
    '<p><a href="sub/_index.md">a</a> <a href="b.md">b</a></p>',
  ],
  "a reference that leads nowhere": ['[a]({{< ref "none" >}})', '<p><a href="none.md">a</a></p>'],
  videos: [
    '{{< youtube abc >}}\n\n{{< youtube id="abc" autoplay="true" >}}\n\n{{< vimeo 12 >}}',
    '<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n<p><a href="https://vimeo.com/12">https://vimeo.com/12</a></p>',
  ],
  "a video within a sentence": [
    "See {{< youtube abc >}}.",
    '<p>See <a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a>.</p>',
  ],
  "a gist": [
    '{{< gist ann 123 "a.rb" >}}',
    '<p><a href="https://gist.github.com/ann/123">https://gist.github.com/ann/123</a></p>',
  ],
  "short messages": [
    '{{< tweet user="ann" id="12" >}}\n\n{{< x user="ann" id="12" >}}\n\n{{< tweet 12 >}}\n\n{{< twitter_simple ann 12 >}}',
    '<p><a href="https://x.com/ann/status/12">https://x.com/ann/status/12</a></p>\n<p><a href="https://x.com/ann/status/12">https://x.com/ann/status/12</a></p>\n<p><a href="https://x.com/i/status/12">https://x.com/i/status/12</a></p>\n<p><a href="https://x.com/ann/status/12">https://x.com/ann/status/12</a></p>',
  ],
  "a picture of Instagram": [
    "{{< instagram BWNjjyYFxVx >}}",
    '<p><a href="https://www.instagram.com/p/BWNjjyYFxVx/">https://www.instagram.com/p/BWNjjyYFxVx/</a></p>',
  ],
  "another video": [
    "{{< bilibili BV1x >}}",
    '<p><a href="https://www.bilibili.com/video/BV1x">https://www.bilibili.com/video/BV1x</a></p>',
  ],
  details: [
    '{{< details summary="More" >}}\nHidden *words*.\n{{< /details >}}',
    "<details>\n<summary>More</summary><p>Hidden <em>words</em>.</p>\n</details>",
  ],
  "details by another name": [
    '{{% expand "More & more" %}}\n- a\n{{% /expand %}}',
    "<details>\n<summary>More &amp; more</summary><ul>\n<li>a</li>\n</ul>\n</details>",
  ],
  parameters: [
    'By {{< param "author" >}}, {{< param brew.minutes >}}, {{% param "tagline" %}}.',
    "<p>By Ann, 3, All about tea.</p>",
  ],
  "a parameter that is not there": ['By {{< param "none" >}}.', "<p>By .</p>", ['{{< param "none" >}}']],
  "an alert": [
    "{{< alert >}}\nMind *this*.\n{{< /alert >}}",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Mind <em>this</em>.</p>\n</blockquote>",
  ],
  "an alert with a title": [
    '{{% alert title="Mind" color="info" %}}\nInside **bold**.\n{{% /alert %}}',
    "<blockquote>\n<p><strong>Mind</strong></p>\n<p>Inside <strong>bold</strong>.</p>\n</blockquote>",
  ],
  "a notice": [
    "{{% notice tip %}}\nInside.\n\n```\na\n```\n{{% /notice %}}",
    "<blockquote>\n<p><strong>Tip</strong></p>\n<p>Inside.</p>\n<pre><code>a\n</code></pre>\n</blockquote>",
  ],
  "a notice with its title": [
    '{{< notice warning "Take care" >}}\nInside.\n{{< /notice >}}',
    "<blockquote>\n<p><strong>Take care</strong></p>\n<p>Inside.</p>\n</blockquote>",
  ],
  "an admonition": [
    '{{< admonition type=tip title="Hot" open=false >}}\nInside.\n{{< /admonition >}}',
    "<blockquote>\n<p><strong>Hot</strong></p>\n<p>Inside.</p>\n</blockquote>",
  ],
  "a hint": [
    "{{< hint danger >}}\nInside.\n{{< /hint >}}",
    "<blockquote>\n<p><strong>Danger</strong></p>\n<p>Inside.</p>\n</blockquote>",
  ],
  "a callout with a mark": [
    '{{< callout emoji="x" >}}Inside.{{< /callout >}}',
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Inside.</p>\n</blockquote>",
  ],
  "a box in a box": [
    "{{< note >}}\nA\n{{< tip >}}\nB\n{{< /tip >}}\n{{< /note >}}",
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>A</p>\n<blockquote>\n<p><strong>Tip</strong></p>\n<p>B</p>\n</blockquote>\n</blockquote>",
  ],
  "a box of a single tag": [
    '{{< alert text="Mind this." >}}',
    "<blockquote>\n<p><strong>Note</strong></p>\n<p>Mind this.</p>\n</blockquote>",
  ],
  tabs: [
    '{{< tabs >}}\n{{< tab "Mac" >}}\nA\n{{< /tab >}}\n{{< tab "Linux" >}}\nB\n{{< /tab >}}\n{{< /tabs >}}',
    "<p><strong>Mac</strong></p>\n<p>A</p>\n<p><strong>Linux</strong></p>\n<p>B</p>",
  ],
  "a button": [
    '{{< button href="https://e.example/" >}}Go{{< /button >}}',
    '<p><a href="https://e.example/">Go</a></p>',
  ],
  "a button to a page": ['{{< button relref="b" >}}Go there{{< /button >}}', '<p><a href="b.md">Go there</a></p>'],
  "raw HTML": ["{{< rawhtml >}}\n<p>a <b>b</b></p>\n{{< /rawhtml >}}", "<p>a <b>b</b></p>"],
  "a formula": [
    "{{< katex display >}}\na_1 * b_1\n{{< /katex >}}\n\nAnd {{< math >}}a_1{{< /math >}}.",
    "<p>$$\na_1 * b_1\n$$</p>\n<p>And $a_1$.</p>",
  ],
  "a switch for formulas": ["{{< katex >}}\nText.", "<p>Text.</p>"],
  "a comment": ["a{{/* b */}}c {{< comment >}}d{{< /comment >}}e", "<p>ac e</p>"],
  "escaped shortcodes": [
    'Write `{{</* ref "x" */>}}` or {{%/* note */%}} or {{</* b */>}}:\n\n```\n{{</* figure src="a" */>}}\n{{%/* note */%}}\n```',
    "<p>Write <code>{{&lt; ref &quot;x&quot; &gt;}}</code> or {{% note %}} or {{&lt; b &gt;}}:</p>\n<pre><code>{{&lt; figure src=&quot;a&quot; &gt;}}\n{{% note %}}\n</code></pre>",
  ],
  "shortcodes in code": [
    "```\n{{< youtube a >}}\n```\n\n`{{< youtube a >}}`",
    "<pre><code>{{&lt; youtube a &gt;}}\n</code></pre>\n<p><code>{{&lt; youtube a &gt;}}</code></p>",
  ],
  "braces that are no shortcodes": ["{{ .Title }} and {{< and {{% x", "<p>{{ .Title }} and {{&lt; and {{% x</p>"],
  "an unknown shortcode": ["a {{< widget 1 >}}b", "<p>a b</p>", ["{{< widget 1 >}}"]],
  "an unknown shortcode with an address": [
    '{{< bookmarked "https://e.example/x" >}}',
    '<p><a href="https://e.example/x">https://e.example/x</a></p>',
    ['{{< bookmarked "https://e.example/x" >}}'],
  ],
  "an unknown shortcode with words": [
    '{{< card title="Tea is a drink" >}}',
    "<p>Tea is a drink</p>",
    ['{{< card title="Tea is a drink" >}}'],
  ],
  "an unknown shortcode around text": [
    "{{< wide >}}\nInside *it*.\n{{< /wide >}}",
    "<p>Inside <em>it</em>.</p>",
    ["{{< wide >}}"],
  ],
  "unknown shortcodes within another": [
    "{{< wide >}}\n{{< thin 1 >}}\na\n{{< /wide >}}\nb",
    "<p>a</p>\n<p>b</p>",
    ["{{< wide >}}", "{{< thin 1 >}}"],
  ],
  "one that ends itself": ['a {{< icon name="x" />}}b', "<p>a b</p>", ['{{< icon name="x" />}}']],
  "a wrapper": ["{{% columns %}}\nA\n\n- b\n{{% /columns %}}", "<p>A</p>\n<ul>\n<li>b</li>\n</ul>"],
  "a line break": ["a{{< br >}}b", "<p>a<br>b</p>"],
  "a quote": [
    '{{< quote author="Ann" link="https://ann.example/" >}}\nWords.\n{{< /quote >}}',
    '<blockquote>\n<p>Words.</p>\n<p>— <a href="https://ann.example/">Ann</a></p>\n</blockquote>',
  ],
  "a sound": ['{{< audio src="/a.mp3" >}}', '<p><a href="/a.mp3">/a.mp3</a></p>'],
  "attributes of a paragraph": ["A para.\n{.lead}\n\nB.", "<p>A para.</p>\n<p>B.</p>"],
  "attributes of a heading": [
    "## Water {#w .x}\n\n[w](#w)",
    '<h2 id="user-content-w">Water</h2>\n<p><a href="#user-content-w">w</a></p>',
  ],
  "attributes of code": [
    "```go {hl_lines=[2],linenos=true}\na\n```\n\n```go{linenos=table}\nb\n```",
    '<pre><code class="language-go">a\n</code></pre>\n<pre><code class="language-go">b\n</code></pre>',
  ],
  "braces in a line of text": ["a\n{b}\n\n{.x}", "<p>a\n{b}</p>\n<p>{.x}</p>"],
  "no Hugo": ["A text of water.", "<p>A text of water.</p>"],
  "an unknown shortcode with a picture": [
    '{{< polaroid "/a.png" title="Hill" >}}',
    '<p><img src="/a.png" alt="Hill"></p>',
    ['{{< polaroid "/a.png" title="Hill" >}}'],
  ],
  "an unknown shortcode around text with a title": [
    '{{< def id="x" name="ACME" >}}\nA protocol.\n{{< /def >}}',
    "<p><strong>ACME</strong></p>\n<p>A protocol.</p>",
    ['{{< def id="x" name="ACME" >}}'],
  ],
  "code in several formats": [
    "{{< code-toggle file=hugo >}}\nkey = 'a'\n{{< /code-toggle >}}",
    "<pre><code>key = &#39;a&#39;\n</code></pre>",
  ],
  "included pages": [
    '{{% include "part.md" %}}\n\n{{% include "/_common/x.md" %}}',
    "<p>A <em>part</em>.</p>\n<blockquote>\n<p><strong>Note</strong></p>\n<p>Common.</p>\n</blockquote>",
  ],
  "a page that includes itself": ['{{% include "/loop.md" %}}', "<p>a</p>", ['{{% include "/loop.md" %}}']],
  "an included page that is not there": [
    'a {{% include "../../secret.md" %}}b',
    "<p>a b</p>",
    ['{{% include "../../secret.md" %}}'],
  ],
};

describe("an article of Hugo", () => {
  for (const [title, row] of Object.entries(CASES)) test(title, () => assertDialect(ARTICLE, row));
});
