/**
 * Parses HTML that leaves nothing to a parser's judgement: each element closed by its own end tag where HTML allows it,
 * attributes in double quotes, plain comments. Editors and generators write that. It takes a tenth of parse5's time; all else is left
 * to parse5.
 *
 * For what it accepts, the tree is that of tree.ts's `parse`, `repairHtml` and the loss check find nothing, and no
 * limit of the scanner is reached. A test compares them on random texts.
 */
import type { Element, ElementContent, Root, RootContent } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import { html } from "parse5";
import { isPlainComment } from "./html-scanner.ts";
import { endsName, isSpace } from "./source-index.ts";

const [INLINE, FORMATTING, BLOCK, VOID, VOID_BLOCK, ITEM, TABLE_PART] = [1, 2, 3, 4, 5, 6, 7];

/** The names are those of the tree: look-ups by the same string are faster than by an equal one. */
const ELEMENTS: ReadonlyMap<string, { name: string; kind: number }> = new Map([
  ...kinds(INLINE, "abbr bdi bdo cite del dfn ins kbd mark q samp span sub sup time var"),
  ...kinds(FORMATTING, "a b big code em i s small strike strong tt u"),
  ...kinds(
    BLOCK,
    "article aside blockquote details div dl figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup main",
  ),
  ...kinds(BLOCK, "nav ol p pre section summary table ul"),
  ...kinds(VOID, "br img wbr"),
  ...kinds(VOID_BLOCK, "hr"),
  ...kinds(ITEM, "dd dt li"),
  ...kinds(TABLE_PART, "tbody td tfoot th thead tr"),
]);

/** The parents that each of these elements must have. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  li: ["ul", "ol"],
  dt: ["dl"],
  dd: ["dl"],
  thead: ["table"],
  tbody: ["table"],
  tfoot: ["table"],
  tr: ["thead", "tbody", "tfoot"],
  td: ["tr"],
  th: ["tr"],
};
/** Directly in these, there are only parts of tables and white space. */
const TABLE_STRUCTURE: ReadonlySet<string> = new Set(["table", "thead", "tbody", "tfoot", "tr"]);

interface Attribute {
  name: string;
  value: string;
}

/** Well below the scanner's limits. */
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 50_000;
const MAX_ATTRIBUTES = 20;

/** @returns undefined if a parser for everything is needed. */
export function parseFast(source: string): Root | undefined {
  // A parser changes these characters.
  if (source.includes("\r") || source.includes("\0") || source.startsWith("\ufeff")) return undefined;
  return new RegularParser(source).run();
}

class RegularParser {
  private readonly source: string;
  private at = 0;
  private readonly root: RootContent[] = [];
  private readonly open: Element[] = [];
  private openFormatting = 0;
  private elements = 0;

  constructor(source: string) {
    this.source = source;
  }

  run(): Root | undefined {
    const { source, open, root } = this;
    while (this.at < source.length) {
      const found = source.indexOf("<", this.at);
      const next = found < 0 ? source.length : found;
      if (next > this.at && !this.text(source.slice(this.at, next))) return undefined;
      if (found < 0) break;
      this.at = next + 1;
      const code = source.charCodeAt(this.at);
      const isRead = code === SLASH ? this.endTag() : code === BANG ? this.comment() : this.startTag();
      if (!isRead) return undefined;
    }
    return open.length === 0 ? { type: "root", children: root } : undefined;
  }

  private text(written: string): boolean {
    const parent = this.open.at(-1);
    if (parent !== undefined) {
      if (TABLE_STRUCTURE.has(parent.tagName) && /[^\t\n\f ]/.test(written)) return false;
      // A parser drops it.
      if (parent.tagName === "pre" && parent.children.length === 0 && written.startsWith("\n")) return false;
    }
    const value = resolveReferences(written, false);
    if (value === undefined) return false;
    this.siblings().push({ type: "text", value });
    return true;
  }

  private siblings(): (RootContent | ElementContent)[] {
    return this.open.at(-1)?.children ?? this.root;
  }

