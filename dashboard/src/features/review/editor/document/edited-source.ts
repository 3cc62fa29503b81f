/** A source that is being edited: its document, and how to write it back. */
import type { Node } from "prosemirror-model";
import type { Format } from "./fingerprint.ts";
import type { BlockDetail, Parsed } from "./parsed.ts";
import { schema } from "./schema.ts";

export type Parse = (source: string, firstSid?: number) => Parsed;

/** A block of the document as parsed. */
export interface SourceBlock {
  sid: number;
  node: Node;
  source: string;
  /** The exact text between the previous block and this one. */
  before: string;
}

export interface EditedSource {
  format: Format;
  parse: Parse;
  bom: string;
  doc: Node;
  origins: readonly SourceBlock[];
  /** All blocks by `sid`, nested ones included. */
  nodes: ReadonlyMap<number, Node>;
  /** The text after the last block. */
  tail: string;
  eol: "\n" | "\r\n";
  /** The usual text between two blocks. */
  separator: string;
}

const BOM = "\uFEFF";

/** `firstSid`: the number of the first block. */
export function openSource(text: string, format: Format, parse: Parse, firstSid = 0): EditedSource {
  const bom = text.startsWith(BOM) ? BOM : "";
  const source = text.slice(bom.length);
  const { blocks, details } = parse(source, firstSid);
  const origins: SourceBlock[] = [];
  let end = 0;
  for (const sid of blocks) {
    const detail = details.get(sid) as BlockDetail;
    origins.push({
      sid,
      node: detail.node,
      source: source.slice(detail.start, detail.end),
      before: source.slice(end, detail.start),
    });
    ({ end } = detail);
  }
  const content = origins.map(({ node }) => node);
  const eol = source.includes("\r\n") ? "\r\n" : "\n";
  return {
    format,
    parse,
    bom,
    doc: schema.node("doc", null, content.length === 0 ? [schema.nodes.paragraph.create()] : content),
    origins,
    nodes: new Map([...details].map(([sid, { node }]) => [sid, node])),
    tail: source.slice(end),
    eol,
    separator: format === "markdown" ? eol + eol : (mostFrequent(origins.slice(1).map(({ before }) => before)) ?? eol),
  };
}

/** The most frequent text. */
export function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) if (text.trim() === "") counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0];
}
