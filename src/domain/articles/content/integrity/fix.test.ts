import assert from "node:assert/strict";
import { test } from "node:test";
import type { FindingKind } from "../../findings.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import { fixSource } from "./fix.ts";
import { findProblems } from "./find-problems.ts";
import { materialOf } from "./integrity-test-helpers.ts";

const REST = "Hard water leaves a crust on the kettle.\n\nCitric acid dissolves it within twenty minutes.";

/** The source after the fix of the first finding of this kind. */
function fixed(kind: FindingKind, content: string, format: "markdown" | "html" = "markdown"): string | null {
  const material = format === "html" ? materialOf("", { html: content }) : materialOf(content);
  const finding = findProblems(material).findings.find((one) => one.kind === kind && one.fix !== undefined);
  assert.ok(finding, `there is a ${kind} with a fix`);
  return fixSource({ format, content, blocks: material.blocks.map(({ text }) => text) }, finding);
}

test("the sentence of a chatbot goes, and the paragraph that held nothing else", () => {
  assert.equal(fixed("chat_opener", `Sure! Here's your article:\n\n${REST}`), `${REST}`);
  assert.equal(fixed("chat_closer", `${REST} Would you like me to add *more*?`), null);
  assert.equal(fixed("chat_closer", `${REST} Would you like me to add more?`)?.trim(), REST);
  const html = "<p>Hard water leaves a crust.</p><p>Would you like me to add more?</p><p>It is chalk.</p>";
  assert.equal(fixed("chat_closer", html, "html"), "<p>Hard water leaves a crust.</p><p>It is chalk.</p>");
});

test("a mark goes from the place where it is, not from another that looks the same", () => {
  const marked = `The mark 【1†source】 is \`【1†source】\` in code.\n\n${REST}`;
  assert.equal(fixed("tool_marker", marked), `The mark is \`【1†source】\` in code.\n\n${REST}`);
});

const link = (query: string) => `See [the source](https://a.example/b${query}).\n\n${REST}`;

test("addresses lose the parameter that names an AI tool, and keep the others", () => {
  assert.equal(fixed("tool_tracking_link", link("?utm_source=chatgpt.com")), link(""));
  assert.equal(fixed("tool_tracking_link", link("?utm_source=chatgpt.com&x=1")), link("?x=1"));
  assert.equal(fixed("tool_tracking_link", link("?x=1&utm_source=openai#y")), link("?x=1#y"));
});

test("an article in a code block is unwrapped, unless there are more code blocks", () => {
  const article = `# Kettles\n\n${REST} ${"It takes water, time and a spoon of acid. ".repeat(6).trim()}`;
  assert.equal(fixed("fenced_article", `\`\`\`markdown\n${article}\n\`\`\`\n`), article);
  assert.equal(fixed("fenced_article", `\`\`\`markdown\n${article}\n\`\`\`\n\n\`\`\`\nb\n\`\`\`\n`), null);
});

test("damaged characters and codes become the characters that were meant", () => {
  assert.equal(fixed("mojibake", `WeiÃŸe Kruste und GerÃ¤t.\n\n${REST}`), `Weiße Kruste und Gerät.\n\n${REST}`);
  assert.equal(fixed("escaped_characters", `Tea &amp;mdash; hot.\n\n${REST}`), `Tea — hot.\n\n${REST}`);
  assert.equal(fixed("escaped_characters", `Tea &amp;lt; hot.\n\n${REST}`), null);
});

test("a repeated paragraph goes, and the first one stays", () => {
  const [one = "", two = ""] = ["first", "second"].map(
    (word) => `${"This long paragraph repeats itself again ".repeat(3)}in the ${word} half of the article.`,
  );
  const content = `${one}\n\n${two}\n\n${one}\n\nThe end is here.`;
  assert.equal(fixed("repeated_paragraph", content), `${one}\n\n${two}\n\nThe end is here.`);
  assert.ok(renderMarkdown(content).html.includes(one));
});
