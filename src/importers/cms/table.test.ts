import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, at, importFile, reasons } from "../import-test-helpers.ts";

test("the rows of a table are articles, by what its columns are called", async () => {
  const input = await articleIn(
    "posts.csv",
    "Name,Slug,Item ID,Draft,Post Body,Post Summary,Main Image,Tags,Published On\n" +
      '"Tea, hot",tea,a1,false,"<p>Boil ""water"".</p>",Short,https://cdn.example.org/h.png,green; hot,Tue Jan 02 2024 03:04:05 GMT+0000 (Coordinated Universal Time)\n',
  );
  assert.deepEqual(input, {
    title: "Tea, hot",
    content: '<p>Boil "water".</p>',
    status: "published",
    slug: "tea",
    excerpt: "Short",
    platformPostId: "a1",
    featuredImageUrl: "https://cdn.example.org/h.png",
    tags: ["green", "hot"],
    createdAt: at("2024-01-02T03:04:05Z"),
    updatedAt: at("2024-01-02T03:04:05Z"),
    publishedAt: at("2024-01-02T03:04:05Z"),
  });
});

test("drafts are pending, a row without text fails by its number, and other tables say what they lack", async () => {
  const items = await importFile("a.csv", "Title,Content,Status\nOne,**Text**,draft\nTwo,,published\n");
  assert.deepEqual(
    items.map((item) => (item.kind === "draft" ? [item.ref, item.input.markdown, item.input.status] : item.reason)),
    [["csv:a.csv:One", "**Text**", "pending"], "The row has no text."],
  );
  assert.deepEqual(reasons(items), ["failed a.csv, row 2: The row has no text."]);
  await assert.rejects(
    importFile("a.csv", "sku,price\n1,2\n"),
    /a\.csv: It is a table \(CSV\) without a column for the title/,
  );
  await assert.rejects(importFile("a.csv", ""), /a\.csv: It is a table/);
  await assert.rejects(
    importFile("posts.csv", "post_id,title,email_sent_at\n1.a,A,\n"),
    /Substack export.*whole \.zip/,
  );
});
