/** Undo and redo beyond the field's own history: what was typed before the view was switched. */
import { undoDepth } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import type { Command, Plugin } from "prosemirror-state";
import type { TextHistory } from "../text-history.ts";
import type { VisualField } from "./field.ts";

export function earlierTexts(field: () => VisualField, history: TextHistory, onText: (text: string) => void): Plugin {
  function show(text: string | null): boolean {
    if (text === null) return false;
    field().load(text);
    onText(text);
    return true;
  }
  const back: Command = (state) => {
    // The field's own undo comes first.
    if (undoDepth(state) > 0) return false;
    // The history has to know the text as it is now.
    field().write();
    return show(history.undo());
  };
  const forth: Command = () => {
    field().write();
    return show(history.redo());
  };
  return keymap({ "Mod-z": back, "Shift-Mod-z": forth, "Mod-y": forth });
}
