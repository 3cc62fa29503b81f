/**
 * What changed between two articles, shown in the article: blocks are matched first, then words. Accepting all marks
 * gives the new article, rejecting them the old one (as `normalise` shows it). No article may have these marks:
 *
 * - `<ins data-redline="ins">`, `<del data-redline="del">` around inserted and deleted words and inline elements;
 * - `data-redline-block="ins"` or `"del"` at a block that exists only in one of them, whose words are marked, too;
 * - `data-redline-was` at an element of both, with its earlier name and attributes;
 * - `<span data-redline="note">`: a change that is not seen, in words.
 */
import type { Element, ElementContent, Root } from "hast";
import { sanitiseHtml } from "../html/sanitise.ts";
import { escapeText, serialise } from "../html/tree.ts";
import { describeChange, describeMedium } from "./notes.ts";
import { type Budget, type Match, matchEqual } from "./match-equal.ts";
import { matchSimilar } from "./match-similar.ts";
import { type ElementUnit, isWord, takesNotes, type Unit, UnitReader } from "./units.ts";

export interface RedlineInput {
  title: string;
  html: string;
  imageUrl: string | null;
  imageAlt: string | null;
}

export interface Redline {
  /** Inline HTML. */
  title: string;
  html: string;
  /** The featured image as a figure; empty if there is none. */
  image: string;
  insertedWords: number;
  deletedWords: number;
  /** Elements in which only attributes have changed that no reader sees. */
  unseenChanges: number;
}

/** Maximum steps of comparing two articles. */
const MAX_STEPS = 40_000_000;

type Mark = "ins" | "del";

/** Pure. @throws AppError `too_expensive`. */
export function redline(before: RedlineInput, after: RedlineInput): Redline {
  const writer = new RedlineWriter();
  return {
    title: writer.compare(escapeText(before.title), escapeText(after.title)),
    image: writer.compare(toFigure(before), toFigure(after)),
    html: writer.compare(before.html, after.html),
    insertedWords: writer.words.ins,
    deletedWords: writer.words.del,
    unseenChanges: writer.unseenChanges,
  };
}

function toFigure({ imageUrl, imageAlt }: RedlineInput): string {
  if (imageUrl === null) return "";
  const image: Element = {
    type: "element",
    tagName: "img",
    properties: { src: imageUrl, alt: imageAlt ?? "" },
    children: [],
  };
  return serialise({
    type: "root",
    children: [{ type: "element", tagName: "figure", properties: {}, children: [image] }],
  });
}

class RedlineWriter {
  readonly #units = new UnitReader();
  readonly #budget: Budget = { steps: MAX_STEPS };
  readonly words = { ins: 0, del: 0 };
  unseenChanges = 0;

  /** Sanitises both sides first: an earlier version of the service may have allowed more. */
  compare(before: string, after: string): string {
    const [olds, youngs] = [before, after].map((html) => this.#units.read(sanitiseHtml(html).tree));
    const root: Root = { type: "root", children: this.#children(olds ?? [], youngs ?? [], "div") };
    return serialise(root);
  }

  #children(olds: readonly Unit[], youngs: readonly Unit[], parent: string): ElementContent[] {
    const made = new Children();
    // Cells must stay in their columns.
    const isInPlace = parent === "tr" && olds.length === youngs.length;
    const equal = isInPlace ? [] : dropChance(olds, youngs, matchEqual(toIds(olds), toIds(youngs), this.#budget));
    let [at, youngAt] = [0, 0];
    const gap = (to: number, youngTo: number) => {
      if (at < to || youngAt < youngTo) this.#gap(olds.slice(at, to), youngs.slice(youngAt, youngTo), parent, made);
    };
    for (const [old, young] of equal) {
      gap(old, young);
      const unit = youngs[young];
      if (unit !== undefined) made.push(copy(unit));
      [at, youngAt] = [old + 1, young + 1];
    }
    gap(olds.length, youngs.length);
    return made.nodes;
  }

  /** Units between equal ones: similar elements are compared inside, the others are deleted and inserted. */
  #gap(olds: readonly Unit[], youngs: readonly Unit[], parent: string, made: Children): void {
    let [at, youngAt] = [0, 0];
    const replace = (to: number, youngTo: number) => {
      this.#mark(olds.slice(at, to), "del", made);
      this.#mark(youngs.slice(youngAt, youngTo), "ins", made);
    };
    for (const [old, young] of matchSimilar(olds, youngs, parent, this.#budget)) {
      replace(old, young);
      const [unit, other] = [olds[old], youngs[young]];
      if (unit?.kind === "element" && other?.kind === "element") this.#pair(unit, other, parent, made);
      [at, youngAt] = [old + 1, young + 1];
    }
    replace(olds.length, youngs.length);
  }

  #pair(old: ElementUnit, young: ElementUnit, parent: string, made: Children): void {
    if (old.id === young.id) {
      made.push(copy(young));
      return;
    }
    const element: Element = {
      type: "element",
      tagName: young.tag,
      properties: { ...young.properties },
      children: this.#children(old.children, young.children, young.tag),
    };
    const notes: ElementContent[] = [];
    if (old.tag !== young.tag || JSON.stringify(old.properties) !== JSON.stringify(young.properties)) {
      element.properties["dataRedlineWas"] = JSON.stringify({ tag: old.tag, properties: old.properties });
      notes.push(...describeChange(old, young).map(toNote));
      if (notes.length === 0) this.unseenChanges++;
    }
    const isInside = young.isBlock && young.tag !== "hr" && takesNotes(young.tag) && !LISTS.has(young.tag);
    if (isInside) element.children.push(...notes);
    made.push(element);
    if (!isInside && takesNotes(parent)) for (const note of notes) made.push(note);
  }

  #mark(units: readonly Unit[], mark: Mark, made: Children): void {
    let wrapper: Children | undefined;
    for (const unit of units) {
      this.#count(unit, mark);
      if (unit.kind === "element" && unit.isBlock) {
        wrapper = undefined;
        made.push(this.#block(unit, mark));
        continue;
      }
      if (wrapper === undefined) {
        wrapper = new Children();
        made.push({ type: "element", tagName: mark, properties: { dataRedline: mark }, children: wrapper.nodes });
      }
      wrapper.push(copy(unit));
      const note = unit.kind === "element" ? describeMedium(unit, mark) : null;
      if (note !== null) wrapper.push(toNote(note));
    }
  }

  #block({ tag, properties, children }: ElementUnit, mark: Mark): Element {
    const inner = new Children();
    // The block's words were counted when it was compared.
    const { ins, del } = this.words;
    this.#mark(children, mark, inner);
    Object.assign(this.words, { ins, del });
    return {
      type: "element",
      tagName: tag,
      properties: { ...properties, dataRedlineBlock: mark },
      children: inner.nodes,
    };
  }

  #count(unit: Unit, mark: Mark): void {
    if (unit.kind === "element") for (const child of unit.children) this.#count(child, mark);
    else if (isWord(unit.text)) this.words[mark]++;
  }
}

