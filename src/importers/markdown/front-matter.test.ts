import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../domain/system/errors.ts";
import { FrontMatterFields, splitFrontMatter } from "./front-matter.ts";

test("YAML, TOML and JSON front matter is split from the body", () => {
  for (const text of [
    "---\ntitle: One\n---\nBody\n",
    "---yaml\ntitle: One\n...\nBody\n",
    '+++\ntitle = "One"\n+++\nBody\n',
    '---toml\ntitle = "One"\n---\nBody\n',
    '{\n  "title": "One"\n}\nBody\n',
  ]) {
    assert.deepEqual({ ...splitFrontMatter(text) }, { data: { title: "One" }, body: "Body\n" }, text);
  }
});

test("a text without front matter is left whole, even if it begins with a rule", () => {
  for (const text of [
    "Body\n",
    "---\nNot a mapping\n---\nBody\n",
    "---\ntitle: never closed\n",
    "---\nNote: it is hot.\n\nBody\n",
    "---\ntitle: It is hot.\nAnd a line.\n\nBody\n",
    "----\n",
    "{% raw %}",
  ]) {
    assert.deepEqual(splitFrontMatter(text), { data: null, body: text });
  }
  assert.deepEqual(splitFrontMatter("---\n---\nBody").data, {});
});

test("front matter that is a program is left out, and this is told", () => {
  assert.deepEqual(splitFrontMatter("---js\n{ title: name() }\n---\nBody\n"), {
    data: {},
    body: "Body\n",
    guesses: ["---js (a program, which is not run)"],
  });
});

test("front matter without its last line ends before the first empty one, and this is told", () => {
  assert.deepEqual(splitFrontMatter("---\ntitle: One\ntags:\n- a\n  # b\n\nBody\n\nMore\n"), {
    data: { title: "One", tags: ["a"] },
    body: "Body\n\nMore\n",
    guesses: ["--- (its end is missing)"],
  });
});

test("versions and numbers with zeros keep their spelling, and dates stay text", () => {
  const yaml = splitFrontMatter("---\ntitle: 1.10\nweight: 3\ncode: 007\ndate: 2021-02-15\n---\n").data;
  assert.deepEqual(yaml, { title: "1.10", weight: 3, code: "007", date: "2021-02-15" });
  const toml = splitFrontMatter("+++\ndate = 2021-02-15\nat = 2021-02-15T10:00:00Z\n+++\n").data;
  assert.deepEqual(toml, { date: "2021-02-15", at: "2021-02-15T10:00:00.000Z" });
});

test("broken front matter is refused with its line, and does not crash", () => {
  const cases: [string, RegExp][] = [
    ["---\ntitle: One\ntags: {a: [}\n---\nBody", /not valid YAML: .*\(line \d+\)/],
    ["+++\ntitle = One\n+++\n", /not valid TOML/],
    ['{\n "title": One\n}\n', /not valid JSON/],
    [`---\na: ${"[".repeat(50_000)}\n---\n`, /not valid YAML/],
    [`+++\na = ${"[".repeat(50_000)}\n+++\n`, /not valid TOML/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => splitFrontMatter(text),
      (error) => error instanceof AppError && message.test(error.message),
    );
  }
});

test("YAML that would take a parser too long is refused by its tokens alone", () => {
  const cases: [string, RegExp][] = [
    ["? ".repeat(50_000), /nested too deeply/],
    ["- ".repeat(50_000), /nested too deeply/],
    ["{".repeat(50_000) + "}".repeat(50_000), /nested too deeply/],
    [`a: &a b\n${"c: *a\n".repeat(101)}`, /more than 100 aliases/],
    ["- &a b\n".repeat(1_001), /more than 1000 anchors/],
    [`a: ${"b".repeat(200_000)}`, /longer than 200,000 characters; move the text below it/],
  ];
  for (const [yaml, message] of cases) assert.throws(() => splitFrontMatter(`---\n${yaml}\n---\n`), message);
  const text = "  *not* &an *alias*\n  - - - - [[ {{\n".repeat(200);
  const { data } = splitFrontMatter(`---\ntext: |\n${text}plain: a *b* &c\nquoted: "*d"\n---\n`);
  assert.deepEqual([data?.["plain"], data?.["quoted"]], ["a *b* &c", "*d"]);
});

test("the end of an unclosed fence is searched for only once", () => {
  for (const text of [`---${"\t".repeat(200_000)}x`, `{${"\n".repeat(200_000)}`, `---\n${"--- x\n".repeat(40_000)}`]) {
    assert.deepEqual(splitFrontMatter(text), { data: null, body: text });
  }
});

test("aliases that would fill the memory are refused", () => {
  const levels = Array.from({ length: 12 }, (_none, level) =>
    level === 0
      ? "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"
      : `a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ")}]`,
  );
  assert.throws(() => splitFrontMatter(`---\n${levels.join("\n")}\n---\nBody`), /not valid YAML/);
});

test("a field is found in any spelling of its name, and under extra and params after the others", () => {
  const fields = new FrontMatterFields({
    pubDate: "1",
    Featured_Image: "",
    extra: { image: "2", pubDate: "3" },
    params: { cover: "4" },
  });
  assert.equal(fields.get("pub_date"), "1");
  assert.equal(fields.get("featured_image", "image"), "2");
  assert.equal(fields.get("cover"), "4");
  assert.equal(fields.get("absent"), undefined);
});
