import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testFolder } from "./import-test-helpers.ts";
import { findPictures, readSite } from "./read-site.ts";

test("a site is recognised by its generator's configuration, in a folder above, and its settings are read", async () => {
  const cases: [string, Record<string, string>, string | null, string | null, string | null, string[]][] = [
    [
      "_posts/",
      { "_config.yml": "url: https://e.example\nbaseurl: /b/\ntimezone: Asia/Tokyo\n" },
      "jekyll",
      "https://e.example/b",
      "Asia/Tokyo",
      [""],
    ],
    [
      "source/_posts/",
      { "_config.yml": "url: https://e.example/b\nroot: /b/\nsource_dir: source\nskip_render:\ntimezone: nowhere\n" },
      "hexo",
      "https://e.example/b",
      null,
      ["source"],
    ],
    [
      "content/posts/",
      { "hugo.toml": 'baseURL = "https://e.example/"\ntimeZone = "Europe/Berlin"\nstaticDir = ["s", "t"]\n' },
      "hugo",
      "https://e.example",
      "Europe/Berlin",
      ["s", "t", "assets"],
    ],
    [
      "content/",
      {
        "config/_default/config.yaml": "baseURL: https://e.example\n",
        "config/_default/permalinks.toml": 'p = "/:slug/"',
      },
      "hugo",
      "https://e.example",
      null,
      ["static", "assets"],
    ],
    [
      "content/",
      { "config.toml": 'base_url = "https://z.example"' },
      null,
      "https://z.example",
      null,
      ["static", "assets"],
    ],
    [
      "blog/",
      { "docusaurus.config.ts": "const config = {\n  url: 'https://d.example', // here\n  baseUrl: \"/d/\",\n};\n" },
      "mdx",
      "https://d.example/d",
      null,
      ["public", "static"],
    ],
    [
      "src/content/",
      { "astro.config.mjs": 'export default defineConfig({\n  site: "https://a.example",\n});' },
      "mdx",
      "https://a.example",
      null,
      ["public", "static"],
    ],
    [
      "posts/",
      { ".vitepress/config.mts": "export default {}" },
      "vitepress",
      null,
      null,
      ["public", ".vuepress/public"],
    ],
    [
      "docs/",
      { "mkdocs.yml": "site_url: https://m.example/\nmarkdown_extensions:\n  - x: !!python/name:a.b\n" },
      "mkdocs",
      "https://m.example",
      null,
      ["docs"],
    ],
    [
      "content/",
      { "pelicanconf.py": "SITEURL = 'https://p.example'\nTIMEZONE = 'Europe/Paris'\nARTICLE_URL = \"{slug}.html\"\n" },
      "pelican",
      "https://p.example",
      "Europe/Paris",
      ["content"],
    ],
    ["posts/", { "eleventy.config.js": "" }, "eleventy", null, null, ["public", "static", "src", "src/static", ""]],
    ["a/", { ".obsidian/app.json": "{}" }, "obsidian", null, null, [""]],
    ["a/", { "_config.yml": "a: [" }, "jekyll", null, null, [""]],
  ];
  for (const [folder, files, ...right] of cases) {
    await using site = await testFolder({ ...files, [`${folder}a.md`]: "A" });
    const { dialect, url, timeZone, staticFolders, ...more } = readSite(join(site.path, folder));
    assert.deepEqual([dialect, url, timeZone, staticFolders], right, JSON.stringify(files));
    assert.equal(more.folder, folder);
    assert.equal(more.readFile(`${folder}a.md`), "A");
  }
});

test("no configuration is looked for above a repository or a pushed folder, and no file outside is read", async () => {
  await using folder = await testFolder({
    "_config.yml": "title: Outside\n",
    "secret.txt": "secret",
    "repository/.git/HEAD": "",
    "repository/posts/a.md": "A",
    "site/_config.yml": "title: T\n",
    "pushed/posts/a.md": "A",
  });
  assert.equal(readSite(join(folder.path, "repository/posts")).dialect, null);
  assert.equal(readSite(join(folder.path, "pushed"), join(folder.path, "pushed")).dialect, null);
  assert.equal(readSite(join(folder.path, "absent")).dialect, null);
  const site = readSite(join(folder.path, "site"));
  await symlink(join(folder.path, "secret.txt"), join(folder.path, "site/link.txt"));
  assert.deepEqual(
    [site.readFile("../secret.txt"), site.readFile("link.txt"), site.readFile("absent")],
    [null, null, null],
  );
});

test("the folders of a site's pictures are those that it serves, found upwards within its repository", async () => {
  await using folder = await testFolder({
    "static/a.png": "",
    "posts/a.md": "A",
    "repository/.git/HEAD": "",
    "repository/public/a.png": "",
    "repository/src/posts/a.md": "A",
    "site/_config.yml": "url: https://e.example\n",
    "site/_posts/a.md": "A",
    "site/assets/a.png": "",
  });
  const find = (path: string, bound?: string) => {
    const named = join(folder.path, path);
    const { root, served, url } = findPictures(named, readSite(named), bound && join(folder.path, bound));
    return [root, ...served, url].map((one) => one && one.replace(folder.path, ""));
  };
  assert.deepEqual(find("posts"), ["/posts", null]);
  assert.deepEqual(find("repository/src/posts"), ["/repository", "/repository/public", null]);
  assert.deepEqual(find("repository/src/posts", "repository/src/posts"), ["/repository/src/posts", null]);
  assert.deepEqual(find("site/_posts"), ["/site", "/site", "/site/assets", "https://e.example"]);
});
