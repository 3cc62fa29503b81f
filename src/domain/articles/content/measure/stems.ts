/** Finds words in another form or as a part of a compound: “boats” and “boat”, „Wasserkocher“ and „Kocher“. */
import { words } from "./words.ts";

/**
 * Cuts the endings that are usual in English, German, French and Spanish. Unlike a full stemmer it needs no language, and
 * it is only compared with its own results.
 */
export function stem(word: string): string {
  const plain = isPlain(word) ? word : word.normalize("NFD").replaceAll(/\p{M}/gu, "");
  if (!LAST_LETTERS.includes(plain.at(-1) ?? "")) return plain;
  for (const ending of ENDINGS) {
    const minStem = ending === "s" ? MIN_SINGULAR : MIN_STEM;
    if (plain.length >= ending.length + minStem && plain.endsWith(ending)) return plain.slice(0, -ending.length);
  }
  return plain;
}

function isPlain(word: string): boolean {
  return /^[\0-\x7f]*$/.test(word);
}

const ENDINGS = ["edly", "ing", "ies", "'s", "ed", "es", "en", "er", "em", "s", "e", "n"];
const LAST_LETTERS = ENDINGS.map((ending) => ending.at(-1)).join("");
const MIN_STEM = 4;
/** “cups” is the plural of a word of three letters. */
const MIN_SINGULAR = 3;
/** A shorter word is part of many others by chance. */
const MIN_PART = 5;

/** Some words by their stems. */
export class Stems {
  /** In ASCII: a stem is the beginning of its word, so that few stems have to be made to compare them. */
  readonly #plain: string[] = [];
  /** Stems of the others. */
  readonly #stems = new Set<string>();

  constructor(words: readonly string[]) {
    for (const word of words) {
      if (isPlain(word)) this.#plain.push(word);
      else this.#stems.add(stem(word));
    }
  }

  /** Whether the word is there in some form, within a longer one, or as a compound with one. */
  has(word: string): boolean {
    const wanted = stem(word);
    if (this.#stems.has(wanted)) return true;
    for (const stemmed of this.#stems) if (isAlike(stemmed, wanted)) return true;
    for (const known of this.#plain) {
      const mayFit = known.includes(wanted) || (known.length >= MIN_PART && wanted.includes(known.slice(0, MIN_PART)));
      if (mayFit && isAlike(stem(known), wanted)) return true;
    }
    return false;
  }
}

function isAlike(known: string, wanted: string): boolean {
  if (known === wanted) return true;
  if (wanted.length < MIN_PART) return false;
  return known.includes(wanted) || (known.length >= MIN_PART && wanted.includes(known));
}

/** The words that say what a title or a keyword is about, in lower case; all of them if there are only others. */
export function keyWords(text: string): string[] {
  const all = words(text).map((word) => word.toLowerCase().replaceAll("’", "'"));
  const telling = all.filter((word) => !STOP_WORDS.has(word) && (word.length > 2 || !/^\p{Script=Latin}/u.test(word)));
  return telling.length === 0 ? all : [...new Set(telling)];
}

/** Of English, German, French and Spanish together: a word that one of them lacks is rare in the others. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "the and for but with from are was were been its this that these those you your our they their his she her not " +
    "than then there here what which who how why when where can could will would should may might does did done has " +
    "have had just more most some any all each one two new now about into over out down off also only very too " +
    "der die das und oder aber von auf für mit aus bei als ist sind war waren sein dies diese dieser dieses sie ihr " +
    "wir unser ich nicht kein wenn dann hier was welche wer wie warum wann kann könnte wird würde soll ein eine einen " +
    "einem einer des dem den zum zur auch nur noch man sich hat haben werden " +
    "les une des mais aux dans pour avec par sur est sont était être elle cette ces vous votre nous notre ils leur pas " +
    "que qui quoi dont comment pourquoi quand plus ses " +
    "los las pero del por para son fue ser sus este esta estos usted nosotros qué cómo cuándo dónde más unos"
  ).split(" "),
);
