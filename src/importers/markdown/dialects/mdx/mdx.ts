/** MDX, as Docusaurus, Astro, Next.js and Gatsby have it. What is Markdown stays as it is written, byte for byte. */
import { posix } from "node:path";
import { markdownToHtml } from "../../../../domain/articles/content/markdown/markdown.ts";
import { splitFrontMatter } from "../../front-matter.ts";
import { codeBlock } from "../constructs.ts";
import type { ConvertContext, Dialect } from "../dialect.ts";
import { type Made, Output } from "../output.ts";
import { addressOf, inlineCode, meaningOf, tabLabels, unknownMeaning } from "./components.ts";
import { type Expression, parseMdx, type ParsedMdx, type Piece, type Tag, type Value } from "./parse.ts";
import { evaluate, readModule, type Scope, UNKNOWN, wordsOf } from "./values.ts";

export const mdx: Dialect = {
  name: "mdx",
  label: "MDX",
  isLikely: ({ name, body }) => /\.mdx$/i.test(name) || body.split("\n").some(isImportOfTheme),
  convert(body, context) {
    return context.language === "html" ? body : convertMdx(body, context, { depth: 0, characters: 0 });
  },
};

/** A theme of Docusaurus. */
function isImportOfTheme(line: string): boolean {
  return line.startsWith("import ") && /["']@(?:theme|site|docusaurus)\//.test(line);
}

function isImport(line: string): boolean {
  return /^import[ {]/.test(line) && /["'];?$/.test(line.trimEnd());
}

/** How deep files may contain others, and the characters of all in one article. */
const MAX_DEPTH = 4;
const MAX_INCLUDED = 1_000_000;

interface Included {
  depth: number;
  characters: number;
}

function convertMdx(body: string, context: ConvertContext, included: Included): string {
  if (!/[<{]|^(?:import|export)\b/m.test(body)) return body;
  const isMdx = /\.mdx$/i.test(context.name);
  // Plain Markdown of a site with MDX: braces and tags are text and HTML there.
  if (!isMdx && !/^(?:import|export)[ {]|<[A-Z]|\{\/\*/m.test(body)) return body;
  const parsed = parseMdx(body);
  if (parsed === null) {
    if (isMdx) context.warnings.add("construct_replaced", "MDX that its parser does not accept: read as Markdown");
    return isMdx
      ? body
          .split("\n")
          .map((line) => (isImport(line) ? "" : line))
          .join("\n")
      : body;
  }
  return parsed.pieces.length === 0 ? body : new Writer(body, parsed, context, included).write();
}

/** A tag with what is inside it. */
interface Element {
  kind: "element";
  open: Tag;
  from: number;
  to: number;
  /** Where its inside begins and ends. */
  inner: { from: number; to: number };
  isBlock: boolean;
  children: Node[];
}

type Node = Element | Exclude<Piece, Tag>;

const VOID = new Set("area br col embed hr img input link meta param source track wbr".split(" "));
/** HTML that stands in a line. */
const INLINE = new Set(
  "a abbr b bdi bdo br cite code del dfn em font i img input ins kbd label mark q s samp small span strike strong sub sup time u var wbr".split(
    " ",
  ),
);
/** HTML whose inside is a line of text. */
const LINES = new Set("button caption dd dt figcaption li legend option summary td th".split(" "));
const UNSEEN = new Set(["head", "link", "meta", "script", "style"]);
const MAX_NESTED = 100;

class Writer {
  readonly #source: string;
  readonly #parsed: ParsedMdx;
  readonly #context: ConvertContext;
  readonly #included: Included;
  readonly #scope: Scope = { values: new Map(), files: new Map(), components: new Map() };

  constructor(source: string, parsed: ParsedMdx, context: ConvertContext, included: Included) {
    this.#source = source;
    this.#parsed = parsed;
    this.#context = context;
    this.#included = included;
    for (const name of ["frontMatter", "frontmatter", "metadata"]) this.#scope.values.set(name, context.fields);
  }

  write(): string {
    for (const piece of this.#parsed.pieces) if (piece.kind === "module") readModule(piece.program, this.#scope);
    const nodes = this.#buildTree();
    return this.#range(0, this.#source.length, nodes, 0);
  }

  /** Joins tags with their ends; those without one are empty. */
  #buildTree(): Node[] {
    const all: Node[] = [];
    const open: Element[] = [];
    for (const piece of this.#parsed.pieces) {
      const here = open.at(-1)?.children ?? all;
      if (piece.kind !== "tag") {
        here.push(piece);
        continue;
      }
      if (piece.form === "close") {
        const at = open.findLastIndex(({ open: tag }) => tag.name === piece.name);
        const ended = open[at];
        if (ended === undefined) {
          here.push(toElement(piece));
          continue;
        }
        flatten(open.splice(at + 1), ended.children);
        open.length = at;
        ended.inner.to = piece.from;
        ended.to = piece.to;
        continue;
      }
      const element = toElement(piece);
      here.push(element);
      if (piece.form === "open" && !VOID.has(piece.name)) open.push(element);
    }
    flatten(open, all);
    this.#raiseAlone(all, 0, this.#source.length, 0);
    return all;
  }

  /** A paragraph, or its part in an element, of nothing but elements is no paragraph. */
  #raiseAlone(nodes: readonly Node[], from: number, to: number, depth: number): void {
    let at = 0;
    while (at < nodes.length) {
      const paragraph = this.#paragraphAt(nodes[at]?.from ?? 0);
      const start = at;
      const [first, last] = [Math.max(from, paragraph.from), Math.min(to, paragraph.to)];
      let end = first;
      let isAlone = true;
      for (; at < nodes.length && (nodes[at]?.from ?? 0) < Math.max(last, first + 1); at += 1) {
        const node = nodes[at];
        if (node === undefined) break;
        isAlone &&= this.#isBlank(end, node.from) && (node.kind === "element" || this.#isBlankExpression(node));
        end = node.to;
      }
      at = Math.max(at, start + 1);
      isAlone &&= this.#isBlank(end, Math.max(end, last));
      for (const node of nodes.slice(start, at)) {
        if (node.kind !== "element") continue;
        if (isAlone && !INLINE.has(node.open.name)) node.isBlock = true;
        const { inner, children } = node;
        if (node.isBlock && depth < MAX_NESTED) this.#raiseAlone(children, inner.from, inner.to, depth + 1);
      }
    }
  }

  /** The paragraph at this place; empty if there is none. */
  #paragraphAt(place: number): { from: number; to: number } {
    const { paragraphs } = this.#parsed;
    let [low, high] = [0, paragraphs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((paragraphs[middle]?.to ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    const found = paragraphs[low];
    return found === undefined || found.from > place ? { from: place, to: place } : found;
  }

  #isBlankExpression(node: Node): boolean {
    if (node.kind !== "expression") return false;
    const value = node.node === undefined ? "text" : evaluate(node.node, this.#scope);
    return value === undefined || (typeof value === "string" && value.trim() === "");
  }

  #isBlank(from: number, to: number): boolean {
    return this.#source.slice(from, to).trim() === "";
  }

  #range(from: number, to: number, nodes: readonly Node[], depth: number, labels?: Labels): string {
    const output = new Output();
    let at = from;
    let place = 0;
    for (const node of nodes) {
      output.add(this.#source.slice(at, node.from));
      const label = node.kind === "element" ? labels?.next(node.open, place++, this) : undefined;
      const made = this.#node(node, depth, label, output.prefix);
      if (typeof made !== "string") output.addBlock(made.block);
      else if (node.kind === "element" && node.isBlock && made !== "") output.addBlock(made);
      else output.add(made);
      at = node.to;
    }
    output.add(this.#source.slice(at, to));
    return output.text;
  }

  #node(node: Node, depth: number, label: string | undefined, prefix: string): Made {
    if (node.kind === "module") return "";
    if (node.kind === "expression") return this.#expression(node);
    return depth > MAX_NESTED
      ? this.#source.slice(node.inner.from, node.inner.to)
      : this.#element(node, depth, label, prefix);
  }

  #expression(expression: Expression): string {
    const { from, to, source, node } = expression;
    if (node === undefined) return this.#source.slice(from, to);
    // A comment of Markdown was read as one of MDX.
    if (this.#source.startsWith("<!--", from)) return this.#source.slice(from, to);
    if (node.type === "Empty") {
      const id = /^\s*\/\*\s*#?([\w-]+)\s*\*\/\s*$/.exec(source)?.[1];
      const isOfHeading = id !== undefined && this.#parsed.headings.some((heading) => heading.to === to);
      return isOfHeading ? `{#${id}}` : "";
    }
    const value = evaluate(node, this.#scope);
    if (typeof value === "string" || typeof value === "number") return escapeText(String(value));
    if (value === undefined || value === null || typeof value === "boolean") return "";
    if (Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "number"))
      return escapeText(value.join(""));
    this.#warn(this.#source.slice(from, to));
    return wordsOf(node);
  }

  #warn(construct: string): void {
    this.#context.warnings.add("construct_replaced", construct);
  }

  valueOf(value: Value | undefined): unknown {
    if (value === undefined || value === true || typeof value === "string") return value;
    const known = evaluate(value.node, this.#scope);
    if (known !== UNKNOWN) return known;
    const words = wordsOf(value.node);
    return words === "" ? UNKNOWN : words;
  }

  #props({ attributes }: Tag): Map<string, unknown> {
    return new Map(Array.from(attributes, ([name, value]) => [name, this.valueOf(value)]));
  }

  #element(element: Element, depth: number, label: string | undefined, prefix: string): Made {
    const { open, isBlock, inner, children } = element;
    const { name } = open;
    if (open.form === "close") return "";
    if (UNSEEN.has(name)) return "";
    const isHtml = /^[a-z][a-z\d-]*$/.test(name) && !(name === "img" && open.attributes.get("src") instanceof Object);
    if (isHtml && isBlock && (name === "svg" || name === "math"))
      return { block: this.#source.slice(element.from, element.to).replaceAll(/\n[ \t]*(?=\n)/g, "") };
    if (isBlock && isHtml && this.#isPlain(element)) return { block: localLines(this.#plain(element), prefix) };
    const props = this.#props(open);
    const labels = isHtml ? undefined : new Labels(props);
    const written = this.#range(inner.from, inner.to, children, depth + 1, labels);
    const inside = isBlock ? localLines(written, prefix) : written;
    if (isHtml) return this.#html(element, inside);
    if (name === "") return isBlock && inside.trim() !== "" ? { block: inside } : inside;
    const [only, ...others] = children.filter((child) => child.kind !== "expression" || child.node?.type !== "Empty");
    const isOnly =
      only?.kind === "expression" &&
      others.length === 0 &&
      this.#isBlank(inner.from, only.from) &&
      this.#isBlank(only.to, inner.to);
    const value = isOnly ? evaluate(only.node, this.#scope) : undefined;
    const component = {
      source: this.#source.slice(open.from, open.to),
      name,
      props,
      inside: trimEmpty(inside),
      text: typeof value === "string" ? (this.#fileAt(only, value) ?? value) : undefined,
      isAlone: isBlock,
      label,
    };
    const file = this.#scope.files.get(name);
    if (file !== undefined && /\.mdx?$/.test(file)) {
      const text = this.#include(file);
      if (text !== null) return isBlock ? { block: text } : text;
    }
    const meaning = meaningOf(name);
    const player = meaning?.(component);
    if (player !== undefined) return player;
    this.#warn(component.source);
    const own = this.#scope.components.get(name);
    return own !== undefined && component.inside === "" ? own : unknownMeaning(component);
  }

  /** The text of a file that was imported as one. */
  #fileAt(only: Node | undefined, path: string): string | null {
    const isName = only?.kind === "expression" && only.node?.type === "Identifier";
    return isName && /^[.@/~][^\n]*\.\w+$/.test(path) ? this.#readFile(path) : null;
  }

  #readFile(path: string): string | null {
    const { site, pathInSite } = this.#context;
    const places = path.startsWith(".")
      ? [
          posix.join(posix.dirname(pathInSite), path),
          ...["blog", "docs", "src"].map((folder) => posix.join(folder, posix.dirname(pathInSite), path)),
        ]
      : [path.replace(/^(?:@site|@|~)?\//, ""), path.replace(/^(?:@|~)?\//, "src/")];
    for (const place of places) {
      const text = place.startsWith("..") ? null : site.readFile(place);
      if (text !== null) return text.replaceAll("\r\n", "\n");
    }
    return null;
  }

  /** The Markdown of another file. */
  #include(path: string): string | null {
    const text = this.#included.depth < MAX_DEPTH ? this.#readFile(path) : null;
    if (text === null || this.#included.characters + text.length > MAX_INCLUDED) return null;
    this.#included.characters += text.length;
    this.#included.depth += 1;
    const { body } = splitFrontMatter(text);
    const made = convertMdx(
      body,
      { ...this.#context, name: `${this.#context.name.replace(/\.\w+$/, "")}.mdx` },
      this.#included,
    );
    this.#included.depth -= 1;
    return made.trim();
  }

  /** HTML without Markdown, which may stay as it is. */
  #isPlain(element: Element, depth = 0): boolean {
    const { inner, children, open } = element;
    if (depth > MAX_NESTED) return false;
    if (depth === 0 && /^(?:p|pre|h[1-6])$/.test(open.name)) return false;
    let at = inner.from;
    for (const child of children) {
      if (!isPlainText(this.#source.slice(at, child.from))) return false;
      if (child.kind === "module") return false;
      if (child.kind === "element" && (!/^[a-z][a-z\d]*$/.test(child.open.name) || UNSEEN.has(child.open.name)))
        return false;
      if (child.kind === "element" && !this.#isPlain(child, depth + 1)) return false;
      at = child.to;
    }
    return isPlainText(this.#source.slice(at, inner.to));
  }

  #plain(element: Element): string {
    const { inner, children, open } = element;
    let html = this.#openTag(open);
    if (VOID.has(open.name)) return html;
    let at = inner.from;
    for (const child of children) {
      html += this.#source.slice(at, child.from);
      html +=
        child.kind === "element" ? this.#plain(child) : child.kind === "expression" ? this.#expressionHtml(child) : "";
      at = child.to;
    }
    return `${html}${this.#source.slice(at, inner.to)}</${open.name}>`;
  }

  #expressionHtml(expression: Expression): string {
    if (expression.node === undefined) return this.#source.slice(expression.from, expression.to);
    const value = evaluate(expression.node, this.#scope);
    if (typeof value === "string" || typeof value === "number") return escapeHtmlText(String(value));
    return this.#expression(expression);
  }

  #html(element: Element, inside: string): Made {
    const { open, isBlock, children } = element;
    const { name } = open;
    const tag = this.#openTag(open);
    if (VOID.has(name)) return isBlock ? { block: tag } : tag;
    const text = trimEmpty(inside);
    if (!isBlock) {
      const code = name === "code" && children.length === 1 ? this.#soleText(element) : undefined;
      return code === undefined ? `${tag}${inside}</${name}>` : inlineCode(code);
    }
    if (name === "pre") {
      const code = this.#soleText(element);
      if (code !== undefined) {
        const inner = children.find((child) => child.kind === "element");
        const language = inner?.open.attributes.get("className") ?? open.attributes.get("className");
        return codeBlock(
          typeof language === "string" ? language.replace(/^(?:language|lang)-/, "") : "",
          code,
          "markdown",
        );
      }
    }
    if (text === "") return name === "p" || name === "div" || name === "span" ? "" : { block: `${tag}</${name}>` };
    if (name === "p" && !/\balign=|\bid=/.test(tag)) return { block: text };
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined && !text.includes("\n")) {
      const id = open.attributes.get("id");
      return { block: `${"#".repeat(Number(level))} ${text}${typeof id === "string" ? ` {#${id}}` : ""}` };
    }
    const isLine = LINES.has(name) || name === "p" || INLINE.has(name);
    if (isLine && !/\n[ \t]*\n/.test(text)) return { block: `${tag}${toInlineHtml(text)}</${name}>` };
    return { block: `${tag}\n\n${text}\n\n</${name}>` };
  }

  /** The string of JavaScript that is all the text of an element, also of one in it. */
  #soleText({ children }: Element): string | undefined {
    const [only, ...others] = children;
    if (only === undefined || others.length > 0) return undefined;
    if (only.kind === "element") return this.#soleText(only);
    const value = only.kind === "expression" ? evaluate(only.node, this.#scope) : undefined;
    return typeof value === "string" ? value : undefined;
  }

  #openTag(tag: Tag): string {
    const { name, attributes } = tag;
    const source = this.#source.slice(tag.from, tag.to);
    const isHtml = !source.includes("{") && !/[A-Z]/.test([...attributes.keys()].join("")) && !source.includes("\n");
    const isClosed = tag.form !== "empty" || VOID.has(name);
    if (isHtml && isClosed) return source;
    let html = `<${name}`;
    for (const [key, written] of attributes) {
      if (key === "key" || key === "ref" || /^on[A-Z]|:/.test(key) || key === "dangerouslySetInnerHTML") continue;
      const value = this.valueOf(written);
      const text = key === "src" || key === "href" || key === "poster" ? (addressOf(value) ?? value) : value;
      if (text === true) html += ` ${attributeName(key)}`;
      else if (typeof text === "string" || typeof text === "number")
        html += ` ${attributeName(key)}="${escapeHtmlText(String(text)).replaceAll('"', "&quot;")}"`;
      else if (text === UNKNOWN && /^(?:alt|href|src|title)$/.test(key)) this.#warn(source);
    }
    return `${html}>`;
  }
}

class Labels {
  readonly #byPlace: readonly string[];
  readonly #byValue: ReadonlyMap<string, string>;

  constructor(props: ReadonlyMap<string, unknown>) {
    const { byPlace, byValue } = tabLabels(props);
    this.#byPlace = byPlace;
    this.#byValue = byValue;
  }

  /** The label of a tab that has none of its own. */
  next({ attributes }: Tag, place: number, writer: Writer): string | undefined {
    if (attributes.has("label") || attributes.has("title")) return undefined;
    const value = writer.valueOf(attributes.get("value"));
    return (typeof value === "string" ? this.#byValue.get(value) : undefined) ?? this.#byPlace[place];
  }
}

/** What was taken for the inside of tags without an end comes after them. */
function flatten(unclosed: readonly Element[], around: Node[]): void {
  for (const element of unclosed) {
    for (const child of element.children) around.push(child);
    element.children = [];
  }
}

function toElement(open: Tag): Element {
  const { from, to, isBlock } = open;
  return { kind: "element", open, from, to, inner: { from: to, to }, isBlock, children: [] };
}

/** React's names of attributes. */
function attributeName(name: string): string {
  if (name === "className") return "class";
  if (name === "htmlFor") return "for";
  return name.toLowerCase();
}

function isPlainText(text: string): boolean {
  return !/[*_`~[\]\\|]|https?:|www\.|\n[ \t]*\n|^[ \t]*(?:[-+>#]|\d+[.)])[ \t]/m.test(text.trim());
}

function escapeHtmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Text in which Markdown has no meaning. */
function escapeText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]~|]/g, String.raw`\$&`);
}

/** Markdown of a line as HTML, for elements in which Markdown is not read. */
function toInlineHtml(text: string): string {
  if (!/[*_`~[\]\\|&]|https?:|www\./.test(text)) return text;
  const html = markdownToHtml(text).trim();
  const whole = /^<p>([^]*)<\/p>$/.exec(html)?.[1];
  return whole === undefined || whole.includes("<p>") ? html : whole;
}

/** Without empty lines around it. */
function trimEmpty(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/**
 * Lines as they stand in a block of their own: without the marks of quotes and lists around them, and without the indentation
 * that they share. Indented code is none in MDX, so the indentation of prose has no meaning.
 */
function localLines(text: string, prefix: string): string {
  const quotes = prefix.split(">").length - 1;
  const lines = text.split("\n").map((line, index) => (index === 0 ? line : withoutQuotes(line, quotes)));
  const [first = "", ...rest] = lines;
  let shared = Number.POSITIVE_INFINITY;
  let fence = "";
  for (const line of rest) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence)) fence = "";
      continue;
    }
    if (line.trim() !== "") shared = Math.min(shared, indentation(line));
    fence = mark;
  }
  const made = rest.map((line) => withoutIndentation(line, shared));
  return trimEmpty([first.trimStart(), ...made].join("\n"));
}

function withoutQuotes(line: string, quotes: number): string {
  let rest = line;
  for (let left = quotes; left > 0; left -= 1) {
    const mark = /^ {0,3}> ?/.exec(rest)?.[0];
    if (mark === undefined) break;
    rest = rest.slice(mark.length);
  }
  return rest;
}

function indentation(line: string): number {
  let columns = 0;
  for (const sign of line) {
    if (sign === " ") columns += 1;
    else if (sign === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

function withoutIndentation(line: string, columns: number): string {
  let at = 0;
  for (let column = 0; column < columns && at < line.length; at += 1) {
    if (line[at] === " ") column += 1;
    else if (line[at] === "\t") column += 4 - (column % 4);
    else break;
  }
  return line.slice(at);
}
