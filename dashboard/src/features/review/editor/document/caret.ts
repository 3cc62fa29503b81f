/** Converts positions of the visual editor's caret to positions in the source, and back. */
import type { Node } from "prosemirror-model";
import { isNothing } from "./fingerprint.ts";
import type { BlockDetail, Parsed } from "./parsed.ts";

/** `source` is the document as written, `parsed` the result of reading it again. */
export function toOffset(doc: Node, position: number, { blocks, details }: Parsed): number {
  const resolved = doc.resolve(position);
  let sids: readonly number[] = blocks;
  let detail: BlockDetail | undefined;
  for (let depth = 0; depth <= resolved.depth && sids.length > 0; depth += 1) {
    const parent = resolved.node(depth);
    if (parent.isTextblock) break;
    // Empty paragraphs are not written.
    let index = 0;
    for (let before = 0; before < resolved.index(depth); before += 1) if (!isNothing(parent.child(before))) index += 1;
    detail = details.get(sids[Math.min(index, sids.length - 1)] ?? -1);
    if (detail === undefined) return 0;
    sids = detail.children;
  }
  if (detail === undefined) return 0;
  const units = detail.units ?? [];
  const unit = units[resolved.parentOffset];
  return unit?.start ?? units.at(-1)?.end ?? detail.inner.start;
}

/** The position in a document that was just parsed. */
export function toPosition(doc: Node, offset: number, { details }: Parsed): number {
  let best = 1;
  doc.descendants((node, position) => {
    const detail = details.get(Number(node.attrs["sid"] ?? -1));
    if (detail === undefined || detail.start > offset) return node.isBlock;
    if (node.isTextblock) {
      const index = (detail.units ?? []).findIndex((unit) => unit.end > offset);
      best = position + 1 + (index === -1 ? node.content.size : index);
    } else if (node.isLeaf && node.isBlock) {
      best = position;
    }
    return node.isBlock;
  });
  return Math.min(best, doc.content.size);
}
