/** Tells which cell of a table is pointed at or has the caret, for the handles of its row and its column. */
import { Plugin, TextSelection } from "prosemirror-state";
import { cellAround, CellSelection, isInTable, selectionCell } from "prosemirror-tables";
import type { EditorView } from "prosemirror-view";
import { isInFloatingBar } from "../floating-bar.tsx";

export interface ChosenCell {
  cell: HTMLElement;
  table: HTMLElement;
}

export class TextTables {
  readonly plugin: Plugin;
  readonly #onChosen: (chosen: ChosenCell | null) => void;
  #pointed: HTMLElement | null = null;

  constructor(onChosen: (chosen: ChosenCell | null) => void) {
    this.#onChosen = onChosen;
    this.plugin = new Plugin({
      view: () => ({ update: (view) => this.#show(view), destroy: () => onChosen(null) }),
      props: {
        handleDOMEvents: {
          mouseover: (view, { target }) => this.#point(view, target),
          mouseleave: (view, { relatedTarget }) => {
            if (!isInFloatingBar(relatedTarget)) this.#point(view, null);
          },
          focus: (view) => this.#show(view),
          blur: (view, { relatedTarget }) => {
            if (!isInFloatingBar(relatedTarget)) this.#show(view);
          },
        },
      },
    });
  }

  /** The pointer has left the handles. */
  leave(view: EditorView): void {
    this.#point(view, null);
  }

  #point(view: EditorView, target: EventTarget | null): void {
    const cell = target instanceof HTMLElement ? target.closest<HTMLElement>("td, th") : null;
    if (cell === this.#pointed) return;
    this.#pointed = cell;
    this.#show(view);
  }

  #show(view: EditorView): void {
    const pointed = this.#pointed !== null && view.dom.contains(this.#pointed) ? this.#pointed : null;
    const hasFocus = view.hasFocus() || isInFloatingBar(document.activeElement);
    const focused = hasFocus && isInTable(view.state) ? view.nodeDOM(selectionCell(view.state).pos) : null;
    const cell = pointed ?? focused;
    const table = cell instanceof HTMLElement ? cell.closest("table") : null;
    this.#onChosen(table === null ? null : { cell: cell as HTMLElement, table });
  }
}

/** Selects the cell's whole row or column, so that commands act on it and everybody sees on what. */
export function selectLine(view: EditorView, cell: HTMLElement, line: "row" | "column"): void {
  const $cell = cellAround(view.state.doc.resolve(view.posAtDOM(cell, 0)));
  if ($cell === null) return;
  const selection = line === "row" ? CellSelection.rowSelection($cell) : CellSelection.colSelection($cell);
  view.dispatch(view.state.tr.setSelection(selection));
}

/** Puts the caret back into one cell. */
export function selectCell(view: EditorView): void {
  const { selection, tr, doc } = view.state;
  if (!(selection instanceof CellSelection)) return;
  view.dispatch(tr.setSelection(TextSelection.near(doc.resolve(selection.$headCell.pos + 1))));
}
