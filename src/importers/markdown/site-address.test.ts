import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Draft } from "../../operations/articles/import/import-items.ts";
import { importAll, testFolder } from "../import-test-helpers.ts";

async function draftOf(files: Record<string, string>, path: string, websiteUrl: string | null = null): Promise<Draft> {
  await using folder = await testFolder(files);
  const [item] = await importAll(join(folder.path, path), { websiteUrl });
  if (item?.kind !== "draft") throw new Error(`no article: ${JSON.stringify(item)}`);
  return item;
}

const HUGO_LANGUAGES = `baseURL = "https://e.example/"
contentDir = "content/en"
[languages.en]
[languages.fr]
[languages.de]
contentDir = "content/de"
[languages.de.permalinks]
posts = "/:year/:filename/"
[languages.ja]
contentDir = "content/ja"
baseURL = "https://ja.example/"
`;

const DOCUSAURUS = `// It's { not a block
const config = { title: "it's",
  url: 'https://e.example',
  presets: [['classic', /* docs: { path: 'no' } */ ({
    docs: { path: './handbook', routeBasePath: '/', editUrl: ({ path }) => path },
    blog: { showReadingTime: true, routeBasePath: 'news' },
  })]],
  plugins: [['@docusaurus/plugin-content-blog', { path: 'second', routeBasePath: 'two' }]],
  themeConfig: { docs: { sidebar: { hideable: true } } },
};
`;

const DATED = "---\ntitle: An Öl-Lamp\ndate: 2024-01-02\n---\nText.\n";

test("an article's address is the one that its generator makes by the site's configuration", async () => {
  const cases: [string, Record<string, string>, string, string | undefined][] = [
    [
      "/:year/:title/",
      { "_config.yml": "url: https://e.example\nbaseurl: /b\npermalink: /:year/:title/\n" },
      "_posts/2024-01-02-tea.md",
      "https://e.example/b/2024/tea/",
    ],
    [
      "date",
      { "_config.yml": "url: https://e.example\n" },
      "news/_posts/2024-01-02-tea.md",
      "https://e.example/news/2024/01/02/tea.html",
    ],
    [
      "pretty",
      { "_config.yml": "url: https://e.example\npermalink: pretty\n" },
      "_posts/2024-01-02-tea.md",
      "https://e.example/2024/01/02/tea/",
    ],
    ["a page", { "_config.yml": "url: https://e.example\n" }, "tea.md", undefined],
    [
      "unknown",
      { "_config.yml": "url: https://e.example\npermalink: /:collection/:title\n" },
      "_posts/2024-01-02-tea.md",
      undefined,
    ],
    ["no address", { "_config.yml": "permalink: /:title\n" }, "_posts/2024-01-02-tea.md", undefined],
    [
      "Hexo",
      { "_config.yml": "url: https://e.example/b\nsource_dir: source\npermalink: :year/:i_month/:name/\n" },
      "source/_posts/x/tea.md",
      "https://e.example/b/2024/1/tea/",
    ],
    [
      "Hugo",
      { "hugo.toml": 'baseURL = "https://e.example/"\n' },
      "content/posts/Tea Time.md",
      "https://e.example/posts/tea-time/",
    ],
    [
      "its permalinks",
      { "hugo.toml": 'baseURL = "https://e.example/"\n[permalinks]\nposts = "/:year/:slug/"\n' },
      "content/posts/tea/index.md",
      "https://e.example/2024/an-öl-lamp/",
    ],
    [
      "by kind",
      { "hugo.toml": 'baseURL = "https://e.example/"\n[permalinks.page]\nposts = "/:section/:filename/"\n' },
      "content/posts/tea.md",
      "https://e.example/posts/tea/",
    ],
    [
      "a language by its name",
      { "hugo.toml": HUGO_LANGUAGES },
      "content/en/posts/tea.fr.md",
      "https://e.example/fr/posts/tea/",
    ],
    [
      "the first language",
      { "hugo.toml": HUGO_LANGUAGES },
      "content/en/posts/tea/index.md",
      "https://e.example/posts/tea/",
    ],
    [
      "a language with its folder and permalinks",
      { "hugo.toml": HUGO_LANGUAGES },
      "content/de/posts/tea.md",
      "https://e.example/de/2024/tea/",
    ],
    [
      "a language with its host",
      { "hugo.toml": HUGO_LANGUAGES },
      "content/ja/posts/tea/index.md",
      "https://ja.example/posts/tea/",
    ],
    [
      "Docusaurus' routes",
      { "docusaurus.config.ts": DOCUSAURUS },
      "blog/2024-01-02-tea.md",
      "https://e.example/news/2024/01/02/tea",
    ],
    [
      "its documents at the top",
      { "docusaurus.config.ts": DOCUSAURUS },
      "handbook/1-a/tea.md",
      "https://e.example/a/tea",
    ],
    ["a second blog", { "docusaurus.config.ts": DOCUSAURUS }, "second/tea.md", "https://e.example/two/tea"],
    [
      "Docusaurus",
      { "docusaurus.config.js": "url: 'https://e.example',\nbaseUrl: '/b/',\n" },
      "blog/2024-01-02-tea/index.mdx",
      "https://e.example/b/blog/2024/01/02/tea",
    ],
    [
      "VitePress",
      { ".vitepress/config.js": 'hostname: "https://e.example",\ncleanUrls: true,' },
      "guide/tea.md",
      "https://e.example/guide/tea",
    ],
    [
      "MkDocs",
      { "mkdocs.yml": "site_url: https://e.example/b/\n" },
      "docs/guide/tea.md",
      "https://e.example/b/guide/tea/",
    ],
    [
      "Pelican",
      { "pelicanconf.py": "SITEURL = 'https://e.example'\nARTICLE_URL = 'p/{date:%Y}/{slug}/'\n" },
      "content/tea.md",
      "https://e.example/p/2024/an-oel-lamp/",
    ],
    ["Eleventy", { ".eleventy.js": "" }, "src/posts/2024-01-02-tea.md", undefined],
  ];
  for (const [name, files, path, right] of cases) {
    const { input } = await draftOf({ ...files, [path]: DATED }, path);
    assert.equal(input.platformUrl ?? undefined, right && new URL(right).href, name);
  }
});