  private startTag(): boolean {
    const found = ELEMENTS.get(this.name());
    if (found === undefined) return false;
    const { name, kind } = found;
    if (!this.mayStand(name, kind)) return false;
    this.elements += 1 + this.openFormatting;
    if (this.elements > MAX_ELEMENTS) return false;
    const isVoid = kind === VOID || kind === VOID_BLOCK;
    const properties = this.attributes(name, isVoid);
    if (properties === undefined) return false;
    const element: Element = { type: "element", tagName: name, properties, children: [] };
    this.siblings().push(element);
    if (isVoid) return true;
    this.open.push(element);
    if (kind === FORMATTING) this.openFormatting += 1;
    return this.open.length <= MAX_DEPTH;
  }

  /** Whether a parser would put the element where it stands, and close no other. */
  private mayStand(name: string, kind: number): boolean {
    const { open } = this;
    const parent = open.at(-1)?.tagName ?? "";
    const parents = PARENTS[name];
    if (parents === undefined ? TABLE_STRUCTURE.has(parent) : !parents.includes(parent)) return false;
    if (kind === INLINE || kind === VOID || (kind === FORMATTING && name !== "a")) return true;
    // A link ends the one around it, a block ends a paragraph, and a heading another one.
    for (const { tagName } of open) {
      if (kind === FORMATTING ? tagName === "a" : tagName === "p" || (isHeading(name) && isHeading(tagName)))
        return false;
    }
    return true;
  }

  private endTag(): boolean {
    const { source, open } = this;
    const element = open.at(-1);
    if (element === undefined) return false;
    const start = this.at + 1;
    const end = start + element.tagName.length;
    if (!source.startsWith(element.tagName, start) || source.charCodeAt(end) !== GREATER) return false;
    this.at = end + 1;
    open.pop();
    if (ELEMENTS.get(element.tagName)?.kind === FORMATTING) this.openFormatting -= 1;
    return true;
  }

  private comment(): boolean {
    const { source } = this;
    const start = this.at + 3;
    const end = source.startsWith("!--", this.at) ? source.indexOf("-->", start) : -1;
    const value = source.slice(start, end);
    if (end < 0 || !isPlainComment(value)) return false;
    this.siblings().push({ type: "comment", value });
    this.at = end + 3;
    return true;
  }

  private name(): string {
    const { source } = this;
    const start = this.at;
    let end = start;
    while (!endsName(source.charCodeAt(end))) end += 1;
    this.at = end;
    return source.slice(start, end);
  }

  /** Reads past the `>` of a start tag. */
  private attributes(element: string, isVoid: boolean): Element["properties"] | undefined {
    const { source } = this;
    const found: Attribute[] = [];
    for (;;) {
      const hasSpace = isSpace(source.charCodeAt(this.at));
      while (isSpace(source.charCodeAt(this.at))) this.at += 1;
      const code = source.charCodeAt(this.at);
      if (code === GREATER) {
        this.at += 1;
        return toProperties(element, found);
      }
      if (code === SLASH && isVoid && source.charCodeAt(this.at + 1) === GREATER) {
        this.at += 2;
        return toProperties(element, found);
      }
      const attribute = hasSpace && found.length < MAX_ATTRIBUTES ? this.attribute() : undefined;
      if (attribute === undefined || found.some(({ name }) => name === attribute.name)) return undefined;
      found.push(attribute);
    }
  }

  private attribute(): Attribute | undefined {
    const { source } = this;
    const start = this.at;
    let end = start;
    while (isNameCharacter(source.charCodeAt(end))) end += 1;
    if (end === start || source.charCodeAt(end) !== EQUALS || source.charCodeAt(end + 1) !== QUOTE) return undefined;
    const close = source.indexOf('"', end + 2);
    if (close < 0) return undefined;
    const written = source.slice(end + 2, close);
    // Where such a value ends is a matter of judgement.
    if (written.includes("<") || written.includes(">")) return undefined;
    const value = resolveReferences(written, true);
    if (value === undefined) return undefined;
    this.at = close + 1;
    return { name: source.slice(start, end), value };
  }
}

