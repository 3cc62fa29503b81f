/** Articles as foreign programs and hostile people write them. */
import fc from "fast-check";
import { GROWTH_INPUTS } from "../hostile/growth/inputs.ts";
import { nastyText } from "./values.ts";

const HOSTILE_TAGS = [
  "<script>alert(1)</script>",
  "<scr<script>ipt>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  "<svg><script>alert(1)</script></svg>",
  "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
  '<iframe src="https://evil.example/"></iframe>',
  '<iframe src="https://www.youtube.com/embed/x" />',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  "<style>@import url(//evil.example)</style>",
  "<title>x",
  "<textarea>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<template><script>alert(1)</script></template>",
  "<video src=x onloadstart=alert(1) />",
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  "<!--><img src=x onerror=alert(1)>-->",
  "<![CDATA[<script>alert(1)</script>]]>",
  '<div id="__proto__" name="body" data-bind="x">x</div>',
  '<p style="background:url(javascript:alert(1))">x</p>',
] as const;

const MARKDOWN = [
  "# Heading\n\n",
  "Setext\n======\n\n",
  "* one\n* two\n  * three\n\n",
  "1. one\n2. two\n\n",
  "> quoted\n> > twice\n\n",
  "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n",
  "```js\nlet a = '<script>';\n```\n\n",
  "~~~\ncode\n",
  "    indented\n\n",
  "[text](https://example.com/a 'title')",
  "[text](javascript:alert(1))",
  "[x]: data:text/html,<script>alert(1)</script>\n\n[x]\n\n",
  "![picture](https://img.example.com/a.png)",
  "<https://example.com/>",
  "<javascript:alert(1)>",
  "**bold** _it_ ~~gone~~ `code`",
  "- [x] done\n",
  "---\n\n",
  "---\ntitle: x\n---\n",
  "line  \nbreak\\\n",
  "{{< figure src=x >}}",
  "{% raw %}",
  "&amp; &lt;script&gt; &#60;",
  "\\<script\\>",
] as const;

const HTML = [
  "<p>Text.</p>",
  "<h2>Water</h2>",
  "<ul><li>one<ul><li>two</li></ul></li></ul>",
  "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
  "<figure><img src='https://img.example.com/a.png' alt='a'><figcaption>c</figcaption></figure>",
  '<pre><code class="language-js">let a = "&lt;b&gt;";\n</code></pre>',
  "<blockquote><p>said</p></blockquote>",
  '<p><a href="/blog/x">in</a> <a href="https://example.com/y" target="_blank">out</a></p>',
  '<iframe src="https://www.youtube.com/embed/abc" title="t"></iframe>',
  "<p>a<br>b<hr>c",
  "<b><i>crossed</b></i>",
  "<dl><dt>t</dt><dd>d</dd></dl>",
  "<details open><summary>s</summary>x</details>",
  "<p>\n\n  spaced  \u00a0 out \n</p>",
  "</div></p><td>stray",
  "<a><a><p><p>",
] as const;

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_TAGS) },
  { weight: 3, arbitrary: fc.constantFrom(...MARKDOWN) },
  { weight: 4, arbitrary: fc.constantFrom(...HTML) },
  { weight: 2, arbitrary: nastyText },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...GROWTH_INPUTS), fc.nat(3_000)).map(([input, length]) => input.make(length)),
  },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 12 }) },
);
/** A piece that is cut off, so that what follows stands in the middle of a tag. */
const cut = fc.tuple(piece, fc.nat(60)).map(([text, length]) => text.slice(0, length));

export const markup: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: cut }),
      fc.constantFrom("", "\n", "\n\n"),
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.flat().join(""));
