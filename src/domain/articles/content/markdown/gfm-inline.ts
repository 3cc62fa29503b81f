import type { Element, RootContent } from "hast";
import { hasFormula } from "./formulas.ts";
import { withoutPrefix } from "../html/prefix-names.ts";
import { attributeText, textContent } from "../html/tree.ts";

/** The context of inline content; each kind writes line breaks differently. */
export interface InlineContext {
  in: "paragraph" | "heading" | "cell";
  link: boolean;
  /** Open emphasis elements: a second `**` inside the first would have no effect. */
  marks: string;
  /** Whether a dollar sign would begin a formula, which the text has not meant. */
  hasFormula?: boolean;
}

export const PARAGRAPH: InlineContext = { in: "paragraph", link: false, marks: "" };
export const HEADING: InlineContext = { in: "heading", link: false, marks: "" };
export const CELL: InlineContext = { in: "cell", link: false, marks: "" };

/** Writes inline content as GFM, on one line except for hard breaks. */
export function inline(nodes: readonly RootContent[], place: InlineContext): string {
  const pieces: Piece[] = [];
  collect(nodes, place, pieces);
  const line = join(pieces, place).trim();
  if (place.hasFormula !== true && line.includes("$") && hasFormula(line))
    return inline(nodes, { ...place, hasFormula: true });
  if (place.in !== "paragraph") return line;
  return line.includes("\n") ? line.split("\n").map(escapeStart).join("\\\n") : escapeStart(line);
}

type Piece =
  | { kind: "text" | "raw"; value: string }
  /** Code; `element` is used where a preceding backtick would join the fence. */
  | { kind: "code"; value: string; element: string }
  | { kind: "break" }
  /** Emphasis; `marker` is used where the neighbouring characters allow it, otherwise the HTML element `tag`. */
  | { kind: "mark"; value: string; marker: string; tag: string };

const MARKS: Readonly<Record<string, { marker: string; tag: string }>> = {
  b: { marker: "**", tag: "strong" },
  cite: { marker: "*", tag: "em" },
  del: { marker: "~~", tag: "del" },
  dfn: { marker: "*", tag: "em" },
  em: { marker: "*", tag: "em" },
  i: { marker: "*", tag: "em" },
  s: { marker: "~~", tag: "del" },
  strike: { marker: "~~", tag: "del" },
  strong: { marker: "**", tag: "strong" },
};

function collect(nodes: readonly RootContent[], place: InlineContext, pieces: Piece[]): void {
  for (const node of nodes) {
    if (node.type === "text") pieces.push({ kind: "text", value: escapeText(node.value, place) });
    else if (node.type === "element") collectElement(node, place, pieces);
  }
}

function collectElement(node: Element, place: InlineContext, pieces: Piece[]): void {
  const { tagName } = node;
  const mark = MARKS[tagName];
  if (mark !== undefined && !place.marks.includes(mark.tag)) {
    const value = nested(node, { ...place, marks: `${place.marks} ${mark.tag}` });
    pieces.push({ kind: "mark", value, ...mark });
  } else if (node.properties["dataFootnoteBackref"] !== undefined) return;
  else if (tagName === "br") pieces.push({ kind: "break" });
  else if (tagName === "a") pieces.push({ kind: "raw", value: link(node, place) });
  else if (tagName === "img") pieces.push({ kind: "raw", value: image(node, place) });
  else if (CODE.has(tagName)) pieces.push(codeSpan(getText(node), place));
  else if (EMBEDS.has(tagName)) pieces.push({ kind: "raw", value: embed(node, place) });
  else if (tagName === "sup" && node.children.every(isNoteReference)) collect(node.children, place, pieces);
  else if (tagName === "sub" || tagName === "sup") {
    const value = nested(node, place);
    // A tag alone on a line would begin an HTML block.
    if (value.trim() === "" || value.includes("\n")) collect(node.children, place, pieces);
    else pieces.push({ kind: "raw", value: `<${tagName}>${value}</${tagName}>` });
  } else if (tagName === "q") {
    pieces.push({ kind: "raw", value: '"' });
    collect(node.children, place, pieces);
    pieces.push({ kind: "raw", value: '"' });
  } else if (!DROPPED.has(tagName)) collect(node.children, place, pieces);
}

export const CODE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "tt"]);
export const EMBEDS: ReadonlySet<string> = new Set(["audio", "iframe", "video"]);
const DROPPED: ReadonlySet<string> = new Set(["input", "map", "rp", "source", "track", "wbr"]);

