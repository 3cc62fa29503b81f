import { expect, test } from "vitest";
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import { fixField, fixSource } from "./fix.ts";

function fix(given: Partial<Finding>, source: string, visible: string, passage: string, no = 0): string | null {
  const text = visible.replaceAll(/\s+/g, "");
  const words = passage.replaceAll(/\s+/g, "");
  let start = text.indexOf(words);
  for (let left = no; left > 0; left--) start = text.indexOf(words, start + 1);
  return fixSource(finding(given), { source, format: "markdown", text, start, end: start + words.length });
}

const finding = (given: Partial<Finding>): Finding => ({
  kind: "chat_opener",
  severity: "block",
  field: "text",
  block: 0,
  start: 0,
  end: 1,
  quote: "",
  message: "",
  ...given,
});

test("a sentence is deleted with its space, a paragraph with its empty lines", () => {
  const source = "Sure, here it is: Tea is\nold. It is hot.\n\nHope this\nhelps!\n\nEnd.";
  const visible = "Sure, here it is: Tea is old. It is hot. Hope this helps! End.";
  expect(fix({ fix: "delete" }, source, visible, "Sure, here it is:")).toBe(
    "Tea is\nold. It is hot.\n\nHope this\nhelps!\n\nEnd.",
  );
  expect(fix({ fix: "delete" }, source, visible, "Tea is old.")).toBe(
    "Sure, here it is: It is hot.\n\nHope this\nhelps!\n\nEnd.",
  );
  expect(fix({ fix: "delete" }, source, visible, "Hope this helps!")).toBe(
    "Sure, here it is: Tea is\nold. It is hot.\n\nEnd.",
  );
});

test("the copy is removed and the original stays; words that the source has elsewhere are left", () => {
  expect(fix({ fix: "remove_copy" }, "Same.\n\nOther.\n\nSame.", "Same. Other. Same.", "Same.", 1)).toBe(
    "Same.\n\nOther.",
  );
  expect(fix({ fix: "delete" }, "[a](Same.) Same.", "a Same.", "Same.")).toBe(null);
  expect(fix({ fix: "delete" }, "A **bold** word.", "A bold word.", "A bold word.")).toBe(null);
});

test("characters are decoded", () => {
  expect(fix({ fix: "decode", kind: "mojibake" }, "Itâ€™s cafÃ© time", "Itâ€™s cafÃ© time", "â€™s cafÃ©")).toBe(
    "It’s café time",
  );
  const escaped = { fix: "decode", kind: "escaped_characters" } as const;
  expect(fix(escaped, "A&amp;nbsp;B \\&quot; &amp;amp;ndash;", "A&nbsp;B", "&nbsp;")).toBe("A&nbsp;B &quot; &ndash;");
  expect(fix(escaped, "`a` A&amp;nbsp;B", "aA&nbsp;B", "&nbsp;")).toBe(null);
  expect(fixField(finding(escaped), "Tea &amp;amp; milk&#8217;s &word;")).toBe("Tea & milk’s &word;");
});

test("a fence around the article is taken away, and the parameter that names a tool", () => {
  expect(fix({ fix: "unwrap" }, "```markdown\n# Tea\n\nText\n```\n", "# Tea Text", "# Tea")).toBe("# Tea\n\nText");
  expect(fix({ fix: "unwrap" }, "```\na\n```\n\nText", "a Text", "a")).toBe(null);
  const links = "[a](https://a.org/?utm_source=chatgpt.com) [b](https://b.org/?x=1&utm_source=openai&y=2)";
  expect(fix({ fix: "strip_parameter" }, links, "a b", "a")).toBe("[a](https://a.org/) [b](https://b.org/?x=1&y=2)");
});

test("what needs a writer is not fixed", () => {
  expect(fix({}, "[Your name]", "[Your name]", "[Your name]")).toBe(null);
});
