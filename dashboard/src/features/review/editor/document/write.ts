/**
 * Writes a document back to its source. Unchanged blocks are written byte for byte as they were. Every changed block, and the whole
 * result, is parsed again and must equal the document.
 */
import { Fragment, type Node } from "prosemirror-model";
import { escapeAlways, withFewestEscapes } from "./escapes.ts";
import { fingerprint, isNothing } from "./fingerprint.ts";
import { HTML_WAYS, writeHtml } from "./html-write.ts";
import { type Candidate, type MarkdownStyle, writeMarkdown } from "./markdown-write.ts";
import { normaliseDocument } from "./normalise.ts";
import { openOrigins, type Origins } from "./origins.ts";
import { schema } from "./schema.ts";
import type { EditedSource } from "./edited-source.ts";

export interface WriteResult {
  source: string;
  /** Whether the source reads back as the document. If not, it must not be saved without asking. */
  isExact: boolean;
}

interface Block {
  source: string;
  isVerbatim: boolean;
}

interface Part extends Block {
  node: Node;
  /** The text before it. */
  gap: string;
  /** Whether it follows the same block as in the source. */
  isNeighbour: boolean;
}

const { nodes } = schema;

export interface DocumentWriter {
  write: (doc: Node) => WriteResult;
}

export function createWriter(original: EditedSource): DocumentWriter {
  const { format, parse, eol } = original;
  const style = findStyle(original);
  let definitions = "";
  /** How many blocks the definitions are. */
  let definitionCount = 0;
  let written = new WeakMap<Node, Block>();
  let origins = openOrigins(original, definitions);
  let last: { doc: Node; result: WriteResult } | null = null;

  function readsAs(source: string, expected: readonly Node[]): boolean {
    const { blocks, details } = parse(source + definitions);
    if (blocks.length !== expected.length + definitionCount) return false;
    return expected.every((node, index) => {
      const read = details.get(blocks[index] ?? -1)?.node;
      return read !== undefined && fingerprint(read, format) === fingerprint(node, format);
    });
  }

  function writeBlock(node: Node): Block {
    const origin = originOf(node);
    if (origin !== undefined && isSame(node, origin.node)) return { source: origin.source, isVerbatim: true };
    if (node.type === nodes.island) return { source: String(node.attrs["source"]), isVerbatim: false };
    const known = written.get(node);
    if (known !== undefined) return known;
    const block = { source: findCandidate(node, style, [node]), isVerbatim: false };
    written.set(node, block);
    return block;
  }

  /** The first candidate that reads back as these blocks; the last one if none does. */
  function findCandidate(node: Node, how: MarkdownStyle, expected: readonly Node[]): string {
    const reads = (source: string) => readsAs(source, expected);
    let last = "";
    for (const [candidate, source] of candidates(node, origins, how)) {
      last = source;
      if (reads(source)) return withFewestEscapes(candidate, reads);
    }
    return last;
  }

  /** Different candidates with what they write. */
  function* candidates(node: Node, from: Origins, how: MarkdownStyle): Generator<[Candidate, string]> {
    const tried = new Set<string>();
    for (const candidate of format === "html" ? htmlCandidates(node, from) : markdownCandidates(node, from, how)) {
      const source = candidate(escapeAlways);
      if (tried.has(source)) continue;
      tried.add(source);
      yield [candidate, source];
    }
  }

  function* markdownCandidates(node: Node, from: Origins, how: MarkdownStyle): Generator<Candidate> {
    for (const candidate of writeMarkdown(node, from, how)) {
      yield eol === "\n" ? candidate : (escapes) => candidate(escapes).replaceAll(/\r?\n/g, eol);
    }
  }

  const bySid = new Map(
    original.origins.map((origin, index) => [
      origin.sid,
      { ...origin, previous: original.origins[index - 1]?.sid ?? null },
    ]),
  );
  const originOf = (node: Node) => bySid.get(Number(node.attrs["sid"] ?? -1));

  function isSame(node: Node, original: Node): boolean {
    return node === original || node.eq(original) || fingerprint(node, format) === fingerprint(original, format);
  }

  /** Nodes without text and tag cannot be written, such as a lone line break; their source is kept. */
  function isDropped(node: Node): boolean {
    if (!isNothing(node)) return false;
    const origin = originOf(node);
    // An empty paragraph of the source may be there for its attributes.
    if (format === "html" && node.attrs["tag"] !== "") return origin === undefined && node.attrs["sid"] === null;
    return origin === undefined || !node.eq(origin.node);
  }

  function write(edited: Node): WriteResult {
    const doc = keepDefinitions(normaliseDocument(edited, format, original.nodes), original);
    if (last?.doc.eq(doc) === true) return last.result;
    if (doc === original.doc || doc.eq(original.doc)) return remember(doc, { source: join(original), isExact: true });
    const now = format === "markdown" ? findDefinitions(doc) : "";
    if (now !== definitions) {
      definitions = now;
      definitionCount = parse(now).blocks.length;
      written = new WeakMap();
      origins = openOrigins(original, definitions);
    }
    const parts: Part[] = [];
    doc.forEach((node) => {
      if (isDropped(node)) return;
      const origin = originOf(node);
      const previous = parts.at(-1);
      const part = { node, ...writeBlock(node), gap: original.separator, isNeighbour: false };
      if (
        origin !== undefined &&
        origin.previous === (previous === undefined ? null : (previous.node.attrs["sid"] ?? undefined))
      ) {
        part.gap = origin.before;
        part.isNeighbour = true;
      } else if (previous === undefined) {
        part.gap = "";
      }
      parts.push(part);
      if (format === "markdown" && previous !== undefined && !part.isNeighbour) setApart(parts);
    });
    const text = parts.map(({ gap, source }) => gap + source).join("");
    const tail = original.origins.length === 0 && parts.length > 0 ? eol : original.tail;
    const source = original.bom + text + tail;
    return remember(doc, { source, isExact: readsAsDocument(source, doc) });
  }

  /** Separates blocks that would read as one where they have become neighbours: two lists, or a list and indented code. */
  function setApart(parts: Part[]): void {
    const [previous, part] = parts.slice(-2) as [Part, Part];
    const expected = [previous.node, part.node];
    if (readsAs(previous.source + part.gap + part.source, expected)) return;
    const other: MarkdownStyle = {
      ...style,
      bullet: style.bullet === "-" ? "*" : "-",
      ordered: style.ordered === "." ? ")" : ".",
    };
    const alone = { find: () => null };
    // New and moved blocks are written differently rather than those that stayed in place.
    const both = [part, previous].toSorted((one, two) => Number(one.isVerbatim) - Number(two.isVerbatim));
    if (!previous.isNeighbour && part.isVerbatim && parts.length > 1) both.reverse();
    for (const changed of both) {
      for (const how of [style, other]) {
        for (const [candidate, source] of candidates(changed.node, alone, how)) {
          const reads = (written: string) =>
            readsAs(
              changed === part ? previous.source + part.gap + written : written + part.gap + part.source,
              expected,
            );
          if (!reads(source)) continue;
          changed.source = withFewestEscapes(candidate, reads);
          return;
        }
      }
    }
  }

  function readsAsDocument(source: string, doc: Node): boolean {
    const { blocks, details } = parse(source.slice(original.bom.length));
    const read = blocks.map((sid) => details.get(sid)?.node as Node);
    const wanted: Node[] = [];
    doc.forEach((node) => {
      if (!isDropped(node)) wanted.push(node);
    });
    return (
      read.length === wanted.length &&
      read.every((node, index) => fingerprint(node, format) === fingerprint(wanted[index] as Node, format))
    );
  }

  function remember(doc: Node, result: WriteResult): WriteResult {
    last = { doc, result };
    return result;
  }

  return { write };
}

