/** Tab nests items, moves between cells and indents code. After Escape, it leaves the text. */
import { chainCommands } from "prosemirror-commands";
import { type Command, Plugin, PluginKey, TextSelection } from "prosemirror-state";
import { addRowAfter, goToNextCell, isInTable } from "prosemirror-tables";
import { schema } from "../document/schema.ts";
import { indent, isWithin, outdent } from "./commands.ts";

/** Whether the next Tab leaves the text. */
const leaving = new PluginKey<boolean>("leaving");

export function leaveByEscape(): Plugin<boolean> {
  return new Plugin<boolean>({
    key: leaving,
    state: {
      init: () => false,
      apply: (tr, isLeaving) => (tr.getMeta(leaving) as boolean | undefined) ?? (isLeaving && !tr.docChanged),
    },
    props: {
      handleKeyDown: (view, { key }) => {
        if (key === "Tab" || key === "Shift") return false;
        const isEscape = key === "Escape";
        if (leaving.getState(view.state) !== isEscape) view.dispatch(view.state.tr.setMeta(leaving, isEscape));
        return false;
      },
      handleDOMEvents: {
        focus: (view) => {
          if (leaving.getState(view.state) === true) view.dispatch(view.state.tr.setMeta(leaving, false));
        },
      },
    },
  });
}

export const tab: Command = (state, dispatch, view) =>
  leaving.getState(state) !== true && chainCommands(nextCell, indentCode, indent, isInList)(state, dispatch, view);

export const shiftTab: Command = (state, dispatch, view) =>
  leaving.getState(state) !== true &&
  chainCommands(goToNextCell(-1), isInTable, outdentCode, liftItem, isInList)(state, dispatch, view);

const isInList: Command = (state) => isWithin(state, schema.nodes.list_item);

const liftItem: Command = (state, dispatch, view) => isInList(state) && outdent(state, dispatch, view);

const nextCell: Command = (state, dispatch, view) => {
  if (!isInTable(state)) return false;
  if (goToNextCell(1)(state, dispatch)) return true;
  if (view !== undefined && addRowAfter(state, dispatch)) goToNextCell(1)(view.state, dispatch);
  return true;
};

const INDENT = "  ";

/** Indents the lines of the selection, or inserts spaces at the caret. */
const indentCode: Command = (state, dispatch) => {
  const lines = selectedLines(state);
  if (lines === null) return false;
  const { from, to, empty } = state.selection;
  const tr = state.tr;
  if (empty) tr.insertText(INDENT, from);
  else for (const start of lines.toReversed()) tr.insertText(INDENT, start);
  if (!empty) tr.setSelection(TextSelection.create(tr.doc, tr.mapping.map(from, -1), tr.mapping.map(to)));
  dispatch?.(tr.scrollIntoView());
  return true;
};

const outdentCode: Command = (state, dispatch) => {
  const lines = selectedLines(state);
  if (lines === null) return false;
  const tr = state.tr;
  for (const start of lines.toReversed()) {
    const end = Math.min(start + INDENT.length, state.selection.$from.end());
    const blank = /^(?:\t| {1,2})/.exec(state.doc.textBetween(start, end))?.[0].length ?? 0;
    if (blank > 0) tr.delete(start, start + blank);
  }
  dispatch?.(tr.scrollIntoView());
  return true;
};

/** Where the selected lines of a code block begin; null outside code. */
function selectedLines({ selection }: Parameters<Command>[0]): number[] | null {
  const { $from, $to } = selection;
  if ($from.parent.type !== schema.nodes.code_block || !$from.sameParent($to)) return null;
  const text = $from.parent.textContent;
  const starts = [text.lastIndexOf("\n", $from.parentOffset - 1) + 1];
  for (
    let at = text.indexOf("\n", $from.parentOffset);
    at !== -1 && at < $to.parentOffset;
    at = text.indexOf("\n", at + 1)
  ) {
    starts.push(at + 1);
  }
  return starts.map((start) => $from.start() + start);
}
