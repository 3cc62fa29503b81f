/** Whether a key that a person chose could be guessed: attackers try placeholders and patterns first. */

/** What remains of a key needs as many bits as nine random letters or twelve digits. */
const MIN_BITS = 40;

const PLACEHOLDERS = [
  ["change", "replace", "insert", "your", "this", "here", "please", "super", "very", "long", "random", "strong"],
  ["secret", "password", "passwort", "passwd", "passphrase", "credential", "token", "string", "value", "text", "word"],
  ["default", "example", "sample", "placeholder", "dummy", "foobar", "demo", "test", "todo", "fixme", "none", "null"],
  ["rostrum", "production", "development", "staging", "local", "admin", "root", "user", "webhook", "encryption", "key"],
  ["qwertyuiop", "qwerty", "asdfghjkl", "asdf", "yxcvbnm", "zxcvbnm", "letmein", "welcome", "hunter2", "me", "my"],
].flat();

/** Whether the key is a placeholder, a pattern, or otherwise has too little entropy. */
export function isWeakKey(text: string): boolean {
  const words = text.toLowerCase().replaceAll(/[\s_.,;:-]/g, "");
  const others = PLACEHOLDERS.reduce((rest, word) => rest.replaceAll(word, ""), words);
  return Math.min(estimateBits(withoutPatterns(words)), estimateBits(withoutPatterns(others))) < MIN_BITS;
}

/** Shortens runs such as 1234 or aaaa to two characters, and repetitions to the repeated part. */
function withoutPatterns(text: string): string {
  const letters = Array.from(text);
  const codes = letters.map((letter) => letter.codePointAt(0) ?? 0);
  const step = (index: number) => (codes[index] ?? 0) - (codes[index - 1] ?? 0);
  const kept = letters.filter(
    (_letter, index) => index < 2 || step(index) !== step(index - 1) || Math.abs(step(index)) > 1,
  );
  const period = findPeriod(kept);
  return kept.slice(0, period * 2 <= kept.length ? period : undefined).join("");
}

/** The length of the shortest unit whose repetition begins with this text. */
function findPeriod(letters: readonly string[]): number {
  // For each position, the longest border of the text up to it (Knuth, Morris and Pratt).
  const borders = [0];
  for (let at = 1, border = 0; at < letters.length; at++) {
    while (border > 0 && letters[at] !== letters[border]) border = borders[border - 1] ?? 0;
    if (letters[at] === letters[border]) border++;
    borders.push(border);
  }
  return letters.length - (borders.at(-1) ?? 0);
}

/** Shannon entropy of the text in bits, with letters taken as independent of each other. */
function estimateBits(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const { length } = Array.from(text);
  return [...counts.values()].reduce((bits, count) => bits + count * Math.log2(length / count), 0);
}
