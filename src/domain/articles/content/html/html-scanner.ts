import { AppError } from "../../../system/errors.ts";
import { isPrefixed } from "./prefix-names.ts";
import { allowedProperty, ELEMENTS, INSIDE_TABLE, isAllowedElement } from "./schema.ts";
import { endsName, isLetter, isSpace, SourceIndex } from "./source-index.ts";
import { isSafeUrl } from "./urls.ts";

/**
 * Reads the tokens of an HTML source before any parser does, in linear time and without recursion.
 *
 * Is it safe to parse? HTML parsers are quadratic in open elements, in attributes of one tag, and in open formatting.
 * The scanner over-estimates the depth and size that a parser could reach, and rejects sources beyond the limits.
 *
 * May it be kept byte for byte? Only if every token is one that we would write ourselves: such a source cannot turn
 * into anything else, whichever parser reads it. A clean parsed tree would not prove that.
 */
export interface Scan {
  clean: boolean;
  /** Elements in the source that are not allowed, in lower case. A fragment parser drops some of them silently. */
  foreign: ReadonlySet<string>;
}

export const MAX_DEPTH = 256;
const MAX_ELEMENTS = 250_000;
const MAX_ATTRIBUTES = 250;

export function scanHtml(source: string): Scan {
  const tokens = new Scanner(source);
  tokens.run();
  return { clean: tokens.clean, foreign: tokens.foreign };
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const VOID = words("area base basefont bgsound br col embed frame hr img input link meta param source track wbr");
/** Elements whose start tag closes the previous one: they never nest by themselves, and do not count as depth. */
const SELF_CLOSING_SIBLINGS = words("p li dd dt option tbody td tfoot th thead tr");
const FORMATTING = words("a b big code em font i nobr s small strike strong tt u");
/** An end tag of these closes everything inside, up to the nearest table cell. */
const BLOCKS = words(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header hgroup main menu nav ol pre search section summary ul",
);
const BARRIERS = words("applet button caption html marquee math object svg table td template th");
const RAW_TEXT = words("iframe noembed noframes script style textarea title xmp");
/** Inside these the names above have other meanings, so raw text is no longer skipped once one has been seen. */
const OTHER_RULES = words("svg math select frameset");

/** What the scanner has to know of an element. One look-up by its name, instead of one in each set. */
interface ElementTraits {
  name: string;
  isAllowed: boolean;
  isVoid: boolean;
  isSibling: boolean;
  isFormatting: boolean;
  isRawText: boolean;
  isInsideTable: boolean;
  hasOtherRules: boolean;
  needed: string | undefined;
}

function describeElement(name: string): ElementTraits {
  return {
    name,
    isAllowed: isAllowedElement(name),
    isVoid: VOID.has(name),
    isSibling: SELF_CLOSING_SIBLINGS.has(name),
    isFormatting: FORMATTING.has(name),
    isRawText: RAW_TEXT.has(name),
    isInsideTable: INSIDE_TABLE.has(name),
    hasOtherRules: OTHER_RULES.has(name),
    needed: NEEDED_ATTRIBUTE.get(name),
  };
}

class Scanner {
  clean = true;
  readonly foreign = new Set<string>();
  private readonly source: string;
  private index: SourceIndex | undefined;
  private at = 0;
  /** Names of open elements, except those that close each other. */
  private readonly open: string[] = [];
  /** Names of all open elements, as nested in the source. */
  private readonly nesting: string[] = [];
  private openFormatting = 0;
  private elements = 0;
  private otherRules = false;

  constructor(source: string) {
    this.source = source;
    if (source.includes("\0")) this.clean = false;
  }

  run(): void {
    const { source } = this;
    for (let next = source.indexOf("<"); next >= 0; next = source.indexOf("<", this.at)) {
      this.at = next + 1;
      const code = source.charCodeAt(this.at);
      if (isLetter(code)) this.startTag();
      else if (code === SLASH) this.endTag();
      else if (code === BANG && source.startsWith("--", this.at + 1)) this.comment();
      else if (code === BANG || code === QUESTION) this.bogusComment();
    }
    for (const name of this.nesting) if (!SELF_CLOSING_SIBLINGS.has(name)) this.clean = false;
  }

  private startTag(): void {
    const traits = this.element();
    const { name } = traits;
    if (!traits.isAllowed) {
      this.clean = false;
      this.foreign.add(name);
    }
    const kept = this.attributes(traits, traits.isAllowed);
    this.elements += 1 + this.openFormatting;
    if (this.elements > MAX_ELEMENTS) throw tooMuch(`more than ${MAX_ELEMENTS} elements`);
    if (traits.hasOtherRules) this.otherRules = true;
    if (traits.needed !== undefined && !kept.needed) this.clean = false;
    if (traits.isVoid) return;
    if (kept.selfClosed) this.clean = false;
    if (this.clean && traits.isInsideTable && !this.nesting.includes("table")) this.clean = false;
    if (!traits.isSibling) this.push(traits);
    if (this.clean) this.nest(traits);
    if (traits.isRawText && !this.otherRules) this.rawText(name);
  }

  private push({ name, isFormatting }: ElementTraits): void {
    this.open.push(name);
    if (isFormatting) this.openFormatting += 1;
    if (this.open.length + this.openFormatting > MAX_DEPTH)
      throw tooMuch(`elements nested or left open more than ${MAX_DEPTH} deep`);
  }

  /** Tracks the nesting as the author wrote it, with `<li>` and the like closed by their next sibling. */
  private nest({ name, isSibling }: ElementTraits): void {
    const { nesting } = this;
    if (isSibling && nesting.at(-1) === name) nesting.pop();
    nesting.push(name);
    if (nesting.length > 2 * MAX_DEPTH) this.clean = false;
  }

  private endTag(): void {
    this.at += 1;
    const code = this.source.charCodeAt(this.at);
    if (!isLetter(code)) {
      // A parser ignores `</>`, and reads anything else up to `>` as a comment.
      this.clean = false;
      if (code !== GREATER) this.bogusComment();
      return;
    }
    const traits = this.element();
    const { name } = traits;
    if (!traits.isAllowed) {
      this.clean = false;
      this.foreign.add(name);
    }
    if (this.attributes(traits, false).count > 0) this.clean = false;
    if (traits.isVoid) this.clean = false;
    if (this.clean) this.unnest(name);
    if (!traits.isSibling) this.pop(traits);
  }

  private unnest(name: string): void {
    const { nesting } = this;
    while (nesting.length > 0) {
      const last = nesting.pop();
      if (last === name) return;
      if (last === undefined || !SELF_CLOSING_SIBLINGS.has(last)) break;
    }
    this.clean = false;
  }

  /** Pops no more than a parser would. Formatting elements, which a parser might reopen, remain counted. */
  private pop({ name, isFormatting }: ElementTraits): void {
    const { open } = this;
    if (open.at(-1) === name) {
      open.pop();
      if (isFormatting) this.openFormatting -= 1;
      return;
    }
    if (!BLOCKS.has(name) && name !== "table") return;
    for (let index = open.length - 1; index >= 0; index -= 1) {
      const candidate = open[index];
      if (candidate === name) {
        open.length = index;
        return;
      }
      if (candidate !== undefined && BARRIERS.has(candidate)) return;
    }
  }

  private rawText(name: string): void {
    const end = findEndTag(this.source, name, this.at);
    if (name !== "iframe" || this.source.slice(this.at, end).trim() !== "") this.clean = false;
    this.at = end;
  }

  private comment(): void {
    const { source } = this;
    const start = this.at + 3;
    if (source[start] === ">" || source.startsWith("->", start)) {
      this.clean = false;
      this.at = source.indexOf(">", start) + 1;
      return;
    }
    this.index ??= new SourceIndex(source);
    const end = this.index.next("-->", start);
    const value = source.slice(start, end);
    if (end === source.length || !isPlainComment(value)) this.clean = false;
    // A parser also ends a comment at `--!>`.
    this.at = Math.min(end, this.index.next("--!>", start));
  }

  private bogusComment(): void {
    this.clean = false;
    this.foreign.add(this.source.slice(this.at, this.at + 8).toLowerCase() === "!doctype" ? "!doctype" : "!--");
    const end = this.source.indexOf(">", this.at);
    this.at = end < 0 ? this.source.length : end + 1;
  }

  private element(): ElementTraits {
    const { source } = this;
    const start = this.at;
    let end = start;
    while (!endsName(source.charCodeAt(end))) end += 1;
    this.at = end;
    const name = source.slice(start, end);
    return TRAITS.get(name) ?? describeElement(name.toLowerCase());
  }

  /** Reads past the `>` of a tag, by the rules of the HTML tokenizer. */
  private attributes(element: ElementTraits, check: boolean): Readonly<SeenAttributes> {
    const { source } = this;
    if (source.charCodeAt(this.at) === GREATER) {
      this.at += 1;
      return NO_ATTRIBUTES;
    }
    const seen: SeenAttributes = { count: 0, selfClosed: false, needed: false };
    let spaced = false;
    for (;;) {
      const code = source.charCodeAt(this.at);
      if (this.at >= source.length) {
        this.clean = false;
        return seen;
      }
      if (code === GREATER) {
        this.at += 1;
        return seen;
      }
      if (isSpace(code)) {
        spaced = true;
        this.at += 1;
      } else if (code === SLASH) {
        this.at += 1;
        seen.selfClosed = source.charCodeAt(this.at) === GREATER;
        if (!seen.selfClosed) this.clean = false;
      } else {
        if (!spaced) this.clean = false;
        spaced = false;
        seen.count += 1;
        if (seen.count > MAX_ATTRIBUTES) throw tooMuch(`more than ${MAX_ATTRIBUTES} attributes on one element`);
        this.attribute(element, check, seen);
      }
    }
  }

  private attribute(element: ElementTraits, check: boolean, seen: SeenAttributes): void {
    const { source } = this;
    const start = this.at;
    // A leading `=` belongs to the name.
    let end = start + 1;
    while (source.charCodeAt(end) !== EQUALS && !endsName(source.charCodeAt(end))) end += 1;
    const name = source.slice(start, end).toLowerCase();
    let next = end;
    while (isSpace(source.charCodeAt(next))) next += 1;
    let value = "";
    this.at = end;
    if (source.charCodeAt(next) === EQUALS) {
      this.at = next + 1;
      value = this.value();
    }
    // Markup in a value could turn into elements if the text is parsed twice.
    if (check && this.clean && (hasMarkup(value) || !isAllowedAttribute(element.name, name, value))) this.clean = false;
    if ((name === "id" || name === "name") && !isPrefixed(value)) this.clean = false;
    if (element.needed === name) seen.needed = true;
  }

  private value(): string {
    const { source } = this;
    while (isSpace(source.charCodeAt(this.at))) this.at += 1;
    const quote = source.charCodeAt(this.at);
    if (quote === DOUBLE || quote === SINGLE) {
      const start = this.at + 1;
      const end = source.indexOf(quote === DOUBLE ? '"' : "'", start);
      if (end < 0) this.clean = false;
      this.at = end < 0 ? source.length : end + 1;
      return source.slice(start, end < 0 ? source.length : end);
    }
    const start = this.at;
    while (this.at < source.length) {
      const code = source.charCodeAt(this.at);
      if (code === GREATER || isSpace(code)) break;
      if (UNQUOTED_ODDITIES.has(code)) this.clean = false;
      this.at += 1;
    }
    if (this.at === start) this.clean = false;
    return source.slice(start, this.at);
  }
}

/** Whether a comment contains neither markup nor anything that parsers have disagreed about. */
export function isPlainComment(value: string): boolean {
  return !/[<>\0]|--|^-|-$|!$/.test(value);
}

/** Elements that do nothing, or mean something else, without this attribute. */
export const NEEDED_ATTRIBUTE: ReadonlyMap<string, string> = new Map([
  ["iframe", "src"],
  ["input", "type"],
]);

const TRAITS: ReadonlyMap<string, ElementTraits> = new Map(
  [...Object.keys(ELEMENTS), ...VOID, ...RAW_TEXT, ...OTHER_RULES].map((name) => [name, describeElement(name)]),
);

interface SeenAttributes {
  count: number;
  selfClosed: boolean;
  needed: boolean;
}

const NO_ATTRIBUTES: Readonly<SeenAttributes> = { count: 0, selfClosed: false, needed: false };

/** Whether the attribute may be kept; `value` is as in the source or as parsed. */
export function isAllowedAttribute(element: string, name: string, value: string): boolean {
  const property = allowedProperty(element, name);
  if (property === undefined) return false;
  if (element === "input" && name === "type") return value === "checkbox";
  return isSafeUrl(element, property, value);
}

const hasMarkup = (value: string): boolean => /[<>]/.test(value) && /<[/!?a-z]|-->/i.test(value);

const tooMuch = (what: string): AppError =>
  new AppError("invalid", `The content has ${what}; simplify it, or close what is left open.`, { field: "content" });

function findEndTag(source: string, name: string, from: number): number {
  for (let at = source.indexOf("</", from); at >= 0; at = source.indexOf("</", at + 2)) {
    const end = at + 2 + name.length;
    if (source.slice(at + 2, end).toLowerCase() === name && (end >= source.length || endsName(source.charCodeAt(end))))
      return at;
  }
  return source.length;
}

const [SLASH, BANG, QUESTION, GREATER, DOUBLE, SINGLE, EQUALS] = [0x2f, 0x21, 0x3f, 0x3e, 0x22, 0x27, 0x3d];
const UNQUOTED_ODDITIES: ReadonlySet<number> = new Set([DOUBLE, SINGLE, 0x3c, 0x3d, 0x60]);
