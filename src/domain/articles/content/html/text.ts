import type { Element, Parents, Root } from "hast";
import { attributeText, collapse, UNSEEN } from "./tree.ts";

/** A piece of visible text between two layout breaks. */
export interface Block {
  kind: "paragraph" | "item" | "heading" | "cell" | "code";
  text: string;
  /** Whether an empty line precedes it in the plain text. */
  apart: boolean;
  /** The text with each character of inline code, but for white space, replaced by `CODE_MARK`. Absent: has no such code. */
  masked?: string;
  /** Set inside a block quote. */
  isQuoted?: boolean;
}

/** Stands for inline code; no HTML has this character, and no word contains it. */
export const CODE_MARK = "\u0001";

interface Heading {
  level: number;
  text: string;
  /** Index of its block; null: it has no text. */
  block: number | null;
}

export interface Anchor {
  text: string;
  /** Empty: it leads nowhere. */
  href: string;
  /** Index of the block that it is in, or of the next one if that block has no text. */
  block: number;
}

export interface Picture {
  /** As for an anchor. */
  block: number;
  src: string;
  /** `null` if there is no alt attribute; `""` marks the picture as decoration. */
  alt: string | null;
}

export interface DocumentStats {
  blocks: Block[];
  headings: Heading[];
  anchors: Anchor[];
  pictures: Picture[];
  /** Videos, audio and frames. */
  embeds: number;
}

export function collectStats(tree: Root): DocumentStats {
  const walk = new TextCollector();
  walk.children(tree, "paragraph");
  walk.flush("paragraph");
  return walk.found;
}

/** Visible text: paragraphs separated by one empty line, list items and table rows by a line break. */
export function visibleText(blocks: readonly Block[]): string {
  let text = "";
  for (const block of blocks) text += (text === "" ? "" : block.apart ? "\n\n" : "\n") + block.text;
  return text;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Elements with an empty line before and after. */
const APART = set(
  "address article aside blockquote center details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul",
);
const LINES = set("caption dd dt li summary tr");
const KINDS: Readonly<Record<string, Block["kind"]>> = {
  li: "item",
  dd: "item",
  tr: "cell",
  caption: "cell",
  pre: "code",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
};

class TextCollector {
  readonly found: DocumentStats = { blocks: [], headings: [], anchors: [], pictures: [], embeds: 0 };
  private parts: string[] = [];
  /** `parts` with code replaced; undefined until the block has some. */
  private masked: string[] | undefined;
  private codeDepth = 0;
  private quoteDepth = 0;
  private apart = false;
  private readonly anchors: string[][] = [];

  children(parent: Parents, kind: Block["kind"]): void {
    for (const child of parent.children) {
      if (child.type === "text") this.text(child.value);
      else if (child.type === "element") this.element(child, kind);
    }
  }

  flush(kind: Block["kind"]): void {
    if (this.parts.length === 0) return;
    const raw = this.parts.join("");
    const text = kind === "code" ? raw.replace(/^\n+/, "").trimEnd() : collapse(raw);
    const masked = this.masked === undefined || kind === "code" ? undefined : collapse(this.masked.join(""));
    this.parts = [];
    this.masked = undefined;
    if (text === "") return;
    this.found.blocks.push({
      kind,
      text,
      apart: this.apart,
      ...(masked === undefined ? {} : { masked }),
      ...(this.quoteDepth > 0 ? { isQuoted: true } : {}),
    });
    this.apart = false;
  }

  private text(value: string): void {
    if (this.codeDepth > 0) this.masked ??= [...this.parts];
    this.masked?.push(this.codeDepth > 0 ? value.replaceAll(/\S/g, CODE_MARK) : value);
    this.parts.push(value);
    this.anchors.at(-1)?.push(value);
  }

  private element(node: Element, kind: Block["kind"]): void {
    const { tagName } = node;
    if (tagName === "img") {
      const alt = node.properties["alt"];
      this.found.pictures.push({
        block: this.found.blocks.length,
        src: attributeText(node, "src"),
        alt: alt === null || alt === undefined ? null : attributeText(node, "alt"),
      });
    } else if (tagName === "br") this.text("\n");
    else if (tagName === "a") {
      const { dataFootnoteRef, dataFootnoteBackref } = node.properties;
      // The number of a footnote would be a part of the word before it.
      if (dataFootnoteRef === undefined && dataFootnoteBackref === undefined) this.anchor(node, kind);
    } else if (UNSEEN.has(tagName) || node.properties["hidden"] === true) {
      if (EMBEDS.has(tagName)) this.found.embeds += 1;
    } else if (APART.has(tagName) || LINES.has(tagName)) this.block(node, kind);
    else {
      if (tagName === "td" || tagName === "th") this.text(" ");
      const isCode = kind !== "code" && INLINE_CODE.has(tagName);
      if (isCode) this.codeDepth += 1;
      this.children(node, kind);
      if (isCode) this.codeDepth -= 1;
    }
  }

  private block(node: Element, kind: Block["kind"]): void {
    const { tagName } = node;
    const own = kind === "code" ? kind : (KINDS[tagName] ?? kind);
    const apart = APART.has(tagName);
    this.flush(kind);
    if (apart) this.apart = true;
    const before = this.found.blocks.length;
    if (tagName === "blockquote") this.quoteDepth += 1;
    this.children(node, own);
    this.flush(own);
    if (tagName === "blockquote") this.quoteDepth -= 1;
    if (apart) this.apart = true;
    // A heading inside a heading is not listed: its text is part of the outer one.
    if (own === "heading" && kind !== "heading" && tagName.length === 2) {
      const text = this.found.blocks.slice(before).map((block) => block.text);
      const block = text.length === 0 ? null : before;
      this.found.headings.push({ level: Number(tagName[1]), text: text.join(" "), block });
    }
  }

  private anchor(node: Element, kind: Block["kind"]): void {
    const text: string[] = [];
    const block = this.found.blocks.length;
    this.anchors.push(text);
    this.children(node, kind);
    this.anchors.pop();
    if (node.properties["href"] === undefined) return;
    this.found.anchors.push({ text: collapse(text.join("")), href: attributeText(node, "href").trim(), block });
  }
}

const INLINE_CODE = set("code kbd samp tt var");
const EMBEDS = set("audio iframe video");
