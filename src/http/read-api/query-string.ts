/** The query string of a request: decodes and checks its parameters, and collects warnings about ignored ones. */
import { parseIsoTime } from "../../domain/system/time.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { ReadErrorCode } from "../error-codes.ts";

const MAX_VALUE = 1_000;
const MAX_WARNINGS = 20;

/** Wrong names that people try, with the parameters they mean. */
const MEANT: Readonly<Record<string, string>> = {
  categories: "category",
  keywords: "keyword",
  search: "q",
  query: "q",
  field: "fields",
  includes: "include",
  formats: "format",
  order: "sort",
  language: "lang",
  locale: "lang",
  authors: "author",
};

/** Parameters with several values, which some programs repeat. */
const LISTS: ReadonlySet<string> = new Set(["category", "tag", "tags", "author", "fields", "include", "format"]);

/** The parameter that every endpoint accepts. */
const STRICT = "strict";

/** Warns of unknown parameters; `strict=1` refuses all warnings. @throws AppError `invalid` with the name. */
export class QueryParameters<Name extends string> {
  readonly warnings: string[] = [];
  readonly #known: readonly string[];
  readonly #values = new Map<string, string>();
  readonly #isStrict: boolean;

  constructor(search: string, known: readonly Name[]) {
    this.#known = known;
    const unknown: string[] = [];
    for (const pair of search.split("&")) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const rawName = equals < 0 ? pair : pair.slice(0, equals);
      const name = decode(rawName) ?? rawName;
      if (!this.#known.includes(name) && name !== STRICT) {
        if (unknown.length < MAX_WARNINGS) unknown.push(name.slice(0, 100));
        continue;
      }
      const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
      if (value === null || value.includes("\0")) {
        throw refuse(name, `The value of ${name} is not valid percent-encoded text; encode it as UTF-8.`);
      }
      if (value.length > MAX_VALUE) {
        throw refuse(name, `The value of ${name} is too long; ${MAX_VALUE} characters are allowed.`);
      }
      if (this.#values.has(name)) {
        const example = LISTS.has(name) ? `, with commas: ${name}=a,b` : "";
        throw refuse(name, `${name} is given twice; give it once${example}.`, "duplicate_parameter");
      }
      this.#values.set(name, value);
    }
    const strict = this.#values.get(STRICT);
    this.#isStrict = strict !== undefined && parseBoolean(strict, STRICT);
    for (const name of unknown) {
      const meant = MEANT[name];
      const isTypo = meant !== undefined && this.#known.includes(meant);
      this.warn(name, {
        warning: `Unknown parameter ignored: ${name}${isTypo ? `; did you mean ${meant}?` : ""}`,
        refusal: `There is no parameter ${name}. ${isTypo ? `Did you mean ${meant}?` : "Leave it out."}`,
        reason: "unknown_parameter",
      });
    }
  }

  parsed<T>(name: Name, parse: (value: string, name: string) => T): T | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : parse(value, name);
  }

  /** Adds the warning. @throws AppError `invalid` with the refusal if the request is strict. */
  warn(name: string, { warning, refusal, reason = "invalid_parameter" }: ParameterWarning): void {
    if (this.#isStrict) throw refuse(name, refusal, reason);
    this.warnings.push(warning);
  }

  /** The parameters as a query string, with another value of one. */
  replaced(name: Name, value: string | number): string {
    const replacement = `${name}=${encodeURIComponent(value)}`;
    const pairs: string[] = [];
    for (const [one, text] of this.#values) {
      pairs.push(one === name ? replacement : `${one}=${encodeURIComponent(text)}`);
    }
    if (!this.#values.has(name)) pairs.push(replacement);
    return pairs.join("&");
  }
}

/** Two sentences about the same problem: one for a request that is answered, one for a request that is refused. */
interface ParameterWarning {
  warning: string;
  refusal: string;
  reason?: ReadErrorCode;
}

/** A refusal of a parameter; `reason` is its code in `X-Error-Code`. */
export class ParameterError extends AppError {
  readonly reason: ReadErrorCode;

  constructor(param: string, message: string, reason: ReadErrorCode) {
    super("invalid", message, { field: param });
    this.reason = reason;
  }
}

export function refuse(param: string, message: string, reason: ReadErrorCode = "invalid_parameter"): ParameterError {
  return new ParameterError(param, message, reason);
}

function decode(text: string): string | null {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

export function wholeNumberParser(least: number) {
  return (value: string, name: string): number => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least)) {
      throw refuse(name, `${name} must be a whole number of at least ${least}.`);
    }
    // Larger numbers lie beyond the end of any list, and cannot be represented exactly.
    return Math.min(number, Number.MAX_SAFE_INTEGER);
  };
}

export function choiceParser<T extends string>(values: readonly T[]) {
  return (value: string, name: string): T => {
    const found = values.find((one) => one === value);
    if (found === undefined) throw refuse(name, `${name} must be one of ${values.join(", ")}.`);
    return found;
  };
}

/** Comma-separated values, each once, in the order of `values`. */
export function choicesParser<T extends string>(values: readonly T[]) {
  const parse = choiceParser(values);
  return (value: string, name: string): T[] => {
    const wanted = new Set(value.split(",").map((one) => parse(one.trim(), name)));
    return values.filter((one) => wanted.has(one));
  };
}

export function parseBoolean(value: string, name: string): boolean {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw refuse(name, `${name} must be true or false.`);
}

export function parseText(value: string, name: string): string {
  if (value.trim() === "") throw refuse(name, `${name} is empty; give a value or leave it out.`);
  return value;
}

export function parseTime(value: string, name: string): number {
  const at = parseIsoTime(value);
  if (at === null) throw refuse(name, `${name} must be an ISO 8601 time, such as 2026-01-31T12:00:00.000Z.`);
  return at;
}
