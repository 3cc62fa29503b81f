import { parse as parseToml } from "smol-toml";
import { type Document, isMap, isScalar, Lexer, parseDocument, visit } from "yaml";
import { AppError } from "../../domain/system/errors.ts";
import { repairYaml } from "./lenient-yaml.ts";
import { isRecord } from "../../domain/articles/json-values.ts";

/** More aliases than any author writes; too few to exhaust the memory. */
const MAX_ALIASES = 100;
const MAX_ANCHORS = 1000;
/** Nesting of lists and maps. */
const MAX_DEPTH = 50;

/** The lexer's token before the text of a plain or block scalar. */
const SCALAR = "\u001f";

export interface SplitText {
  /** `null`: the file has no front matter. */
  data: Record<string, unknown> | null;
  body: string;
  /** What was read otherwise than its letters say; absent: nothing. */
  guesses?: string[];
}

/** Splits off YAML `---`, TOML `+++` or JSON `{…}`; rejects what is invalid. Linear on any text. */
export function splitFrontMatter(text: string): SplitText {
  const firstLine = text.slice(0, Math.max(0, text.indexOf("\n")));
  const opening = /^(---|\+\+\+)[ \t]*(yaml|toml|json|js|javascript)?$/.exec(firstLine.trimEnd());
  if (opening !== null) {
    const [, fence = "", language = fence === "+++" ? "toml" : "yaml"] = opening;
    const end = closingLine(text, firstLine.length + 1, (mark) => mark === fence || mark === "...");
    if (end === null) return withoutEnd(text, firstLine.length + 1);
    const guesses: string[] = [];
    if (language.startsWith("j") && language !== "json") {
      guesses.push(`---${language} (a program, which is not run)`);
      return { data: {}, body: text.slice(end.to), guesses };
    }
    const data = READERS[language as DataLanguage](text.slice(firstLine.length + 1, end.from), guesses);
    // A text that begins with a horizontal rule has no front matter.
    return data === null
      ? { data: null, body: text }
      : { data, body: text.slice(end.to), ...(guesses.length === 0 ? {} : { guesses }) };
  }
  if (/^\{\s*$/.test(firstLine)) {
    const end = closingLine(text, firstLine.length + 1, (mark) => mark === "}");
    if (end !== null) return { data: readJson(`${text.slice(0, end.from)}}`), body: text.slice(end.to) };
  }
  return { data: null, body: text };
}

/** Front matter to which its last line is missing ends before the first empty line, if a title is in it. */
function withoutEnd(text: string, from: number): SplitText {
  const end = text.indexOf("\n\n", from);
  const block = text.slice(from, end);
  const isFrontMatter = end >= 0 && /^title: *\S/m.test(block) && block.split("\n").every((line) => PART.test(line));
  if (!isFrontMatter) return { data: null, body: text };
  const guesses = ["--- (its end is missing)"];
  const data = readYaml(block, guesses);
  return data === null ? { data, body: text } : { data, body: text.slice(end + 2), guesses };
}

/** A key, an item of a list, what is indented, or a comment. */
const PART = /^(?:[\w.-]+:(?:\s|$)|- |\s+\S|#)/;

/** The first line from `at` on that consists of a mark, possibly with trailing blanks. */
function closingLine(text: string, at: number, isMark: (mark: string) => boolean): { from: number; to: number } | null {
  for (let from = at; from < text.length;) {
    const lineEnd = text.indexOf("\n", from);
    const to = lineEnd === -1 ? text.length : lineEnd;
    const mark = text[from] === "}" ? "}" : text.slice(from, from + 3);
    if (isMark(mark) && /^[ \t]*$/.test(text.slice(from + mark.length, to))) {
      return { from, to: Math.min(to + 1, text.length) };
    }
    from = to + 1;
  }
  return null;
}

const READERS = { yaml: readYaml, toml: readTomlTable, json: readJson };
export type DataLanguage = keyof typeof READERS;

/** A whole text as a table; null if it is something else. @throws AppError `invalid`. */
export function readTable(language: DataLanguage, text: string): Record<string, unknown> | null {
  return READERS[language](text);
}

/** Characters: ten times the largest front matter known. */
const MAX_LENGTH = 200_000;

function readYaml(source: string, guesses: string[] = []): Record<string, unknown> | null {
  return guarded("YAML", source, () => {
    const strict = parseYaml(source);
    const error = strict.errors[0];
    const repaired = error === undefined ? strict : parseYaml(repairYaml(source));
    const document = repaired.errors.length === 0 ? repaired : strict;
    if (error !== undefined && document === repaired) guesses.push(lineAt(source, error.pos[0]));
    guesses.push(...repeatedKeys(document).map((key) => `${key}: (given twice)`));
    if (error !== undefined && document === strict) {
      // The fence above is line 1 of the file.
      const line = source.slice(0, error.pos[0]).split("\n").length + 1;
      throw new Error(`${error.message.split("\n")[0]} (line ${line})`);
    }
    visit(document, {
      Scalar(_key, node) {
        // A version such as 1.10 is not the number 1.1, and 007 is not 7.
        if (typeof node.value === "number" && node.source !== undefined && String(node.value) !== node.source) {
          node.value = node.source;
        }
      },
    });
    const data: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return isRecord(data) ? data : data === null ? {} : null;
  });
}

function parseYaml(source: string): Document.Parsed {
  assertFiniteYaml(source);
  // The parser computes lines and columns for each error, and there may be one error per character.
  return parseDocument(source, { schema: "core", uniqueKeys: false, logLevel: "silent", prettyErrors: false });
}

/** The line of the text with this place. */
function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf("\n", Math.max(0, at - 1)) + 1;
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? undefined : end).trim();
}

