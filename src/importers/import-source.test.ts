import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { articleIn, importAll, importFile, inPieces, reasons, testFolder, titles } from "./import-test-helpers.ts";

const markdown = "---\ntitle: One\n---\nText\n";
const article = JSON.stringify({ title: "Json", content: "<p>x</p>" });

test("a path that cannot be imported is refused with one sentence", async () => {
  await using folder = await testFolder({ "empty/.keep": "", "image/a.png": "x" });
  const cases: [string, RegExp][] = [
    ["missing.md", /missing\.md does not exist\.$/],
    ["empty", /^No articles found in .*empty\.$/],
    ["image", /^No articles found in /],
  ];
  for (const [name, message] of cases) {
    await assert.rejects(importAll(join(folder.path, name)), { code: "invalid", message });
  }
  await assert.rejects(
    importAll(folder.path, { format: "word" as "json" }),
    /format must be auto, markdown, wordpress/,
  );
  await assert.rejects(importAll("-"), /no standard input/);
});

test("archives, binaries and unknown texts are refused with what to do instead", async () => {
  const zip = Buffer.concat([Buffer.from("504b0304", "hex"), deflateRawSync("x")]);
  await assert.rejects(importFile("a.zip", zip), {
    message: "a.zip: It is a zip archive within a folder or a stream: import it by itself, as a file.",
  });
  await assert.rejects(importFile("a.xml", gzipSync("<rss/>")), /gzip archive: unpack it first/);
  await assert.rejects(importFile("a.zip", zip, { format: "wordpress" }), /import it by itself/);
  await assert.rejects(importFile("a.epub", zip), /It is an EPUB book, which cannot be imported: convert it/);
  await assert.rejects(importFile("a.png", Buffer.from("89504e470d0a1a0a0000", "hex")), /binary file/);
  await assert.rejects(importFile("a.dat", "some text"), /name it with --format/);
  await assert.rejects(importFile("a.dat", ""), /It is empty/);
});

test("the content decides the format where the name does not", async () => {
  assert.equal((await articleIn("export", article)).title, "Json");
  assert.equal((await articleIn("post.txt", markdown)).title, "One");
  assert.equal((await articleIn("post.txt", "# One\n\nText", { format: "markdown" })).title, "One");
  assert.equal((await articleIn("keys.md", "PKCE protects keys.")).markdown, "PKCE protects keys.");
  assert.equal((await articleIn("links.md", "[Not](/json)\n\nText")).markdown, "[Not](/json)\n\nText");
  assert.equal(
    (await articleIn("page.txt", "<!doctype html><html><body><article><h1>H</h1><p>x</p></article></body></html>"))
      .title,
    "H",
  );
});

test("UTF-8 and UTF-16 with a byte order mark are read, other encodings are refused", async () => {
  assert.equal((await articleIn("a.md", `\uFEFF${markdown}`)).title, "One");
  assert.equal((await articleIn("a.md", Buffer.from(`\uFEFF${markdown}`, "utf16le"))).title, "One");
  const latin = Buffer.from("---\ntitle: Café\n---\nText\n", "latin1");
  await assert.rejects(importFile("a.md", latin), {
    message: "a.md: It is not UTF-8 text. Save it as UTF-8 and import it again.",
  });
  await assert.rejects(importFile("a.md", Buffer.from(markdown, "utf16le")), /binary file, or text that is not UTF-8/);
});

test("a folder is read file by file, each in its own format, and a broken one does not stop the rest", async () => {
  const withSlug = article.replace("{", '{"slug":"json",');
  await using folder = await testFolder({
    "a.md": markdown,
    "b.json": withSlug,
    "c.ndjson": `${withSlug}\n`,
    "d.json": "{ broken",
    "e.md": Buffer.from("Café", "latin1"),
    "package.json": '{"name":"x"}',
    "feed.xml": '<?xml version="1.0"?><feed></feed>',
    "notes.txt": "notes",
    "old.zip": Buffer.from("504b030400", "hex"),
  });
  const items = await importAll(folder.path);
  assert.deepEqual(titles(items), ["One", "Json"]);
  const said = reasons(items);
  assert.match(said[0] ?? "", /^skipped c\.ndjson, line 1: The same article/);
  assert.match(said[1] ?? "", /^failed d\.json: It is not valid JSON/);
  assert.match(said[2] ?? "", /^failed e\.md: It is not UTF-8 text/);
  assert.deepEqual(
    said.slice(3).map((reason) => reason.replace(/: .*/, "")),
    ["skipped feed.xml", "skipped notes.txt", "skipped old.zip", "skipped package.json"],
  );
  const only = await importAll(folder.path, { format: "markdown" });
  assert.deepEqual(titles(only), ["One"]);
  assert.ok(reasons(only).includes("skipped b.json: It is not of the format markdown."));
});

