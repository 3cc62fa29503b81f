import { baseKeymap, chainCommands } from "prosemirror-commands";
import { dropCursor } from "prosemirror-dropcursor";
import { gapCursor } from "prosemirror-gapcursor";
import { history, redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import type { Node } from "prosemirror-model";
import { undoInputRule } from "prosemirror-inputrules";
import { type Command, EditorState, type Plugin } from "prosemirror-state";
import { tableEditing } from "prosemirror-tables";
import type { Format } from "../document/fingerprint.ts";
import { schema } from "../document/schema.ts";
import { bold, breakInCell, code, indent, italic, lineBreak, list, outdent, setBlock, splitItem } from "./commands.ts";
import { enterRules, typingShortcuts } from "./input-rules.ts";
import { leaveByArrow, leaveByEnter } from "./leave-code.ts";
import { leaveByEscape, shiftTab, tab } from "./tab-keys.ts";
import { typedAddresses } from "./typed-addresses.ts";

const { nodes } = schema;

/** `first`: plugins that handle keys before all others. */
export function createVisualState(doc: Node, format: Format, link: Command, first: readonly Plugin[]): EditorState {
  const shortcuts = typingShortcuts(format);
  return EditorState.create({
    doc,
    plugins: [
      ...first,
      typedAddresses(),
      shortcuts,
      leaveByEscape(),
      keymap({
        // A conversion that was not meant goes back to what was typed.
        "Mod-z": chainCommands(undoInputRule, undo),
        Backspace: undoInputRule,
        "Shift-Mod-z": redo,
        "Mod-y": redo,
        "Mod-b": bold,
        "Mod-i": italic,
        "Mod-e": code,
        "Mod-k": link,
        "Mod-]": indent,
        "Mod-[": outdent,
        "Mod-Alt-0": setBlock(nodes.paragraph),
        "Mod-Alt-2": setBlock(nodes.heading, { level: 2 }),
        "Mod-Alt-3": setBlock(nodes.heading, { level: 3 }),
        "Mod-Alt-4": setBlock(nodes.heading, { level: 4 }),
        "Shift-Mod-7": list(nodes.ordered_list),
        "Shift-Mod-8": list(nodes.bullet_list),
        "Shift-Enter": lineBreak,
        Tab: tab,
        "Shift-Tab": shiftTab,
        ArrowDown: leaveByArrow,
        Enter: chainCommands(leaveByEnter, enterRules(shortcuts), breakInCell, splitItem),
      }),
      keymap(baseKeymap),
      history(),
      dropCursor(),
      gapCursor(),
      tableEditing(),
    ],
  });
}
