import assert from "node:assert/strict";
import { test } from "node:test";
import { eld } from "eld/small";
import { anyCharacter } from "../../../../../test/helpers/any-character.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";
import { readLanguageData } from "../../../../content-processes/language.ts";
import { LanguageDetector } from "./language-detector.ts";

const detector = new LanguageDetector(readLanguageData());

const SENTENCES = [
  "The garbage collector of the engine runs on another thread while the page goes on working.",
  "Der Wetterbericht kündigt für das kommende Wochenende in ganz Deutschland Regen und Wind an.",
  "El tiempo de mañana será soleado en la mayor parte del país, aunque con nubes en el norte.",
  "Le gouvernement n’a annoncé qu'hier une nouvelle mesure pour aider les familles les plus modestes.",
  "Det var en gang en mann som bodde i et lite hus ved havet. Der var engang en mand, som boede i et lille hus.",
  "Bu hafta sonu İstanbul'da hava güneşli olacak. Yarın ise ŞİDDETLİ yağmur bekleniyor.",
  "Tôi yêu tiếng nước tôi từ khi mới ra đời. Ẹ káàárọ̀, ṣé dáadáa ni?",
  "Сегодня в городе открылась новая выставка. Днес времето е хубаво. Данас је леп дан. Сьогодні гарний день.",
  "今日はとても天気が良いので、公園まで散歩に行きました。今天天气很好，我们去公园散步吧。오늘은 날씨가 좋아요.",
  "هذا كتاب جديد عن تاريخ المدينة. این کتاب تازه درباره تاریخ شهر است. יש כאן ספר חדש על העיר.",
  "यह शहर के इतिहास के बारे में एक नई किताब है। ఇది కొత్త పుస్తకం. இது ஒரு புதிய புத்தகம். นี่คือหนังสือเล่มใหม่",
  "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetzesverordnungsentwurfsbegründung",
];

/** What the package says. */
function expected(text: string): string | null {
  const result = eld.detect(text);
  return result.language !== "" && result.isReliable() ? result.language : null;
}

test("every sentence and each of its parts gets the language that the package detects", () => {
  const found = new Set<string | null>();
  for (const sentence of SENTENCES) {
    for (let start = 0; start < sentence.length; start += 3) {
      for (const end of [start + 1, start + 4, start + 15, start + 60, sentence.length]) {
        const text = sentence.slice(start, end);
        const language = detector.detect(text);
        assert.equal(language, expected(text), text);
        found.add(language);
      }
    }
  }
  assert.ok(found.size > 20, `only ${[...found].join(" ")} were found`);
});

test("every mixture of sentences, long words and other characters does, too", () => {
  const word = fc.constantFrom(...SENTENCES.flatMap((sentence) => sentence.split(" ")));
  const part = fc.oneof(
    { weight: 6, arbitrary: word },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }) },
    {
      weight: 1,
      arbitrary: fc.string({
        unit: fc.constantFrom("'", "`", "’", "-", "ǆ", "ʻ", "a", "É", "語", "\ud800"),
        maxLength: 100,
      }),
    },
  );
  const text = fc
    .tuple(fc.array(part, { maxLength: 120 }), fc.constantFrom(" ", "", ", ", "\n"))
    .map(([parts, between]) => parts.join(between));
  fc.assert(
    fc.property(text, (sample) => assert.equal(detector.detect(sample), expected(sample))),
    { numRuns: cases(2_000) },
  );
});
