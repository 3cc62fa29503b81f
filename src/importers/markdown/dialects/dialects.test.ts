import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_SITE, type Site } from "../../site.ts";
import { importAll, importFile, testFolder } from "../../import-test-helpers.ts";
import type { ImportContext, ReadImportOptions } from "../../import-item.ts";
import { readMarkdownFile } from "../markdown.ts";

const read = async (name: string, text: string, options: Partial<ReadImportOptions> = {}) => {
  const [item] = await importFile(name, `---\ntitle: T\n---\n${text}\n`, options);
  assert.ok(item?.kind === "draft");
  return item;
};

test("an article is read in the form of the generator whose constructs it has, and says so", async () => {
  for (const [text, dialect] of [
    ["{% highlight js %}\na\n{% endhighlight %}", "Jekyll"],
    ["A {{ site.title }}", "Jekyll"],
    ["Water.\n{: .note}", "Jekyll"],
    ["{{< youtube a >}}", "Hugo"],
    ["{{% note %}}a{{% /note %}}", "Hugo"],
    ["{% asset_img a.png %}", "Hexo"],
    ["Water.", undefined],
    ["`{{< youtube a >}}` and `{% highlight js %}`", undefined],
    ["```\n{{< youtube a >}}\n```", undefined],
    ["Rust has {{closure}} in its names.", undefined],
  ] as const) {
    assert.equal((await read("a.md", text)).dialect, dialect, text);
  }
});

test("the importer's word counts more than the site's configuration, and that more than constructs", async () => {
  const text = "{{< youtube a >}} {% youtube b %}";
  const hexo: Site = { ...NO_SITE, dialect: "hexo" };
  const convert = (context: Partial<ImportContext>) => {
    const item = readMarkdownFile("a.md", text, "markdown", { websiteUrl: null, now: 0, ...context });
    assert.ok(item.kind === "draft");
    return [item.dialect, item.input.markdown];
  };
  assert.deepEqual(convert({}), ["Hugo", "<https://www.youtube.com/watch?v=a> {% youtube b %}"]);
  assert.deepEqual(convert({ site: hexo }), ["Hexo", "{{< youtube a >}} <https://www.youtube.com/watch?v=b>"]);
  assert.deepEqual(convert({ site: hexo, dialect: "jekyll" })[0], "Jekyll");
  assert.equal((await read("a.md", text, { dialect: "hexo" })).dialect, "Hexo");
});

test("what cannot be kept leaves its words and a warning that names it; nothing is warned of in plain Markdown", async () => {
  const item = await read(
    "a.md",
    '{% card "Tea is a drink" url="https://tea.example/" %}\n\n{% box %}Inside.{% endbox %}',
    {
      dialect: "jekyll",
    },
  );
  assert.equal(item.input.markdown, "Tea is a drink <https://tea.example/>\n\nInside.");
  assert.deepEqual(item.warnings, [
    { kind: "construct_replaced", detail: '{% card "Tea is a drink" url="https://tea.example/" %}' },
    { kind: "construct_replaced", detail: "{% box %}" },
  ]);
  assert.equal((await read("a.md", "Water.")).warnings, undefined);
});

test("Zola's videos become their addresses", async () => {
  const { input } = await read("a.md", '{{ youtube(id="dQw4w9WgXcQ") }}');
  assert.equal(input.markdown, "https://www.youtube.com/watch?v=dQw4w9WgXcQ");
});

test("a folder within a site reads that site's includes and values, and its links lead to the articles' addresses", async () => {
  await using folder = await testFolder({
    "_config.yml": "title: Tea\nurl: https://tea.example\nbaseurl: /b\npermalink: /:year/:title/\n",
    "_includes/note.html": "<p>{{ include.words }} by {{ site.title }}</p>\n",
    "_posts/2024-01-01-first.md": "---\ntitle: First\n---\nWater.\n",
    "_posts/2024-01-02-second.md":
      "---\ntitle: Second\n---\n{% include note.html words='Hot' %}\n\n[first]({% post_url 2024-01-01-first %}) [map]({{ '/map/' | relative_url }})\n",
  });
  for (const path of [folder.path, `${folder.path}/_posts`]) {
    const items = await importAll(path, { websiteUrl: null });
    const second = items.find((item) => item.kind === "draft" && item.input.title === "Second");
    assert.ok(second?.kind === "draft");
    assert.equal(
      second.input.markdown,
      "<p>Hot by Tea</p>\n\n[first](https://tea.example/b/2024/first/) [map](/b/map/)",
    );
    assert.deepEqual([second.dialect, second.warnings], ["Jekyll", undefined]);
  }
});
