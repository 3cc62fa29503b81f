import type { Element, Parents, Root } from "hast";
import { attributeText, collapse, UNSEEN } from "./tree.ts";

/** A piece of visible text between two layout breaks. */
export interface Block {
  kind: "paragraph" | "item" | "heading" | "cell" | "code";
  text: string;
  /** Whether an empty line precedes it in the plain text. */
  apart: boolean;
}

interface Heading {
  level: number;
  text: string;
}

export interface Anchor {
  text: string;
  /** Empty: it leads nowhere. */
  href: string;
}

interface Picture {
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
    this.parts = [];
    if (text === "") return;
    this.found.blocks.push({ kind, text, apart: this.apart });
    this.apart = false;
  }

  private text(value: string): void {
    this.parts.push(value);
    this.anchors.at(-1)?.push(value);
  }

  private element(node: Element, kind: Block["kind"]): void {
    const { tagName } = node;
    if (tagName === "img") {
      const alt = node.properties["alt"];
      this.found.pictures.push({
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
      this.children(node, kind);
    }
  }

  private block(node: Element, kind: Block["kind"]): void {
    const { tagName } = node;
    const own = kind === "code" ? kind : (KINDS[tagName] ?? kind);
    const apart = APART.has(tagName);
    this.flush(kind);
    if (apart) this.apart = true;
    const before = this.found.blocks.length;
    this.children(node, own);
    this.flush(own);
    if (apart) this.apart = true;
    // A heading inside a heading is not listed: its text is part of the outer one.
    if (own === "heading" && kind !== "heading" && tagName.length === 2) {
      const text = this.found.blocks.slice(before).map((block) => block.text);
      this.found.headings.push({ level: Number(tagName[1]), text: text.join(" ") });
    }
  }

  private anchor(node: Element, kind: Block["kind"]): void {
    const text: string[] = [];
    this.anchors.push(text);
    this.children(node, kind);
    this.anchors.pop();
    if (node.properties["href"] === undefined) return;
    this.found.anchors.push({ text: collapse(text.join("")), href: attributeText(node, "href").trim() });
  }
}

const EMBEDS = set("audio iframe video");
