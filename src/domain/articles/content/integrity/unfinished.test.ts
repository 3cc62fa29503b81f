import assert from "node:assert/strict";
import { test } from "node:test";
import { foundBy } from "./integrity-test-helpers.ts";
import {
  findCutOff,
  findDummyText,
  findEmptySections,
  findGaps,
  findGibberish,
  findMissingText,
  findNotes,
  findUnclosedCode,
} from "./unfinished.ts";

const SENTENCE = "Hard water leaves a white crust on the kettle, and citric acid dissolves it. ";

test("gaps to fill in are found in all languages; a word in brackets is none", () => {
  const gaps = ["[Insert company name]", "[your phone number]", "[City]", "INSERT_IMAGE_2", "{company_name}"];
  for (const gap of [...gaps, "[Firmenname einfügen]", "[Nom de l'entreprise]", "[nombre de la empresa]"]) {
    assert.deepEqual(foundBy(findGaps, `We at ${gap} sell kettles.`), [`placeholder block: ${gap}`], gap);
  }
  for (const none of ["[the water] must be soft", "see [source]", "[your guide](https://a.example)", "`[your name]`"]) {
    assert.deepEqual(foundBy(findGaps, `It says ${none} here.`), [], none);
  }
  assert.deepEqual(foundBy(findGaps, "“Dear [your name]” is how it begins."), ["placeholder warn: [your name]"]);
  assert.deepEqual(foundBy(findGaps, "A kettle.", { title: "Kettles from [Company name]" }), [
    "placeholder block: [Company name]",
  ]);
});

test("notes to the writer warn", () => {
  assert.deepEqual(foundBy(findNotes, "TODO: check how long."), ["todo warn: TODO:"]);
  assert.deepEqual(foundBy(findNotes, "The TODO list is long. `TODO:` marks one."), []);
});

test("dummy text blocks, and its name warns", () => {
  assert.match(foundBy(findDummyText, "Lorem ipsum dolor sit amet, consectetur.").join(), /^lorem_ipsum block/);
  assert.match(foundBy(findDummyText, "Designers use lorem ipsum for it.").join(), /^lorem_ipsum warn/);
  assert.deepEqual(foundBy(findDummyText, "A kettle boils."), []);
});

test("keys pressed at random are found", () => {
  assert.match(foundBy(findGibberish, "asdf jkl asdfasdf qwer text").join(), /^gibberish block/);
  assert.deepEqual(foundBy(findGibberish, "The keys asdf are in the home row of a keyboard."), []);
});

test("an article needs words, a picture, or code", () => {
  assert.deepEqual(foundBy(findMissingText, "Coming soon."), ["no_article block: Coming soon."]);
  assert.deepEqual(foundBy(findMissingText, ""), ["no_article block: "]);
  assert.match(foundBy(findMissingText, "Look: ![A kettle](https://a.example/k.jpg)").join(), /^very_short warn/);
  assert.match(foundBy(findMissingText, SENTENCE.repeat(3)).join(), /^very_short warn/);
  assert.deepEqual(foundBy(findMissingText, SENTENCE.repeat(8)), []);
  assert.deepEqual(foundBy(findMissingText, "やかんの水あかは、主に炭酸カルシウムです。".repeat(8)), []);
  const outline = ["What it is", "Why it matters much", "How it is done", "When to do it"];
  assert.match(
    foundBy(findMissingText, outline.map((text) => `## ${text}\n\nYes.`).join("\n\n")).join(),
    /outline_only block/,
  );
});

test("headings without text warn, and block if they are half of them", () => {
  assert.deepEqual(foundBy(findEmptySections, `## A\n\n${SENTENCE}\n\n## B\n\n## C\n\n${SENTENCE}`), [
    "empty_section warn: B",
  ]);
  assert.deepEqual(
    foundBy(findEmptySections, `## A\n\n### B\n\n${SENTENCE}\n\n## C\n\n![](https://a.example/k.jpg)`),
    [],
  );
  assert.match(
    foundBy(findEmptySections, `## A\n\n## B\n\n## C\n\n## D\n\n${SENTENCE}`).join(),
    /^empty_section block/,
  );
});

test("a text that breaks off is found by its last words", () => {
  for (const end of ["pour the water into the", "add vinegar, salt,", "Gießen Sie das Wasser in die und"]) {
    assert.match(foundBy(findCutOff, `${SENTENCE}\n\nThen take the kettle, ${end}`).join(), /^cut_off block/, end);
  }
  assert.match(foundBy(findCutOff, `${SENTENCE}\n\n(To be continued)`).join(), /^cut_off block/);
  assert.match(
    foundBy(findCutOff, "Then you take the kettle and fill it with hot water until it is full").join(),
    /warn/,
  );
  for (const whole of [
    "Then it ends.",
    "Thanks to all who wrote",
    "See [the guide to the kettle and the](https://a.example)",
  ]) {
    assert.deepEqual(foundBy(findCutOff, `${SENTENCE}\n\n${whole}`), [], whole);
  }
  assert.deepEqual(foundBy(findCutOff, "Run it as you would run the other command of the program: `npm ci`"), []);
});

test("a code block without an end is found", () => {
  assert.match(foundBy(findUnclosedCode, "Text\n\n```js\nlet a = 1;\n\nMore text").join(), /^unclosed_code warn/);
  assert.deepEqual(foundBy(findUnclosedCode, "Text\n\n```js\nlet a = 1;\n```\n\nMore text"), []);
});
