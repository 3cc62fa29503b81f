/** Marks commented passages in the visual view. The marks move with the text, and are no part of the document. */
import type { Node } from "prosemirror-model";
import { Plugin, PluginKey } from "prosemirror-state";
import { Decoration, DecorationSet, type EditorView } from "prosemirror-view";
import { type BesideText, GONE, type ShownText } from "./beside-text.ts";
import classes from "./passage-marks.module.css";
import { findPassage, findSaved, readText, toText } from "./passages.ts";

const key = new PluginKey<DecorationSet>("passages");

export function passageMarks(beside: BesideText): Plugin {
  return new Plugin<DecorationSet>({
    key,
    state: {
      init: (_, { doc }) => decorate(DecorationSet.empty, doc, beside),
      apply: (transaction, marks) => {
        const moved = marks.map(transaction.mapping, transaction.doc);
        return transaction.getMeta(key) === undefined ? moved : decorate(moved, transaction.doc, beside);
      },
    },
    props: {
      decorations: (state) => key.getState(state),
      handleClick: (view, position) => {
        const id: unknown = key.getState(view.state)?.find(position, position)[0]?.spec["id"];
        if (typeof id === "string") beside.choose(id);
        return false;
      },
    },
    view: (view) => {
      const shown = createShown(view, beside);
      beside.shown = shown;
      return {
        destroy: () => {
          if (beside.shown === shown) beside.shown = null;
        },
      };
    },
  });
}

/** Those marked already stay where they have moved to; the others are found by their text. */
function decorate(marked: DecorationSet, doc: Node, { threads, active, html }: BesideText): DecorationSet {
  let saved: string | undefined;
  const marks = threads.flatMap((thread) => {
    const { id, passage } = thread;
    if (passage === null) return [];
    const range = findMark(marked, id) ?? findPassage(doc, passage, (saved ??= toText(html)));
    if (range === null) return [];
    const name = id === active ? classes.active : classes.passage;
    return [Decoration.inline(range.from, range.to, { class: name ?? "", "data-comment": id }, { id })];
  });
  return DecorationSet.create(doc, marks);
}

function findMark(marked: DecorationSet, id: string): Decoration | undefined {
  return marked.find(undefined, undefined, (spec) => spec["id"] === id)[0];
}

function createShown(view: EditorView, beside: BesideText): ShownText {
  const find = (id: string) => {
    const marked = key.getState(view.state);
    return marked && findMark(marked, id);
  };
  return {
    refresh: () => view.dispatch(view.state.tr.setMeta(key, true)),
    show: (id) => {
      const mark = find(id);
      if (mark === undefined) return false;
      const { node } = view.domAtPos(mark.from);
      (node instanceof Element ? node : node.parentElement)?.scrollIntoView({ block: "center" });
      return true;
    },
    readSelection: () => findSaved(view.state.doc, view.state.selection, toText(beside.html)),
    replace: ({ id, passage }, replacement) => {
      const mark = find(id);
      if (mark === undefined || passage === null) return GONE;
      const { doc, tr } = view.state;
      if (readText(doc, mark) !== passage.text) return "The passage has changed. Change it by hand.";
      const [from, to] = [doc.resolve(mark.from), doc.resolve(mark.to)];
      if (!from.sameParent(to)) return "The passage has several paragraphs. Change them by hand.";
      view.dispatch(
        replacement === "" ? tr.delete(mark.from, mark.to) : tr.insertText(replacement, mark.from, mark.to),
      );
      return null;
    },
  };
}
