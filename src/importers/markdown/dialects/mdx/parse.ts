/** MDX by its own parser: which parts of a text are JSX and JavaScript, with their places. The rest is Markdown. */
import { createRequire } from "node:module";
import type * as acorn from "acorn";
import type * as acornJsx from "acorn-jsx";
import type * as micromark from "micromark";
import type * as mdx from "micromark-extension-mdxjs";

type Event = ReturnType<typeof micromark.postprocess>[number];
type Token = Event[1];

export type Value = string | true | Code;

/** JavaScript in braces. */
interface Code {
  /** Without the braces. */
  source: string;
  /** Undefined: it is not JavaScript, but text in braces. */
  node: acorn.Node | undefined;
}

export interface Tag {
  kind: "tag";
  from: number;
  to: number;
  isBlock: boolean;
  /** `a.b`, `a:b`; empty for a fragment. */
  name: string;
  form: "open" | "close" | "empty";
  attributes: Map<string, Value>;
}

export interface Expression extends Code {
  kind: "expression";
  from: number;
  to: number;
  isBlock: boolean;
}

/** Imports and exports. */
interface Module {
  kind: "module";
  from: number;
  to: number;
  program: acorn.Program | undefined;
}

export type Piece = Tag | Expression | Module;

export interface ParsedMdx {
  pieces: Piece[];
  /** Where paragraphs and headings are, in their order. */
  paragraphs: Range[];
  headings: Range[];
}

interface Range {
  from: number;
  to: number;
}

/** Characters: more than any article has; the parser reads some 100 of them in a millisecond. */
const MAX_SOURCE = 200_000;
/** Quotes and lists in each other; the parser needs the square of their number. */
const MAX_NESTING = 50;
/** How many times a text without an end may be read again, and characters that take no matter how many. */
const MAX_READINGS = 40;
const FREE_WORK = 500_000;
/** Signs that are text although MDX has a meaning for them. */
const MAX_MENDED = 20;

/** @returns null for what is no MDX, or too much work. */
export function parseMdx(source: string): ParsedMdx | null {
  if (source.length > MAX_SOURCE || isNestedDeeply(source)) return null;
  let text = maskMarkdown(source);
  for (let mended = 0; mended <= MAX_MENDED; mended += 1) {
    const work = { left: source.length * MAX_READINGS + FREE_WORK, isOver: false };
    try {
      return readEvents(parseEvents(text, work), source, text);
    } catch (error) {
      if (work.isOver || error instanceof RangeError) return null;
      const next = mend(text, error);
      if (next === null) return null;
      text = next;
    }
  }
  return null;
}

function isNestedDeeply(source: string): boolean {
  return source.split("\n").some((line) => {
    const opening = /^[-+*>\d.) \t]*/.exec(line)?.[0] ?? "";
    if (opening.length <= MAX_NESTING) return false;
    const marks = opening.match(/[-+*.)][ \t]|>/g)?.length ?? 0;
    return marks > MAX_NESTING || (marks > 0 && opening.search(/\S/) > 2 * MAX_NESTING);
  });
}

