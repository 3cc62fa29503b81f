import assert from "node:assert/strict";
import { test } from "node:test";
import { Warnings } from "../../domain/articles/warnings.ts";
import { testFolder } from "../import-test-helpers.ts";
import { readSite } from "../read-site.ts";
import { linkFiles } from "./file-links.ts";

const FILES = {
  "hugo.toml": 'baseURL = "https://e.example/"\n',
  "content/posts/a.md": "A",
  "content/posts/b.md": "---\ntitle: B\n---\nB",
  "content/posts/bundle/index.md": "---\ntitle: Bundle\nslug: own\n---\nB",
  "content/about.md": "---\nurl: /me/\n---\nMe",
  "content/posts/broken.md": "---\ntitle: [\n---\nMe",
  "outside.md": "O",
};

test("a link to another article's file leads to its address, outside code", async () => {
  await using folder = await testFolder(FILES);
  const site = readSite(folder.path);
  const read = (text: string): [string, string[]] => {
    const warnings = new Warnings();
    const context = { websiteUrl: null, now: 0, site, root: folder.path };
    const linked = linkFiles(text, "content/posts/a.md", context, warnings);
    return [linked.replaceAll("https://e.example", "@"), warnings.list.map(({ detail }) => detail)];
  };
  for (const [text, right] of [
    ["[b](b.md)", "[b](@/posts/b/)"],
    ['[b](./b.md#x "Title")', '[b](@/posts/b/#x "Title")'],
    ["![p](b.png) [b](<b.md>)", "![p](b.png) [b](<@/posts/b/>)"],
    ["[b]: ../posts/b.md\n", "[b]: @/posts/b/\n"],
    ["[o](bundle/index.md) [o](bundle.md)", "[o](@/posts/own/) [o](@/posts/own/)"],
    ["[m](/about.md) [m](about.md)", "[m](@/me/) [m](@/me/)"],
    ["[b]({filename}b.md)", "[b](@/posts/b/)"],
    ["<a href='b.md'>b</a> <A HREF=\"b.md\">", "<a href='@/posts/b/'>b</a> <A HREF=\"@/posts/b/\">"],
    ["[x](broken.md)", "[x](@/posts/broken/)"],
    ["`[b](b.md)` [b](b.md)", "`[b](b.md)` [b](@/posts/b/)"],
    ["```\n[b](b.md)\n```\n[b](b.md)", "```\n[b](b.md)\n```\n[b](@/posts/b/)"],
    ["[b](https://x.example/b.md) [b](/b/) [b](#b.md)", "[b](https://x.example/b.md) [b](/b/) [b](#b.md)"],
    ["[b](b.md", "[b](@/posts/b/"],
  ] as const) {
    assert.deepEqual(read(text), [right, []], text);
  }
  for (const text of ["[x](absent.md)", "[x](../../../outside.md)"]) {
    assert.deepEqual(read(text), [text, [text.slice(4, -1)]]);
  }
});

test("without a generator's rule a link leads to where the website shows the article", async () => {
  await using folder = await testFolder({ "b.md": "B", "c.de.md": "---\nslug: see\n---\nC" });
  const read = (urlPattern: string | null) => {
    const website = { urlPattern, language: "en" };
    const context = { websiteUrl: null, website, now: 0, root: folder.path };
    return linkFiles("[b](b.md) [c](./c.de.md)", "a.md", context, new Warnings());
  };
  assert.equal(read("https://w.example{/lang}/{slug}"), "[b](https://w.example/b) [c](https://w.example/de/see)");
  assert.equal(read("https://w.example/{id}"), "[b](b.md) [c](./c.de.md)");
  assert.equal(read(null), "[b](b.md) [c](./c.de.md)");
});

test("the time grows with the text only", () => {
  const context = { websiteUrl: null, now: 0, root: "/absent" };
  for (const piece of ["](", "`".repeat(7), "[".repeat(9), "[a]: ", 'href="', "](<", "` ``", "](a.md"]) {
    const text = `${piece.repeat(100_000)} .md`;
    assert.equal(linkFiles(text, "a.md", context, new Warnings()).length, text.length);
  }
});
