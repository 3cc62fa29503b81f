import type { Node } from "prosemirror-model";
import type { InlineUnit } from "./units.ts";

/** The position of a block in the parsed source. */
export interface BlockDetail {
  node: Node;
  start: number;
  end: number;
  /** The content without the markup around it. */
  inner: { start: number; end: number };
  /** The blocks inside, in order. */
  children: number[];
  /** The previous block in the same parent; null for the first one. */
  previous: number | null;
  /** The source position of each character; null if one was not found, or the block has no text. */
  units: InlineUnit[] | null;
}

export interface Parsed {
  /** The `sid` of each top-level block. */
  blocks: number[];
  details: Map<number, BlockDetail>;
}

/** Finds the characters of `value` in the source from `start` on; null if they differ by more than notation. */
export function alignText(
  source: string,
  value: string,
  { start, end }: { start: number; end: number },
  isMarkdown: boolean,
): { start: number; end: number }[] | null {
  const places: { start: number; end: number }[] = [];
  let at = start;
  let index = 0;
  while (index < value.length) {
    const character = value[index] as string;
    const written = source[at];
    if (at >= end || written === undefined) return null;
    if (character === "\n" || character === "\r") {
      // A line break includes the next line's indentation, and the prefixes of the quotes and lists around it.
      let last = at;
      while (source[last] === " " || source[last] === "\t") last += 1;
      if (source[last] === "\r") last += 1;
      if (source[last] === "\n") last += 1;
      if (last === at) return null;
      if (isMarkdown) while (last < end && " \t>".includes(source[last] as string)) last += 1;
      const length = character === "\r" && value[index + 1] === "\n" ? 2 : 1;
      for (let more = 0; more < length; more += 1) places.push({ start: at, end: last });
      index += length;
      at = last;
      continue;
    }
    if (isMarkdown && written === "\\" && source[at + 1] === character && ESCAPABLE.test(character)) {
      places.push({ start: at, end: at + 2 });
      at += 2;
      index += 1;
      continue;
    }
    const reference = written === "&" ? (REFERENCE.exec(source.slice(at, Math.min(end, at + 40)))?.[0] ?? "") : "";
    if (reference !== "" && (reference === "&amp;" || !value.startsWith(reference, index))) {
      const length = /^[\uD800-\uDBFF]/.test(character) ? 2 : 1;
      for (let more = 0; more < length; more += 1) places.push({ start: at, end: at + reference.length });
      at += reference.length;
      index += length;
      continue;
    }
    if (written !== character) return null;
    places.push({ start: at, end: at + 1 });
    at += 1;
    index += 1;
  }
  return source.slice(at, end).trim() === "" ? places : null;
}

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const REFERENCE = /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});?/i;
