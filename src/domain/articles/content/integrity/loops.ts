/** The same few words again and again, as a model writes them that has lost its way. */
import type { Material, Passage } from "./material.ts";
import { countWords, isWithoutSpaces } from "./prose.ts";
import type { Report, Rule } from "./report.ts";

/** Words of the part that is repeated. */
const MAX_PERIOD = 6;
const TIMES = 4;
/** Characters of all copies; shorter ones are emphasis, "no, no, no, no". */
const SHORT = 16;
const LONG = 40;
/** Of the first words, so many are different at least. */
const DISTINCT_SHARE = 0.2;
const DISTINCT_SAMPLE = 400;
const DISTINCT_MINIMUM = 80;

export const findLoops: Rule = (material, report) => {
  for (const passage of material.paragraphs) findLoop(passage, report);
  if (!isWithoutSpaces(material)) findPoorWords(material, report);
};

function findLoop(passage: Passage, report: Report): void {
  const { ids, starts, ends, length } = passage.words;
  for (let period = 1; period <= MAX_PERIOD && TIMES * period <= length; period++)
    for (let at = period, equal = 0; at <= length; at++) {
      if (at < length && ids[at] === ids[at - period] && !passage.isCode(at)) {
        equal += 1;
        continue;
      }
      const [start, end] = [starts[at - equal - period] ?? 0, ends[at - 1] ?? 0];
      const isLoop = equal >= (TIMES - 1) * period && end - start >= SHORT;
      equal = 0;
      if (!isLoop || !isOfWords(passage.text.slice(start, end))) continue;
      const severity = end - start >= LONG && !passage.isQuoted ? "block" : "warn";
      report.add({
        kind: "word_loop",
        severity,
        passage,
        start,
        end,
        message: "The same words stand here again and again.",
      });
      return;
    }
}

/** Not numbers, and not cells or keys between other signs. */
function isOfWords(text: string): boolean {
  return /\p{L}{2}/u.test(text) && !/[^\p{L}\p{M}\p{N}\s'’.,!-]/u.test(text);
}

function findPoorWords({ prose }: Material, report: Report): void {
  const paragraphs = prose.filter(({ kind }) => kind === "paragraph");
  const [first] = paragraphs;
  if (first === undefined || countWords(paragraphs) < DISTINCT_MINIMUM) return;
  const different = new Set<number>();
  let count = 0;
  for (const { words } of paragraphs)
    for (const id of words.ids)
      if (count < DISTINCT_SAMPLE) {
        different.add(id);
        count += 1;
      }
  if (different.size >= DISTINCT_SHARE * count) return;
  const share = Math.round((100 * different.size) / count);
  report.add({
    kind: "word_loop",
    severity: "block",
    passage: first,
    message: `Only ${share} % of the words are different: the text goes in circles.`,
  });
}