/** The address of a post with this front matter, and its warnings. */
async function addressOf(front: string): Promise<(string | null)[]> {
  const post = `---\ntitle: Tea\ncategories: [A b, c]\n${front}\n---\nText.\n`;
  const files = { "_config.yml": "url: https://e.example\n", "_posts/2024-01-02-tea.md": post };
  const { input, warnings = [] } = await draftOf(files, "_posts/2024-01-02-tea.md");
  return [input.platformUrl ?? null, ...warnings.map(({ kind, detail }) => `${kind} ${detail}`)];
}

test("a pattern in the front matter wins, and one that is not understood is reported", async () => {
  assert.deepEqual(await addressOf("permalink: /:categories/:title/"), ["https://e.example/a%20b/c/tea/"]);
  assert.deepEqual(await addressOf("permalink: /x/tea.html"), ["https://e.example/x/tea.html"]);
  assert.deepEqual(await addressOf('permalink: "/{{ page.x }}/"'), [
    null,
    "address_guessed /{{ page.x }}/ (not filled in)",
  ]);
});

test("the website's address counts where the site's own is another", async () => {
  const files = { "_config.yml": "url: https://old.example\npermalink: /:title/\n", "_posts/2024-01-02-tea.md": DATED };
  const at = async (url: string) => (await draftOf(files, "_posts/2024-01-02-tea.md", url)).input.platformUrl;
  assert.equal(await at("https://new.example/b"), "https://new.example/b/tea/");
  assert.equal(await at("https://old.example"), "https://old.example/tea/");
});

test("a guessed address is reported", async () => {
  const { warnings } = await draftOf(
    { "eleventy.config.js": "", "posts/2024-01-02-tea.md": DATED },
    "posts/2024-01-02-tea.md",
    "https://e.example",
  );
  assert.deepEqual(warnings, [{ kind: "address_guessed", detail: "/posts/tea/" }]);
});

test("of a site in several languages each article has its own, with its translations", async () => {
  await using folder = await testFolder({
    "hugo.toml": `${HUGO_LANGUAGES}[languages.it]\ncontentDir = "content/it"\ndisabled = true\n`,
    "content/en/posts/tea.md": DATED,
    "content/en/posts/tea.fr.md": DATED,
    "content/de/posts/tea.md": `${DATED}\n[More](/posts/more.md) and [more]({{< ref "/posts/more" >}})\n`,
    "content/de/posts/more.md": DATED,
    "content/it/posts/tea/index.md": DATED,
  });
  const items = await importAll(folder.path, { websiteUrl: null });
  const drafts = items.flatMap((item) => (item.kind === "draft" ? item : []));
  assert.deepEqual(
    drafts.map(({ source, input, hidden }) => [source, input.language, input.translationGroup, hidden]),
    [
      ["content/de/posts/more.md", "de", "posts/more", undefined],
      ["content/de/posts/tea.md", "de", "posts/tea", undefined],
      ["content/en/posts/tea.fr.md", "fr", "posts/tea", undefined],
      ["content/en/posts/tea.md", "en", "posts/tea", undefined],
      ["content/it/posts/tea/index.md", "it", "posts/tea", "Its site does not list it (languages.it)."],
    ],
  );
  assert.equal(drafts[1]?.input.markdown?.match(/https:\/\/e\.example\/de\/2024\/more\//g)?.length, 2);
});

test("what the configuration of Hugo gives to all pages counts, as what a section gives does", async () => {
  await using folder = await testFolder({
    "hugo.yaml":
      "baseURL: https://e.example/\ncascade:\n- target: { path: '/secret/**' }\n  draft: true\n- target: { lang: fr }\n  author: Zoe\n- author: Ann\nlanguages:\n  en: {}\n  fr: {}\n",
    "content/secret/a.md": DATED,
    "content/b.md": DATED,
    "content/c/_index.md": "---\ncascade:\n  author: Bea\n---\n",
    "content/c/d.md": DATED,
  });
  const items = await importAll(folder.path, { websiteUrl: null });
  assert.deepEqual(
    items.flatMap((item) => (item.kind === "draft" ? [[item.source, item.input.authors?.[0]?.name, item.hidden]] : [])),
    [
      ["content/b.md", "Ann", undefined],
      ["content/c/d.md", "Bea", undefined],
      ["content/secret/a.md", "Ann", "It is a draft on its site (draft)."],
    ],
  );
});
