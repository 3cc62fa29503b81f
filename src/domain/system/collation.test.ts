import assert from "node:assert/strict";
import { test } from "node:test";
import { sortKey } from "./collation.ts";

function sorted(words: readonly string[], language: string | null): string[] {
  return words.toSorted((one, other) => Buffer.compare(...keysOf(one, other)));
  function keysOf(one: string, other: string): [Buffer, Buffer] {
    return [Buffer.from(sortKey(one, language)), Buffer.from(sortKey(other, language))];
  }
}

test("titles are in the order that readers of their language expect", () => {
  const words: [language: string | null, expected: string[]][] = [
    [null, ["Arm", "Ärztin", "Azur", "Eclair", "Édition", "Ethik", "Stra", "Straße", "Strauß", "Zebra"]],
    ["de-AT", ["Öl", "Ölung", "Olymp", "Tür", "Über", "Ufer"]],
    ["fr", ["cœur", "côté", "coteau", "été", "étude", "euro"]],
    ["sv", ["Arm", "Zebra", "Åka", "Ärlig", "Öl"]],
    ["da", ["Arm", "Zebra", "Ærlig", "Øl", "Åben"]],
    ["es", ["nube", "ñandú", "oso"]],
    ["pl", ["lato", "łapa", "mapa"]],
    ["ru", ["ёж", "ель", "жук", "игра", "йод", "як"]],
    ["el", ["άλφα", "βήτα", "ένα"]],
    ["cs", ["cena", "čas", "dům"]],
    ["tlh", ["1", "a", "Z", "東京"]],
  ];
  for (const [language, expected] of words) {
    assert.deepEqual(sorted(expected.toReversed(), language), expected, language ?? "none");
  }
});

test("the key of an English title is the title in lower case", () => {
  assert.equal(sortKey("10 Cups of Tea", "en"), "10 cups of tea");
  assert.equal(sortKey("Cafe\u0301", null), "cafe");
});