function* htmlCandidates(node: Node, origins: Origins): Generator<Candidate> {
  for (const way of HTML_WAYS) yield () => writeHtml(node, origins, way);
}

function join({ bom, origins, tail }: EditedSource): string {
  return bom + origins.map(({ before, source }) => before + source).join("") + tail;
}

function isDefinition(node: Node): boolean {
  return node.type === nodes.island && node.attrs["label"] !== null;
}

/** Appends deleted definitions and notes that links and references still need. */
function keepDefinitions(doc: Node, { origins }: EditedSource): Node {
  const defined = new Set<unknown>();
  const used = new Set<unknown>();
  doc.descendants((node) => {
    const { attrs, type } = node;
    if (isDefinition(node)) defined.add(attrs["label"]);
    if (type === nodes.footnote) defined.add(noteKey(attrs["label"]));
    if (type === nodes.footnote_reference) used.add(noteKey(attrs["label"]));
    if (type === nodes.image) used.add(attrs["label"]);
    for (const mark of node.marks) used.add(mark.attrs["label"]);
  });
  const missing: Node[] = [];
  for (const { node } of origins) {
    const key = node.type === nodes.footnote ? noteKey(node.attrs["label"]) : node.attrs["label"];
    const isOne = isDefinition(node) || node.type === nodes.footnote;
    if (!isOne || !used.has(key) || defined.has(key)) continue;
    missing.push(node);
    defined.add(key);
  }
  return missing.length === 0 ? doc : doc.copy(doc.content.append(Fragment.from(missing)));
}

/** Labels are compared without case. */
function noteKey(label: unknown): string {
  return `^${String(label).toLowerCase()}`;
}

/** The definitions and labels of notes of a document, as source to append to one of its blocks. */
function findDefinitions(doc: Node): string {
  const found: string[] = [];
  doc.descendants((node) => {
    if (isDefinition(node)) found.push(String(node.attrs["source"]));
    if (node.type === nodes.footnote) found.push(`[^${node.attrs["label"]}]: note`);
    return !node.isTextblock;
  });
  return found.length === 0 ? "" : `\n\n${found.join("\n\n")}`;
}

/** The Markdown style of a source: what it uses first. */
function findStyle({ format, origins }: EditedSource): MarkdownStyle {
  const text = format === "markdown" ? origins.map(({ source }) => source).join("\n") : "";
  const bullet = /^ {0,3}([-*+]) /m.exec(text)?.[1];
  const ordered = /^ {0,3}\d{1,9}([.)]) /m.exec(text)?.[1];
  const emphasis = /(?:^|\s)([*_])(?=[^\s*_])/.exec(text)?.[1];
  return {
    bullet: bullet === "*" || bullet === "+" ? bullet : "-",
    ordered: ordered === ")" ? ")" : ".",
    emphasis: emphasis === "_" ? "_" : "*",
    care: "usual",
    addresses: "bare",
    escapes: escapeAlways,
    hasReferences: true,
    way: "narrow",
  };
}
