/** Formulas in TeX: nothing in them is emphasis or an escape, since it is for a script of the page to read. */

/** A longer formula is two unrelated signs. */
const MAX_LENGTH = 2_000;

/** @returns the formula at the beginning of a text within a paragraph: `$…$`, `$$…$$` or `\(…\)`; `""` if there is none. */
export function formulaAt(source: string): string {
  if (source.startsWith("$$")) return delimited(source, 2, "$$");
  if (source.startsWith("\\(")) return delimited(source, 2, "\\)");
  if (!source.startsWith("$") || /\s/.test(source[1] ?? " ")) return "";
  const formula = delimited(source, 1, "$");
  // What is more likely two prices, or two names of variables.
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

const HAS_MARKUP = /<\/?[a-z][^<>]*>|\]\(/i;

export function hasFormula(text: string): boolean {
  return formulaAt(text) !== "" || findFormula(text, text.length) >= 0;
}

/** Index of the first formula after the first character; -1 if there is none. */
export function findFormula(source: string, end: number): number {
  for (let at = source.indexOf("$", 1); at >= 0 && at < end; at = source.indexOf("$", at + 1)) {
    if (/[\w$\\]/.test(source[at - 1] ?? "")) continue;
    if (formulaAt(source.slice(at, at + MAX_LENGTH)) !== "") return at;
  }
  return -1;
}

/** Puts letters for the marks in formulas, so that emphasis around them is found. `source` and `masked` are of one length. */
export function maskFormulas(source: string, masked: string): string {
  let result = "";
  let done = 0;
  for (const { index } of source.matchAll(/\$|\\[^]/g)) {
    if (index < done) continue;
    const formula = formulaAt(source.slice(index, index + MAX_LENGTH));
    if (formula === "") continue;
    result += `${masked.slice(done, index)}$${"a".repeat(formula.length - 2)}$`;
    done = index + formula.length;
  }
  return result + masked.slice(done);
}

/** A formula that is a block: between lines that begin and end with `$$`, or lines of `\[` and `\]`. */
export function formulaBlockAt(source: string): string {
  const start = /^ {0,3}(\$\$|\\\[[ \t]*\n)/.exec(source);
  if (start === null) return "";
  const sign = start[1] === "$$" ? "$$" : "\\]";
  const close = source.slice(0, MAX_BLOCK).indexOf(sign, start[0].length);
  if (close < 0) return "";
  const end = /^[ \t]*(?:\n|$)/.exec(source.slice(close + 2, close + 200));
  const formula = source.slice(0, close + 2 + (end?.[0].length ?? 0));
  const inside = formula.slice(start[0].length, close);
  // Without TeX, a bracket on a line is an escaped one.
  if (end === null || inside.trim() === "" || (sign !== "$$" && inside.includes("\n\n"))) return "";
  return formula;
}

const MAX_BLOCK = 20_000;
