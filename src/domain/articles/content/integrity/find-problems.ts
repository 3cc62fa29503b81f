import type { Integrity } from "../../findings.ts";
import { type Material, toMaterial } from "./material.ts";
import { Report, toIntegrity } from "./report.ts";
import { RULES } from "./rules.ts";

/** What is wrong with the article, as far as a rule can tell. */
export function findProblems(material: Material): Integrity {
  const report = new Report();
  for (const rule of RULES) rule(material, report);
  return report.finish();
}

/** The integrity of an article after a change to nothing but its meta description. */
export function checkMetaDescription(metaDescription: string | null, earlier: Integrity): Integrity {
  const alone = toMaterial({ ...NOTHING_ELSE, metaDescription });
  const { findings } = findProblems(alone);
  return toIntegrity([
    ...earlier.findings.filter(({ field }) => field !== "meta_description"),
    ...findings.filter(({ field }) => field === "meta_description"),
  ]);
}

const NOTHING_ELSE = {
  title: "",
  language: null,
  isMachineWritten: false,
  stats: { blocks: [], headings: [], anchors: [], pictures: [], embeds: 0 },
  detectedLanguage: null,
  detectLanguage: () => null,
};
