import assert from "node:assert/strict";
import { test } from "node:test";
import { foundBy, materialOf } from "./integrity-test-helpers.ts";
import { findRepetition } from "./repetition.ts";
import { Report } from "./report.ts";

const CRUST =
  "Hard water leaves a white crust on the heating element of every kettle, and it makes the kettle slower and louder.";
const ACID =
  "A heaped tablespoon of citric acid is enough for one litre of water, while vinegar leaves its smell in the kitchen.";
const RINSE =
  "Pour the water away, wipe the walls with a soft cloth, and boil fresh water twice before you make any tea again.";

function severityOf(paragraphs: string[], isMachineWritten: boolean): string[] {
  const found = foundBy(findRepetition, paragraphs.join("\n\n"), { isMachineWritten });
  return found.map((each) => each.split(":", 1).join());
}

function step(which: string): string {
  return `For the ${which} kettle you simply fill it with water to the mark, add one spoon of citric acid, warm it gently, and wait twenty minutes before rinsing it twice.`;
}

test("a paragraph that stands further up is found at its copy, which can be removed", () => {
  const report = new Report();
  findRepetition(materialOf([CRUST, ACID, RINSE, CRUST].join("\n\n")), report);
  const [finding, ...others] = report.finish().findings;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [finding?.kind, finding?.severity, finding?.block, finding?.start, finding?.end, finding?.fix],
    ["repeated_paragraph", "warn", 3, 0, CRUST.length, "remove_copy"],
  );
});

test("repetition holds what a generator delivered from a quarter of the words, or from three copies and 15 %", () => {
  const other = Array.from(
    { length: 12 },
    (_, number) => `Section ${number} speaks of ${"abcdefghijkl"[number]}${number} and x${number}.`,
  );
  assert.deepEqual(severityOf([CRUST, ACID, CRUST], true), ["repeated_paragraph block"]);
  assert.deepEqual(severityOf([CRUST, ACID, CRUST], false), ["repeated_paragraph warn"]);
  assert.deepEqual(severityOf([CRUST, ACID, CRUST, ...other], true), ["repeated_paragraph warn"]);
});

test("short paragraphs and code may be repeated", () => {
  assert.deepEqual(foundBy(findRepetition, "See the notes.\n\nSee the notes.\n\nSee the notes."), []);
  const code = `\`\`\`\n${CRUST}\n\`\`\``;
  assert.deepEqual(foundBy(findRepetition, [code, ACID, code].join("\n\n")), []);
});

test("a sentence that stands there three times is found at its copies", () => {
  const care = "Remember that regular care keeps every kettle in good shape.";
  const quote = `repeated_sentence warn: ${care}`;
  assert.deepEqual(foundBy(findRepetition, [`${CRUST} ${care}`, `${ACID} ${care}`].join("\n\n")), []);
  assert.deepEqual(foundBy(findRepetition, [`${CRUST} ${care}`, `${ACID} ${care}`, `${care} ${RINSE}`].join("\n\n")), [
    quote,
    quote,
  ]);
});

test("paragraphs in which only a word is another one are nearly the same", () => {
  const found = foundBy(findRepetition, [step("first"), CRUST, step("second"), step("third")].join("\n\n"));
  assert.deepEqual(
    found.map((each) => each.slice(0, 60)),
    [
      "near_repeated_paragraph warn: For the second kettle you simp",
      "near_repeated_paragraph warn: For the third kettle you simpl",
    ],
  );
});
