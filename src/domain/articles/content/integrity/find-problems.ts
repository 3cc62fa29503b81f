import type { Integrity } from "../../findings.ts";
import { type Material, toMaterial } from "./material.ts";
import { Report, type Rule, toIntegrity } from "./report.ts";
import {
  findDamagedCharacters,
  findDanglingNotes,
  findInvisibleCharacters,
  findLinksToNowhere,
  findMissingPictures,
  findRawMarkup,
  findTemplateCode,
  findWrappedArticle,
} from "./broken.ts";
import { findForeignText } from "./foreign-text.ts";
import { findRepeatedHeadings } from "./headings.ts";
import { findLoops } from "./loops.ts";
import { findRepetition } from "./repetition.ts";
import { findPhraseResidue, findToolMarks, findTrackingLinks } from "./residue.ts";
import { findStuffing } from "./stuffing.ts";
import { findTitleMismatch } from "./title.ts";
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

/** Each finds what is of its own kinds; none depends on another. */
const RULES: readonly Rule[] = [
  findPhraseResidue,
  findToolMarks,
  findTrackingLinks,
  findGaps,
  findNotes,
  findDummyText,
  findGibberish,
  findMissingText,
  findEmptySections,
  findCutOff,
  findUnclosedCode,
  findRawMarkup,
  findTemplateCode,
  findDamagedCharacters,
  findInvisibleCharacters,
  findWrappedArticle,
  findLinksToNowhere,
  findMissingPictures,
  findDanglingNotes,
  findRepetition,
  findLoops,
  findRepeatedHeadings,
  findForeignText,
  findStuffing,
  findTitleMismatch,
];
