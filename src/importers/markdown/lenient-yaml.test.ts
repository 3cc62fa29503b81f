import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, importFile } from "../import-test-helpers.ts";
import { splitFrontMatter } from "./front-matter.ts";

test("front matter that is not YAML to the letter is read as it is meant, with a guess", () => {
  const cases: [string, Record<string, unknown>][] = [
    ["title: One: two\ntags: [a, b]", { title: "One: two", tags: ["a", "b"] }],
    ["title: 'It's one'\ndate: 2020-01-02", { title: "It's one", date: "2020-01-02" }],
    ['title: "He said "hi" to \\"us\\""', { title: 'He said "hi" to "us"' }],
    [
      "description: One that\ngoes on at http://x.example\ntags: a",
      { description: "One that goes on at http://x.example", tags: "a" },
    ],
    ["title: A\ntags: [a, b\ndate: 2020-01-02", { title: "A", tags: ["a", "b"], date: "2020-01-02" }],
    ["tags:\n\t- a\n\t- b: c: d", { tags: ["a", { b: "c: d" }] }],
    ["title: @me\nsubtitle: *bold* text", { title: "@me", subtitle: "*bold* text" }],
    ["title: {{ x }} y", { title: "{{ x }} y" }],
    ["title: a: b\ntext: |\n  c: d: e\n  f", { title: "a: b", text: "c: d: e\nf\n" }],
    ['title: "One\ntags: [a', { title: "One", tags: ["a"] }],
    ["seo:\n  title: a: b\n  x: [a,\n    b]\nz: 1", { seo: { title: "a: b", x: ["a", "b"] }, z: 1 }],
  ];
  for (const [yaml, right] of cases) {
    const { data, guesses } = splitFrontMatter(`---\n${yaml}\n---\n`);
    assert.deepEqual(data, right, yaml);
    assert.equal(guesses?.length, 1, yaml);
  }
});

test("of a key that is given twice the last value counts, with a guess", () => {
  const { data, guesses } = splitFrontMatter("---\ntitle: A\ntitle: B\n---\n");
  assert.deepEqual([data, guesses], [{ title: "B" }, ["title: (given twice)"]]);
  assert.equal(splitFrontMatter("---\ntitle: A\n---\n").guesses, undefined);
});

async function warningsOf(front: string): Promise<unknown> {
  const [item] = await importFile("a.md", `---\n${front}\n---\nText.\n`);
  return item?.kind === "draft" ? item.warnings : item;
}

test("guesses are reported with the article, and so are tags that were split at commas", async () => {
  assert.deepEqual(await warningsOf("title: One: two"), [{ kind: "metadata_guessed", detail: "title: One: two" }]);
  assert.deepEqual(await warningsOf('title: One\ntags: ["a, b", c]'), [
    { kind: "metadata_guessed", detail: "tags: a, b" },
  ]);
  assert.equal(await warningsOf("title: One\ntags: a, b"), undefined);
  assert.deepEqual((await articleIn("a.md", '---\ntitle: One\ntags: ["a, b", c]\n---\nText.\n')).tags, ["a", "b", "c"]);
});
