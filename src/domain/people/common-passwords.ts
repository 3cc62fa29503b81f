/** Whether an attacker who tries common passwords first would soon find a password. */

/** Frequent in leaks, but missing from the list of common passwords; normalised, in lower case. */
const ALSO_COMMON: ReadonlySet<string> = new Set([
  "3.1415926535",
  "correct horse battery staple",
  "correcthorsebatterystaple",
  "mynameisbob",
  "rostrum",
  "zxcvbnmasdfghjkl",
]);

/** Maximum number of digits and symbols that are tried after each common password. */
const MAX_TAIL_CHARACTERS = 6;

/** Looks texts up in a list of common passwords. @returns those that it contains. Texts are `normaliseForList`. */
export type FindCommon = (texts: ReadonlySet<string>) => Promise<ReadonlySet<string>>;

/** Keyboards encode the same letter in different ways (NIST SP 800-63B, 3.1.1.2). */
export function normalisePassword(password: string): string {
  return password.normalize("NFKC");
}

export function normaliseForList(text: string): string {
  return normalisePassword(text).toLowerCase();
}

/** In the list, an entry followed by digits or symbols, or one repeated. @param ownWords what is easily guessed. */
export async function isCommon(
  password: string,
  ownWords: readonly string[],
  findCommon: FindCommon,
): Promise<boolean> {
  const ways = listSplits(normaliseForList(password));
  const texts = new Set(ways.flat());
  const found = await findCommon(texts);
  const isKnown = (text: string) => found.has(text) || ALSO_COMMON.has(text) || ownWords.includes(text);
  return ways.some((parts) => parts.every(isKnown));
}

/** The ways in which the text may be made of common parts. It is common if all parts of one way are. */
function listSplits(text: string): string[][] {
  const characters = Array.from(text);
  const letters = characters.findLastIndex((character) => /\p{L}/u.test(character)) + 1;
  const word = characters.slice(0, letters).join("");
  const tail = characters.slice(letters).join("");
  const ways = [[text], [findRepeatedUnit(text)]];
  if (word !== "" && tail !== "") ways.push([word, tail], [findRepeatedUnit(word), tail]);
  if (word === "") return ways;
  const minLength = Math.max(letters, characters.length - MAX_TAIL_CHARACTERS);
  for (let end = minLength; end < characters.length; end++) {
    const start = characters.slice(0, end).join("");
    ways.push([start], [findRepeatedUnit(start)]);
  }
  return ways;
}

/** The unit that the text repeats; the text itself if it repeats none. */
function findRepeatedUnit(text: string): string {
  return text.slice(0, (text + text).indexOf(text, 1));
}