async function refs(path: string): Promise<string[]> {
  return (await importAll(path)).map((item) => (item.kind === "draft" ? item.ref : item.kind));
}

test("the same folder elsewhere gives the same identities in the same order", async () => {
  const files = {
    "b.md": markdown,
    "a/c.md": markdown.replace("One", "Two"),
    "Ä.md": markdown.replace("One", "Three"),
    "d.json": article,
  };
  await using one = await testFolder(files);
  await using two = await testFolder(files);
  assert.deepEqual(await refs(one.path), ["markdown:a/c.md", "markdown:b.md", "json:d.json:Json", "markdown:Ä.md"]);
  assert.deepEqual(await refs(two.path), await refs(one.path));
});

test("links are followed inside the folder, never twice and never out of it", async () => {
  await using outside = await testFolder({ "secret.md": markdown });
  await using folder = await testFolder({ "posts/a.md": markdown });
  await symlink(folder.path, join(folder.path, "posts/loop"));
  await symlink(join(folder.path, "posts"), join(folder.path, "again"));
  await symlink(join(outside.path, "secret.md"), join(folder.path, "secret.md"));
  await symlink("nowhere", join(folder.path, "broken.md"));
  const items = await importAll(folder.path);
  assert.deepEqual(titles(items), ["One"]);
  const said = reasons(items);
  assert.ok(said.includes("skipped secret.md: It is a link that leads out of the folder."));
  assert.ok(said.includes("skipped broken.md: It cannot be read (ENOENT)."));
  assert.equal(said.filter((reason) => reason.includes("read already")).length, 2);
});

test("standard input is recognised like a file", async () => {
  assert.deepEqual(titles(await importAll("-", { stdin: inPieces(article, 10) })), ["Json"]);
  assert.deepEqual(titles(await importAll("-", { stdin: inPieces(markdown, 3) })), ["One"]);
  assert.deepEqual(await importAll("-", { format: "ndjson", stdin: inPieces("", 1) }), []);
  await assert.rejects(
    importAll("-", { stdin: inPieces("{ x", 1) }),
    /^AppError: standard input: It is not valid JSON/,
  );
});

test("progress rises to the size of what is read", async () => {
  await using folder = await testFolder({ "a.md": markdown, "b.json": article });
  await writeFile(
    join(folder.path, "c.xml"),
    '<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>T</title><encoded>x</encoded></item></channel></rss>',
  );
  const steps: [number, number | null][] = [];
  await importAll(folder.path, { onProgress: (read, total) => steps.push([read, total]) });
  const last = steps.at(-1);
  assert.equal(last?.[0], last?.[1]);
  assert.deepEqual(
    steps.map(([read]) => read),
    steps.map(([read]) => read).sort((a, b) => a - b),
  );
});

test("the names of files in a folder link an article and its translations", async () => {
  const long = "a".repeat(210);
  await using folder = await testFolder({
    "tea.md": "# Tea\n\nx",
    "tea.de.md": "# Tee\n\nx",
    "milk.md": "---\nlang: en\n---\n# Milk\n\nx",
    "milk.pt.md": "# Leite\n\nx",
    "water.md": "# Water\n\nx",
    "pots/index.md": "# Pots\n\nx",
    "pots/index.de.md": "# Kannen\n\nx",
    "page.html": "<!doctype html><html><body><article><h1>Page</h1><p>x</p></article></body></html>",
    "page.de.html": "<!doctype html><html><body><article><h1>Seite</h1><p>x</p></article></body></html>",
    "part.de.html": "<h1>Teil</h1><p>x</p>",
    [`${long}.de.md`]: "# Long\n\nx",
  });
  const items = await importAll(folder.path);
  const found = items.map((item) => {
    if (item.kind !== "draft") return item;
    const { title, language, translationGroup, slug } = item.input;
    return [title, language, translationGroup, item.inLanguages?.slug ?? slug];
  });
  assert.deepEqual(
    new Set(found.map((one) => JSON.stringify(one))),
    new Set(
      [
        ["Tea", undefined, "tea", "tea"],
        ["Tee", "de", "tea", "tea"],
        ["Milk", "en", "milk", "milk"],
        ["Leite", "pt", "milk", "milk"],
        ["Water", undefined, undefined, "water"],
        ["Pots", undefined, "pots", "pots"],
        ["Kannen", "de", "pots", "pots"],
        ["Page", undefined, "page", "page"],
        ["Seite", "de", "page", "page"],
        ["Teil", "de", "part", "part"],
        ["Long", "de", undefined, long],
      ].map((one) => JSON.stringify(one)),
    ),
  );
});
