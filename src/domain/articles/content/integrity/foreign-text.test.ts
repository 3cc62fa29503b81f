import assert from "node:assert/strict";
import { test } from "node:test";
import { detectLanguage } from "../../../../content-processes/language.ts";
import { findForeignText } from "./foreign-text.ts";
import { foundBy } from "./integrity-test-helpers.ts";

const ENGLISH = [
  "Hard water leaves a white crust on the heating element of every kettle, and it makes the kettle slower and louder.",
  "A heaped tablespoon of citric acid is enough for one litre of water, while vinegar leaves its smell in the kitchen.",
  "Pour the water away, wipe the walls with a soft cloth, and boil fresh water twice before you make any tea again.",
];
const GERMAN = [
  "Hartes Wasser hinterlässt auf dem Heizelement eine weiße Kruste, und sie macht den Kocher mit der Zeit langsamer und lauter.",
  "Ein gehäufter Esslöffel Zitronensäure reicht für einen Liter Wasser, doch Essig riecht einen ganzen Nachmittag in der Küche.",
];

function found(paragraphs: readonly string[], language: string | null = null): string[] {
  const detectedLanguage = detectLanguage(paragraphs.join("\n"));
  const all = foundBy(findForeignText, paragraphs.join("\n\n"), { language, detectedLanguage, detectLanguage });
  return all.map((each) => each.split(" ", 3).join(" "));
}

test("paragraphs in another language are found, and block from 15 % of the words", () => {
  assert.deepEqual(found(ENGLISH), []);
  assert.deepEqual(found([...ENGLISH, ...GERMAN]), ["mixed_language block: Hartes", "mixed_language block: Ein"]);
  const long = Array.from({ length: 8 }, (_, number) => ENGLISH.map((text) => `${text} That was ${number}.`)).flat();
  assert.deepEqual(found([...long, ...GERMAN]), ["mixed_language warn: Hartes", "mixed_language warn: Ein"]);
});

test("quotations, code and a list of names may be in any language", () => {
  assert.deepEqual(found([...ENGLISH, ...GERMAN.map((text) => `> ${text}`)]), []);
  assert.deepEqual(found([...ENGLISH, ...GERMAN.map((text) => `\`${text}\``)]), []);
  const names =
    "Łukasz Kowalski, José García, Ana María López, Juan Pérez, Carlos Sánchez, Pedro González, Luis Martínez, Elena Gómez, Pablo Ruiz, Marta Díaz";
  assert.deepEqual(found([...ENGLISH, `${names}, ${names}`]), []);
});

test("the declared language is that of the text, as far as the detector knows both", () => {
  const text = [...GERMAN, GERMAN.join(" ")];
  assert.deepEqual(found(text, "en"), ["wrong_language block: Hartes"]);
  for (const language of [null, "de", "de-AT", "la"]) assert.deepEqual(found(text, language), []);
});

test("a related language only warns", () => {
  const spanish =
    "El agua dura deja una costra blanca en la resistencia del hervidor, y hace que el aparato sea más lento y más ruidoso cada año.";
  assert.deepEqual(found([spanish, spanish, spanish], "pt"), ["wrong_language warn: El"]);
});