/** Of the first level: the last one counts. */
function repeatedKeys({ contents }: Document.Parsed): string[] {
  if (!isMap(contents)) return [];
  const keys = contents.items.flatMap(({ key }) => (isScalar(key) ? String(key.value) : []));
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
}

function readTomlTable(source: string): Record<string, unknown> {
  return guarded("TOML", source, () => withTextDates(parseToml(source, { maxDepth: 50 })) as Record<string, unknown>);
}

function readJson(source: string): Record<string, unknown> | null {
  return guarded("JSON", source, () => {
    const data: unknown = JSON.parse(source);
    return isRecord(data) ? data : null;
  });
}

/** TOML has a date type; the other formats write dates as text. */
function withTextDates(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(withTextDates);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTextDates(item)]));
}

/** Parsers throw errors of any type (a RangeError for deep nesting): each means that the file is invalid. */
function guarded<T>(language: string, source: string, read: () => T): T {
  if (source.length > MAX_LENGTH) {
    const most = MAX_LENGTH.toLocaleString("en-US");
    throw new AppError("invalid", `Its front matter is longer than ${most} characters; move the text below it.`);
  }
  try {
    return read();
  } catch (error) {
    const why = error instanceof RangeError ? "it is nested too deeply" : firstLine(error);
    throw new AppError("invalid", `Its front matter is not valid ${language}: ${why}`, { cause: error });
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = (message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "").replace(/[.:]$/, "");
  return `${line}.`;
}

/** Lookup ignores spelling (`pubDate`, `pub_date`, `pub-date`); what is under `extra` and `params` comes last. */
export class FrontMatterFields {
  readonly #groups: Map<string, unknown>[];

  constructor(data: Record<string, unknown>) {
    this.#groups = [data, data["extra"], data["params"]].filter(isRecord).map(normalised);
  }

  /** The first of these fields with a value, with its name as requested. */
  find(...names: string[]): { name: string; value: unknown } | null {
    for (const group of this.#groups) {
      for (const name of names) {
        const value = group.get(plainName(name));
        if (value !== undefined && value !== null && value !== "") return { name, value };
      }
    }
    return null;
  }

  get(...names: string[]): unknown {
    return this.find(...names)?.value;
  }

  /** A field of our own JSON article, unchanged, including `null`. */
  own(name: string): unknown {
    return this.#groups[0]?.get(plainName(name));
  }

  /** The fields of a group such as `seo` or `taxonomies`. */
  group(name: string): FrontMatterFields {
    const value = this.get(name);
    return new FrontMatterFields(isRecord(value) ? value : {});
  }
}

function normalised(data: Record<string, unknown>): Map<string, unknown> {
  return new Map(Object.entries(data).map(([key, value]) => [plainName(key), value]));
}

/** A name without case and separators. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, "");
}

/**
 * Checks tokens before parsing: a parser searches all for each alias, and is quadratic in depth. @throws RangeError if
 * nested too deep, Error for too many anchors or aliases.
 */
function assertFiniteYaml(source: string): void {
  let aliases = 0;
  let anchors = 0;
  let flows = 0;
  let blocksOfLine = 0;
  let isText = false;
  for (const token of new Lexer().lex(source)) {
    if (isText) {
      isText = false;
      continue;
    }
    isText = token === SCALAR;
    const [first] = token;
    if (first === "*") aliases += 1;
    else if (first === "&") anchors += 1;
    else if (first === "[" || first === "{") flows += 1;
    else if (first === "]" || first === "}") flows -= 1;
    else if (token === "-" || token === "?" || token === ":") blocksOfLine += 1;
    else if (first === "\n") blocksOfLine = 0;
    if (flows > MAX_DEPTH || (flows <= 0 && blocksOfLine > MAX_DEPTH)) throw new RangeError("nested too deeply");
    if (aliases > MAX_ALIASES) throw new Error(`it has more than ${MAX_ALIASES} aliases (*name); write them out`);
    if (anchors > MAX_ANCHORS) throw new Error(`it has more than ${MAX_ANCHORS} anchors (&name); leave some out`);
  }
}
