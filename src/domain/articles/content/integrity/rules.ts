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
import type { Rule } from "./report.ts";
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

/** Each finds what is of its own kinds; none depends on another. */
export const RULES: readonly Rule[] = [
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
