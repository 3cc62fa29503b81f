import { Menu, UnstyledButton } from "@mantine/core";
import IconArrowBackUp from "@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs";
import IconArrowForwardUp from "@tabler/icons-react/dist/esm/icons/IconArrowForwardUp.mjs";
import IconBlockquote from "@tabler/icons-react/dist/esm/icons/IconBlockquote.mjs";
import IconBold from "@tabler/icons-react/dist/esm/icons/IconBold.mjs";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconItalic from "@tabler/icons-react/dist/esm/icons/IconItalic.mjs";
import IconLink from "@tabler/icons-react/dist/esm/icons/IconLink.mjs";
import IconList from "@tabler/icons-react/dist/esm/icons/IconList.mjs";
import IconListNumbers from "@tabler/icons-react/dist/esm/icons/IconListNumbers.mjs";
import IconMessagePlus from "@tabler/icons-react/dist/esm/icons/IconMessagePlus.mjs";
import IconPhoto from "@tabler/icons-react/dist/esm/icons/IconPhoto.mjs";
import IconStrikethrough from "@tabler/icons-react/dist/esm/icons/IconStrikethrough.mjs";
import { redo, redoDepth, undo, undoDepth } from "prosemirror-history";
import type { Command, EditorState } from "prosemirror-state";
import { isInTable } from "prosemirror-tables";
import type { ReactNode } from "react";
import { KeyHint } from "../../../../shared/key-hint.tsx";
import { type Tool, ToolRow } from "../canvas/tool-row.tsx";
import classes from "../canvas/tool-row.module.css";
import type { Format } from "../document/fingerprint.ts";
import { schema } from "../document/schema.ts";
import {
  bold,
  code,
  insertBlock,
  isWithin,
  italic,
  list,
  newTable,
  quote,
  rule,
  setBlock,
  strike,
} from "./commands.ts";

import { align, ALIGNMENTS, COLUMN_ACTIONS, DELETE_TABLE, rowActions } from "./nodes/table-commands.ts";

const { nodes, marks } = schema;

/** The state of the buttons. */
export interface ToolbarStatus {
  block: string;
  on: readonly string[];
  isInTable: boolean;
  canUndo: boolean;
  canRedo: boolean;
}

/** @returns the same object if nothing has changed, so that nothing is rendered. */
export function readStatus(state: EditorState, before: ToolbarStatus | null): ToolbarStatus {
  const { $from, from, to, empty } = state.selection;
  const { parent } = $from;
  const on = Object.values(marks)
    .filter((type) =>
      empty ? type.isInSet(state.storedMarks ?? $from.marks()) : state.doc.rangeHasMark(from, to, type),
    )
    .map(({ name }) => name);
  for (const type of [nodes.bullet_list, nodes.ordered_list, nodes.blockquote])
    if (isWithin(state, type)) on.push(type.name);
  const block =
    parent.type === nodes.heading
      ? `Heading ${parent.attrs["level"]}`
      : parent.type === nodes.code_block
        ? "Code block"
        : "Text";
  const now = { block, on, isInTable: isInTable(state), canUndo: undoDepth(state) > 0, canRedo: redoDepth(state) > 0 };
  return before !== null && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

interface ToolbarProps {
  status: ToolbarStatus;
  format: Format;
  run: (command: Command) => void;
  ask: (what: "link" | "image" | "markdown") => void;
  /** Takes the block with the caret back to what was saved; null if it is as it was, or new. */
  revert: Command | null;
  onFind: () => void;
  onComment: (() => void) | null;
  aside: ReactNode;
  /** Moves the focus back to the text. */
  onLeave: () => void;
}

export function Toolbar(props: ToolbarProps): ReactNode {
  const { status, format, run, ask, revert, onFind, onComment, aside, onLeave } = props;
  const tools: Tool[] = BUTTONS.map(({ name, command, ...button }) => ({
    ...button,
    isOn: name === null ? null : status.on.includes(name),
    run: () => (typeof command === "string" ? ask(command) : run(command)),
  }));
  const step = { isOn: null };
  tools.splice(
    UNDO_AT,
    0,
    { ...step, label: "Undo", keys: "mod+z", Icon: IconArrowBackUp, isDisabled: !status.canUndo, run: () => run(undo) },
    {
      ...step,
      label: "Redo",
      keys: "mod+y",
      Icon: IconArrowForwardUp,
      isDisabled: !status.canRedo,
      run: () => run(redo),
    },
  );
  if (onComment !== null)
    tools.push({ ...step, label: "Comment", keys: "mod+alt+m", Icon: IconMessagePlus, run: onComment });
  return (
    <ToolRow
      lead={<BlockMenu block={status.block} run={run} />}
      tools={tools}
      isMoreOn={status.isInTable}
      more={
        <>
          {status.isInTable ? (
            [
              ...rowActions(format),
              ...COLUMN_ACTIONS,
              ...ALIGNMENTS.map(({ label, value }) => ({ label, command: align(value, format) })),
              DELETE_TABLE,
            ].map(({ label, command }) => (
              <Menu.Item key={label} onClick={() => run(command)}>
                {label}
              </Menu.Item>
            ))
          ) : (
            <Menu.Item onClick={() => run(insertBlock(newTable()))}>Insert table</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item onClick={() => run(rule)}>Insert divider</Menu.Item>
          <Menu.Item onClick={onFind} rightSection={<KeyHint keys="mod+f" />}>
            Find and replace
          </Menu.Item>
          <Menu.Item onClick={() => ask("markdown")}>Paste as Markdown</Menu.Item>
          <Menu.Item disabled={revert === null} onClick={() => revert !== null && run(revert)}>
            Revert block
          </Menu.Item>
        </>
      }
      aside={aside}
      onLeave={onLeave}
    />
  );
}

function BlockMenu({ block, run }: { block: string; run: (command: Command) => void }): ReactNode {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes.lead} data-toolbar-toggle>
          {block}
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        <Menu.Item onClick={() => run(setBlock(nodes.paragraph))}>Text</Menu.Item>
        {[1, 2, 3, 4, 5, 6].map((level) => (
          <Menu.Item key={level} onClick={() => run(setBlock(nodes.heading, { level }))}>
            Heading {level}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => run(setBlock(nodes.code_block))}>Code block</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The most important one first: on narrow screens the last ones are in the menu. */
const BUTTONS = [
  { label: "Bold", keys: "mod+b", Icon: IconBold, name: "strong", command: bold },
  { label: "Italic", keys: "mod+i", Icon: IconItalic, name: "em", command: italic },
  { label: "Add picture", keys: null, Icon: IconPhoto, name: null, command: "image" },
  { label: "Link", keys: "mod+k", Icon: IconLink, name: "link", command: "link" },
  { label: "List", keys: null, Icon: IconList, name: "bullet_list", command: list(nodes.bullet_list) },
  {
    label: "Numbered list",
    keys: null,
    Icon: IconListNumbers,
    name: "ordered_list",
    command: list(nodes.ordered_list),
  },
  { label: "Quote", keys: null, Icon: IconBlockquote, name: "blockquote", command: quote },
  { label: "Strikethrough", keys: null, Icon: IconStrikethrough, name: "strike", command: strike },
  { label: "Code", keys: "mod+e", Icon: IconCode, name: "code", command: code },
] as const;

/** Undo and redo come before these. */
const UNDO_AT = 7;
