import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { parse } from "yaml";
import { cases, fc } from "../../../test/helpers/properties.ts";
import { frontMatter } from "./front-matter.ts";

const HARD = [
  ..."yes No on OFF y N ~ null NULL true False 1.10 007 0x1F 0o17 0b1 12:30 22:05:10 2024-01-01 1e3 .5 .inf .NaN = << 1_000 08".split(
    " ",
  ),
  ..."!tag &anchor *alias @at `tick` [x] {y} %pct |pipe >gt it's trailing: #x --- ... {{x}} {{<x>}} {%x%} {#x#}".split(
    " ",
  ),
  "- dash",
  "? q",
  "a: b",
  "a #b",
  "a ",
  " a",
  "",
  " ",
  "a\nb",
  "a\tb",
  '"',
  "\\",
  "“q”",
  "東京",
  "👩‍👩‍👧",
  "a\u2028b\u0085\u009F\uFEFF\uFFFE\u007F",
  "a, b",
  "a - b",
];

const anyText = fc.oneof(
  fc.constantFrom(...HARD),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
  fc.tuple(fc.constantFrom(...HARD), fc.constantFrom(...HARD)).map((two) => two.join(" ")),
);

function inside(text: string): string {
  return text.replace(/^---\n/, "").replace(/---\n$/, "");
}

test("every text is itself to readers of YAML 1.1 and 1.2", () => {
  const property = fc.property(anyText, fc.array(anyText, { minLength: 1 }), (title, tags) => {
    const text = frontMatter({ title, tags });
    for (const version of ["1.1", "1.2"] as const) {
      assert.deepEqual(parse(inside(text), { version }), { title, tags });
    }
    assert.doesNotMatch(text, /\{[{%#]/);
  });
  fc.assert(property, { numRuns: cases(5_000) });
  for (const title of HARD)
    assert.equal((parse(inside(frontMatter({ title })), { version: "1.1" }) as { title: string }).title, title);
});

test("Python's reader of YAML 1.1 reads every text, too", (t) => {
  const script = "import json,sys,yaml\nprint(json.dumps([yaml.safe_load(x) for x in json.load(sys.stdin)]))";
  if (spawnSync("python3", ["-c", "import yaml"]).status !== 0) {
    t.skip("there is no python3-yaml");
    return;
  }
  const values = [...HARD, ...fc.sample(anyText, cases(5_000))].map((title) => ({ title, tags: [title, "a"] }));
  const input = JSON.stringify(values.map((fields) => inside(frontMatter(fields))));
  const { stdout, stderr } = spawnSync("python3", ["-c", script], { input, encoding: "utf8", maxBuffer: 1e8 });
  assert.equal(stderr, "");
  assert.deepEqual(JSON.parse(stdout), values);
});

test("times and ordinary texts need no quotation marks, and what is missing is left out", () => {
  const fields = { title: "Water for Tea", date: "2026-11-21T08:34:42.125Z", slug: "2024", tags: [], image: null };
  assert.equal(frontMatter(fields), '---\ntitle: Water for Tea\ndate: 2026-11-21T08:34:42.125Z\nslug: "2024"\n---\n');
  assert.equal(frontMatter({ date: "2026-11-21\nx: 1" }), '---\ndate: "2026-11-21\\nx: 1"\n---\n');
});
