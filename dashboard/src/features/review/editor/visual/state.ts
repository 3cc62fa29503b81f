import { baseKeymap, chainCommands } from "prosemirror-commands";
import { dropCursor } from "prosemirror-dropcursor";
import { gapCursor } from "prosemirror-gapcursor";
import { history, redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import type { Node } from "prosemirror-model";
import { splitListItem } from "prosemirror-schema-list";
import { type Command, EditorState, type Plugin } from "prosemirror-state";
import { goToNextCell, tableEditing } from "prosemirror-tables";
import { schema } from "../document/schema.ts";
import { bold, breakInCell, code, indent, italic, lineBreak, list, outdent, setBlock } from "./commands.ts";
import { typingShortcuts } from "./input-rules.ts";

const { nodes } = schema;

/** `first`: plugins that handle keys before all others. */
export function createVisualState(doc: Node, link: Command, first: readonly Plugin[]): EditorState {
  return EditorState.create({
    doc,
    plugins: [
      ...first,
      typingShortcuts(),
      keymap({
        "Mod-z": undo,
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
        // In a table Tab moves to the next cell; elsewhere it leaves the field, so that keyboard users are not trapped.
        Tab: goToNextCell(1),
        "Shift-Tab": goToNextCell(-1),
        Enter: chainCommands(breakInCell, splitListItem(nodes.list_item, { checked: null })),
      }),
      keymap(baseKeymap),
      history(),
      dropCursor(),
      gapCursor(),
      tableEditing(),
    ],
  });
}