/** Replaces, by as many characters, what Markdown and generators know beside MDX: comments, ids, addresses in brackets. */
function maskMarkdown(source: string): string {
  return maskComments(source)
    .replaceAll(/\{([#:][^{}\n]*)\}/g, "($1)")
    .replaceAll(/<((?:https?:|mailto:)[^<>\s]*|[^<>\s@]+@[^<>\s]+)>/g, "($1)");
}

function maskComments(source: string): string {
  let masked = "";
  let done = 0;
  for (let start = source.indexOf("<!--"); start >= 0; start = source.indexOf("<!--", done)) {
    const end = source.indexOf("-->", start + 4);
    if (end < 0) break;
    masked += `${source.slice(done, start)}{/* ${source.slice(start + 4, end).replaceAll("*/", "* ")}*/}`;
    done = end + 3;
  }
  return masked + source.slice(done);
}

/** Makes text of the sign at which the parser gave up. */
function mend(text: string, error: unknown): string | null {
  const { source, place } = error as { source?: string; place?: { offset?: number; start?: { offset: number } } };
  const at = place?.offset ?? place?.start?.offset;
  if (at === undefined) return null;
  if (source === "micromark-extension-mdxjs-esm") {
    const starts = [...text.slice(0, at + 1).matchAll(/^(?:import|export)(?=[ {])/gm)];
    const start = starts.at(-1)?.index;
    return start === undefined ? null : maskAt(text, start);
  }
  if (source !== "micromark-extension-mdx-jsx") return null;
  const sign = text.lastIndexOf("<", at);
  if (sign < 0) return null;
  // One sign of comparison is seldom alone.
  return (
    text.slice(0, sign) +
    text
      .slice(sign)
      .replaceAll(/<(?![A-Za-z_/>$])/g, "(")
      .replace(/^</, "(")
  );
}

function maskAt(text: string, at: number): string {
  return `${text.slice(0, at)}(${text.slice(at + 1)}`;
}

const require = createRequire(import.meta.url);

/** Loaded by the first text that needs them. */
function loadParser(): {
  micromark: typeof micromark;
  mdxjs: typeof mdx.mdxjs;
  parser: typeof acorn.Parser;
} {
  const { Parser } = require("acorn") as typeof acorn;
  const jsx = require("acorn-jsx") as typeof acornJsx.default;
  return {
    micromark: require("micromark") as typeof micromark,
    mdxjs: (require("micromark-extension-mdxjs") as typeof mdx).mdxjs,
    parser: Parser.extend(jsx()),
  };
}

let loaded: ReturnType<typeof loadParser> | undefined;

/** What has no meaning here. */
const PLAIN = { disable: { null: ["attention", "characterReference", "hardBreakEscape"] } };

const OPTIONS = { ecmaVersion: 2024, sourceType: "module" } as const;

interface Work {
  left: number;
  isOver: boolean;
}

function parseEvents(text: string, work: Work): Event[] {
  loaded ??= loadParser();
  const { mdxjs, parser } = loaded;
  /** Reads until the braces end, as many times as they may: bounded, as there may be one for each character. */
  const read = <Node>(source: string, parse: () => Node): Node => {
    work.left -= source.length;
    if (work.left < 0) {
      work.isOver = true;
      // Frozen: the extension would write its place into it, and go on.
      throw Object.freeze(new Error("too much work"));
    }
    return parse();
  };
  const bounded = {
    parse: (source: string, options: acorn.Options) => read(source, () => parser.parse(source, options)),
    parseExpressionAt: (source: string, at: number, options: acorn.Options) =>
      read(source, () => {
        try {
          const node = parser.parseExpressionAt(source, at, options);
          if (isEnd(source.slice(node.end))) return node;
          throw new SyntaxError("more than an expression");
        } catch (error) {
          if (!(error instanceof SyntaxError) || !isBalanced(source)) throw error;
          return { type: UNREADABLE, start: at, end: source.trimEnd().length };
        }
      }),
  };
  const extension = mdxjs({ acorn: bounded as never, acornOptions: OPTIONS, addResult: true });
  const { parse, postprocess, preprocess } = loaded.micromark;
  const parsed = parse({ extensions: [extension, PLAIN] }).document();
  return postprocess(parsed.write(preprocess()(text, undefined, true)));
}

/** Whether nothing but comments comes after an expression. */
const isEnd = (rest: string): boolean => /^[\s)]*$/.test(rest) || /^[\s)]*\/[/*]/.test(rest);

const UNREADABLE = "Unreadable";

function isBalanced(source: string): boolean {
  let depth = 0;
  for (const sign of source) {
    if (sign === "{") depth += 1;
    else if (sign === "}") depth -= 1;
  }
  return depth === 0;
}

/** Tokens of the extensions have the tree of their JavaScript. */
type MdxToken = Token & { estree?: acorn.Program };

/** @param masked the source as it was read. */
function readEvents(events: readonly Event[], source: string, masked: string): ParsedMdx {
  const codeOf = (token: MdxToken): Code => toCode(token, source, masked);
  const found: ParsedMdx = { pieces: [], paragraphs: [], headings: [] };
  let tag: Tag | undefined;
  let attribute = "";
  for (const [step, token] of events as unknown as readonly (readonly [Event[0], MdxToken])[]) {
    const [from, to] = [token.start.offset, token.end.offset];
    const text = (): string => source.slice(from, to);
    const type: string = token.type;
    if (step === "exit") {
      if (tag !== undefined && /^mdxJsx(?:Flow|Text)Tag$/.test(type)) tag = undefined;
      continue;
    }
    switch (type.replace(/^mdx(?:Jsx)?(?:Flow|Text)/, "")) {
      case "paragraph":
        found.paragraphs.push({ from, to });
        break;
      case "atxHeading":
      case "setextHeading":
        found.headings.push({ from, to });
        break;
      case "mdxjsEsm":
        found.pieces.push({ kind: "module", from, to, program: token.estree });
        break;
      case "Expression":
        found.pieces.push({ kind: "expression", from, to, isBlock: type.includes("Flow"), ...codeOf(token) });
        break;
      case "Tag":
        tag = { kind: "tag", from, to, isBlock: type.includes("Flow"), name: "", form: "open", attributes: new Map() };
        found.pieces.push(tag);
        break;
      case "TagClosingMarker":
        if (tag !== undefined) tag.form = "close";
        break;
      case "TagSelfClosingMarker":
        if (tag !== undefined) tag.form = "empty";
        break;
      case "TagName":
        if (tag !== undefined) tag.name = text().replaceAll(/\s/g, "");
        break;
      case "TagAttributeName":
        attribute = text().trim();
        tag?.attributes.set(attribute, true);
        break;
      case "TagAttributeValueLiteral":
        tag?.attributes.set(attribute, decode(text().slice(1, -1)));
        break;
      case "TagAttributeValueExpression":
        tag?.attributes.set(attribute, codeOf(token));
        break;
      default:
    }
  }
  return found;
}

function toCode({ start, end, estree }: MdxToken, source: string, masked: string): Code {
  const text = source.slice(start.offset, end.offset);
  const inside = text.slice(1, -1);
  const statement = estree?.body[0];
  const node = statement?.type === "ExpressionStatement" ? statement.expression : undefined;
  if (estree === undefined || (node?.type as string | undefined) === UNREADABLE)
    return { source: inside, node: undefined };
  if (node === undefined) return { source: inside, node: { type: "Empty", start: 0, end: 0 } };
  return { source: inside, node: text === masked.slice(start.offset, end.offset) ? node : (reread(inside) ?? node) };
}

/** Code in which something was replaced, as it is. */
function reread(code: string): acorn.Node | undefined {
  try {
    return loaded?.parser.parseExpressionAt(code, 0, OPTIONS);
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
