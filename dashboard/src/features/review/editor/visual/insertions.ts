/** What the editor's dialogs insert: links and source. */
import type { Command, EditorState } from "prosemirror-state";
import { schema } from "../document/schema.ts";
import type { Question } from "./questions.tsx";

const { nodes, marks } = schema;

/** @returns the dialog's question, with the values of what is selected. */
export function questionAbout(what: "link" | "markdown", { selection }: EditorState): Question {
  if (what === "markdown") return { kind: "markdown" };
  const link = marks.link.isInSet(selection.$from.marks()) ?? findLink(selection);
  return { kind: "link", href: String(link?.attrs["href"] ?? ""), isLinked: link !== undefined };
}

/** Links the selection, or changes the link at the caret; null removes it. */
export function setLink(href: string | null): Command {
  return (state, dispatch) => {
    let { from, to } = state.selection;
    const { $from, empty } = state.selection;
    const link = marks.link.isInSet($from.marks());
    if (empty && link !== undefined) {
      $from.parent.forEach((child, offset) => {
        const start = $from.start() + offset;
        if (link.isInSet(child.marks) && start <= to && start + child.nodeSize >= from) {
          from = Math.min(from, start);
          to = Math.max(to, start + child.nodeSize);
        }
      });
    }
    const tr = state.tr;
    if (from === to) {
      if (href === null) return false;
      tr.insert(from, schema.text(href, [marks.link.create({ href })]));
    } else {
      const old = link?.attrs ?? {};
      tr.removeMark(from, to, marks.link);
      if (href !== null) tr.addMark(from, to, marks.link.create({ ...old, href, reference: null, label: null }));
    }
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}

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

function findLink(selection: { $from: { nodeAfter: { marks: readonly unknown[] } | null } }) {
  const after = selection.$from.nodeAfter as { marks: readonly ReturnType<typeof marks.link.create>[] } | null;
  return after?.marks.find(({ type }) => type === marks.link);
}
