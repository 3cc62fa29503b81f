/** Compares labels, and titles in the alphabetical order of a language, for databases that compare bytes. */

/** Lower-case Latin, Greek and Cyrillic letters; those of other scripts are in their alphabetical order already. */
const RANGES = [
  [0x61, 0x7a],
  [0xdf, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
] as const;
/** Letters that many languages sort as two. */
const PAIRS: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
]);
/** The first number after an ASCII letter, for letters that the language has after it; above all of ASCII. */
const FIRST_WEIGHT = 0x100;
const MAX_LANGUAGES = 20;
/** CLDR's root order, which most languages share. */
const ROOT = "en";

const weightsByLanguage = new Map<string, ReadonlyMap<string, string>>();

/**
 * Makes keys whose order by bytes is the alphabetical order of this language (BCP 47; null: most languages' order): é
 * beside e, and ä beside a in German, but after z in Swedish.
 */
export function sortKey(text: string, language: string | null): string {
  const plain = text.normalize("NFKC").toLowerCase();
  if (/^\p{ASCII}*$/u.test(plain)) return plain;
  const weights = getWeights(language);
  return plain.replaceAll(/\P{ASCII}/gu, (letter) => weights.get(letter) ?? letter);
}

/** Compares names in lists of people and the like. */
export const byName = new Intl.Collator(ROOT).compare;

/** The key by which labels are compared. */
export function labelKey(label: string): string {
  return label.normalize("NFKC").trim().toLowerCase();
}

/** Keeps the first of labels with the same key. */
export function distinctLabels(labels: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const label of labels) if (!found.has(labelKey(label))) found.set(labelKey(label), label);
  return [...found.values()];
}

function getWeights(language: string | null): ReadonlyMap<string, string> {
  const [locale = ROOT] = Intl.Collator.supportedLocalesOf(language ?? ROOT);
  const known = weightsByLanguage.get(locale);
  if (known !== undefined) return known;
  if (weightsByLanguage.size >= MAX_LANGUAGES) weightsByLanguage.clear();
  const weights = makeWeights(locale);
  weightsByLanguage.set(locale, weights);
  return weights;
}

/** Letters of one place in the alphabet have one weight: the ASCII letter there, or the one before with a number. */
function makeWeights(locale: string): Map<string, string> {
  const { compare } = new Intl.Collator(locale, { sensitivity: "base" });
  const letters = RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  ).filter((letter) => /\p{Ll}/u.test(letter));
  const weights = new Map<string, string>();
  let [ascii, number, previous] = ["", 0, ""];
  // Of letters in one place of the alphabet, the ASCII one comes first.
  for (const letter of letters.sort((one, other) => compare(one, other) || (one < other ? -1 : 1))) {
    const pair = PAIRS.get(letter);
    if (pair !== undefined && compare(letter, pair) === 0) {
      weights.set(letter, pair);
      continue;
    }
    if (previous === "" || compare(letter, previous) !== 0) {
      const isAscii = letter <= "z";
      number = isAscii ? 0 : number + 1;
      if (isAscii) ascii = letter;
    }
    weights.set(letter, number === 0 ? ascii : `${ascii}${String.fromCodePoint(FIRST_WEIGHT + number)}`);
    previous = letter;
  }
  return weights;
}
