import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceTemplateTags } from "./template-tags.ts";

test("highlighted code becomes fenced code", () => {
  assert.equal(
    replaceTemplateTags("A\n\n{% highlight js linenos %}\nlet a;\n{% endhighlight %}\n", "markdown", true),
    "A\n\n```js\nlet a;\n```\n",
  );
  assert.equal(
    replaceTemplateTags('{{< highlight go "x=1" >}}\nfunc\n{{< /highlight >}}', "markdown", false),
    "```go\nfunc\n```",
  );
  assert.equal(
    replaceTemplateTags("{% highlight html %}<b>{% endhighlight %}", "html", true),
    '<pre><code class="language-html">&lt;b&gt;</code></pre>',
  );
});

test("raw tags are removed around code where Jekyll reads them, and left alone elsewhere", () => {
  const text = "```\n{% raw %}\n{{ page.title }}\n{% endraw %}\n```\n";
  assert.equal(replaceTemplateTags(text, "markdown", true), "```\n{{ page.title }}\n```\n");
  assert.equal(replaceTemplateTags(text, "markdown", false), text);
});

test("figures and videos become the HTML that they stand for", () => {
  assert.equal(
    replaceTemplateTags('{{< figure src="/a.png" alt="A" caption="B & C" >}}', "markdown", false),
    '<figure><img src="/a.png" alt="A"><figcaption>B &amp; C</figcaption></figure>',
  );
  assert.equal(
    replaceTemplateTags("{{< youtube dQw4w9WgXcQ >}}", "markdown", false),
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
  );
  assert.equal(
    replaceTemplateTags('{{ youtube(id="dQw4w9WgXcQ") }}', "markdown", false),
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
  );
});

test("a comment is removed with its content, and a tag without its end stays", () => {
  const text = "a{% comment %}{% highlight js %}b{% endhighlight %}{% endcomment %}c{% comment %}{% highlight js %}d";
  assert.equal(replaceTemplateTags(text, "markdown", true), "ac{% comment %}{% highlight js %}d");
});

test("unknown tags and tags shown inside code stay as they are", () => {
  for (const text of [
    "{% include cta.html %} and {{ site.name }}",
    "```\n{% highlight js %}\nx\n{% endhighlight %}\n```",
    "~~~\n{{< youtube abc >}}",
    "Rust has {{closure}} in its names.",
  ]) {
    assert.equal(replaceTemplateTags(text, "markdown", false), text);
  }
});
