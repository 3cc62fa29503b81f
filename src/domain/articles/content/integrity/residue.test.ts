import assert from "node:assert/strict";
import { test } from "node:test";
import { foundBy } from "./integrity-test-helpers.ts";
import { findPhraseResidue, findToolMarks, findTrackingLinks } from "./residue.ts";

const BODY = Array.from({ length: 8 }, (_, index) => `Paragraph ${index} is about kettles.`).join("\n\n");
const phrases = (markdown: string) => foundBy(findPhraseResidue, markdown);

const FIRST = [
  ["chatbot_voice", "As an AI language model, I cannot taste tea."],
  ["chatbot_voice", "I’m just an AI, but vinegar works."],
  ["chatbot_voice", "I'm sorry, but I can't assist with that."],
  ["chatbot_voice", "Als KI-Sprachmodell kann ich das nicht beurteilen."],
  ["chatbot_voice", "En tant que modèle de langage, je ne peux pas goûter."],
  ["chatbot_voice", "Como modelo de lenguaje, no puedo probarlo."],
  ["knowledge_cutoff", "As of my last knowledge update, it cost ten euros."],
  ["knowledge_cutoff", "Nach meinem letzten Wissensstand kostet es sechs Euro."],
  ["knowledge_cutoff", "Selon ma dernière mise à jour, il coûte six euros."],
  ["knowledge_cutoff", "Hasta mi última actualización, costaba seis euros."],
  ["chat_opener", "Certainly! Here's a guide to kettles."],
  ["chat_opener", "Here is your revised article about kettles."],
  ["chat_opener", "Gerne! Hier ist der Text."],
  ["chat_opener", "Bien sûr ! Voici un article complet."],
  ["chat_opener", "¡Claro! Aquí tienes el artículo."],
  ["prompt_echo", "Write a 1500-word blog article about kettles."],
  ["prompt_echo", "Target keyword: kettle"],
  ["prompt_echo", "Zielgruppe: Haushalte"],
  ["prompt_echo", "Rédigez un article SEO sur les bouilloires."],
  ["prompt_echo", "Palabra clave principal: hervidor"],
] as const;

for (const [kind, sentence] of FIRST) {
  test(`${kind}: ${sentence}`, () => {
    assert.deepEqual(phrases(`${sentence}\n\n${BODY}`), [`${kind} block: ${sentence}`]);
  });
}

const LAST = [
  "Would you like me to add a table?",
  "I hope this article helps!",
  "Let me know if you'd like any changes.",
  "Soll ich noch eine Tabelle ergänzen?",
  "N'hésitez pas à me dire ce qui manque.",
  "¿Quieres que lo amplíe?",
];

for (const sentence of LAST) {
  test(`chat_closer: ${sentence}`, () => {
    assert.deepEqual(phrases(`${BODY}\n\n${sentence}`), [`chat_closer block: ${sentence}`]);
    assert.deepEqual(phrases(`${BODY}\n\n${sentence}\n\n${BODY}`), [`chat_closer warn: ${sentence}`]);
  });
}

const CLEAN = [
  "As an AI company, we test many models.",
  "As an artificial intelligence researcher, she disagrees.",
  "I'm an AI researcher.",
  "Here is a new version of the library.",
  "This is a new blog where teams can post.",
  "Sure, kettles are loud.",
  "Type `As an AI language model, I` to see it.",
  "Would you like tea with that?",
  "Write an article once a month.",
];

for (const sentence of CLEAN) {
  test(`no residue: ${sentence}`, () => assert.deepEqual(phrases(`${sentence}\n\n${BODY}\n\n${sentence}`), []));
}

test("who quotes a chatbot is warned, in quotation marks and in block quotes", () => {
  const quotations = [`“As an AI language model, I cannot taste tea” is what it says.`, "> As an AI, I have no taste."];
  for (const quotation of quotations) assert.match(phrases(`${quotation}\n\n${BODY}`).join(), /^chatbot_voice warn/);
});

test("marks of AI tools are found, each at its place, and not in code", () => {
  const marks = [
    "【8†source】",
    ":contentReference[oaicite:2]{index=2}",
    "citeturn0search3",
    "[cite: 1, 2]",
    "<|im_end|>",
  ];
  for (const mark of marks) {
    const found = foundBy(findToolMarks, "", { html: `<p>A kettle ${mark.replaceAll("<", "&lt;")} boils.</p>` });
    assert.deepEqual(found, [`tool_marker block: ${mark}`]);
  }
  assert.deepEqual(foundBy(findToolMarks, "A kettle `【8†source】` boils, turn 1 search 2."), []);
  assert.deepEqual(foundBy(findToolMarks, "<think>The reader has hard water.</think>\n\nA kettle boils."), [
    "tool_marker block: <think>",
  ]);
  assert.deepEqual(foundBy(findToolMarks, "Write `<think>` so:\n\n```\n<think>\n```"), []);
});

test("addresses that name an AI tool are found at the text of their link", () => {
  const text = "[the chemistry](https://a.example/?utm_source=chatgpt.com) and [b](https://a.example/?ref=home)";
  assert.deepEqual(foundBy(findTrackingLinks, text), ["tool_tracking_link warn: the chemistry"]);
});
