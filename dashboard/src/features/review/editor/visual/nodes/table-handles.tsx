/** The handles of the row and the column of a cell: each opens a menu of what can be done with it. */
import { Menu, UnstyledButton } from "@mantine/core";
import IconGripHorizontal from "@tabler/icons-react/dist/esm/icons/IconGripHorizontal.mjs";
import IconGripVertical from "@tabler/icons-react/dist/esm/icons/IconGripVertical.mjs";
import type { Command } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type ReactNode, useLayoutEffect, useState } from "react";
import type { Format } from "../../document/fingerprint.ts";
import { align, ALIGNMENTS, COLUMN_ACTIONS, DELETE_TABLE, readAlignment, rowActions } from "./table-commands.ts";
import classes from "./table-handles.module.css";
import { type ChosenCell, selectCell, selectLine } from "./tables.ts";

interface TableHandlesProps {
  chosen: ChosenCell;
  format: Format;
  view: EditorView;
  run: (command: Command) => void;
  /** Called when the pointer leaves the handles, or their menu closes. */
  onLeave: () => void;
}

interface Places {
  row: { left: number; top: number; height: number };
  column: { left: number; top: number; width: number };
}

const SIZE_PX = 18;
/** The page's bar and the toolbar cover the top of the window. */
const COVERED_PX = 95;

export function TableHandles({ chosen, format, view, run, onLeave }: TableHandlesProps): ReactNode {
  const [opened, setOpened] = useState<"row" | "column" | null>(null);
  // The menu belongs to the cell for which it was opened.
  const [held, setHeld] = useState(chosen);
  if (opened === null && held !== chosen) setHeld(chosen);
  const places = usePlaces(opened === null ? chosen : held);

  function toggle(line: "row" | "column", isOpen: boolean): void {
    setOpened(isOpen ? line : null);
    if (isOpen) selectLine(view, chosen.cell, line);
    else {
      selectCell(view);
      view.focus();
      onLeave();
    }
  }

  if (places === null) return null;
  const items = opened === "row" ? rowActions(format) : COLUMN_ACTIONS;
  const alignment = readAlignment(view.state);
  return (
    <div data-floating-bar onMouseLeave={() => opened === null && onLeave()}>
      {(["row", "column"] as const).map((line) => (
        <Menu
          key={line}
          opened={opened === line}
          onChange={(isOpen) => toggle(line, isOpen)}
          position={line === "row" ? "right-start" : "bottom-start"}
          returnFocus={false}
        >
          <Menu.Target>
            <UnstyledButton className={classes.handle} aria-label={LABELS[line]} style={places[line]}>
              {line === "row" ? <IconGripVertical size={14} /> : <IconGripHorizontal size={14} />}
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            {items.map(({ label, command }) => (
              <Menu.Item key={label} onClick={() => run(command)}>
                {label}
              </Menu.Item>
            ))}
            <Menu.Divider />
            {line === "column" ? (
              ALIGNMENTS.map(({ label, value }) => (
                <Menu.CheckboxItem
                  key={value}
                  checked={alignment === value}
                  onChange={() => run(align(value, format))}
                  closeMenuOnClick
                >
                  {label}
                </Menu.CheckboxItem>
              ))
            ) : (
              <Menu.Item onClick={() => run(DELETE_TABLE.command)}>{DELETE_TABLE.label}</Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      ))}
    </div>
  );
}

const LABELS = { row: "Row", column: "Column" };

/** null while they are out of sight. */
function usePlaces({ cell, table }: ChosenCell): Places | null {
  const [places, setPlaces] = useState<Places | null>(null);
  useLayoutEffect(() => {
    const update = () => setPlaces(table.isConnected ? findPlaces(cell, table) : null);
    update();
    const resizes = new ResizeObserver(update);
    resizes.observe(table);
    resizes.observe(cell);
    window.addEventListener("scroll", update, { capture: true, passive: true });
    window.addEventListener("resize", update);
    return () => {
      resizes.disconnect();
      window.removeEventListener("scroll", update, { capture: true });
      window.removeEventListener("resize", update);
    };
  }, [cell, table]);
  return places;
}

function findPlaces(cell: HTMLElement, table: HTMLElement): Places | null {
  const [inner, outer] = [cell.getBoundingClientRect(), table.getBoundingClientRect()];
  if (inner.bottom < COVERED_PX || inner.top > window.innerHeight) return null;
  const top = Math.max(COVERED_PX, outer.top - SIZE_PX);
  return {
    row: { left: Math.max(0, outer.left - SIZE_PX), top: inner.top, height: inner.height },
    column: { left: inner.left, top, width: inner.width },
  };
}