function nested(node: Element, place: InlineContext): string {
  const pieces: Piece[] = [];
  collect(node.children, place, pieces);
  return join(pieces, place);
}

function join(pieces: readonly Piece[], place: InlineContext): string {
  const line = new Line();
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === "break") {
      line.dropSpace();
      line.add(BREAKS[place.in]);
    } else if (piece.kind === "code") line.add(line.last === "`" ? piece.element : piece.value);
    else if (piece.kind === "mark") addMark(line, piece, getFirstCharacter(pieces[index + 1]));
    else {
      if (line.last === "!" && piece.value.startsWith("[")) line.replaceLast("\\!");
      if (line.last === "&" && /^[#a-z0-9]/i.test(piece.value)) line.replaceLast("&amp;");
      line.add(line.endsInSpace && piece.kind === "text" ? piece.value.trimStart() : piece.value);
    }
  }
  return line.toString();
}

/** Builds a string whose end is read after each addition, without copying the whole. */
class Line {
  last = "";
  private readonly parts: string[] = [];

  get endsInSpace(): boolean {
    return this.last === " " || this.last === "\n";
  }

  add(text: string): void {
    if (text === "") return;
    this.parts.push(text);
    this.last = text.at(-1) ?? "";
  }

  dropSpace(): void {
    while (this.endsInSpace) {
      const part = this.parts.pop();
      if (part === undefined) break;
      this.last = this.parts.at(-1)?.at(-1) ?? "";
      this.add(part.trimEnd());
    }
  }

  replaceLast(escaped: string): void {
    const part = this.parts.pop() ?? "";
    this.parts.push(part.slice(0, -1) + escaped);
  }

  toString(): string {
    return this.parts.join("");
  }
}

const BREAKS = { paragraph: "\n", heading: " ", cell: "<br>" } as const;

function getFirstCharacter(piece: Piece | undefined): string {
  if (piece === undefined) return "";
  if (piece.kind === "break") return "\n";
  return piece.kind === "mark" ? "*" : (piece.value[0] ?? "*");
}

/** Puts spaces outside the markers: a marker must touch what it marks, and no other marker or word. */
function addMark(line: Line, piece: Piece & { kind: "mark" }, next: string): void {
  const inner = piece.value.trim();
  const [lead, after] = [getSpace(/^\s*/, piece.value), getSpace(/(?<!\s)\s*$/, piece.value)];
  if (lead !== " " || !line.endsInSpace) line.add(lead);
  if (inner === "") return;
  const fits =
    fitsBeside(line.last, inner.at(0) ?? "") &&
    fitsBeside(after || next, inner.at(-1) ?? "") &&
    !/\n|<(?!https?:)/.test(inner);
  line.add(fits ? piece.marker + inner + piece.marker : `<${piece.tag}>${inner}</${piece.tag}>`);
  line.add(after);
}

function getSpace(edge: RegExp, value: string): "" | " " | "\n" {
  const space = edge.exec(value)?.[0] ?? "";
  return space.includes("\n") ? "\n" : space === "" ? "" : " ";
}

/** CommonMark's flanking rules, applied conservatively. */
function fitsBeside(outside: string, inside: string): boolean {
  if (/[*_~\\\ud800-\udfff]/.test(outside + inside)) return false;
  return /[\p{L}\p{N}]/u.test(inside) || /^[\s.,;:!?()]?$/.test(outside);
}

function link(node: Element, place: InlineContext): string {
  const url = withoutPrefix(attributeText(node, "href").trim());
  if (place.link || url === "") return nested(node, place);
  const note = node.properties["dataFootnoteRef"] === undefined ? "" : noteLabel(url);
  if (note !== "") return `[^${note}]`;
  const label = nested(node, { ...place, link: true });
  if (label.trim() === "") return label;
  if (/^https?:\/\/[^\s<>\\|]+$/.test(url) && textContent(node) === url && !label.startsWith("!")) return `<${url}>`;
  return `${label.startsWith(" ") ? " " : ""}[${label.trim()}](${destination(node, url, place)})${label.endsWith(" ") ? " " : ""}`;
}

const isNoteReference = (node: RootContent): boolean =>
  node.type === "element" && node.properties["dataFootnoteRef"] !== undefined;

/** The name of a footnote in Markdown, of its id or of a link to it; `""` if it would be none. */
export function noteLabel(id: string): string {
  return /^#?(?:user-content-)?(?:fn-?)?([\w.-]{1,60})$/.exec(id)?.[1] ?? "";
}