/** Attributes whose property has the same name, with the attribute's text as its value. */
const TEXTS: ReadonlySet<string> = new Set("alt href id lang loading scope src title".split(" "));
const NUMBERS: ReadonlySet<string> = new Set(["height", "width"]);
const LISTS: ReadonlyMap<string, string> = new Map([
  ["class", "className"],
  ["rel", "rel"],
]);
/** Never an address. */
const PROSE: ReadonlySet<string> = new Set(["alt", "class", "id", "title"]);
/** The sanitiser's check knows only lower-case schemes. HTML with other addresses is left to the general parser. */
const PLAIN_ADDRESS = /^(?:https?:\/\/|mailto:|tel:|[/?#])/;

function toProperties(tagName: string, attributes: readonly Attribute[]): Element["properties"] | undefined {
  const mayBeForeign = ({ name, value }: Attribute) =>
    !PROSE.has(name) && value.includes(":") && !PLAIN_ADDRESS.test(value);
  if (attributes.some(mayBeForeign)) return undefined;
  const properties: Element["properties"] = {};
  for (const { name, value } of attributes) {
    const list = LISTS.get(name);
    if (TEXTS.has(name)) properties[name] = value;
    else if (NUMBERS.has(name)) properties[name] = value === "" || Number.isNaN(Number(value)) ? value : Number(value);
    else if (list !== undefined) properties[list] = value.trim() === "" ? [] : value.trim().split(/[\t\n\f ]+/);
    else return readProperties(tagName, attributes);
  }
  return properties;
}

function readProperties(tagName: string, attributes: readonly Attribute[]): Element["properties"] {
  const node = {
    nodeName: tagName,
    tagName,
    attrs: [...attributes],
    childNodes: [],
    namespaceURI: html.NS.HTML,
    parentNode: null,
  };
  return (fromParse5(node) as Element).properties;
}

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["#39", "'"],
  ["#x27", "'"],
  ["nbsp", "\u00a0"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["hellip", "…"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["#8211", "–"],
  ["#8212", "—"],
  ["#8216", "‘"],
  ["#8217", "’"],
  ["#8220", "“"],
  ["#8221", "”"],
  ["#8230", "…"],
]);
const MAX_REFERENCE = 7;

/** @returns undefined for a reference that is not in the list, or whose end is a matter of judgement. */
function resolveReferences(written: string, isAttribute: boolean): string | undefined {
  let at = written.indexOf("&");
  if (at < 0) return written;
  let resolved = "";
  let done = 0;
  for (; at >= 0; at = written.indexOf("&", at + 1)) {
    const end = written.slice(at + 1, at + 2 + MAX_REFERENCE).indexOf(";");
    const character = end < 0 ? undefined : REFERENCES.get(written.slice(at + 1, at + 1 + end));
    if (character !== undefined) {
      resolved += written.slice(done, at) + character;
      done = at + 2 + end;
    } else if (!isSpace(written.charCodeAt(at + 1)) && !(isAttribute && isParameter(written, at + 1))) return undefined;
  }
  return resolved + written.slice(done);
}

/** Whether an address's parameter begins here: `name=`, which is no reference. A hyphen may end one: `&copy-a=`. */
function isParameter(value: string, from: number): boolean {
  let at = from;
  while (isNameCharacter(value.charCodeAt(at)) && value.charCodeAt(at) !== HYPHEN) at += 1;
  return at > from && value.charCodeAt(at) === EQUALS;
}

/** Letters in lower case, digits and hyphens. */
function isNameCharacter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === HYPHEN;
}

const isHeading = (name: string): boolean => name.length === 2 && name.startsWith("h") && name !== "hr";

function kinds(kind: number, names: string): [string, { name: string; kind: number }][] {
  return names.split(" ").map((name) => [name, { name, kind }]);
}

const [SLASH, BANG, GREATER, EQUALS, QUOTE, HYPHEN] = [0x2f, 0x21, 0x3e, 0x3d, 0x22, 0x2d];
