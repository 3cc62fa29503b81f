import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, at, importFile, reasons } from "../import-test-helpers.ts";

const medium = (
  inside: string,
  footer = "",
  subtitle = '<section data-field="subtitle" class="p-summary"> Sub </section>',
): string =>
  `<!DOCTYPE html><html><head><title>x</title></head><body><article class="h-entry"><header><h1 class="p-name">Title</h1></header>${subtitle}<section data-field="body" class="e-content">${inside}</section><footer>${footer}</footer></article></body></html>`;

const published =
  '<p><a class="p-tag" href="https://medium.com/tag/x">Things</a></p><p><a href="https://medium.com/p/0a1b2c3d4e5f"><time class="dt-published" datetime="2018-08-11T11:23:34.123Z">x</time></a></p><a href="https://medium.com/@a/title-0a1b2c3d4e5f" class="p-canonical">Canonical link</a><p>By <a href="https://medium.com/@a" class="p-author h-card">Ada</a></p>';

test("a Medium post is imported without its editor's layers and names", async () => {
  const body =
    '<section class="section"><div class="section-divider"><hr class="section-divider"></div><div class="section-content"><h3 id="t" class="graf graf--h3 graf--title">Title</h3><h4 class="graf graf--subtitle">Sub</h4><p name="a" id="a" class="graf graf--p">See <a href="#b" data-href="#b">below</a></p><p id="b" class="graf">Here <img src="https://cdn.example.org/a.jpg" alt="Alt" data-width="3"></p></div></section>';
  const input = await articleIn("post.html", medium(body, published));
  assert.equal(
    input.content,
    '<p>See <a href="#b">below</a></p>\n<p id="b">Here <img src="https://cdn.example.org/a.jpg" alt="Alt"></p>',
  );
  assert.deepEqual([input.title, input.slug, input.excerpt, input.tags], ["Title", "title", "Sub", ["Things"]]);
  assert.deepEqual(input.authors, [{ name: "Ada", url: "https://medium.com/@a" }]);
  assert.deepEqual([input.status, input.publishedAt], ["published", at("2018-08-11T11:23:34.123Z")]);
  assert.deepEqual(
    [input.platformUrl, input.platformPostId],
    ["https://medium.com/@a/title-0a1b2c3d4e5f", "0a1b2c3d4e5f"],
  );
  assert.deepEqual([input.featuredImageUrl, input.featuredImageAlt], ["https://cdn.example.org/a.jpg", "Alt"]);
});

test("a Medium draft is pending, and a comment is skipped", async () => {
  const draft = await importFile(
    "d.html",
    medium('<p class="graf">x</p>', '<a href="https://medium.com/p/ababab121212">View original.</a>'),
  );
  assert.equal(draft[0]?.kind === "draft" && `${draft[0].ref} ${draft[0].input.status}`, "medium:ababab121212 pending");
  const comment = await importFile("c.html", medium('<p class="graf">Title and more</p>', published, ""));
  assert.match(reasons(comment)[0] ?? "", /^skipped c\.html: It is a comment/);
});

test("a page with one article is imported, and a page that lists several is not", async () => {
  const page = `<!doctype html><html><head><title>Site</title><meta name="description" content="D"><meta property="article:published_time" content="2021-02-15T10:00:00Z"><link rel="canonical" href="/a/"></head><body><nav>N</nav><article><h1>One</h1><p>Text</p></article></body></html>`;
  const input = await articleIn("a.html", page);
  assert.deepEqual([input.title, input.content, input.metaDescription], ["One", "<p>Text</p>", "D"]);
  assert.deepEqual([input.publishedAt, input.platformUrl], [at("2021-02-15T10:00:00Z"), "https://blog.example.org/a/"]);
  const list = page.replace("</article>", "</article><article><h1>Two</h1></article>");
  assert.match(reasons(await importFile("a.html", list))[0] ?? "", /lists several articles/);
  assert.match(
    reasons(await importFile("a.html", "<html><body><p>x</p></body></html>"))[0] ?? "",
    /without an <article>/,
  );
});

const pageWith = (head: string) =>
  `<!doctype html><html><head>${head}</head><body><a rel="author" href="/x">Nobody</a><article><h1>T</h1><p>By <a rel="nofollow author" href="/kim">Kim</a></p></article></body></html>`;

test("the author is who the page names, or who its article links to as such", async () => {
  assert.deepEqual((await articleIn("a.html", pageWith(""))).authors, [{ name: "Kim", url: null }]);
  assert.deepEqual((await articleIn("a.html", pageWith('<meta name="author" content="Ada">'))).authors, [
    { name: "Ada", url: null },
  ]);
});

test("endlessly nested HTML fails, and does not crash", async () => {
  for (const depth of [5000, 100_000]) {
    const items = await importFile("a.html", `<h1>T</h1>${"<div>".repeat(depth)}x`);
    assert.match(reasons(items)[0] ?? "", /^failed a\.html: The content has elements nested .* more than 256 deep/);
  }
});
