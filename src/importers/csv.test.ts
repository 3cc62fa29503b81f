import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "./csv.ts";

test("cells may be empty, quoted, and hold commas, quotes and line ends", () => {
  const cases: [string, Record<string, string>[]][] = [
    [
      "a,b\n1,2\n3,4",
      [
        { a: "1", b: "2" },
        { a: "3", b: "4" },
      ],
    ],
    ["\uFEFFa,b\r\n1,2\r\n", [{ a: "1", b: "2" }]],
    ['a,b\n"x, ""y""\nz",\n', [{ a: 'x, "y"\nz', b: "" }]],
    [
      "a,b\n,\n\n1",
      [
        { a: "", b: "" },
        { a: "1", b: "" },
      ],
    ],
    ['a\n"never closed, 1\n2', [{ a: "never closed, 1\n2" }]],
    ["a,b\n1,", [{ a: "1", b: "" }]],
    ["", []],
  ];
  for (const [text, rows] of cases) assert.deepEqual(parseCsv(text), rows, text);
});

test("a large table is read in a moment, and one without end refused", () => {
  assert.equal(parseCsv(`a,b\n${'"x""",y\n'.repeat(50_000)}`).length, 50_000);
  assert.throws(() => parseCsv(",".repeat(2_000_001)), /more than 2,000,000 cells/);
});
