/** A sanitised article as the units that a redline compares: blocks, inline elements, and the words between them. */
import type { Element, Parents, Root, RootContent } from "hast";
import { AppError } from "../../../system/errors.ts";

export type Unit = TextUnit | ElementUnit;

/** A word, white space, or a punctuation mark. */
export interface TextUnit {
  kind: "text";
  /** Equal units have the same number. */
  id: number;
  text: string;
}

export interface ElementUnit {
  kind: "element";
  id: number;
  tag: string;
  properties: Element["properties"];
  children: Unit[];
  /** Whether it, or an element in it, is a block. */
  isBlock: boolean;
  /** Ids of its first `MAX_WORDS` words, with their counts. */
  words: Map<number, number>;
  wordCount: number;
}

const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote caption center col colgroup dd details div dl dt figcaption figure footer " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/** Table parts may contain only certain elements, so a mark around one of them would break the table. */
const TABLE_PARTS: ReadonlySet<string> = new Set("table thead tbody tfoot tr colgroup".split(" "));
export const takesNotes = (tag: string): boolean => !TABLE_PARTS.has(tag) && tag !== "col";

/** Maximum units of both texts together. */
const MAX_UNITS = 600_000;
const MAX_WORDS = 400;

export class UnitReader {
  readonly #ids = new Map<string, number>();
  #count = 0;

  /** @throws AppError `too_expensive`. */
  read(root: Root): Unit[] {
    return this.#children(normalise(root), false);
  }

  #children(parent: Parents, isVerbatim: boolean): Unit[] {
    const units: Unit[] = [];
    for (const child of parent.children) {
      if (child.type === "element") units.push(this.#element(child, isVerbatim || child.tagName === "pre"));
      else if (child.type === "text") for (const text of splitText(child.value)) units.push(this.#text(text));
    }
    return units;
  }

  #text(text: string): TextUnit {
    return { kind: "text", id: this.#id(text), text };
  }

  #element({ tagName: tag, properties, ...node }: Element, isVerbatim: boolean): ElementUnit {
    const children = this.#children({ tagName: tag, properties, ...node }, isVerbatim);
    const id = this.#id(`<${tag} ${JSON.stringify(properties)}>${children.map((child) => child.id).join(" ")}`);
    const isBlock = BLOCKS.has(tag) || children.some((child) => child.kind === "element" && child.isBlock);
    const words = new Map<number, number>();
    let wordCount = 0;
    const add = (word: number, count: number) => {
      const taken = Math.min(count, MAX_WORDS - wordCount);
      if (taken <= 0) return;
      words.set(word, (words.get(word) ?? 0) + taken);
      wordCount += taken;
    };
    for (const child of children) {
      if (child.kind === "element") for (const [word, count] of child.words) add(word, count);
      else if (isWord(child.text)) add(child.id, 1);
    }
    return { kind: "element", id, tag, properties, children, isBlock, words, wordCount };
  }

  #id(key: string): number {
    if (++this.#count > MAX_UNITS) throw new AppError("too_expensive", "These texts are too long to compare.");
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.#ids.size);
    return this.#ids.size - 1;
  }
}

export const isWord = (text: string): boolean => /^[\p{L}\p{N}]/u.test(text);

/** Scripts that have no white space between words. */
const UNDIVIDED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function* splitText(text: string): Generator<string> {
  for (const [piece] of text.matchAll(/[\p{L}\p{M}\p{N}_]+|\n|[ \t\f\r]+|./gsu)) {
    if (piece.length > 1 && UNDIVIDED.test(piece)) yield* piece;
    else yield piece;
  }
}

/** The tree without comments, and white space that a browser collapses. Shares nodes with the given tree. */
export function normalise(root: Root): Root {
  return { type: "root", children: normaliseChildren(root.children, true, false) };
}

function normaliseChildren(
  nodes: readonly RootContent[],
  isInBlock: boolean,
  isVerbatim: boolean,
): Element["children"] {
  const children: Element["children"] = [];
  for (const node of nodes) {
    if (node.type === "element") children.push(normaliseElement(node, isVerbatim));
    else if (node.type === "text" && node.value !== "") {
      const last = children.at(-1);
      if (last?.type === "text") last.value += node.value;
      else children.push({ type: "text", value: node.value });
    }
  }
  if (isVerbatim) return children;
  const isEdge = (node: Element["children"][number] | undefined) =>
    node === undefined ? isInBlock : node.type === "element" && BLOCKS.has(node.tagName);
  return children.filter((child, index) => {
    if (child.type !== "text") return true;
    child.value = child.value.replaceAll(/[ \t\n\f\r]+/g, " ");
    if (isEdge(children[index - 1]) && child.value.startsWith(" ")) child.value = child.value.slice(1);
    if (isEdge(children[index + 1]) && child.value.endsWith(" ")) child.value = child.value.slice(0, -1);
    return child.value !== "";
  });
}

function normaliseElement(node: Element, isVerbatim: boolean): Element {
  const isPlain = isVerbatim || node.tagName === "pre";
  const children = normaliseChildren(node.children, BLOCKS.has(node.tagName), isPlain);
  // White space between the parts of a table is never shown, also in a <pre>.
  return {
    ...node,
    children: TABLE_PARTS.has(node.tagName)
      ? children.filter((child) => child.type !== "text" || child.value.trim() !== "")
      : children,
  };
}
