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
