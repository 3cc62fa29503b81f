/**
 * Turns the document into that of another source, block by block. Blocks with the same source stay, and with them the positions
 * that the undo history has there.
 */
import { diffArrays } from "diff";
import { Fragment, type Node, Slice } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";
import type { EditedSource } from "./edited-source.ts";
import { fingerprint } from "./fingerprint.ts";

interface Replaced {
  transaction: Transaction;
  /** The ranges of the new blocks, in the new document. */
  changed: readonly { from: number; to: number }[];
}

interface Edit {
  from: number;
  to: number;
  slice: Slice;
}

interface Place {
  node: Node;
  position: number;
}

/** @param from the source as the document is written. @returns null if that cannot be told block by block. */
export function replaceSource(state: EditorState, from: EditedSource, to: EditedSource): Replaced | null {
  const places = findBlocks(state.doc, from);
  if (places === null || to.origins.length === 0) return null;
  const { tr } = state;
  const edits: Edit[] = [];
  let [old, next] = [0, 0];
  const startOf = (index: number) => places[index]?.position ?? tr.doc.content.size;
  let edit: { from: number; to: number; old: Place[]; nodes: Node[] } | undefined;
  const finish = () => {
    if (edit === undefined) return;
    const {
      from: start,
      to: end,
      old: [place, ...more],
      nodes,
    } = edit;
    const [wanted] = nodes;
    const isOne = place !== undefined && wanted !== undefined && more.length === 0 && nodes.length === 1;
    if (!isOne || !patch(tr, place, wanted, edits)) edits.push({ from: start, to: end, slice: whole(nodes) });
    edit = undefined;
  };
  for (const { added, removed, value } of diffArrays(from.origins.map(keyOf(from)), to.origins.map(keyOf(to)))) {
    if (!added && !removed) {
      finish();
      for (let index = 0; index < value.length; index += 1) {
        const place = places[old + index] as Place;
        const node = to.origins[next + index]?.node as Node;
        // Another shape with the same meaning, such as an empty paragraph in it.
        if (!renumber(tr, place, node)) edits.push({ ...rangeOf(place), slice: whole([node]) });
      }
      old += value.length;
      next += value.length;
      continue;
    }
    edit ??= { from: startOf(old), to: startOf(old), old: [], nodes: [] };
    if (removed) {
      edit.old.push(...places.slice(old, old + value.length));
      old += value.length;
      edit.to = rangeOf(places[old - 1] as Place).to;
    } else {
      edit.nodes.push(...to.origins.slice(next, next + value.length).map(({ node }) => node));
      next += value.length;
    }
  }
  finish();
  const marks = tr.steps.length;
  // From the end, so that the earlier positions stay.
  for (const { from: start, to: end, slice } of edits.toReversed()) tr.replace(start, end, slice);
  const mapping = tr.mapping.slice(marks);
  const changed = edits.map(({ from: start, to: end }) => ({ from: mapping.map(start, -1), to: mapping.map(end, 1) }));
  return { transaction: tr, changed: changed.filter((range) => range.from < range.to) };
}

function keyOf({ format }: EditedSource) {
  return ({ source, node }: { source: string; node: Node }) => `${source}\n${fingerprint(node, format)}`;
}

function rangeOf({ node, position }: Place): { from: number; to: number } {
  return { from: position, to: position + node.nodeSize };
}

/** The document's block for each block of the source; empty paragraphs have none. */
function findBlocks(doc: Node, { origins, format }: EditedSource): Place[] | null {
  const places: Place[] = [];
  doc.forEach((node, position) => {
    const wanted = origins[places.length]?.node;
    if (wanted !== undefined && fingerprint(node, format) === fingerprint(wanted, format)) {
      places.push({ node, position });
    }
  });
  return places.length === origins.length ? places : null;
}

/**
 * Turns a block into another one of its kind by the changes of its text, so that the rest of it keeps its positions, too.
 * @returns false if it has to be replaced.
 */
function patch(tr: Transaction, { node, position }: Place, wanted: Node, edits: Edit[]): boolean {
  if (!hasHeadOf(node, wanted) || (!node.isTextblock && node.childCount !== wanted.childCount)) return false;
  if (node.attrs["sid"] !== wanted.attrs["sid"]) tr.setNodeAttribute(position, "sid", wanted.attrs["sid"]);
  if (!node.isTextblock) {
    node.forEach((child, offset, index) => {
      const place = { node: child, position: position + 1 + offset };
      const other = wanted.child(index);
      if (!patch(tr, place, other, edits)) edits.push({ ...rangeOf(place), slice: whole([other]) });
    });
    return true;
  }
  const start = node.content.findDiffStart(wanted.content);
  const ends = node.content.findDiffEnd(wanted.content);
  if (start === null || ends === null) return true;
  // Repeated characters count for both ends.
  const overlap = Math.max(0, start - Math.min(ends.a, ends.b));
  edits.push({
    from: position + 1 + start,
    to: position + 1 + ends.a + overlap,
    slice: wanted.slice(start, ends.b + overlap),
  });
  return true;
}

/** Whether the two are of one type, with the same attributes beside the number. */
function hasHeadOf(node: Node, wanted: Node): boolean {
  return (
    node.type === wanted.type &&
    !node.isLeaf &&
    Object.keys(node.attrs).every((name) => name === "sid" || node.attrs[name] === wanted.attrs[name])
  );
}

function whole(nodes: readonly Node[]): Slice {
  return new Slice(Fragment.from(nodes), 0, 0);
}

/** Gives the blocks the numbers that they have in the new source. @returns false if the two have different shapes. */
function renumber(tr: Transaction, { node, position }: Place, wanted: Node): boolean {
  if (!hasShapeOf(node, wanted)) return false;
  setNumber(tr, node, position, wanted);
  return true;
}

function setNumber(tr: Transaction, node: Node, position: number, wanted: Node): void {
  if ("sid" in node.attrs && node.attrs["sid"] !== wanted.attrs["sid"]) {
    tr.setNodeAttribute(position, "sid", wanted.attrs["sid"]);
  }
  if (node.isTextblock) return;
  node.forEach((child, offset, index) => setNumber(tr, child, position + 1 + offset, wanted.child(index)));
}

function hasShapeOf(node: Node, wanted: Node): boolean {
  if (node.type !== wanted.type || node.childCount !== wanted.childCount) return false;
  return node.isTextblock || node.children.every((child, index) => hasShapeOf(child, wanted.child(index)));
}
