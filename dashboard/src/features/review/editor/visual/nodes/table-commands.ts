/** What can be done with rows and columns: ProseMirror's own commands, and alignment, which each format writes in its own way. */
import type { Command, EditorState, Transaction } from "prosemirror-state";
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  deleteTable,
  isInTable,
  selectedRect,
  TableMap,
  toggleHeader,
} from "prosemirror-tables";
import type { Format } from "../../document/fingerprint.ts";
import { tagOf, withAttribute, withoutAttribute } from "../../document/html-tags.ts";

type Alignment = "left" | "center" | "right";

interface TableAction {
  label: string;
  command: Command;
}

export const ALIGNMENTS: readonly { label: string; value: Alignment }[] = [
  { label: "Align left", value: "left" },
  { label: "Align center", value: "center" },
  { label: "Align right", value: "right" },
];

export function rowActions(format: Format): readonly TableAction[] {
  return [
    { label: "Add row above", command: keepAlignment(addRowBefore) },
    { label: "Add row below", command: keepAlignment(addRowAfter) },
    // A table in Markdown has exactly one.
    ...(format === "html" ? [{ label: "Header row", command: toggleHeader("row") }] : []),
    { label: "Delete row", command: keepAlignment(deleteRow) },
  ];
}

export const COLUMN_ACTIONS: readonly TableAction[] = [
  { label: "Add column before", command: addColumnBefore },
  { label: "Add column after", command: addColumnAfter },
  { label: "Delete column", command: deleteColumn },
];

export const DELETE_TABLE: TableAction = { label: "Delete table", command: deleteTable };

/** The alignment of the column that has the caret. */
export function readAlignment(state: EditorState): Alignment {
  if (!isInTable(state)) return "left";
  const { map, table, left, top } = selectedRect(state);
  const at = map.map[top * map.width + left];
  const align: unknown = at === undefined ? null : table.nodeAt(at)?.attrs["align"];
  return align === "center" || align === "right" ? align : "left";
}

/** Aligns the cells of the selected columns. Left is what a column is without any alignment. */
export function align(value: Alignment, format: Format): Command {
  return (state, dispatch) => {
    if (!isInTable(state)) return false;
    const { map, tableStart, left, right } = selectedRect(state);
    const { tr } = state;
    for (const at of map.cellsInRect({ left, right, top: 0, bottom: map.height })) {
      const cell = tr.doc.nodeAt(tableStart + at);
      if (cell === null || (cell.attrs["align"] ?? "left") === value) continue;
      const set = value === "left" ? null : value;
      const { tag } = cell.attrs;
      const plain = format === "html" && typeof tag === "string" ? withoutAttribute(tagOf(cell), "align") : tag;
      const written = typeof plain === "string" && set !== null ? withAttribute(plain, "align", set) : plain;
      tr.setNodeMarkup(tableStart + at, null, { ...cell.attrs, align: set, tag: written });
    }
    if (tr.docChanged) dispatch?.(tr);
    return true;
  };
}

/** New cells are aligned as their column is. In Markdown, the first row says so for all. */
function keepAlignment(command: Command): Command {
  return (state, dispatch) => {
    if (!isInTable(state)) return false;
    const { map, table, tableStart } = selectedRect(state);
    const aligned = Array.from({ length: map.width }, (_, column): unknown => {
      const cells = map.cellsInRect({ left: column, right: column + 1, top: 0, bottom: map.height });
      return cells.map((at) => table.nodeAt(at)?.attrs["align"] as unknown).find((value) => value !== null) ?? null;
    });
    return command(state, dispatch && ((tr) => dispatch(alignNew(tr, tableStart, aligned))));
  };
}

function alignNew(tr: Transaction, tableStart: number, aligned: readonly unknown[]): Transaction {
  const table = tr.doc.nodeAt(tableStart - 1);
  if (table?.type.spec["tableRole"] !== "table") return tr;
  const map = TableMap.get(table);
  for (const [column, value] of aligned.entries()) {
    for (const at of map.cellsInRect({ left: column, right: column + 1, top: 0, bottom: map.height })) {
      const cell = table.nodeAt(at);
      const isNew = cell !== null && cell.attrs["sid"] === null && cell.attrs["tag"] === null;
      if (isNew && value !== null && cell.attrs["align"] === null) tr.setNodeAttribute(tableStart + at, "align", value);
    }
  }
  return tr;
}
