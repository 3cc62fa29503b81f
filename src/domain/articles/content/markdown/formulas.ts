/** Formulas in TeX: nothing in them is emphasis or an escape, since it is for a script of the page to read. */

/** A longer formula is two unrelated signs. */
const MAX_LENGTH = 2_000;

/** @returns the formula at the beginning of a text within a paragraph: `$…$`, `$$…$$` or `\(…\)`; `""` if there is none. */
export function formulaAt(source: string): string {
  if (source.startsWith("$$")) return delimited(source, 2, "$$");
  if (source.startsWith("\\(")) {
    const formula = delimited(source, 2, "\\)");
    return isProse(formula.slice(2, -2)) ? "" : formula;
  }
  if (!source.startsWith("$") || /\s/.test(source[1] ?? " ")) return "";
  const formula = delimited(source, 1, "$");
  // A space before the closing `$`, or a letter or digit after it: two prices or variables rather than a formula.
  return /\s/.test(formula.at(-2) ?? " ") || /[\w$]/.test(source[formula.length] ?? "") ? "" : formula;
}

function delimited(source: string, start: number, sign: string): string {
  for (let at = start; at < source.length && at < MAX_LENGTH; at += 1) {
    const character = source[at];
    if (character === "`") return "";
    if (source.startsWith(sign, at)) {
      const formula = source.slice(0, at + sign.length);
      return at === start || HAS_MARKUP.test(formula) ? "" : formula;
    }
    if (character === "$") return "";
    if (character === "\\") at += 1;
  }
  return "";
}

/** Whether parentheses that were escaped for no reason hold words of the sentence. */
const isProse = (text: string): boolean => /[a-z]{2}[,;]?[ *]+[a-z]{2}/i.test(text) && !/[\\^_={}]/.test(text);

const HAS_MARKUP = /<\/?[a-z][^<>]*>|\]\(/i;

export function hasFormula(text: string): boolean {
  return formulaAt(text) !== "" || findFormula(text, text) >= 0;
}

/** No formula begins after this: `5$`. */
const IS_INSIDE = /[\w$\\]/;

/** Index of the first formula that begins in the text's beginning, after its first character; -1 if there is none. */
export function findFormula(text: string, beginning: string): number {
  for (let at = beginning.indexOf("$", 1); at >= 0; at = beginning.indexOf("$", at + 1)) {
    if (IS_INSIDE.test(text[at - 1] ?? "")) continue;
    if (formulaAt(text.slice(at, at + MAX_LENGTH)) !== "") return at;
  }
  return -1;
}

/** Puts letters for the marks in formulas, so that emphasis around them is found. `source` and `masked` are of one length. */
export function maskFormulas(source: string, masked: string): string {
  let result = "";
  let done = 0;
  for (const { index } of source.matchAll(/\$|\\[^]/g)) {
    if (index < done || (source[index] === "$" && IS_INSIDE.test(source[index - 1] ?? ""))) continue;
    const formula = formulaAt(source.slice(index, index + MAX_LENGTH));
    if (formula === "") continue;
    result += `${masked.slice(done, index)}$${"a".repeat(formula.length - 2)}$`;
    done = index + formula.length;
  }
  return result + masked.slice(done);
}

/**
 * A formula that is a block, `""` if there is none: between lines that begin and end with `$$`, or lines of `\[` and `\]`.
 * `read`: number of characters that were read.
 */
export function formulaBlockAt(source: string): { formula: string; read: number } {
  const start = /^ {0,3}(\$\$|\\\[[ \t]{0,8}\n)/.exec(source);
  if (start === null) return { formula: "", read: 0 };
  const isTex = start[1] === "$$";
  // Without TeX, a bracket on a line is an escaped one.
  const empty = isTex ? -1 : source.indexOf("\n\n");
  const end = Math.min(source.length, MAX_BLOCK, empty < 0 ? MAX_BLOCK : empty);
  const close = source.slice(0, end).indexOf(isTex ? "$$" : "\\]", start[0].length);
  const none = { formula: "", read: close < 0 ? end : close };
  if (close < 0 || source.slice(start[0].length, close).trim() === "") return none;
  const rest = /^[ \t]*(?:\n|$)/.exec(source.slice(close + 2, close + 200));
  return rest === null ? none : { formula: source.slice(0, close + 2 + rest[0].length), read: close };
}

const MAX_BLOCK = 20_000;
