/** Formulas are where the renderer finds them, and their signs are text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formulaAt as renderedFormulaAt } from "../../../src/domain/articles/content/markdown/formulas.ts";
import { formulaAt } from "../../src/features/review/editor/document/formulas.ts";
import { toTree } from "../../src/features/review/editor/document/markdown-parse.ts";
import { randomNumbers } from "../../../bench/statistics.ts";

test("a formula begins and ends where the renderer's does", () => {
  const next = randomNumbers(7);
  const signs = [
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\",
    "`",
    " ",
    "\n",
    "a",
    "word word",
    "1",
    "*",
    "_",
    "{",
    "<b>",
    "](",
    "\\$",
  ];
  for (let no = 0; no < 20_000; no++) {
    const parts = Array.from({ length: 8 }, () => signs[Math.floor(next() * signs.length)]);
    const text = (no % 2 === 0 ? "$" : "\\(") + parts.join("");
    assert.equal(formulaAt(text), renderedFormulaAt(text), JSON.stringify(text));
  }
  for (const length of [1_996, 1_997, 1_998, 1_999, 2_000]) {
    for (const text of [`$${"a".repeat(length)}$`, `$$${"a".repeat(length)}$$`, `\\(${"a".repeat(length)}\\)`]) {
      assert.equal(formulaAt(text), renderedFormulaAt(text), `${text.slice(0, 2)} ${length}`);
    }
  }
});

test("its signs are text", () => {
  for (const text of ["a $a*b*c$ d", "$$a_b_\n  c$$", "so \\(\\{a_1*b*c\\}\\).", "**$a**b$**", "($x$), [$y*z*$](u)"]) {
    const kinds: string[] = [];
    const visit = (node: { type: string; value?: string; children?: unknown[] }) => {
      kinds.push(node.value === undefined ? node.type : `${node.type} ${node.value}`);
      for (const child of node.children ?? []) visit(child as typeof node);
    };
    visit(toTree(text));
    assert.ok(!kinds.includes("emphasis"), `${text}: ${kinds.join(", ")}`);
  }
  assert.match(JSON.stringify(toTree("$5 and *i*, 10 $")), /"emphasis"/);
  assert.match(JSON.stringify(toTree("5$a*b*c$")), /"emphasis"/);
});
