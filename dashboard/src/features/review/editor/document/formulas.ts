/** Reads formulas in TeX as the renderer does: as text in which no sign has a meaning. */
import type { Options } from "mdast-util-from-markdown";

type Extension = Exclude<NonNullable<Options["extensions"]>[number], readonly unknown[]>;
type Construct = Exclude<NonNullable<NonNullable<Extension["text"]>[string]>, readonly unknown[]>;
type State = ReturnType<Construct["tokenize"]>;
type Code = Parameters<State>[0];

/** Before its closing sign. */
const MAX_LENGTH = 2_000;
const FORMULA =
  /^(?:\$(?!\s)(?:\\[^]|[^\\`$])+(?<!\s)\$(?![\w$])|\$\$(?:\\[^]|[^\\`$])+\$\$|\\\((?:\\[^)]|[^\\`$])+\\\))/;
const HAS_MARKUP = /<\/?[a-z][^<>]*>|\]\(/i;

/** @returns the formula at the beginning of a text: `$…$`, `$$…$$` or `\(…\)`; `""` if there is none. */
export function formulaAt(text: string): string {
  const formula = FORMULA.exec(text.slice(0, MAX_LENGTH + 2))?.[0] ?? "";
  const isLong = formula.length >= MAX_LENGTH + (/^\$[^$]/.test(formula) ? 1 : 2);
  return isLong || HAS_MARKUP.test(formula) || isProse(formula) ? "" : formula;
}

/** Whether parentheses that were escaped for no reason hold words of the sentence. */
function isProse(formula: string): boolean {
  const inner = formula.slice(2, -2);
  return formula.startsWith("\\") && /[a-z]{2}[,;]?[ *]+[a-z]{2}/i.test(inner) && !/[\\^_={}]/.test(inner);
}

const DOLLAR = 36;
const BACKSLASH = 92;
const TAB = -2;
const SPACE = 32;

const isLineEnd = (code: Code): boolean => code !== null && code < TAB;
const isBlank = (code: Code): boolean => code === SPACE || code === TAB || code === -1;
const toText = (code: Code): string => (code === null ? "" : code < 0 ? " " : String.fromCodePoint(code));

const tokenize: Construct["tokenize"] = (effects, ok, nok) => {
  let text = "";
  let isEscaped = false;
  let isClosed = false;

  const start: State = (code) => {
    effects.enter("data");
    return next(code);
  };

  const next: State = (code) => {
    const sign = toText(code);
    if (isClosed && formulaAt(text + sign) === text) {
      effects.exit("data");
      return ok(code);
    }
    if (isClosed || code === null || text.length > MAX_LENGTH || isNone(text, sign)) return nok(code);
    text += sign;
    isClosed = text.startsWith("\\")
      ? isEscaped && sign === ")"
      : text.length > 2 && !isEscaped && text.endsWith(text.startsWith("$$") ? "$$" : "$");
    isEscaped = !isEscaped && sign === "\\" && text !== sign;
    if (!isLineEnd(code)) {
      effects.consume(code);
      return next;
    }
    effects.exit("data");
    effects.enter("lineEnding");
    effects.consume(code);
    effects.exit("lineEnding");
    return indent;
  };

  const indent: State = (code) => {
    if (!isBlank(code)) return start(code);
    effects.enter("linePrefix");
    return blank(code);
  };

  const blank: State = (code) => {
    if (isBlank(code)) {
      effects.consume(code);
      return blank;
    }
    effects.exit("linePrefix");
    return start(code);
  };

  return start;
};

/** Whether no formula begins with this text and sign. */
function isNone(text: string, sign: string): boolean {
  if (text === "\\") return sign !== "(";
  return sign === "`" || (text === "$" && sign === " ") || (text.startsWith("\\") && sign === "$");
}

const construct: Construct = {
  tokenize,
  // No formula begins after this: `5$`.
  previous: (code) => !/[\w$\\]/.test(toText(code)),
};

export const formulas: Extension = { text: { [DOLLAR]: construct, [BACKSLASH]: construct } };
