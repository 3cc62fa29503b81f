import { ActionIcon, Group, Menu, Tooltip, UnstyledButton } from "@mantine/core";
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
import IconPhoto from "@tabler/icons-react/dist/esm/icons/IconPhoto.mjs";
import IconStrikethrough from "@tabler/icons-react/dist/esm/icons/IconStrikethrough.mjs";
import IconTable from "@tabler/icons-react/dist/esm/icons/IconTable.mjs";
import { redo, redoDepth, undo, undoDepth } from "prosemirror-history";
import type { Command, EditorState } from "prosemirror-state";
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  deleteTable,
  isInTable,
} from "prosemirror-tables";
import type { ReactNode } from "react";
import { KeyHint } from "../../../../shared/key-hint.tsx";
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
import classes from "./visual-editor.module.css";

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
  run: (command: Command) => void;
  ask: (what: "link" | "image" | "markdown") => void;
  /** Takes the block with the caret back to what was saved; null if it is as it was, or new. */
  revert: Command | null;
  aside: ReactNode;
}

export function Toolbar({ status, run, ask, revert, aside }: ToolbarProps): ReactNode {
  return (
    <Group className={classes.bar} gap={2} role="toolbar" aria-label="Formatting">
      <div className={classes.tools}>
        <Menu position="bottom-start">
          <Menu.Target>
            <UnstyledButton className={classes.block}>
              {status.block}
              <IconChevronDown size={14} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => run(setBlock(nodes.paragraph))}>Text</Menu.Item>
            {[1, 2, 3, 4, 5, 6].map((level) => (
              <Menu.Item key={level} onClick={() => run(setBlock(nodes.heading, { level }))}>
                Heading {level}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => run(setBlock(nodes.code_block))}>Code block</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        {BUTTONS.map(({ label, keys, Icon, name, command }) => (
          <Tool
            key={label}
            label={label}
            keys={keys}
            isOn={status.on.includes(name)}
            onClick={() => (command === null ? ask("link") : run(command))}
          >
            <Icon size={17} />
          </Tool>
        ))}
        <Tool label="Image" keys={null} isOn={null} onClick={() => ask("image")}>
          <IconPhoto size={17} />
        </Tool>
        <Menu position="bottom-start">
          <Menu.Target>
            <ActionIcon variant={status.isInTable ? "light" : "subtle"} color="gray" aria-label="Table and more">
              <IconTable size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {status.isInTable ? (
              TABLE.map(({ label, command }) => (
                <Menu.Item key={label} onClick={() => run(command)}>
                  {label}
                </Menu.Item>
              ))
            ) : (
              <Menu.Item onClick={() => run(insertBlock(newTable()))}>Insert table</Menu.Item>
            )}
            <Menu.Divider />
            <Menu.Item onClick={() => run(rule)}>Insert divider</Menu.Item>
            <Menu.Item onClick={() => ask("markdown")}>Paste as Markdown</Menu.Item>
            <Menu.Item disabled={revert === null} onClick={() => revert !== null && run(revert)}>
              Revert block
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Tool label="Undo" keys="mod+z" isOn={null} isDisabled={!status.canUndo} onClick={() => run(undo)}>
          <IconArrowBackUp size={17} />
        </Tool>
        <Tool label="Redo" keys="mod+y" isOn={null} isDisabled={!status.canRedo} onClick={() => run(redo)}>
          <IconArrowForwardUp size={17} />
        </Tool>
      </div>
      {aside}
    </Group>
  );
}

const BUTTONS = [
  { label: "Bold", keys: "mod+b", Icon: IconBold, name: "strong", command: bold },
  { label: "Italic", keys: "mod+i", Icon: IconItalic, name: "em", command: italic },
  { label: "Strikethrough", keys: null, Icon: IconStrikethrough, name: "strike", command: strike },
  { label: "Code", keys: "mod+e", Icon: IconCode, name: "code", command: code },
  { label: "Link", keys: "mod+k", Icon: IconLink, name: "link", command: null },
  { label: "List", keys: null, Icon: IconList, name: "bullet_list", command: list(nodes.bullet_list) },
  {
    label: "Numbered list",
    keys: null,
    Icon: IconListNumbers,
    name: "ordered_list",
    command: list(nodes.ordered_list),
  },
  { label: "Quote", keys: null, Icon: IconBlockquote, name: "blockquote", command: quote },
] as const;

const TABLE = [
  { label: "Add row above", command: addRowBefore },
  { label: "Add row below", command: addRowAfter },
  { label: "Add column before", command: addColumnBefore },
  { label: "Add column after", command: addColumnAfter },
  { label: "Delete row", command: deleteRow },
  { label: "Delete column", command: deleteColumn },
  { label: "Delete table", command: deleteTable },
] as const;

interface ToolProps {
  label: string;
  keys: string | null;
  /** null if it is not a toggle. */
  isOn: boolean | null;
  isDisabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ label, keys, isOn, isDisabled = false, onClick, children }: ToolProps): ReactNode {
  const hint = (
    <Group gap={6} wrap="nowrap">
      {label}
      {keys !== null && <KeyHint keys={keys} />}
    </Group>
  );
  return (
    <Tooltip label={hint}>
      <ActionIcon
        variant={isOn === true ? "light" : "subtle"}
        color="gray"
        aria-label={label}
        {...(isOn !== null && { "aria-pressed": isOn })}
        disabled={isDisabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
