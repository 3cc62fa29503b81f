/** Ways out of a code block that need no key combination, and so exist on a telephone as well. */
import { exitCode } from "prosemirror-commands";
import type { Command } from "prosemirror-state";
import { schema } from "../document/schema.ts";

/** Enter on a second empty line at the end of code goes on below it, without these lines. */
export const leaveByEnter: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const { parent } = $from;
  if (!empty || parent.type !== schema.nodes.code_block || $from.parentOffset !== parent.content.size) return false;
  if (!parent.textContent.endsWith("\n\n")) return false;
  return exitCode(state, dispatch && ((tr) => dispatch(tr.delete($from.pos - 2, $from.pos))));
};

/** The arrow down at the end of code goes on below it, if there is no text yet. */
export const leaveByArrow: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection;
  const { parent } = $from;
  if (!empty || parent.type !== schema.nodes.code_block || view?.endOfTextblock("down") !== true) return false;
  const next = $from.node(-1).maybeChild($from.indexAfter(-1));
  return next?.isTextblock !== true && exitCode(state, dispatch);
};
