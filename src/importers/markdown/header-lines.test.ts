import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../import-test-helpers.ts";
import { splitHeaderLines } from "./header-lines.ts";

test("header lines of Pelican are the article's metadata", async () => {
  const header =
    "Title: Pelican: a title\nDate: 2024-01-02 10:20\nCategory: Tea\nTags: a, b\nSlug: pel\nAuthor: Ann\nSummary: Short\n    and long.\n\nBody: words.\n";
  const [item] = await importFile("a.md", header);
  assert.ok(item?.kind === "draft");
  const { title, slug, categories, tags, markdown, excerpt, status } = item.input;
  assert.deepEqual(
    { title, slug, categories, tags, markdown, excerpt, status },
    {
      title: "Pelican: a title",
      slug: "pel",
      categories: ["Tea"],
      tags: ["a", "b"],
      markdown: "Body: words.",
      excerpt: "Short\nand long.",
      status: "published",
    },
  );
  const [draft] = await importFile("b.md", `Status: draft\n${header}`);
  assert.ok(draft?.kind === "draft");
  assert.equal(draft.input.status, "pending");
});

test("a text that only looks like header lines is left whole", () => {
  for (const text of [
    "Note: this is text.\n\nMore.",
    "Title: a text\n\nMore.",
    "Title: a\nand Date: b\n\nMore.",
    "https://tea.example/\n",
    "",
    "a: b\n".repeat(200),
  ])
    assert.deepEqual(splitHeaderLines(text), { data: null, body: text });
});
