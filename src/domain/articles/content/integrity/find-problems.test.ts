import assert from "node:assert/strict";
import { test } from "node:test";
import { cases, fc } from "../../../../../test/helpers/properties.ts";
import { detectLanguage } from "../../../../content-processes/language.ts";
import { MAX_PER_KIND, MAX_QUOTE } from "../../findings.ts";
import { findProblems } from "./find-problems.ts";
import { materialOf } from "./integrity-test-helpers.ts";

const SENTENCE = "Hard water leaves a white crust on the heating element of every kettle in the house.";
/** What rules look for, next to each other as nobody would write it. */
const PIECES = [
  "## Use\n\n",
  "\n\n",
  "- ",
  "> ",
  "`",
  "```\n",
  "[",
  "](#)",
  "[1]",
  "[^1]",
  "{{ x }}",
  "<p>",
  "</p>",
  "&amp;nbsp;",
  "As an AI language model, I",
  "I hope this helps!",
  "Lorem ipsum dolor sit amet",
  "[Insert name]",
  "TODO",
  "asdf",
  SENTENCE,
  `${SENTENCE}\n\n`,
  "very good and ",
  "best kettle descaler ",
  "“",
  "”",
  '"',
  "https://example.com/",
  "…",
  "Hartes Wasser hinterlässt auf dem Heizelement eine weiße Kruste.",
  "水壶的硬水垢很难清除。",
  "\u200b",
  "Ã©",
  "\ud83d\ude00",
  "\ud83d",
];

test("any text gives findings whose places are in it", () => {
  const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 5 }));
  const anyText = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(anyText, anyText, fc.boolean(), (text, title, isMachineWritten) => {
      const given = { title, metaDescription: title, language: "de", isMachineWritten, detectLanguage };
      for (const form of [{}, { html: text }]) {
        const material = materialOf(text, { ...given, ...form, detectedLanguage: detectLanguage(text) });
        const { findings } = findProblems(material);
        for (const { field, block, start, end, quote } of findings) {
          const whole = field === "text" ? (material.blocks[block ?? -1]?.text ?? "") : title;
          assert.ok(start >= 0 && start <= end && end <= whole.length, `${start} to ${end} of ${whole.length}`);
          assert.ok(quote.length <= MAX_QUOTE);
        }
        const counts = Map.groupBy(findings, ({ kind }) => kind);
        for (const [kind, all] of counts) assert.ok(all.length <= MAX_PER_KIND, kind);
      }
    }),
    { numRuns: cases(1000) },
  );
});
