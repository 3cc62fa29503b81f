import assert from "node:assert/strict";
import { test } from "node:test";
import { SpokenWords } from "./spoken-words.ts";
import { SYLLABLES } from "./spoken-words.ts";
import { words } from "./words.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";

test("syllables are those of each word by itself, also when more words are known than are remembered", () => {
  const count = SYLLABLES["de"];
  assert.ok(count !== undefined);
  const letters = fc.constantFrom(...Array.from("aeiöuyrtTß1.,' -\n"), "漢", "ein", "Haus ");
  const check = (text: string) => {
    const spoken = new SpokenWords("de");
    const all = words(text);
    assert.equal(spoken.add(text), all.length);
    const pronounced = all.filter((word) => !/[0-9]/.test(word));
    const syllables = pronounced.reduce((sum, word) => sum + count(word.toLowerCase()), 0);
    assert.deepEqual([spoken.words, spoken.pronounced, spoken.syllables], [all.length, pronounced.length, syllables]);
  };
  fc.assert(fc.property(fc.string({ unit: letters, maxLength: 300 }), check), { numRuns: cases(2_000) });
  const names = Array.from(
    { length: 25_000 },
    (_, number) => `wort${number.toString(2).replaceAll("0", "a").replaceAll("1", "ö")}`,
  );
  assert.ok(new Set(names).size > 20_000);
  check(names.join(" "));
  check(names.toReversed().join(" "));
  check("e".repeat(100));
});