function image(node: Element, place: InlineContext): string {
  const url = attributeText(node, "src").trim();
  if (url === "") return "";
  const alt = escapeText(attributeText(node, "alt"), { ...place, link: true }).trim();
  return `![${alt}](${destination(node, url, place)})`;
}

function embed(node: Element, place: InlineContext): string {
  const child = node.children.find((candidate) => candidate.type === "element" && candidate.tagName === "source");
  const url =
    attributeText(node, "src").trim() || (child?.type === "element" ? attributeText(child, "src").trim() : "");
  if (url === "" || place.link) return "";
  const label = escapeText(attributeText(node, "title") || url, { ...place, link: true }).trim();
  return `[${label}](${destination(node, url, place, false)})`;
}

function destination(node: Element, url: string, place: InlineContext, titled = true): string {
  const safe = url
    .replaceAll(/[\s<>\\|"`]/g, (character) => encodeURIComponent(character))
    .replaceAll(/&(?=#?[a-z0-9]+;)/gi, "&amp;");
  const title = titled ? escapeText(attributeText(node, "title"), { ...place, link: true }).trim() : "";
  const target = hasSimpleParentheses(safe) ? safe : safe.replaceAll("(", "%28").replaceAll(")", "%29");
  return title === "" ? target : `${target} "${title.replaceAll('"', "&quot;")}"`;
}

/** Whether each parenthesis has its other half, and none is in another. */
function hasSimpleParentheses(url: string): boolean {
  const marks = url.replaceAll(/[^()]/g, "");
  return marks === "()".repeat(marks.length / 2);
}

function codeSpan(text: string, place: InlineContext): Piece {
  if (text.trim() === "") return { kind: "text", value: text === "" ? "" : " " };
  const element = `<code>${escapeText(text, place)}</code>`;
  const fence = fenceFor(text, 1);
  const pad = text.startsWith("`") || text.endsWith("`") || (text.startsWith(" ") && text.endsWith(" ")) ? " " : "";
  return { kind: "code", value: fence + pad + text + pad + fence, element };
}

/** A run of backticks that the text does not contain, at least `least` long. */
export function fenceFor(text: string, least: number): string {
  let longest = least - 1;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

function getText(node: Element): string {
  const parts: string[] = [];
  for (const child of node.children) {
    if (child.type === "text") parts.push(child.value);
    else if (child.type === "element") parts.push(child.tagName === "br" ? " " : getText(child));
  }
  return parts.join("").replaceAll(/[\t\n\r ]+/g, " ");
}

const SPECIAL = /[\\`*_[\]<&~|@:{$]|www\./;
const SPECIAL_OR_UNEVEN = /[\\`*_[\]<&~|@:{$\t\n\r\f]|www\.| {2}/;

function escapeText(value: string, place: InlineContext): string {
  if (!SPECIAL_OR_UNEVEN.test(value)) return value;
  const text = value.replaceAll(/[\t\n\r\f ]+/g, " ");
  if (!SPECIAL.test(text)) return text;
  let escaped = text
    .replaceAll(/[\\`*[\]~{]/g, String.raw`\$&`)
    .replaceAll("](", String.raw`]\(`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/&(?=#?[a-z0-9]+;)/gi, "&amp;")
    // A backslash before it is undone by several parsers.
    .replaceAll("<", "&lt;")
    // The name of an emoji.
    .replaceAll(/(?<![\w:/]):(?=[a-z0-9_+-]{0,60}(?::|$))/g, String.raw`\:`);
  if (place.hasFormula === true) escaped = escaped.replaceAll(/\$(?!\s)/g, String.raw`\$`);
  if (place.in === "cell") escaped = escaped.replaceAll("|", String.raw`\|`);
  // Prevents addresses that the author did not link from becoming links.
  if (!place.link) {
    escaped = escaped
      .replaceAll(/(?<=https?|ftp|mailto|xmpp):/gi, String.raw`\:`)
      .replaceAll(/(?<=\bwww)\./gi, String.raw`\.`)
      .replaceAll(/(?<=[a-z0-9._+-])@(?=[a-z0-9])/gi, String.raw`\@`);
  }
  return escaped;
}

/** Escapes what would begin a heading, a list, a quote, a rule or a table at the start of a line. */
function escapeStart(line: string): string {
  return line.replace(/^(?:(?=[#+=>|-]|:[- :])|(\d{1,9})(?=[.)](?:\s|$)))/, "$1\\");
}
