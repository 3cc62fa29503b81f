/** What the editor's dialog for source inserts. */
import type { Command } from "prosemirror-state";
import { schema } from "../document/schema.ts";

const { nodes } = schema;

/** Replaces the source of the island at the position; empty source deletes it. */
export function replaceIsland(position: number, source: string): Command {
  return (state, dispatch) => {
    const node = state.doc.nodeAt(position);
    if (node?.type !== nodes.island) return false;
    const tr = state.tr;
    if (source.trim() === "") tr.delete(position, position + node.nodeSize);
    else tr.setNodeMarkup(position, null, { ...node.attrs, source });
    dispatch?.(tr);
    return true;
  };
}
