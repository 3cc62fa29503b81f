import assert from "node:assert/strict";
import { test } from "node:test";
import { importAll, importFile, testFolder } from "./import-test-helpers.ts";

async function stateIn(name: string, text: string): Promise<[string | undefined, string | undefined]> {
  const [item, ...others] = await importFile(name, text);
  assert.ok(item?.kind === "draft" && others.length === 0, JSON.stringify(item));
  return [item.input.status, item.hidden];
}

const article = (front: string): string => `---\ntitle: One\ndate: 2020-01-01\n${front}\n---\nText.\n`;

test("what its site hides is pending, with the reason", async () => {
  const cases: [string, string][] = [
    ["draft: true", "It is a draft on its site (draft)."],
    ["draft: 1", "It is a draft on its site (draft)."],
    ["isDraft: true", "It is a draft on its site (is_draft)."],
    ["published: false", "It is a draft on its site (published)."],
    ["publish: false", "It is a draft on its site (publish)."],
    ["dg-publish: false", "It is a draft on its site (dg_publish)."],
    ["status: draft", "It is a draft on its site (status: draft)."],
    ["status: In review", "It is a draft on its site (status: in_review)."],
    ["password: geheim", "It is not open to everybody on its site (password)."],
    ["password: 0815", "It is not open to everybody on its site (password)."],
    ["private: true", "It is not open to everybody on its site (private)."],
    ["visibility: members", "It is not open to everybody on its site (visibility: members)."],
    ["params:\n  private: true", "It is not open to everybody on its site (private)."],
    ["encrypt: yes", "It is not open to everybody on its site (encrypt)."],
    ["unlisted: true", "Its site does not list it (unlisted)."],
    ["hidden: true", "Its site does not list it (hidden)."],
    ["status: hidden", "Its site does not list it (status: hidden)."],
    ["listed: false", "Its site does not list it (listed)."],
    ["permalink: false", "Its site does not list it (permalink)."],
    ["eleventyExcludeFromCollections: true", "Its site does not list it (eleventy_exclude_from_collections)."],
    ["build:\n  list: never", "Its site does not list it (build.list)."],
    ["_build:\n  render: false", "Its site does not list it (build.render)."],
    ["expiryDate: 2021-01-01", "It has expired on its site (expiry_date)."],
    ["expires: 2021-01-01", "It has expired on its site (expires)."],
    ["expires: next year", "It has expired on its site (expires)."],
    ["publishDate: 2027-01-01", "It is dated in the future (2027-01-01T00:00:00.000Z)."],
  ];
  for (const [front, reason] of cases) {
    assert.deepEqual(await stateIn("a.md", article(front)), ["pending", reason], front);
    assert.deepEqual(await stateIn("a.html", article(front)), ["pending", reason], front);
  }
  const toml = '+++\ntitle = "One"\ndate = 2020-01-01\nexpiryDate = 2021-01-01\n+++\nText.\n';
  assert.deepEqual(await stateIn("a.md", toml), ["pending", "It has expired on its site (expiry_date)."]);
});

test("what its site shows is published", async () => {
  for (const front of [
    "draft: false",
    "password: ''",
    "password: false",
    "private: false",
    "visibility: public",
    "state: Texas",
    "status: evergreen",
    "hide: [toc]",
    "expiryDate: 2030-01-01",
    "expiryDate: 0001-01-01T00:00:00Z",
    "permalink: /one/",
    "build:\n  list: always",
  ]) {
    assert.deepEqual(await stateIn("a.md", article(front)), ["published", undefined], front);
  }
});

function json(more: object): string {
  const article = { title: "One", content: "<p>Text.</p>", status: "published", published_at: "2020-01-01" };
  return JSON.stringify({ ...article, ...more });
}

test("JSON of another program says what it hides, too; our own has its own states", async () => {
  assert.deepEqual(await stateIn("a.json", json({})), ["published", undefined]);
  for (const name of ["a.json", "a.ndjson"]) {
    assert.deepEqual(await stateIn(name, json({ unlisted: true })), [
      "pending",
      "Its site does not list it (unlisted).",
    ]);
  }
  assert.deepEqual(await stateIn("a.json", json({ status: "pending" })), ["pending", undefined]);
});

test("what a section of Hugo hides by its cascade is pending; what is nearer to the article wins", async () => {
  await using folder = await testFolder({
    "blog/_index.md": "---\ntitle: Blog\ndraft: true\n---\n",
    "blog/open.md": article(""),
    "notes/_index.md": "+++\n[cascade]\ndraft = true\ntags = ['note']\n[cascade.build]\nlist = 'never'\n+++\n",
    "notes/hidden.md": article(""),
    "notes/shown.md": article("draft: false\nbuild: {list: always}"),
    "notes/deep/_index.de.md":
      "---\ncascade:\n- target: {path: /notes/deep/a*}\n  draft: false\n  build: {}\n- target: {kind: section}\n  private: true\n---\n",
    "notes/deep/a.md": article("tags: [own]"),
    "notes/deep/b.md": article(""),
    "notes/deep/index/index.md": article(""),
    "broken/_index.md": "---\ncascade: [\n---\n",
    "broken/one.md": article(""),
  });
  const found = (await importAll(folder.path)).flatMap((item) =>
    item.kind === "draft" ? [[item.source, item.hidden ?? "", (item.input.tags ?? []).join()]] : [],
  );
  assert.deepEqual(found, [
    ["blog/open.md", "", ""],
    ["broken/one.md", "", ""],
    ["notes/deep/a.md", "", "own"],
    ["notes/deep/b.md", "It is a draft on its site (draft).", "note"],
    ["notes/deep/index/index.md", "It is a draft on its site (draft).", "note"],
    ["notes/hidden.md", "It is a draft on its site (draft).", "note"],
    ["notes/shown.md", "", "note"],
  ]);
});