const LISTS: ReadonlySet<string> = new Set(["ul", "ol", "menu", "dl"]);

class Children {
  readonly nodes: ElementContent[] = [];

  push(node: ElementContent): void {
    const last = this.nodes.at(-1);
    if (node.type === "text" && last?.type === "text") last.value += node.value;
    else this.nodes.push(node);
  }
}

function copy(unit: Unit): ElementContent {
  if (unit.kind === "text") return { type: "text", value: unit.text };
  const children = new Children();
  for (const child of unit.children) children.push(copy(child));
  return { type: "element", tagName: unit.tag, properties: unit.properties, children: children.nodes };
}

function toNote(text: string): Element {
  return {
    type: "element",
    tagName: "span",
    properties: { dataRedline: "note" },
    children: [{ type: "text", value: text }],
  };
}

function toIds(units: readonly Unit[]): number[] {
  return units.map(({ id }) => id);
}

/** Longer words are never equal by chance. */
const MAX_CHANCE = 12;

/** Drops equal words that are shorter than the changes around them, so that a rewritten sentence stays legible. */
function dropChance(olds: readonly Unit[], youngs: readonly Unit[], matches: readonly Match[]): readonly Match[] {
  const runs: { matches: Match[]; length: number; from: Match; to: Match }[] = [];
  for (const match of matches) {
    const last = runs.at(-1);
    const unit = olds[match[0]];
    const length = unit?.kind === "text" ? unit.text.trim().length : Number.POSITIVE_INFINITY;
    if (last?.to[0] === match[0] && last.to[1] === match[1]) {
      last.matches.push(match);
      last.length += length;
      last.to = [match[0] + 1, match[1] + 1];
    } else runs.push({ matches: [match], length, from: match, to: [match[0] + 1, match[1] + 1] });
  }
  const kept: typeof runs = [];
  runs.forEach((run, index) => {
    const end = kept.at(-1)?.to ?? [0, 0];
    const next = runs[index + 1]?.from ?? [olds.length, youngs.length];
    const before = Math.max(textLength(olds, end[0], run.from[0]), textLength(youngs, end[1], run.from[1]));
    const after = Math.max(textLength(olds, run.to[0], next[0]), textLength(youngs, run.to[1], next[1]));
    const isChance = run.length <= MAX_CHANCE && run.length <= before && run.length <= after && before > 0 && after > 0;
    if (!isChance) kept.push(run);
  });
  return kept.flatMap((run) => run.matches);
}

/** Characters of the texts in a range, counted only up to the limit that matters. */
function textLength(units: readonly Unit[], from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to && length <= MAX_CHANCE; at++) {
    const unit = units[at];
    if (unit?.kind === "text") length += unit.text.length;
  }
  return length;
}
