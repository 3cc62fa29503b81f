import assert from "node:assert/strict";
import { test } from "node:test";
import { detectLanguage } from "./language.ts";

const SAMPLES: Record<string, string> = {
  en: "The garbage collector of the engine runs on another thread while the page goes on working.",
  de: "Der Wetterbericht kündigt für das kommende Wochenende in ganz Deutschland Regen und Wind an.",
  es: "El tiempo de mañana será soleado en la mayor parte del país, aunque con nubes en el norte.",
  fr: "Le gouvernement a annoncé hier une nouvelle mesure pour aider les familles les plus modestes.",
  ru: "Сегодня в городе открылась новая выставка современного искусства, которую посетили сотни людей.",
  ja: "今日はとても天気が良いので、公園まで散歩に行きました。",
};

for (const [code, text] of Object.entries(SAMPLES))
  test(`${code} is recognised`, () => {
    assert.equal(detectLanguage(text), code);
  });

test("a text that is too short, or in no language, has none", () => {
  for (const text of ["", "Hello", "42 1337 0x7f ++", "xq zzv kjw qqx wvz xkcd qwrt zxcv"])
    assert.equal(detectLanguage(text), null);
});
